"""Which roles and moves of two games stand for each other.

In: two circuits. Out: a `Matching`: for each role of the first game one of the second,
and pairs of moves. A move may be in several pairs: a placement that wins at once stands
for every turn that begins with it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice, permutations
from typing import Final

from gdl.circuit.game import GameCircuit
from gdl.language.diagnostics import GdlError
from gdl.language.keywords import RANDOM
from gdl.language.syntax import Compound, Constant, Term, arguments

SAME_NAMES: Final = "same names"
"""The method of a matching under which what is called the same is the same."""

BEGINS: Final = "a move stands for those that begin with it"
"""Said beside the method of a matching in which moves of one game are parts of the other's."""


class CorrespondenceError(GdlError):
    """Two games whose moves or roles cannot be brought together."""

    notes_first = True


@dataclass(frozen=True, slots=True)
class Percepts:
    """What roles see in one game, and what that is called in the other.

    Attributes:
        names: For each role of the first game, its percepts with their names in the second; what
            is not listed keeps its own. Of two with one name the second has none: it is never
            what somebody sees in the other game.
        is_guess: Play told them, so other names may do as well.
    """

    names: tuple[Mapping[Term, Term], ...] = ()
    is_guess: bool = False

    def of(self, role: int) -> Callable[[Term], Term]:
        """Return what gives the name of a percept of a role of the first game in the second."""
        named: Mapping[Term, Term] = self.names[role] if self.names else {}
        return lambda percept: named.get(percept, percept)


@dataclass(frozen=True, slots=True)
class Matching:
    """How the words of one game are those of another.

    Attributes:
        roles: For each role of the first game, the number of its role in the second.
        pairs: For each role of the first game, pairs of move numbers.
        method: How it was found, in a few words.
        alone: Moves without a counterpart, of the first and of the second game; where one
            of them is legal the games differ.
        percepts: What roles see likewise; None where that has other names and nobody has told
            them yet, and then it is not compared.
    """

    roles: tuple[int, ...]
    pairs: tuple[tuple[tuple[int, int], ...], ...]
    method: str
    alone: tuple[tuple[Term, ...], tuple[Term, ...]] = ((), ())
    percepts: Percepts | None = Percepts()

    @property
    def is_full(self) -> bool:
        """Whether every move has a counterpart."""
        return not any(self.alone)

    def rivals(self, role: int) -> tuple[tuple[int, int, int], ...]:
        """Return moves of one game that must not be legal at once: (game, finer, coarser).

        The coarser one stands for all that the finer one stands for, and more: a placement
        that wins at once stands for the turns that begin with it, in place of these. Where a
        game allows both, it allows a move more than the other.
        """
        pairs: dict[tuple[int, int, int], None] = {}
        for side in (0, 1):
            partners: tuple[dict[int, set[int]], dict[int, set[int]]] = {}, {}
            for pair in self.pairs[role]:
                partners[0].setdefault(pair[side], set()).add(pair[1 - side])
                partners[1].setdefault(pair[1 - side], set()).add(pair[side])
            own, theirs = partners
            for shared in theirs.values():
                for finer, coarser in permutations(sorted(shared), 2):
                    if own[finer] < own[coarser]:
                        pairs[side, finer, coarser] = None
        return tuple(pairs)

    def is_one_to_one(self, role: int) -> bool:
        """Return whether no move of a role stands for several."""
        row = self.pairs[role]
        return all(len({pair[side] for pair in row}) == len(row) for side in (0, 1))


def make_matching(
    left: GameCircuit,
    right: GameCircuit,
    roles: Sequence[int],
    pairs: Sequence[Sequence[tuple[int, int]]],
    method: str,
) -> Matching:
    """Return a matching with what it leaves alone worked out."""
    alone_one: list[Term] = []
    alone_other: list[Term] = []
    for role, row in enumerate(pairs):
        used = {a for a, _ in row}, {b for _, b in row}
        alone_one += (m for i, m in enumerate(left.moves[role]) if i not in used[0])
        alone_other += (m for i, m in enumerate(right.moves[roles[role]]) if i not in used[1])
    return Matching(
        tuple(roles),
        tuple(tuple(sorted(row)) for row in pairs),
        method,
        (tuple(dict.fromkeys(alone_one)), tuple(dict.fromkeys(alone_other))),
        Percepts() if sees_by_name(left, right, roles) else None,
    )


def sees_by_name(left: GameCircuit, right: GameCircuit, roles: Sequence[int]) -> bool:
    """Return whether what is seen has the same names in two games.

    One may have more than the other, as rules may speak of what nobody ever sees. Where each has
    some of its own these may be the same in other words.
    """
    for role, theirs in enumerate(roles):
        mine, its = (_seen(game, own) for game, own in ((left, role), (right, theirs)))
        if mine - its and its - mine:
            return False
    return True


def _seen(game: GameCircuit, role: int) -> set[Term]:
    return {percept for percept, _ in game.sees[role]} if game.sees else set()


def by_names(left: GameCircuit, right: GameCircuit) -> Matching | None:
    """Return the matching of equal names, None where the roles are not called the same."""
    return by_table(left, right, {}, method=SAME_NAMES)


def by_table(
    left: GameCircuit, right: GameCircuit, table: Mapping[Term, Term], *, method: str = "map"
) -> Matching | None:
    """Return the matching that a table of terms says; what it does not list keeps its name.

    Args:
        left: The first game.
        right: The second game.
        table: Roles and moves of the first game, each with its name in the second.
        method: What to call it.
    """
    roles = _roles(left, right, table)
    if roles is None:
        return None
    pairs = []
    for role, moves in enumerate(left.moves):
        places = {move: index for index, move in enumerate(right.moves[roles[role]])}
        named = ((index, places.get(table.get(move, move))) for index, move in enumerate(moves))
        pairs.append([(a, b) for a, b in named if b is not None])
    return make_matching(left, right, roles, pairs, method)


def _roles(
    left: GameCircuit, right: GameCircuit, table: Mapping[Term, Term]
) -> tuple[int, ...] | None:
    names = [table.get(role, role) for role in left.roles]
    if sorted(names) != sorted(right.roles):
        return None
    return tuple(right.roles.index(name) for name in names)


def keeps_chance(left: GameCircuit, right: GameCircuit, matching: Matching) -> bool:
    """Return whether chance stands for chance, and each of its moves for no more than one.

    The moves of `random` are equally likely: one that stood for two would be drawn half as often,
    and a player draws nothing. Where this holds, what is legal alike is drawn alike.
    """
    return all(
        (mine == Constant(RANDOM)) == (right.roles[theirs] == Constant(RANDOM))
        and (mine != Constant(RANDOM) or matching.is_one_to_one(role))
        for role, (mine, theirs) in enumerate(zip(left.roles, matching.roles, strict=True))
    )


def with_prefixes(left: GameCircuit, right: GameCircuit, matching: Matching) -> Matching:
    """Let each move that is alone stand for those of the other game that begin with it.

    ``(place e 5)`` begins ``(turn e 5 q01 cw)``: all its arguments come first there, or in
    places that take the same values as they do, if there is one way to see it so. A move that
    begins longer ones of its own game stands for what they stand for. Only moves that are alone
    are treated so; the others keep their pairs. Of chance each move stands for one at most, or
    it would be more likely than what it stands for.
    """
    pairs = [list(row) for row in matching.pairs]
    for role, mine in enumerate(left.moves):
        if left.roles[role] == Constant(RANDOM):
            continue
        row, theirs = pairs[role], right.moves[matching.roles[role]]
        row.extend(_standing_for(mine, theirs, row))
        swapped = _standing_for(theirs, mine, [(b, a) for a, b in row])
        row.extend((a, b) for b, a in swapped)
    method = f"{matching.method}; {BEGINS}"
    extended = make_matching(left, right, matching.roles, pairs, method)
    return extended if extended.pairs != matching.pairs else matching


def _standing_for(
    mine: Sequence[Term], theirs: Sequence[Term], pairs: Sequence[tuple[int, int]]
) -> list[tuple[int, int]]:
    """Return pairs for those of ``mine`` that have none."""
    partners: dict[int, list[int]] = {}
    for a, b in pairs:
        partners.setdefault(a, []).append(b)
    stands_for = []
    lasting = [c for c in range(len(mine)) if c in partners]
    within = _within([m for a, m in enumerate(mine) if a not in partners], mine, lasting)
    for a, move in enumerate(mine):
        if a in partners:
            continue
        longer = [c for c in lasting if begins(move, mine[c])] or within.get(move, [])
        own = [b for c in longer for b in partners[c]]
        named = [b for b, longer in enumerate(theirs) if begins(move, longer)]
        stands_for += [(a, b) for b in dict.fromkeys(own or named)]
    return stands_for


def begins(move: Term, longer: Term) -> bool:
    """Return whether all arguments of a move, at least one, are the first of a longer one."""
    if not isinstance(move, Compound) or not isinstance(longer, Compound):
        return False
    mine, theirs = arguments(move), arguments(longer)
    return len(mine) < len(theirs) and theirs[: len(mine)] == mine


def _within(
    short: Sequence[Term], moves: Sequence[Term], longer: Sequence[int]
) -> dict[Term, list[int]]:
    """Return for short moves the longer ones in which their arguments stand, in any places.

    Which place is which is told by the values that stand there. Moves of one name are treated
    alike; of those that could be seen in two ways, or with no longer one, nothing is said.
    """
    numbers: dict[Term, list[int]] = {}
    for small in _families(short).values():
        seen = (
            (order, large)
            for large in _families([moves[c] for c in longer]).values()
            for order in _embeddings(small, large)
        )
        ways = list(islice(seen, 2))
        if len(ways) != 1:
            continue
        order, large = ways[0]
        places = {move: index for index, move in enumerate(moves)}
        held: dict[tuple[Term, ...], list[int]] = {}
        for move in large:
            held.setdefault(tuple(arguments_of(move)[p] for p in order), []).append(places[move])
        if all(arguments_of(move) in held for move in small):
            numbers.update((move, held[arguments_of(move)]) for move in small)
    return numbers


def _families(moves: Sequence[Term]) -> dict[tuple[str, int], list[Term]]:
    """Return moves by name and number of arguments."""
    families: dict[tuple[str, int], list[Term]] = {}
    for move in moves:
        families.setdefault(family_of(move), []).append(move)
    return families


def _embeddings(small: Sequence[Term], large: Sequence[Term]) -> Iterator[tuple[int, ...]]:
    """Yield the ways in which the places of short moves are places of longer ones.

    A place stands for one in which the same values come. Where enough of the longer moves' places
    have the values of each of the short ones', whatever is taken first can be completed, so that
    nobody waits between two ways; there may be very many.
    """
    mine, theirs = (
        [frozenset(column) for column in zip(*map(arguments_of, group), strict=True)]
        for group in (small, large)
    )

    def completed(order: tuple[int, ...]) -> Iterator[tuple[int, ...]]:
        if len(order) == len(mine):
            yield order
            return
        for place, values in enumerate(theirs):
            if place not in order and values == mine[len(order)]:
                yield from completed((*order, place))

    if 0 < len(mine) < len(theirs) and Counter(mine) <= Counter(theirs):
        yield from completed(())


def family_of(move: Term) -> tuple[str, int]:
    """Return the name of a move and how many arguments it has."""
    return move.name, len(arguments_of(move))


def arguments_of(move: Term) -> tuple[Term, ...]:
    """Return the arguments of a move, none of a name alone."""
    return arguments(move) if isinstance(move, Compound) else ()
