"""Moves that are places in a list: the third free square, the fifth of the legal moves.

In: rules as a source, the moves that were seen of them, and a source whose moves are 0 to n - 1
wherever n are legal. Out: matchings under which the legal moves of the rules, put in an order,
are called by their places. The order is that in which a program walks over its board: by the
words of a move, one after the other, up or down; of a move from square to square also by the way
it goes, in any order of four ways and any round of eight, and by how far; the same for both
players, or as each of them sees it. Play tells which.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from itertools import permutations, product
from typing import Final, TypeAlias

from gdl.conform.matching.columns import FEW, Shape, Split, shape_of
from gdl.conform.matching.directions import Way, lists, way
from gdl.conform.matching.matching import Key, Matching
from gdl.conform.matching.sample import Rows
from gdl.conform.matching.tokens import Word, Words, numbers
from gdl.conform.source import CHANCE, EngineMove, Position, Source

POSITIONS: Final = 200
"""Positions of random play in which moves have to be places in their list."""
TWO_SQUARES: Final = 5
"""Words of a move from square to square: what it is called, column and row of either."""

Ranks: TypeAlias = tuple[int, ...]
"""The words of a move as numbers: what it is called, then where it stands and goes."""
Order: TypeAlias = Callable[[Ranks], Ranks]
"""What moves are sorted by."""


def first_place(source: Source, seed: int) -> int | None:
    """Return the number of the first place, 0 or 1; None where moves are no places in a list."""
    rng = random.Random(f"{seed}/places")  # noqa: S311  # chance for play
    position, firsts, lengths = source.initial(), set[int](), set[int]()
    for _ in range(POSITIONS):
        if source.is_terminal(position):
            position = source.initial()
        legal_of = {role: source.legal(position, role) for role in source.movers(position)}
        for role, moves in legal_of.items():
            if role == CHANCE or not moves:
                continue
            rows = sorted(map(numbers, moves))
            first = rows[0][0] if rows[0] else -1
            if rows != [(number,) for number in range(first, first + len(rows))]:
                return None
            firsts.add(first)
            lengths.add(len(rows))
        if legal_of and all(legal_of.values()):
            choice = {role: rng.choice(moves) for role, moves in legal_of.items()}
            position = source.play(position, choice)
        else:
            position = source.initial()  # stuck, which a comparison says
    is_list = len(firsts) == 1 and firsts <= {0, 1} and len(lengths) > 1
    return firsts.pop() if is_list else None


def by_places(
    mine: Rows, roles: tuple[int, ...], first: int, chance: tuple[Key, Key]
) -> Iterator[Matching]:
    """Yield matchings under which our moves in an order are the places of their list.

    Args:
        mine: The moves of the rules that were seen, as KIF.
        roles: For each of our roles, theirs.
        first: The number of the first place.
        chance: The keys of outcomes of chance of either side.
    """
    splits = {kind.shape[:-1]: kind.split for kind in mine.products if kind.split is not None}
    for is_seen, parts in product((False, True), ({}, splits) if splits else ({},)):
        ranked = _Ranked(mine.every, parts)
        for order in _orders([ranked.of(row) for row in mine.every]):
            places = _Places(mine, ranked, order, is_seen=is_seen)
            yield places.matching(roles, first, chance)


class _Ranked:
    """The words of moves as numbers; a second square is counted as the first one is.

    Where a kind of moves is in parts, as lines that are level and upright, each part has a name of
    its own.
    """

    def __init__(self, rows: Sequence[Words], splits: Mapping[Shape, Split]) -> None:
        self._splits = splits
        size = max(map(len, rows), default=0)
        columns: list[set[Word]] = [{row[n] for row in rows if n < len(row)} for n in range(size)]
        if size == TWO_SQUARES and all(columns[n] & columns[n + 2] for n in (1, 2)):
            for n in (1, 2):
                columns[n] = columns[n + 2] = columns[n] | columns[n + 2]
        self._values = [
            {word: n for n, word in enumerate(sorted(words, key=_order))} for words in columns
        ]

    def of(self, row: Words) -> Ranks:
        """Return a move as numbers, -1 where it says nothing."""
        ranks = [
            values.get(row[n], len(values)) if n < len(row) else -1
            for n, values in enumerate(self._values)
        ]
        split = self._splits.get(shape_of(row, by_kind=True))
        if split is not None:
            ranks[0] = ranks[0] * FEW + split.parts.get(row[split.place], 0)
        return tuple(ranks)


class _Places:
    """The legal moves of rules in an order; two of them may be exchanged in it.

    It may be the order that each player sees: for the second one the board is turned around.
    """

    def __init__(
        self,
        mine: Rows,
        ranked: _Ranked,
        order: Order,
        exchanged: dict[EngineMove, EngineMove] | None = None,
        *,
        is_seen: bool = False,
    ) -> None:
        self._mine, self._ranked, self._order = mine, ranked, order
        self._exchanged, self._is_seen = exchanged or {}, is_seen
        self._known: dict[tuple[bool, EngineMove], Ranks] = {}
        self._last: tuple[Position, int, dict[EngineMove, int]] | None = None

    def _rank(self, role: int, move: EngineMove) -> Ranks:
        """Return what a move of a role is sorted by."""
        is_turned = self._is_seen and role % 2 == 1
        if (is_turned, move) not in self._known:
            source, named = self._mine.source, self._exchanged.get(move, move)
            name, *squares = self._ranked.of(self._mine.reader(source, None, 0, named))
            turned = (-rank for rank in squares) if is_turned else squares
            self._known[is_turned, move] = self._order((name, *turned))
        return self._known[is_turned, move]

    def _places(self, position: Position, role: int) -> dict[EngineMove, int]:
        """Return the place of each legal move of a role."""
        if self._last is None or self._last[0] is not position or self._last[1] != role:
            legal = self._mine.source.legal(position, role)
            in_order = sorted(legal, key=lambda move: self._rank(role, move))
            self._last = position, role, {move: n for n, move in enumerate(in_order)}
        return self._last[2]

    def matching(self, roles: tuple[int, ...], first: int, chance: tuple[Key, Key]) -> Matching:
        """Return the matching of our moves by their places."""

        def ours(position: Position, role: int, move: EngineMove) -> Hashable:
            if role == CHANCE:
                return chance[0](position, role, move)
            return self._places(position, role).get(move, ("not legal", move))

        def theirs(position: Position, role: int, move: EngineMove) -> Hashable:
            if role == CHANCE:
                return chance[1](position, role, move)
            row = numbers(move)
            return row[0] - first if row else ("no place", move)

        def exchanged(left: EngineMove, right: EngineMove) -> Matching:
            partner = {left: right, right: left}
            again = _Places(self._mine, self._ranked, self._order, partner, is_seen=self._is_seen)
            return again.matching(roles, first, chance)

        method = "places in the list of legal moves, in an order that play tells"
        return Matching(roles, ours, theirs, method, is_positional=True, exchanged=exchanged)


def _order(word: Word) -> tuple[bool, int, str]:
    """Return what the words at a place are sorted by."""
    return (True, len(word), word) if isinstance(word, str) else (False, word, "")


def _orders(ranks: Sequence[Ranks]) -> Iterator[Order]:
    """Yield orders of moves, the plainest first; what a move is called comes first."""
    size = len(ranks[0]) if ranks else 0
    if not size:
        return
    names = (1, -1) if len({move[0] for move in ranks}) > 1 else (1,)
    for name, places in product(names, _paired(size)):
        for signs in product((1, -1), repeat=_turned(size)):
            yield _by_words(name, places, signs)
    if size == TWO_SQUARES:
        ways = sorted({_way(move) for move in ranks if -1 not in move})
        for name, from_, listed in product(names, ((2, 1), (1, 2)), lists(ways)):
            numbered = {way: number for number, way in enumerate(listed)}
            for signs in product((1, -1), repeat=_turned(size)):
                yield _by_ways(name, from_, signs, numbered)


def _turned(size: int) -> int:
    """Return how many words may go up or down by themselves; those of two squares do alike."""
    return {2: 1, 3: 2, 4: 3, TWO_SQUARES: 2}.get(size, 1)


def _paired(size: int) -> list[tuple[int, ...]]:
    """Return orders of words: any, of two squares either one first, and its column or its row."""
    if size == TWO_SQUARES:
        squares = [list(permutations(square)) for square in ((2, 1), (4, 3))]
        return [a + b for pair in product(*squares) for a, b in (pair, pair[::-1])]
    if size < TWO_SQUARES:
        return list(permutations(range(1, size)))
    return [tuple(range(1, size)), tuple(reversed(range(1, size)))]


def _by_words(name: int, places: Sequence[int], signs: Sequence[int]) -> Order:
    """Return the order by the words at these places, each up or down."""
    turned = [(place, signs[(place - 1) % len(signs)]) for place in places]

    def order(ranks: Ranks) -> Ranks:
        return (name * ranks[0], *(sign * ranks[place] for place, sign in turned))

    return order


def _way(ranks: Ranks) -> Way:
    """Return which way a move goes, as signs."""
    return way(ranks[3] - ranks[1], ranks[4] - ranks[2])


def _by_ways(
    name: int, from_: Sequence[int], signs: Sequence[int], ways: Mapping[Way, int]
) -> Order:
    """Return the order by where a move begins, then the way that it goes, then how far."""

    def order(ranks: Ranks) -> Ranks:
        begins = (signs[place - 1] * ranks[place] for place in from_)
        far = max(abs(ranks[3] - ranks[1]), abs(ranks[4] - ranks[2]))
        return (name * ranks[0], *begins, ways.get(_way(ranks), -1), far)

    return order
