"""Why something does not hold in a few words: the first line of an explanation.

In: a refutation. Out: the reason that a person means, in pieces. Of a move that is what the ways to
it lack, for what stands where it begins: no step leads there, another man is in the way. Of all
else it is the literal at which rules stop handing on the question.

Source: ours; that people select causes, and do not list them, is Miller, "Explanation in Artificial
Intelligence: Insights from the Social Sciences", 2019.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Final, NamedTuple, TypeAlias

from gdl.language.dependencies import LEGAL, TRUE
from gdl.language.matching import applied, match
from gdl.language.syntax import (
    Atom,
    Compound,
    Constant,
    Sentence,
    Term,
    Variable,
    arguments,
    signature,
    variables,
)
from gdl.reason.explanation import (
    Attempt,
    EqualTerms,
    Failure,
    Line,
    Missing,
    Piece,
    Proof,
    Refutation,
    Unwanted,
    failure_text,
    nothing_text,
    term_text,
)

MAX_LACKS: Final = 3
"""What ways to a move lack, of which the first line tells."""
MAX_OTHERS: Final = 2
"""Further rules whose failing literals it names."""


def headline(refutation: Refutation) -> Line:
    """Return why something does not hold: of a move by what all ways to it need, if anything.

    A need is told as it is where any instance would do, of it or of what it lacks.
    """
    need = refutation.needed
    is_another = need is not None and need.is_of_another_kind
    if need is None:
        return _cause(refutation)
    if is_another and refutation.attempts[0].is_out_of_reach:
        return _apart(need) or _cause(refutation)
    name = (Piece(f"{term_text(need.query)} does not"),)
    if not need.query.is_ground:
        return name
    if any(attempt.is_example for attempt in need.attempts[:1]):
        return _of_a_move(need) or _apart(need) or name
    missing = Missing(need.query, need)
    attempt = Attempt(
        refutation.attempts[0].clause, refutation.query, (), missing, asked=need.query
    )
    return _cause(replace(refutation, attempts=(attempt,)))


def _of_a_move(refutation: Refutation) -> Line:
    """Return what each way to a move lacks, where that is more than the name of a relation; or ().

    Places that never fit are told as such, whatever else the rule lacks: no step leads there.
    """
    ways = _lacks(refutation) or []
    least = min((way.number for way in ways), default=0)
    lacks = _distinct(way.lack for way in ways)
    if len(lacks) > MAX_LACKS:
        lacks = _distinct(way.lack for way in ways if way.number == least)
    if not 0 < len(lacks) <= MAX_LACKS:
        return ()
    told = [
        f"{term_text(lacked)} does not hold"
        if isinstance(lacked, Constant | Compound)
        else failure_text(lacked)
        for lacked in lacks
    ]
    return (Piece(", and ".join(told) if len(told) > 1 else told[0].removesuffix(" hold")),)


def _apart(refutation: Refutation) -> Line:
    """Return which two conditions of the one rule that is meant no place meets together; or ().

    What never changes, such as a step, is missing, and the other one is there elsewhere.
    """
    if len(_meant(refutation)) != 1 or not refutation.query.is_ground:
        return ()
    (attempt,) = _meant(refutation)
    bound = match(attempt.clause.head, attempt.head, {})
    failure = attempt.failure
    if bound is None or not (isinstance(failure, Missing) and failure.because.is_fixed):
        return ()
    asked = [literal.sentence for literal in attempt.clause.body if isinstance(literal, Atom)]
    met = [proof.fact for proof in attempt.met if isinstance(proof, Proof)]
    lacking = [applied(a, bound) for a in asked if match(a, failure.sentence, bound) is not None]
    there = [applied(a, bound) for a in asked if any(match(a, m, bound) is not None for m in met)]
    there = [t for t in there if any({*variables(t)} & {*variables(lack)} for lack in lacking)]
    if len(lacking) != 1 or len(there) != 1:
        return ()
    return (Piece(f"no {term_text(lacking[0])} has {term_text(there[0])}"),)


Lack: TypeAlias = Sentence | Attempt
"""What is missing, or a rule that says what else is in the way."""


class _Way(NamedTuple):
    """What a way to a move lacks.

    Attributes:
        lack: The first such thing that is worth telling.
        number: How many things it lacks.
        is_near: Whether something of it is there.
    """

    lack: Lack
    number: int
    is_near: bool = True


def _lacks(refutation: Refutation) -> list[_Way] | None:
    """Return what each way that is meant lacks, and is not told elsewhere; None if one is open.

    Ways of which nothing is there are left out where something of another is.
    """
    ways: list[_Way] = []
    for attempt in _meant(refutation):
        number, missing = 1 + attempt.open, attempt.failure
        if attempt.barred is not None:
            ways.append(_Way(attempt.barred, number))
        elif not isinstance(missing, Missing):
            ways.append(_Way(attempt, number))
        elif _is_to_be_told(attempt, missing):
            if attempt.asked is None:
                return None
            below = missing.because.attempts
            is_near = not below or any(way.is_near for way in below)
            ways.append(_Way(attempt.asked, number, attempt.is_near and is_near))
        elif not missing.because.left_out:
            lacks = _lacks(missing.because)
            if lacks is None:
                return None
            ways += (way._replace(number=way.number + attempt.open) for way in lacks)
    return [way for way in ways if way.is_near] or ways


def _meant(refutation: Refutation) -> Sequence[Attempt]:
    """Return the rules that are for what is there, and have met something of it, if any are."""
    own = [way for way in refutation.attempts if not way.is_foreign]
    return [way for way in own if way.is_near] or own or refutation.attempts


def _is_to_be_told(attempt: Attempt, missing: Missing) -> bool:
    """Return whether a name says enough of what a rule lacks: a fact, or some or other instance."""
    because = missing.because
    if because.is_fixed or (because.attempts and _is_beside_the_point(because)):
        return True
    ways = _meant(because)
    if because.left_out or (ways and all(way.barred is not None for way in ways)):
        return False
    is_last = because.is_recursive or not ways
    return is_last or attempt.is_example or not missing.sentence.is_ground


def _distinct(lacks: Iterable[Lack]) -> list[Lack]:
    """Return what is missing without what follows from another: that no step leads there."""
    kept: list[Lack] = []
    for lack in lacks:
        if isinstance(lack, Attempt):
            kept.append(lack)
        elif not any(_follows(lack, other) for other in kept):
            kept = [*(other for other in kept if not _follows(other, lack)), lack]
    return kept


def _follows(lack: Lack, other: Lack) -> bool:
    """Return whether something is missing because nothing of its kind is there."""
    if isinstance(lack, Attempt) or isinstance(other, Attempt):
        return False
    return match(other, lack, {}) is not None


def _cause(refutation: Refutation) -> Line:
    """Return the reason that a person means in a few words, for the first line.

    Rules are followed down as long as they only hand on the question: one literal alone is
    missing, in one way. Where several are, or others would do as well, or a relation rests on
    itself, that relation's name says more than a cell that is empty somewhere: nobody has a line,
    nobody is linked, 35 is not above 50. So does the name of one condition among others than a
    fact that any of several would be: the shooting has not begun, rather than that it is nobody's
    turn. A name that is the question again, as ``over`` is of ``terminal``, says nothing; what it
    lacks does. What other rules passed on the way lack is told as well. Of a move what it lacks is
    told in place of a name.
    """
    attempt, others = _last(refutation)
    is_move = signature(refutation.query) == LEGAL and refutation.query.is_ground
    if is_move and any(_is_a_name(tried.failure) for tried in (attempt, *others)):
        told = _of_a_move(refutation)
        if told:
            return told
    more = "".join(f", and {failure_text(other)}" for other in others[:MAX_OTHERS])
    if not isinstance(attempt.failure, Missing):
        return (Piece(f"{failure_text(attempt)}{more}"),)
    needed = term_text(attempt.failure.sentence)
    if more:
        return (Piece(f"{needed} does not hold{more}"),)
    return Piece(f"{needed} does not"), *nothing_text(attempt.failure.because)


def _last(refutation: Refutation) -> tuple[Attempt, list[Attempt]]:
    """Return the rule whose literal is told, and others that were passed on the way to it."""
    others: list[Attempt] = []
    attempt = refutation.attempts[0]
    is_among_others = False
    while True:
        others = [*filter(_is_worth_naming, refutation.attempts[1:]), *others]
        if not isinstance(attempt.failure, Missing):
            break
        is_again = _is_the_question_again(refutation)
        is_among_others = is_among_others or bool(attempt.met)
        refutation = attempt.failure.because
        if refutation.is_recursive or not refutation.attempts:
            break
        below = refutation.attempts[0]
        if _asks_itself(refutation):
            break
        hands_on = below.is_telling or _rests_on_itself(below.failure)
        if is_among_others and not all(map(_is_told, refutation.attempts[1:])):
            break
        if not hands_on and not (is_again and _has_names(refutation)):
            break
        if is_among_others and _is_any_of_several(below.failure):
            break
        if _is_beside_the_point(refutation):
            break
        attempt = below
    return attempt, others


def _is_a_name(failure: Failure) -> bool:
    """Return whether what is missing has rules of its own, and changes with the state."""
    if not isinstance(failure, Missing):
        return False
    because = failure.because
    return bool(because.attempts) and not because.is_recursive and not because.is_fixed


def _is_worth_naming(other: Attempt) -> bool:
    """Return whether what another rule lacks is told: not that it is somebody's turn."""
    is_turn = isinstance(other.failure, Unwanted) and signature(other.failure.sentence) == TRUE
    return other.is_telling and not is_turn and not other.is_of_another_kind


def _is_told(other: Attempt) -> bool:
    """Return whether what another rule lacks can be told in a fact, or it is not meant."""
    return other.is_telling or other.is_of_another_kind


def _rests_on_itself(failure: Failure) -> bool:
    return isinstance(failure, Missing) and failure.because.is_recursive


def _asks_itself(refutation: Refutation) -> bool:
    """Return whether all that is lacking is the next step of the same relation, of other things."""
    failure = refutation.attempts[0].failure
    return (
        isinstance(failure, Missing)
        and signature(failure.sentence) == signature(refutation.query)
        and signature(refutation.query) != TRUE
    )


def _is_any_of_several(failure: Failure) -> bool:
    """Return whether what is missing is a fact of the state, and it does not matter which."""
    return (
        isinstance(failure, Missing)
        and signature(failure.sentence) == TRUE
        and not failure.sentence.is_ground
    )


def _is_beside_the_point(refutation: Refutation) -> bool:
    """Return whether a fact is missing that has no word of the question, and others of it are met.

    Of a man of the other player that he stands there says more than that it is not his turn.
    """
    attempt = refutation.attempts[0]
    if not isinstance(attempt.failure, Missing) or signature(attempt.failure.sentence) != TRUE:
        return False
    met = [proof.fact for proof in attempt.met if isinstance(proof, Proof)]
    asked = set(arguments(refutation.query))
    return asked.isdisjoint(_words(attempt.failure.sentence)) and any(
        not asked.isdisjoint(_words(fact)) for fact in met if signature(fact) == TRUE
    )


def _words(true: Sentence) -> Sequence[Term]:
    """Return the arguments of a fact that is said to be true."""
    (fact,) = arguments(true)
    return () if isinstance(fact, Variable) else arguments(fact)


def _is_the_question_again(refutation: Refutation) -> bool:
    """Return whether one rule with one condition is all there is, the same for every value."""
    attempt = refutation.attempts[0]
    return (
        len(refutation.attempts) == 1
        and not attempt.met
        and not attempt.open
        and isinstance(attempt.failure, Missing)
        and attempt.failure.sentence.is_ground
    )


def _has_names(refutation: Refutation) -> bool:
    """Return whether what is lacking is worth naming: what bars it, or a fact for one of the ways.

    Where there is one way only, its name says more than one of the facts that it lacks.
    """
    match refutation.attempts[0].failure:
        case Missing(sentence):
            return len(refutation.attempts) > 1 and signature(sentence) == TRUE
        case Unwanted(sentence):
            return signature(sentence) != TRUE
        case EqualTerms():
            return False
