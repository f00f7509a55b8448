"""Places of a board matched by the steps between them, however they are numbered.

In: the moves that play met on both sides. Out: tables of moves. A move is a row of places, each of
one word or of several (``a5-c5``, ``("go", 1, 2)``); the moves of a kind are a relation of places,
and the relations of both sides have to be the same but for the names of places. So points that are
numbered ring by ring, or in no order at all, are found where pieces step from point to point.

What is the same but for names may be so in several ways; play says which is right. Where there are
more than can be tried, none is: games under a wrong one would be false alarms. Relations that were
not met whole, or that a bug of the engine changes, match in none.

Source: colour refinement and individualisation, as for isomorphism of graphs (McKay, Piperno,
"Practical graph isomorphism, II", 2014).
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice, permutations, product
from typing import Final, TypeAlias

from gdl.conform.matching.sample import Rows
from gdl.conform.matching.tokens import Words
from gdl.conform.source import CHANCE, EngineMove

Place: TypeAlias = Words
Colours: TypeAlias = dict[Place, int]
Naming: TypeAlias = dict[Place, Place]
"""For each place of ours the one of theirs."""

WIDEST: Final = 3
"""Words that name one place, at most."""
MOST_MOVES: Final = 3_000
"""Moves of a side that are looked at, at most."""
MOST_WAYS: Final = 48
"""Ways to name places that are tried, at most."""
MOST_CHOICES: Final = 300
"""Choices of a partner in one search, at most."""


class TooSymmetricError(Exception):
    """There are more ways to name places than can be tried."""


@dataclass(frozen=True, eq=False)
class _Board:
    """The moves of one side as relations of places.

    Attributes:
        places: All of them, in the order in which they were met.
        relations: For each kind of moves the rows of places, and the number of each row's move.
    """

    places: tuple[Place, ...]
    relations: tuple[Mapping[tuple[Place, ...], int], ...]

    def shape(self, number: int) -> tuple[int, int]:
        """Return how many places a row of a relation has, and how many rows there are."""
        relation = self.relations[number]
        return len(next(iter(relation))), len(relation)


def by_steps_between(
    mine: Rows, yours: Rows, order: Sequence[int]
) -> Iterator[list[dict[EngineMove, EngineMove]]]:
    """Yield for each role of ours the partners of its moves, way after way.

    Args:
        mine: Our moves.
        yours: Theirs.
        order: For each of our roles, theirs.
    """
    known: set[frozenset[tuple[int, int]]] = set()
    for one, other in product(_boards(mine), _boards(yours)):
        if len(one.places) != len(other.places):
            continue
        try:
            namings = list(islice(_namings(one, other), MOST_WAYS + 1))
        except TooSymmetricError:
            continue
        if len(namings) > MOST_WAYS:
            continue  # the right one may be among those that would not be tried
        for naming, kinds in namings:
            numbers = {
                number: other.relations[kind][tuple(naming[place] for place in row)]
                for relation, kind in zip(one.relations, kinds, strict=True)
                for row, number in relation.items()
            }
            if (pairs := frozenset(numbers.items())) in known:
                continue
            known.add(pairs)
            yield [_table(mine, yours, numbers, (role, their)) for role, their in enumerate(order)]


def _table(
    mine: Rows, yours: Rows, numbers: Mapping[int, int], roles: tuple[int, int]
) -> dict[EngineMove, EngineMove]:
    theirs = {int(n): move for move, n in zip(*yours.moves.get(roles[1], ((), ())), strict=True)}
    ours = zip(*mine.moves.get(roles[0], ((), ())), strict=True)
    return {move: theirs[numbers[int(n)]] for move, n in ours if numbers.get(int(n)) in theirs}


def _boards(rows: Rows) -> Iterator[_Board]:
    """Yield ways to read the moves of a side as rows of places."""
    numbers = {int(n) for role, (_, each) in rows.moves.items() if role != CHANCE for n in each}
    if not 0 < len(numbers) <= MOST_MOVES:
        return
    for by_kind, width in product((True, False), range(1, WIDEST + 1)):
        kinds = rows.kinds[by_kind]
        if by_kind is False and len(kinds) == len(rows.kinds[True]):
            return
        if any(len(kind.columns) % width for kind in kinds):
            continue
        relations = [
            {
                tuple(
                    tuple(rows.every[n][column] for column in kind.columns[at : at + width])
                    for at in range(0, len(kind.columns), width)
                ): int(n)
                for n in kind.numbers
                if int(n) in numbers
            }
            for kind in kinds
        ]
        relations = [relation for relation in relations if relation]
        if all(len(row) < 2 for relation in relations for row in islice(relation, 1)):  # noqa: PLR2004
            continue  # no steps between places: nothing tells these apart
        places = dict.fromkeys(place for each in relations for row in each for place in row)
        yield _Board(tuple(places), tuple(relations))


def _namings(one: _Board, other: _Board) -> Iterator[tuple[Naming, tuple[int, ...]]]:
    """Yield names of places under which both boards are the same, and which relation is which."""
    count = len(one.relations)
    if count != len(other.relations) or count > WIDEST + 1:
        return
    for kinds in permutations(range(count)):
        if all(one.shape(n) == other.shape(kind) for n, kind in enumerate(kinds)):
            ordered = _Board(other.places, tuple(other.relations[kind] for kind in kinds))
            search = _Isomorphisms(one, ordered)
            for naming in search.ways(dict.fromkeys(one.places, 0), dict.fromkeys(other.places, 0)):
                yield naming, kinds


class _Isomorphisms:
    """A search for the ways to name the places of one board as those of another."""

    def __init__(self, one: _Board, other: _Board) -> None:
        self._boards, self._choices = (one, other), 0

    def ways(self, ours: Colours, theirs: Colours) -> Iterator[Naming]:
        """Yield all under which places of a colour stand for places of that colour.

        Raises:
            TooSymmetricError: There are too many to look at.
        """
        refined = self._refined(ours, theirs)
        if refined is None:
            return
        ours, theirs = refined
        classes: defaultdict[int, tuple[list[Place], list[Place]]]
        classes = defaultdict(lambda: ([], []))
        for side, colours in enumerate(refined):
            for place, colour in colours.items():
                classes[colour][side].append(place)
        open_ = [both for both in classes.values() if len(both[0]) > 1]
        if not open_:
            naming = {both[0][0]: both[1][0] for both in classes.values()}
            if self._is_same(naming):
                yield naming
            return
        mine, yours = min(open_, key=lambda both: len(both[0]))
        for partner in yours:
            self._choices += 1
            if self._choices > MOST_CHOICES:
                raise TooSymmetricError
            yield from self.ways({**ours, mine[0]: -1}, {**theirs, partner: -1})

    def _refined(self, *colours: Colours) -> tuple[Colours, Colours] | None:
        """Return the coarsest finer colours that neighbours agree with; None where sides differ."""
        ours, theirs = colours
        count = len(set(ours.values()))
        while True:
            signed = self._signed(0, ours), self._signed(1, theirs)
            if Counter(signed[0].values()) != Counter(signed[1].values()):
                return None
            # numbered in the order of our side, so that equal colours are equal on both
            numbers: dict[Hashable, int] = {}
            for signature in signed[0].values():
                numbers.setdefault(signature, len(numbers))
            ours, theirs = (
                {place: numbers[signature] for place, signature in each.items()} for each in signed
            )
            if len(numbers) == count:
                return ours, theirs
            count = len(numbers)

    def _signed(self, side: int, colours: Colours) -> dict[Place, Hashable]:
        """Return for each place its colour, and those of the rows that it is in."""
        rows: dict[Place, Counter[Hashable]] = {place: Counter() for place in colours}
        for number, relation in enumerate(self._boards[side].relations):
            for row in relation:
                of = tuple(colours[place] for place in row)
                for at, place in enumerate(row):
                    rows[place][number, at, of] += 1
        return {place: (colours[place], frozenset(rows[place].items())) for place in colours}

    def _is_same(self, naming: Naming) -> bool:
        one, other = self._boards
        return all(
            tuple(naming[place] for place in row) in relation
            for mine, relation in zip(one.relations, other.relations, strict=True)
            for row in mine
        )
