"""Why a sentence does not hold: the closest rule, and the literal that fails.

In: what holds in a model, and a sentence of which no instance does. Out: for each rule that
could have given it, the instance that gets furthest. Best is one in which a single literal fails
and all others hold together; else the one that meets most literals one after the other.

Source: the question is that of Lloyd, "Declarative Error Diagnosis", 1987 (uncovered atoms).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import islice
from typing import Final, NamedTuple

from gdl.language.dependencies import DOES, LEGAL, TRUE
from gdl.language.diagnostics import GdlError
from gdl.language.matching import Substitution, applied, applied_row
from gdl.language.syntax import (
    Atom,
    Compound,
    Sentence,
    Variable,
    arguments,
    sentence,
    signature,
    variables,
)
from gdl.reason.backtracking import Search
from gdl.reason.explanation import (
    Attempt,
    EqualTerms,
    Failure,
    Missing,
    Premise,
    Proof,
    Refutation,
    Unwanted,
)
from gdl.reason.model import Model, sentence_of
from gdl.reason.needed import is_never, needed, opened
from gdl.reason.program import (
    Condition,
    Definition,
    Differ,
    Level,
    Predicate,
    binds,
    condition_variables,
)
from gdl.reason.prove import Prover
from gdl.reason.tables import Row

MAX_DEPTH: Final = 12
"""How many failing literals are gone into, one below the other."""
MAX_ATTEMPTS: Final = 3
"""Rules that are gone into for one sentence."""
MAX_RULES: Final = 200
"""Rules for one sentence that are compared."""
MAX_WAYS: Final = 100
"""Ways to meet all other literals that are compared with the first."""
MAX_INSTEAD: Final = 3
"""Facts of the state that are named in place of one that is not true."""


class _Candidate(NamedTuple):
    """How far a rule gets: which conditions hold together, which one fails.

    Attributes:
        asked: What fails, with variables for what the other conditions leave open.
    """

    definition: Definition
    head: Row
    conditions: Sequence[Condition]
    bindings: Substitution
    met: frozenset[int]
    failing: int
    asked: Row
    is_example: bool = False

    @property
    def unmet(self) -> int:
        return len(self.conditions) - len(self.met)


class Refuter:
    """Refutes sentences of one model, each once."""

    def __init__(self, model: Model, prover: Prover) -> None:
        """Begin with nothing refuted."""
        self._model = model
        self._prover = prover
        self._begun: set[Sentence] = set()

    def refute_sentence(self, query: Sentence) -> Refutation:
        """Return why no instance of a sentence holds."""
        if signature(query) in (TRUE, DOES):
            return self._refuted_fact(query)
        predicate = self._model.program.relations.get(signature(query))
        if predicate is None:
            return Refutation(query)
        refutation = self._refuted(predicate, arguments(query), 0)
        if signature(query) != LEGAL or not refutation.attempts:
            return refutation
        need = needed(self._model, predicate, arguments(query))
        if need is None:
            return refutation
        apart = Refuter(self._model, self._prover)
        because = apart._refuted(*need, 0)
        attempts = _with_kinds(because.attempts, _met(refutation))
        return replace(refutation, needed=replace(because, attempts=tuple(attempts)))

    def _refuted(self, predicate: Predicate, row: Row, depth: int) -> Refutation:
        query = sentence_of(predicate, row)
        if signature(query) in (TRUE, DOES):
            return self._refuted_fact(query)
        if query in self._begun:
            return Refutation(query, left_out="as above")
        if depth >= MAX_DEPTH:
            return Refutation(query, left_out="not gone into")
        if predicate.definitions:
            self._begun.add(query)
        candidates = [
            candidate
            for definition in predicate.definitions[:MAX_RULES]
            if definition.clause is not None
            and (candidate := self._candidate(definition, row)) is not None
        ]
        candidates.sort(key=lambda c: (self._is_circular(c), c.unmet, -len(c.met)))
        attempts = [self._attempt(candidate, depth) for candidate in candidates[:MAX_ATTEMPTS]]
        is_fixed = predicate.level is Level.GAME
        if not is_fixed:
            attempts = _with_kinds(attempts, self._other_kinds(attempts))
            attempts.sort(key=lambda attempt: attempt.distance)
        is_recursive = predicate.is_recursive and not is_fixed
        return Refutation(query, tuple(attempts), is_recursive=is_recursive, is_fixed=is_fixed)

    def _other_kinds(self, attempts: Iterable[Attempt]) -> set[Sentence]:
        """Return what holds where rules of which nothing is there ask for another: a rook."""
        held: set[Sentence] = set()
        for attempt in attempts:
            for step in _way(attempt):
                for asked in _with_any_word(step):
                    predicate = self._model.program.relations[signature(asked)]
                    rows = self._model.rows(predicate, arguments(asked))
                    held.update(sentence_of(predicate, row) for row in rows)
        return held

    def _is_circular(self, candidate: _Candidate) -> bool:
        """Return whether what fails is being explained already: that would explain nothing."""
        failing = candidate.conditions[candidate.failing]
        if isinstance(failing, Differ) or failing.is_negative:
            return False
        row = applied_row(failing.args, candidate.bindings)
        return sentence_of(failing.predicate, row) in self._begun

    # The closest instance of a rule ------------------------------------------------------

    def _candidate(self, definition: Definition, row: Row) -> _Candidate | None:
        """Return how far a definition gets, None when its head cannot match."""
        rule = opened(definition, row)
        if rule is None:
            return None
        head, conditions = rule
        order = self._model.order(definition, head)
        return self._nearly_met(definition, head, conditions, order) or self._furthest(
            definition, head, conditions, order
        )

    def _nearly_met(
        self,
        definition: Definition,
        head: Row,
        conditions: Sequence[Condition],
        order: Sequence[int],
    ) -> _Candidate | None:
        """Return an instance in which one condition fails, and all others hold together."""
        # Each condition in turn is left out, the one that is met last first: if the others hold
        # together and it does not, it alone is missing. Absences are only asked where the others
        # bind their variables, as they mean something else before.
        for failing in reversed(order):
            bindable = _bound_by(conditions, set(order) - {failing})
            others = [
                index
                for index in order
                if index != failing
                and (binds(conditions[index]) or _all_in(conditions[index], bindable))
            ]
            # The order counts on what the missing one binds: without it, all that bind come first.
            others.sort(key=lambda index: not binds(conditions[index]))
            search = Search(self._model, [conditions[index] for index in others], {})
            ways = islice(search.solutions(), MAX_WAYS)
            substitution = next(ways, None)
            if substitution is not None and self._fails(conditions[failing], substitution):
                met = frozenset(others)
                first = _instance(conditions[failing], substitution)
                all_ways = [first, *(_instance(conditions[failing], way) for way in ways)]
                asked = _in_all(_instance(conditions[failing], {}), all_ways)
                return _Candidate(
                    definition, head, conditions, substitution, met, failing, asked, asked != first
                )
        return None

    def _furthest(
        self,
        definition: Definition,
        head: Row,
        conditions: Sequence[Condition],
        order: Sequence[int],
    ) -> _Candidate | None:
        search = Search(self._model, [conditions[index] for index in order], {})
        # No single condition is to blame: the longest run of first conditions that hold together.
        for _ in search.solutions():
            return None  # it holds after all: the search that said no was cut short
        if search.depth >= len(order):
            return None
        met, failing = frozenset(order[: search.depth]), order[search.depth]
        asked = _instance(conditions[failing], search.furthest)
        return _Candidate(definition, head, conditions, search.furthest, met, failing, asked)

    def _fails(self, condition: Condition, substitution: Substitution) -> bool:
        if isinstance(condition, Differ):
            return applied(condition.left, substitution) is applied(condition.right, substitution)
        holds = self._model.holds(condition.predicate, applied_row(condition.args, substitution))
        return holds if condition.is_negative else not holds

    # From candidate to attempt -----------------------------------------------------------

    def _attempt(self, candidate: _Candidate, depth: int) -> Attempt:
        definition, head, conditions, substitution, met, failing, asked, is_example = candidate
        assert definition.clause is not None
        premises: list[Premise] = [
            self._prover.premise(condition, substitution)
            for index, condition in enumerate(conditions)
            if index in met
        ]
        relation = signature(definition.clause.head).name
        failure = self._failure(conditions[failing], substitution, depth)
        barred = self._barred(conditions)
        return Attempt(
            clause=definition.clause,
            head=sentence(relation, applied_row(head, substitution)),
            met=tuple(premises),
            failure=failure,
            open=candidate.unmet - 1,
            asked=self._asked(conditions[failing], asked),
            barred=self._asked(conditions[barred], asked if barred == failing else None)
            if barred is not None
            else None,
            is_example=is_example,
            is_never=is_never(self._model, conditions),
            is_unsuited=barred is not None and self._is_unsuited(conditions, barred),
        )

    def _asked(self, condition: Condition, row: Row | None) -> Sentence | None:
        """Return what is missing, None where an instance of that holds or nothing is missing."""
        if isinstance(condition, Differ) or condition.is_negative:
            return None
        row = condition.args if row is None else row
        if self._model.holds(condition.predicate, row):
            return None
        return sentence_of(condition.predicate, row)

    def _barred(self, conditions: Sequence[Condition]) -> int | None:
        """Return a condition that no state and no other condition can meet."""
        for index, condition in enumerate(conditions):
            if _is_fixed(condition) and not self._is_met(condition, {}):
                return index
        return None

    def _is_unsuited(self, conditions: Sequence[Condition], barred: int) -> bool:
        """Return whether what is there does not fit, wherever it goes: a pawn slides nowhere."""
        of_state = [
            condition
            for condition in conditions
            if binds(condition) and not _is_fixed(condition) and not self._is_away(condition)
        ]
        fixed = [
            condition
            for index, condition in enumerate(conditions)
            if _is_fixed(condition) and index != barred
        ]
        ways = list(islice(Search(self._model, of_state, {}).solutions(), MAX_WAYS))
        return all(any(not self._is_met(condition, way) for condition in fixed) for way in ways)

    def _is_away(self, condition: Condition) -> bool:
        """Return whether a condition is all of what was asked, and fails: a square is taken."""
        literal = condition.literal
        return (
            isinstance(literal, Atom)
            and all(isinstance(term, Variable) for term in arguments(literal.sentence))
            and not condition_variables(condition)
            and not self._is_met(condition, {})
        )

    def _is_met(self, condition: Condition, substitution: Substitution) -> bool:
        assert not isinstance(condition, Differ)
        row = applied_row(condition.args, substitution)
        try:
            return self._model.holds(condition.predicate, row)
        except GdlError:
            return True  # the rules cannot say for which values it holds

    def _failure(self, condition: Condition, substitution: Substitution, depth: int) -> Failure:
        if isinstance(condition, Differ):
            return EqualTerms(applied(condition.left, substitution))
        row = applied_row(condition.args, substitution)
        if not condition.is_negative:
            because = self._refuted(condition.predicate, row, depth + 1)
            return Missing(sentence_of(condition.predicate, row), because)
        instance = self._model.rows(condition.predicate, row)[0]
        proof = self._prover.prove(condition.predicate, instance)
        alone = self._prover.alone(proof)
        return Unwanted(sentence_of(condition.predicate, row), proof, alone)

    # What is true and done ---------------------------------------------------------------

    def _refuted_fact(self, query: Sentence) -> Refutation:
        """Return why something is not true (or not done), with facts that are, in its place."""
        assert isinstance(query, Compound)
        asked = query.args[-1]
        if isinstance(asked, Variable) or signature(query) != TRUE:
            return Refutation(query)
        like = [
            fact
            for fact in self._model.state
            if not isinstance(fact, Variable)
            and signature(fact) == signature(asked)
            and _differences(arguments(asked), arguments(fact)) == 1
        ]
        shown = sorted(like) if len(like) <= MAX_INSTEAD else []
        proofs = tuple(self._prover.prove_sentence(Compound("true", (fact,))) for fact in shown)
        return Refutation(query, instead=proofs)


def _with_kinds(attempts: Sequence[Attempt], met: Iterable[Sentence] = ()) -> list[Attempt]:
    """Mark the rules that lack in a word of theirs what others have met, and they have not."""
    facts = set(met).union(*map(_facts, attempts))
    return [
        replace(
            attempt,
            is_for_others=attempt.is_for_others
            or any(_asks_for_another(step, facts) for step in _way(attempt)),
        )
        for attempt in attempts
    ]


def _asks_for_another(attempt: Attempt, facts: Iterable[Sentence]) -> bool:
    """Return whether what is missing is known but for one word, which the rule alone brings in.

    So a rule for pawns asks for a pawn where a king stands, be it that it says pawn or what is
    said of pawns alone. That another square is empty is none of this: the question says which.
    """
    if not isinstance(attempt.failure, Missing) or attempt.failure.because.is_fixed:
        return False
    lacked = attempt.failure.sentence
    asked_of = {variable for term in arguments(attempt.clause.head) for variable in variables(term)}
    own = {premise.fact for premise in attempt.met if isinstance(premise, Proof)}
    return any(
        any(_is_but_for(lacked, fact, place) for fact in facts)
        and not any(_is_but_for(lacked, fact, place) for fact in own)
        for literal in attempt.clause.body
        if isinstance(literal, Atom) and signature(literal.sentence) == signature(lacked)
        for place in _brought_in(literal.sentence, asked_of)
    )


def _with_any_word(attempt: Attempt) -> Iterator[Sentence]:
    """Yield what a rule lacks with a variable for the one word that the rule alone brings in."""
    if not isinstance(attempt.failure, Missing) or attempt.is_near:
        return
    lacked = attempt.failure.sentence
    asked_of = {variable for term in arguments(attempt.clause.head) for variable in variables(term)}
    for literal in attempt.clause.body:
        if isinstance(literal, Atom) and signature(literal.sentence) == signature(lacked):
            for place in _brought_in(literal.sentence, asked_of):
                args = [*arguments(lacked)]
                args[place] = Variable("kind")
                yield sentence(lacked.name, tuple(args))


def _brought_in(literal: Sentence, asked_of: set[Variable]) -> Iterator[int]:
    """Yield the one place of a literal that the question says nothing of, if there is one."""
    own = [
        place
        for place, term in enumerate(arguments(literal))
        if not set(variables(term)) & asked_of
    ]
    if len(own) == 1 < len(arguments(literal)):
        yield own[0]


def _is_but_for(sentence: Sentence, fact: Sentence, place: int) -> bool:
    """Return whether a fact is a sentence with another term at one place."""
    return signature(sentence) == signature(fact) and all(
        (ours is theirs) == (number != place)
        for number, (ours, theirs) in enumerate(
            zip(arguments(sentence), arguments(fact), strict=True)
        )
    )


def _way(attempt: Attempt) -> Iterator[Attempt]:
    """Yield a rule, and the closest one for what it lacks, and so on."""
    yield attempt
    while isinstance(attempt.failure, Missing) and attempt.failure.because.attempts:
        attempt = attempt.failure.because.attempts[0]
        yield attempt


def _facts(attempt: Attempt) -> set[Sentence]:
    """Return what a rule has met, with all that this rests on."""
    facts: set[Sentence] = set()
    work: list[Premise] = [*attempt.met]
    while work:
        premise = work.pop()
        if isinstance(premise, Proof) and premise.fact not in facts:
            facts.add(premise.fact)
            work += premise.premises
    return facts


def _met(refutation: Refutation) -> set[Sentence]:
    """Return what rules have met for a sentence, and for what is missing of it."""
    facts: set[Sentence] = set()
    work = [*refutation.attempts]
    while work:
        attempt = work.pop()
        facts |= _facts(attempt)
        if isinstance(attempt.failure, Missing):
            work += attempt.failure.because.attempts
    return facts


def _instance(condition: Condition, substitution: Substitution) -> Row:
    """Return what a condition asks under a substitution."""
    if isinstance(condition, Differ):
        return applied_row((condition.left, condition.right), substitution)
    return applied_row(condition.args, substitution)


def _is_fixed(condition: Condition) -> bool:
    """Return whether a condition is a positive one of what never changes."""
    return binds(condition) and condition.predicate.level is Level.GAME


def _in_all(condition: Row, instances: Sequence[Row]) -> Row:
    """Return the part of a condition that all of its instances share, else as the rule says it."""
    return tuple(
        terms[0] if all(term is terms[0] for term in terms) else own
        for own, terms in zip(condition, zip(*instances, strict=True), strict=True)
    )


def _differences(asked: Row, row: Row) -> int:
    return sum(
        ours is not theirs and not isinstance(ours, Variable)
        for ours, theirs in zip(asked, row, strict=True)
    )


def _bound_by(conditions: Sequence[Condition], numbers: set[int]) -> set[Variable]:
    """Return the variables that some positive conditions bind."""
    bound: set[Variable] = set()
    for number in numbers:
        if binds(conditions[number]):
            bound |= condition_variables(conditions[number])
    return bound


def _all_in(condition: Condition, bound: set[Variable]) -> bool:
    return condition_variables(condition) <= bound
