"""Finding which roles and moves of two games stand for each other.

In: two sides, and what the user says about them. Out: the sides as they are to be read,
and a `Matching`. Tried in turn: a map that the user gives; equal names; equal notation;
equal effects on the same board picture; names in the same order; what most rules say of
words; what moves do; moves of the same shape; all that once more with one or both of the games in
whole turns. Whatever is found by guessing has to stand a round of random play, and of all guesses
that one is taken under which plays agree longest; that there is none is an error, never a
silent "equal".
"""

from __future__ import annotations

from collections.abc import Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import chain
from typing import Final

from gdl.boards.inferred import written_picture
from gdl.circuit.game import GameCircuit
from gdl.language.keywords import RANDOM
from gdl.language.spelling import Suggester
from gdl.language.syntax import Compound, Constant, Term, Variable, arguments
from gdl.language.walk import leaf_terms, leaves
from gdl.language.words import counted
from gdl.verify.correspondence.compared_game import ComparedGame, side_by_side
from gdl.verify.correspondence.effect_matching import by_effects
from gdl.verify.correspondence.isomorphism import Renaming
from gdl.verify.correspondence.near_isomorphism import resemblances
from gdl.verify.correspondence.percept_matching import in_words, told_by_play
from gdl.verify.correspondence.restriction import keeping
from gdl.verify.correspondence.shape_matching import by_rank, by_shapes, by_words
from gdl.verify.correspondence.structure_matching import by_structure
from gdl.verify.correspondence.turns import EXPECTED, THEN, WAITING, TurnError
from gdl.verify.correspondence.unfolded import unfold
from gdl.verify.solvers.budget import Budget, OutOfBudgetError
from gdl.verify.systems.bit_parallel import of_facts, of_step
from gdl.verify.systems.matching import (
    BEGINS,
    CorrespondenceError,
    Matching,
    by_names,
    by_table,
    keeps_chance,
    make_matching,
    with_prefixes,
)
from gdl.verify.systems.product import Product
from gdl.verify.systems.sampling import MAX_PLIES, sample

BY_RULES: Final = "what rules say of words"
"""The method of a matching under which the rules of both games are the same."""
BY_MOST_RULES: Final = "what most rules say of words"
"""The method of a matching under which all but a few rules of both games are the same."""
ONE_OF_SEVERAL: Final = f"{BY_MOST_RULES}, and play"
"""The same where words that are alike in these rules may be called one or the other."""
ENOUGH: Final = 0.5
"""Share of the moves of one of the games that the other has to know, if it knows not all."""
READING: Final = 0.2
"""Of the time left, what comparing the rules may take where a few of them differ."""
LOOKING: Final = 0.7
"""Of the time left, what looking at all that moves do may take."""
TELLING: Final = 0.1
"""Of the time left, what random play may take to tell which of two words is which."""
STANDING: Final = 0.5
"""Of the time left, what plays to their end may take, under all guesses together; a guess under
which none parts is taken at once, and where none was seen to stand nothing can be said."""
EARLY: Final = 2
"""A guess under which plays part within so many moves is none, if rules leave another choice."""
SHOWN: Final = 4
CHANCE: Final = Constant(RANDOM)


class _UntoldError(OutOfBudgetError):
    """No guess was seen to stand plays to their end, and there was no time to look at all.

    Of games under a guess that may be wrong nobody may say that they differ.
    """

    def __init__(self) -> None:
        super().__init__("the time was too short to tell which words stand for which")


def find_matching(
    sides: tuple[ComparedGame, ComparedGame],
    budget: Budget,
    *,
    table: Mapping[Term, Term] | None = None,
    turns: bool | None = None,
    renaming: Renaming | None = None,
) -> tuple[tuple[ComparedGame, ComparedGame], Matching]:
    """Return how to read two games, and what stands for what.

    Args:
        sides: The games.
        budget: Time for guessing.
        table: Constants, roles or moves of the first game with their names in the second.
        turns: Whether to read games in whole turns; None: where nothing else fits.
        renaming: Words under which the rules of both are the same.

    Raises:
        CorrespondenceError: One has more roles than the other, the table has a word that no rule
            has, or nothing fits; says what was left over.
        OutOfBudgetError: Time ran out first.
    """
    _check_roles(sides)
    _check_words(sides, table or {})
    read, matching = _read_and_matched(sides, budget, table, turns, renaming)
    return read, _with_percepts(read, matching, budget, table, renaming)


def _with_percepts(
    sides: tuple[ComparedGame, ComparedGame],
    matching: Matching,
    budget: Budget,
    table: Mapping[Term, Term] | None = None,
    renaming: Renaming | None = None,
) -> Matching:
    """Return the matching with what stands for what in what is seen.

    A map goes first, then names, then words under which the rules are the same, then play.
    """
    circuit = sides[0].circuit
    seen = [percept for row in circuit.sees for percept, _ in row]
    said: Matching | None = None
    if table and (words := _changed(seen, table)):
        said = in_words(sides, matching, words)
    elif matching.percepts is None and renaming is not None and matching.method == BY_RULES:
        said = in_words(sides, matching, {percept: renaming.of(percept) for percept in seen})
    if said is not None:
        return said
    return told_by_play(sides, matching, budget)[0] if matching.percepts is None else matching


def _read_and_matched(
    sides: tuple[ComparedGame, ComparedGame],
    budget: Budget,
    table: Mapping[Term, Term] | None,
    turns: bool | None,  # noqa: FBT001  # as it was asked
    renaming: Renaming | None,
) -> tuple[tuple[ComparedGame, ComparedGame], Matching]:
    untold: list[OutOfBudgetError] = []
    spare: Matching | None = None
    apart = 0  # after so many moves random play tells plies apart that are read by the spare one
    for ways in _readings(sides, budget, turns=turns):
        # With both in whole turns no more would be known than in plies.
        readings = [way for way in ways if spare is None or None in [side.turns for side in way]]
        for reading, matching in _found(readings, budget, table, renaming, untold):
            if spare is None:
                apart = _halved(reading, matching, budget) if turns is None and not table else 0
                if not apart:
                    return reading, matching
                spare = matching
                break
            is_longer = apart <= EARLY or not _parted(reading, matching, budget, apart // 2)
            if matching.is_full and is_longer:
                return reading, matching
    budget.check()  # what random play could not look at was no match
    if spare is not None and not untold:
        # Where a game has turns, what stands for the first ply of one says nothing of the second.
        is_half = apart <= EARLY and BEGINS in spare.method
        if not (ways and is_half):
            return sides, spare
    raise untold[-1] if untold else _no_match(sides, table)


def _found(
    readings: Sequence[tuple[ComparedGame, ComparedGame]],
    budget: Budget,
    table: Mapping[Term, Term] | None,
    renaming: Renaming | None,
    untold: list[OutOfBudgetError],
) -> Iterator[tuple[tuple[ComparedGame, ComparedGame], Matching]]:
    """Yield matchings, each with what it reads; which of the games is in turns is a guess, too.

    What needs no other guess goes first. Where there was no time to tell, the list gets the error.
    """
    for reading in readings:
        if (matching := _certain(reading, table, renaming)) is not None:
            yield reading, matching
    for reading in readings if not table else ():
        try:
            guessed = _guessed(reading, budget)
        except _UntoldError as error:
            untold.append(error)
            continue
        if guessed is not None:
            yield reading, guessed


def find_matching_without(
    sides: tuple[ComparedGame, ComparedGame],
    idle: tuple[Collection[tuple[int, int]], Collection[tuple[int, int]]],
    budget: Budget,
    *,
    turns: bool | None = None,
) -> tuple[tuple[ComparedGame, ComparedGame], Matching]:
    """Return likewise how to read games of which some moves stand for nothing, and all others do.

    Args:
        sides: The games.
        idle: Of each game roles and moves, by their numbers, that are left out.
        budget: Time for guessing.
        turns: As of `find_matching`.

    Raises:
        CorrespondenceError: As of `find_matching`.
        OutOfBudgetError: Time ran out first.
    """
    left, right = (_keeping_all_but(side, out) for side, out in zip(sides, idle, strict=True))
    restricted, matching = find_matching((left, right), budget, turns=turns)
    if not matching.is_full:
        raise _no_match(sides, None)
    # The games with all their moves are compared; what is called alike is the same move.
    read = [
        side if fewer.turns is None else side.turned(budget)
        for side, fewer in zip(sides, restricted, strict=True)
    ]
    places = [[{move: n for n, move in enumerate(row)} for row in s.circuit.moves] for s in read]
    terms = [side.circuit.moves for side in restricted]
    pairs = [
        [
            (places[0][role][terms[0][role][a]], places[1][owner][terms[1][owner][b]])
            for a, b in row
            if terms[0][role][a] in places[0][role] and terms[1][owner][b] in places[1][owner]
        ]
        for role, (row, owner) in enumerate(zip(matching.pairs, matching.roles, strict=True))
    ]
    circuits = read[0].circuit, read[1].circuit
    sides = read[0], read[1]
    whole = make_matching(*circuits, matching.roles, pairs, matching.method)
    return sides, _with_percepts(sides, whole, budget)


def find_another(
    sides: tuple[ComparedGame, ComparedGame],
    plays: Sequence[Sequence[Sequence[int]]],
    budget: Budget,
    renaming: Renaming | None = None,
) -> Matching | None:
    """Return another guess of what stands for what, under which some plays do not part.

    Random play does not tell a wrong guess where only a long combination does, but the play that
    does is known once it is found: if some other guess has it agree, what it showed was that guess.

    Args:
        sides: The games, as they were read.
        plays: Of each the moves of each role of the first game, by their numbers.
        budget: Time for guessing; a share of it is taken.
        renaming: As of `find_matching`.

    Returns:
        The guess, None where there is none or nothing had to be guessed.
    """
    longest = max(map(len, plays))
    if longest <= EARLY or _certain(sides, None, renaming) is not None:
        return None  # guesses that so short plays refute were left aside before
    share = budget.share(TELLING * budget.left)
    try:
        for matching in chain(_likely(sides, share), _guesses(sides, share)):
            both = None if matching is None else _standing(sides, matching, share)
            if both is None or not all(_agrees(both, play) for play in plays):
                continue
            if sample(both.system, share, lanes=64, max_plies=longest).play is None:
                return _with_percepts(sides, both.matching, share)
    except OutOfBudgetError:
        budget.check()
    return None


def _agrees(both: Product, play: Sequence[Sequence[int]]) -> bool:
    """Return whether two games agree along a play, given by the moves of the first one."""
    import numpy as np

    system = both.system
    bads = [bad.edge for bad in (*system.bads, *both.open_bads)]
    looker = of_facts(system, [*bads, *system.flat_legal])
    mover = of_step(system)
    state = np.array(system.initial, np.bool_)[:, None]
    for moves in (*play, None):
        seen = looker.run(state)[:, 0]
        if seen[: len(bads)].any():
            return False
        if moves is None:
            break
        rows = []
        for pairs, legal, move in zip(
            both.matching.pairs, system.by_role(seen[len(bads) :]), moves, strict=True
        ):
            row = legal & np.array([mine == move for mine, _ in pairs], np.bool_)
            row[row.argmax() + 1 :] = False  # of several that stand for it any one
            rows.append(row)
        chosen = np.concatenate(rows)[:, None]
        state = mover.run(np.concatenate([state, chosen]))
    return True


def _keeping_all_but(side: ComparedGame, left_out: Collection[tuple[int, int]]) -> ComparedGame:
    kept = [
        [number for number in range(len(row)) if (role, number) not in left_out]
        for role, row in enumerate(side.plies.moves)
    ]
    return replace(side, plies=keeping(side.plies, kept))


def _check_roles(sides: tuple[ComparedGame, ComparedGame]) -> None:
    """Refuse games of which no roles can stand for each other, whatever these are called."""
    left, right = (len(side.plies.roles) for side in sides)
    if left != right:
        raise CorrespondenceError(
            f"{sides[0].name} has {counted(left, 'role')}, {sides[1].name} has {right}",
            expected="as many roles in both games, random counted",
            notes=[f"roles of {s.name}: {' '.join(map(str, s.plies.roles))}" for s in sides],
        )
    by_chance = [side.name for side in sides if CHANCE in side.plies.roles]
    if len(by_chance) == 1:
        raise CorrespondenceError(
            f"only {by_chance[0]} has a role of chance",
            expected="random in both games, which stands for random alone, or in none",
            notes=[f"roles of {s.name}: {' '.join(map(str, s.plies.roles))}" for s in sides],
        )


def _check_words(sides: tuple[ComparedGame, ComparedGame], table: Mapping[Term, Term]) -> None:
    """Refuse a table with a word that no rule has: what it was meant for would stand for nothing.

    That two plies are one turn is said by no rule.
    """
    for number, side in enumerate(sides):
        rules = side.ruleset.description.rules
        terms = (t for rule in rules for leaf in leaves(rule) for t, _ in leaf_terms(leaf))
        vocabulary = {THEN, *_words(terms)}
        for pair in table.items():
            unknown = next(
                (word for word in _words(pair[number : number + 1]) if word not in vocabulary), None
            )
            if unknown is not None:
                near = Suggester(sorted(vocabulary)).closest(unknown)
                raise CorrespondenceError(
                    f"the map says {pair[0]} = {pair[1]}, but no rule of {side.name} has {unknown}",
                    expected="words of the rules",
                    help=f"did you mean {near}?" if near else None,
                )


def _readings(
    sides: tuple[ComparedGame, ComparedGame], budget: Budget, *, turns: bool | None
) -> Iterator[Sequence[tuple[ComparedGame, ComparedGame]]]:
    """Yield the games as they are written, then the ways to read them in whole turns.

    Plies go first, guesses of them too: the moves of whole turns are those that random play met,
    so that names may be the same there because what differs was not met.
    """
    if not turns:
        yield [sides]
    if turns is not False:
        yield list(_turned(sides, budget, is_needed=bool(turns)))


def _turned(
    sides: tuple[ComparedGame, ComparedGame], budget: Budget, *, is_needed: bool
) -> Iterator[tuple[ComparedGame, ComparedGame]]:
    """Yield readings in which at least one game is in whole turns.

    Raises:
        TurnError: There is none, though there must be one; says why of both games.
    """
    whole: list[ComparedGame | None] = []
    notes: list[str] = []
    for side in sides:
        try:
            whole.append(side.turned(budget))
        except TurnError as error:
            whole.append(None)
            notes.append(f"of {side.name}: {error.headline}")
    if is_needed and not any(whole):
        raise TurnError(
            f"neither {sides[0].name} nor {sides[1].name} can be read in whole turns",
            expected=EXPECTED,
            help="compare ply by ply (--plies)",
            notes=notes,
        )
    left, right = whole
    if left is not None:
        yield left, sides[1]
    if right is not None:
        yield sides[0], right
    if left is not None and right is not None:
        yield left, right


def _halved(sides: tuple[ComparedGame, ComparedGame], matching: Matching, budget: Budget) -> int:
    """Return after how many moves plies part as plies and turns do, 0 where that is not seen.

    A first ply stands for the whole turns that begin with it, as names have it, and nothing for the
    second ply, which shows at once; or whatever begins with the same arguments stands for it, which
    shows where a turn is over. Read in turns all of that has its partner.
    """
    begins = BEGINS in matching.method
    if (matching.is_full and not begins) or any(side.turns is not None for side in sides):
        return 0
    return _parted(sides, matching, budget, MAX_PLIES if begins else EARLY)


def _parted(
    sides: tuple[ComparedGame, ComparedGame],
    matching: Matching,
    budget: Budget,
    most: int,
) -> int:
    """Return after how many moves, up to so many, random play tells games apart; 0 for never."""
    share = budget.share(TELLING * budget.left)
    play = sample(side_by_side(*sides, matching).system, share, lanes=64, max_plies=most).play
    return 0 if play is None else max(1, len(play))


def _certain(
    sides: tuple[ComparedGame, ComparedGame],
    table: Mapping[Term, Term] | None,
    renaming: Renaming | None,
) -> Matching | None:
    """Return the matching that the user, or what is written, leaves no doubt about."""
    left, right = sides[0].circuit, sides[1].circuit
    if table:
        return _sufficient(
            left, right, by_table(left, right, _spread(left, table), method="the map")
        )
    for candidate in _exact(sides, by_names(left, right), renaming):
        if candidate is not None and candidate.is_full and keeps_chance(left, right, candidate):
            return candidate
    return None


def _guessed(sides: tuple[ComparedGame, ComparedGame], budget: Budget) -> Matching | None:
    """Return the matching that plays bear out best; one of most moves where there is no other."""
    left, right = sides[0].circuit, sides[1].circuit
    for candidate in _likely(sides, budget):
        if _standing(sides, candidate, budget) is not None:
            return candidate
    guessed = _most_alike(sides, _guesses(sides, budget), budget)
    return guessed or _in_words(sides) or _sufficient(left, right, by_names(left, right))


def _in_words(sides: tuple[ComparedGame, ComparedGame]) -> Matching | None:
    """Return the matching of whole turns that say the same words; None for two games in plies."""
    if all(side.turns is None for side in sides):
        return None
    left, right = (side.circuit for side in sides)
    matching = by_words(left, right)
    return None if matching is None or not keeps_chance(left, right, matching) else matching


def _exact(
    sides: tuple[ComparedGame, ComparedGame], named: Matching | None, renaming: Renaming | None
) -> Iterator[Matching | None]:
    left, right = sides[0].circuit, sides[1].circuit
    yield named
    yield by_notation(*sides)
    if renaming is not None and sides[0].turns is sides[1].turns is None:
        words = (*left.roles, *(move for row in left.moves for move in row))
        yield by_table(left, right, {term: renaming.of(term) for term in words}, method=BY_RULES)
    if named is not None:
        yield with_prefixes(left, right, named)


def _likely(sides: tuple[ComparedGame, ComparedGame], budget: Budget) -> Iterator[Matching]:
    """Yield guesses that rest on boards that people see, or on words, of turns or in order."""
    left, right = sides[0].circuit, sides[1].circuit
    pictures = written_picture(sides[0].ruleset), written_picture(sides[1].ruleset)
    if pictures[0] is not None and pictures[1] is not None:
        by_effect = by_effects(left, right, (pictures[0], pictures[1]), budget)
        if by_effect is not None:
            yield with_prefixes(left, right, by_effect)
    in_words = _in_words(sides)
    if in_words is not None:
        yield in_words
    ranked = by_rank(left, right) if _has_order(left, right) else None
    if ranked is not None:
        yield ranked


def _has_order(left: GameCircuit, right: GameCircuit) -> bool:
    """Return whether all arguments of moves are numbers and letters."""
    moves = (*_moves(left), *_moves(right))
    words = _words(part for move in moves if isinstance(move, Compound) for part in arguments(move))
    return all(word.isdigit() or len(word) == 1 for word in words)


def _guesses(sides: tuple[ComparedGame, ComparedGame], budget: Budget) -> Iterator[Matching | None]:
    """Yield guesses of which play has to tell the right one; None where time left some out."""
    left, right = sides[0].circuit, sides[1].circuit
    ranked = None if _has_order(left, right) else by_rank(left, right)
    if ranked is not None:
        yield ranked
    is_cut = False
    try:
        yield from _by_most_rules(sides, budget.share(READING * budget.left))
    except OutOfBudgetError:
        budget.check()  # other ways are left where only the share was spent
        is_cut = True
    try:
        for same in by_structure(left, right, budget.share(LOOKING * budget.left)):
            yield with_prefixes(left, right, same)
    except OutOfBudgetError:
        budget.check()  # other ways are left where only the share was spent
        is_cut = True
    # Last: a board that lies on its side has the same shape.
    yield from by_shapes(left, right)
    if is_cut:
        yield None


def _by_most_rules(
    sides: tuple[ComparedGame, ComparedGame], budget: Budget
) -> Iterator[Matching | None]:
    """Yield matchings under which all but a few rules are the same, whichever way these are put."""
    if any(side.turns is not None for side in sides):
        return  # a whole turn is no word of the rules
    left, right = (side.circuit for side in sides)
    rules = [side.ruleset.checked(side.limits).clauses for side in sides]
    words = (*left.roles, *(move for row in left.moves for move in row))
    matchings: dict[Hashable, Matching] = {}
    # Written out it does not matter which helpers each side has, but what differs in a helper does
    # so wherever that is used; as written it is one rule.
    for mine, theirs in (map(unfold, rules), rules):
        for renaming in () if matchings else resemblances(mine, theirs, budget):
            table = {term: renaming.of(term) for term in words}
            matching = by_table(left, right, table, method=BY_MOST_RULES)
            if matching is not None:  # words that are in no move may be called one or the other
                matchings[matching.roles, tuple(map(tuple, matching.pairs))] = matching
    # Where rules leave no choice, what parts at once is the difference; where they do, the wrong
    # choices part as soon, and one of them must not be taken for the right one.
    method = BY_MOST_RULES if len(matchings) == 1 else ONE_OF_SEVERAL
    yield from (replace(matching, method=method) for matching in matchings.values())


def _most_alike(
    sides: tuple[ComparedGame, ComparedGame], ways: Iterator[Matching | None], budget: Budget
) -> Matching | None:
    """Return the guessed matching under which random plays agree longest, None where none stands.

    The shape of a move does not say which of two words is which, nor does what it does, where the
    games differ in something; play does: taken for each other they part sooner than taken rightly.
    The first under which no play parts is taken at once. Where all ways part, the games that are
    most alike are compared.

    Raises:
        _UntoldError: There was no time for plays to their end under all of them.
    """
    seconds = STANDING * budget.left  # for play to its end; all else takes its own time
    best, longest = None, -1
    for matching in ways:  # each names all moves: made one at a time
        if matching is None:
            if best is not None:  # else there is nothing to choose from
                raise _UntoldError
            continue
        both = _standing(sides, matching, budget)
        if both is None:
            continue
        share = budget.share(seconds)
        sampled = sample(both.system, share, lanes=64)
        seconds = share.left
        if seconds <= 0:
            raise _UntoldError
        if sampled.play is None:
            return matching
        if len(sampled.play) > longest:
            best, longest = matching, len(sampled.play)
    return best


def _standing(
    sides: tuple[ComparedGame, ComparedGame], matching: Matching, budget: Budget
) -> Product | None:
    """Return both games under a guess; None if it leaves moves out, or first plies refute it."""
    left, right = sides
    if not matching.is_full or not keeps_chance(left.circuit, right.circuit, matching):
        return None
    both = side_by_side(left, right, matching)
    if matching.method == BY_MOST_RULES:
        return both  # no word could be called otherwise
    return None if _parts_early(both, budget) else both


def _parts_early(both: Product, budget: Budget) -> bool:
    """Return whether first plies tell two games apart."""
    return sample(both.system, budget, lanes=64, max_plies=EARLY).play is not None


def _sufficient(
    left: GameCircuit, right: GameCircuit, matching: Matching | None
) -> Matching | None:
    """Return a matching of most moves, None when too many are left alone.

    That in both somebody may wait is nothing that two games have in common.
    """
    if matching is None:
        return None
    matching = with_prefixes(left, right, matching)
    if not matching.is_full and max(_shares_known(left, right, matching)) < ENOUGH:
        return None
    return matching if keeps_chance(left, right, matching) else None


def _shares_known(left: GameCircuit, right: GameCircuit, matching: Matching) -> tuple[float, float]:
    """Return of each game which share of its moves but waiting the other one knows."""
    matched: tuple[set[tuple[int, int]], set[tuple[int, int]]] = set(), set()
    for role, row in enumerate(matching.pairs):
        matched[0].update((role, a) for a, _ in row)
        matched[1].update((matching.roles[role], b) for _, b in row)
    shares = []
    for circuit, of_pairs in zip((left, right), matched, strict=True):
        moves = [
            (role, number)
            for role, row in enumerate(circuit.moves)
            for number, move in enumerate(row)
            if move != WAITING
        ]
        shares.append(len(of_pairs.intersection(moves)) / max(1, len(moves)))
    return shares[0], shares[1]


def by_notation(left: ComparedGame, right: ComparedGame) -> Matching | None:
    """Return the matching of moves that are written the same; None when roles differ."""
    if not left.ruleset.notation.forms or not right.ruleset.notation.forms:
        return None
    roles = by_names(left.circuit, right.circuit)
    owners = roles.roles if roles is not None else tuple(range(len(left.circuit.roles)))
    pairs = []
    for role, moves in enumerate(left.circuit.moves):
        places = {right.text(m): i for i, m in enumerate(right.circuit.moves[owners[role]])}
        texts = [left.text(move) for move in moves]
        pairs.append([(a, places[text]) for a, text in enumerate(texts) if text in places])
    return make_matching(left.circuit, right.circuit, owners, pairs, "the same notation")


def _spread(circuit: GameCircuit, table: Mapping[Term, Term]) -> dict[Term, Term]:
    """Return a table of whole roles and moves, constants in them replaced too."""
    return _changed((*circuit.roles, *(m for row in circuit.moves for m in row)), table)


def _changed(terms: Iterable[Term], table: Mapping[Term, Term]) -> dict[Term, Term]:
    """Return terms that a table changes, or the constants in them, each with what it becomes."""

    def changed(term: Term) -> Term:
        if term in table:
            return table[term]
        if isinstance(term, Compound):
            name = table.get(Constant(term.name), Constant(term.name))
            return Compound(name.name, tuple(map(changed, arguments(term))))
        return term

    pairs = ((term, changed(term)) for term in terms)
    return {term: to for term, to in pairs if to != term}


def _no_match(
    sides: tuple[ComparedGame, ComparedGame], table: Mapping[Term, Term] | None
) -> CorrespondenceError:
    """Return the error that says what was left over, with a map to fill in."""
    left, right = (side.plies for side in sides)
    notes: list[str] = []
    named = by_table(left, right, _spread(left, table or {}))
    if named is None:
        notes += (f"roles of {s.name}: {' '.join(map(str, s.plies.roles))}" for s in sides)
    alone = named.alone if named is not None else (_moves(left), _moves(right))
    shared = frozenset(alone[0]) & frozenset(alone[1])  # of roles that are not matched
    for side, own in zip(sides, alone, strict=True):
        moves = [move for move in own if move not in shared]
        if moves:
            shown = ", ".join(map(str, moves[:SHOWN]))
            more = f" and {len(moves) - SHOWN} more" if len(moves) > SHOWN else ""
            notes.append(f"only {side.name} has {shown}{more}")
    if any(CHANCE in side.plies.roles for side in sides):
        notes.append("random stands for random alone, each of its moves for one: all are as likely")
    mend = ["fill in what stands for what, and say: gdl diff A B --map FILE"]
    mend += (f"    {line}".rstrip() for line in draft_map(sides, alone))
    return CorrespondenceError(
        f"the moves of {sides[0].name} and {sides[1].name} cannot be matched",
        expected="the same names, notation, board picture, structure or shape",
        help="\n".join(mend),
        notes=notes,
    )


def _moves(circuit: GameCircuit) -> tuple[Term, ...]:
    return tuple(dict.fromkeys(move for row in circuit.moves for move in row))


def draft_map(
    sides: tuple[ComparedGame, ComparedGame], alone: tuple[tuple[Term, ...], tuple[Term, ...]]
) -> list[str]:
    """Return the lines of a map file in which the right sides are still to be written.

    Args:
        sides: The games.
        alone: Moves of each that nothing stands for.
    """
    names = [side.name for side in sides]
    lines = []
    roles = [side.plies.roles for side in sides]
    if sorted(roles[0]) != sorted(roles[1]):
        lines.append(f"[roles]  # of {names[0]}; in {names[1]}: {' '.join(map(str, roles[1]))}")
        lines += (f'"{role}" = ""' for role in roles[0])
    words = [_words(moves) for moves in alone]
    mine = [word for word in words[0] if word not in words[1]]
    if mine:
        theirs = " ".join(word for word in words[1] if word not in words[0]) or "nothing new"
        lines.append(f"[constants]  # words of moves of {names[0]}; in {names[1]}: {theirs}")
        lines += (f'"{word}" = ""' for word in mine)
    if all(alone):
        lines.append("[moves]  # whole moves, where words are not enough")
        lines.append(f'# "{alone[0][-1]}" = "{alone[1][-1]}"')
    return lines


def _words(terms: Iterable[Term]) -> list[str]:
    """Return the names and constants in terms, each once, in the order in which they come."""
    words: dict[str, None] = {}
    stack = list(terms)[::-1]
    while stack:
        term = stack.pop()
        if not isinstance(term, Variable):
            words[term.name] = None
        stack += arguments(term)[::-1] if isinstance(term, Compound) else ()
    return list(words)
