"""Which words of moves stand for which: places of words, and values at a place, tried in order.

Moves of a kind have the same number of words of the same sort; where a word varies is a column.
Each of their columns is taken for one of ours, or for several that are counted together (a cell's
number for its row and its column), and the values of a column are taken in the same order, in the
opposite one, or, where they are a few names, in any. Every such reading is a candidate, the
plainest first; whether it is right, play decides.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice, permutations, product
from math import prod
from typing import Final, TypeAlias

from gdl.conform.matching.tokens import Word, Words

Shape: TypeAlias = tuple[Hashable, ...]
Indices: TypeAlias = Mapping[Word, int]
"""The number of each value of a column."""

FEW: Final = 4
"""Values of a column that may stand for each other in any order."""
MOST_READINGS: Final = 30_000
MOST_PAIRINGS: Final = 24


@dataclass(frozen=True)
class Kind:
    """Moves with the same number and sort of words.

    Attributes:
        shape: Number and sort.
        columns: Where words vary while a role does not.
        values: For each column what stands there, in order.
    """

    shape: Shape
    columns: tuple[int, ...]
    values: tuple[tuple[Word, ...], ...]


@dataclass(frozen=True)
class Reading:
    """How to name moves of one side.

    Attributes:
        by_kind: Whether words of several letters tell kinds apart.
        parts: For each shape the number of its pair, and what its key is made of: columns with
            the number of each value, several to be counted together.
    """

    by_kind: bool
    parts: Mapping[Shape, tuple[int, tuple[tuple[tuple[int, Indices], ...], ...]]]

    def key(self, row: Words) -> Hashable:
        """Return the key of a move; a move or value that was never seen stands for itself."""
        found = self.parts.get(shape_of(row, by_kind=self.by_kind))
        if found is None:
            return ("?", row)
        number, parts = found
        key: list[int] = [number]
        for part in parts:
            rank = 0
            for column, indices in part:
                index = indices.get(row[column])
                if index is None:
                    return ("?", row)
                rank = rank * len(indices) + index
            key.append(rank)
        return tuple(key)


def shape_of(row: Words, *, by_kind: bool) -> Shape:
    """Return the sort of each word: number, letter, word; or the word, where that tells kinds."""
    return tuple(
        0 if isinstance(word, int) else word if by_kind and len(word) > 1 else 1 for word in row
    )


def kinds(rows: Mapping[int, set[Words]], *, by_kind: bool) -> list[Kind]:
    """Return the kinds of the moves that were seen, for each role its own, the largest first."""
    grouped: dict[Shape, dict[int, list[Words]]] = defaultdict(lambda: defaultdict(list))
    for role, seen in rows.items():
        for row in seen:
            grouped[shape_of(row, by_kind=by_kind)][role].append(row)
    found = []
    for shape, by_role in grouped.items():
        varying = [
            column
            for column in range(len(shape))
            if any(len({row[column] for row in seen}) > 1 for seen in by_role.values())
        ]
        every = [row for seen in by_role.values() for row in seen]
        values = tuple(tuple(sorted({row[c] for row in every}, key=_order)) for c in varying)
        found.append((len(set(every)), Kind(shape, tuple(varying), values)))
    found.sort(key=lambda pair: (-pair[0], str(pair[1].shape)))
    return [kind for _, kind in found]


def _order(word: Word) -> tuple[int, int, str]:
    return (0, word, "") if isinstance(word, int) else (1, len(word), word)


Part: TypeAlias = tuple[tuple[int, Indices], ...]
Spec: TypeAlias = tuple[tuple[Part, ...], tuple[Part, ...]]
"""What the keys of one kind are made of, on either side."""


def pairings(one: Kind, other: Kind, *, is_any: bool) -> Iterator[Spec]:
    """Yield ways to take the columns of one kind for those of another."""
    if len(one.columns) >= len(other.columns):
        yield from _assigned(one, other, is_any=is_any)
    else:
        for theirs, ours in _assigned(other, one, is_any=is_any):
            yield ours, theirs


def _assigned(many: Kind, few: Kind, *, is_any: bool) -> Iterator[Spec]:
    """Yield ways to make each column of the second of columns of the first."""
    plain = tuple(
        ((column, {value: n for n, value in enumerate(values)}),)
        for column, values in zip(few.columns, few.values, strict=True)
    )
    sizes = [len(values) for values in few.values]
    for chosen in _choices(tuple(range(len(many.columns))), sizes, many):
        orders = [
            list(
                _orders(
                    many.values[m], few.values[n] if len(chosen[n]) == 1 else None, is_any=is_any
                )
            )
            for n in range(len(chosen))
            for m in chosen[n]
        ]
        for tables in product(*orders):
            left = iter(tables)
            yield (
                tuple(tuple((many.columns[m], next(left)) for m in part) for part in chosen),
                plain,
            )


def _choices(
    free: tuple[int, ...], sizes: Sequence[int], many: Kind
) -> Iterator[tuple[tuple[int, ...], ...]]:
    """Yield for each size a row of columns with as many values together, each column once."""
    if not sizes:
        yield ()
        return
    for length in range(1, len(free) - len(sizes) + 2):
        for part in permutations(free, length):
            if prod(len(many.values[m]) for m in part) == sizes[0]:
                left = tuple(m for m in free if m not in part)
                for rest in _choices(left, sizes[1:], many):
                    yield part, *rest


def _orders(
    values: tuple[Word, ...], theirs: tuple[Word, ...] | None, *, is_any: bool
) -> Iterator[Indices]:
    """Yield numbers for the values of a column: as the same words, rising, falling.

    A few names may stand in any order, and if asked a few numbers, too.
    """
    seen: list[dict[Word, int]] = []
    if theirs is not None and set(values) == set(theirs):
        seen.append({value: n for n, value in enumerate(theirs)})
    rising = {value: n for n, value in enumerate(values)}
    falling = {value: len(values) - 1 - n for n, value in enumerate(values)}
    for table in (rising, falling):
        if table not in seen:
            seen.append(table)
    is_named = any(isinstance(value, str) and len(value) > 1 for value in values)
    if len(values) <= FEW and (is_named or is_any):
        for order in permutations(range(len(values))):
            table = dict(zip(values, order, strict=True))
            if table not in seen:
                seen.append(table)
    yield from seen


def readings(
    ours: Mapping[int, set[Words]], theirs: Mapping[int, set[Words]], *, is_any: bool
) -> Iterator[tuple[Reading, Reading]]:
    """Yield ways to read two sets of moves alike, the plainest first.

    Args:
        ours: For each role the moves that were seen, as words.
        theirs: The same of the other side.
        is_any: Whether a few numbers may stand in any order, as names may.
    """
    for by_kind in (True, False):
        yield from islice(_read(ours, theirs, by_kind=by_kind, is_any=is_any), MOST_READINGS)


def _read(
    ours: Mapping[int, set[Words]],
    theirs: Mapping[int, set[Words]],
    *,
    by_kind: bool,
    is_any: bool,
) -> Iterator[tuple[Reading, Reading]]:
    one, other = kinds(ours, by_kind=by_kind), kinds(theirs, by_kind=by_kind)
    # A pass or a swap that only one side has is a kind of its own: it has no partner.
    few, many = sorted((one, other), key=len)
    left_out = [kind for kind in many if not kind.columns][: len(many) - len(few)]
    many = [kind for kind in many if kind not in left_out]
    if len(one) > len(other):
        one = many
    elif len(other) > len(one):
        other = many
    if len(one) != len(other):
        return
    for order in islice(permutations(other), MOST_PAIRINGS):
        pairs = list(zip(one, order, strict=True))
        for specs in product(
            *(_kept(mine, other_kind, is_any=is_any) for mine, other_kind in pairs)
        ):
            yield (
                Reading(by_kind, {k.shape: (n, s[0]) for n, (k, s) in _numbered(one, specs)}),
                Reading(by_kind, {k.shape: (n, s[1]) for n, (k, s) in _numbered(order, specs)}),
            )


def _kept(one: Kind, other: Kind, *, is_any: bool) -> list[Spec]:
    return list(islice(pairings(one, other, is_any=is_any), MOST_READINGS))


def _numbered(
    these: Sequence[Kind], specs: Sequence[Spec]
) -> Iterator[tuple[int, tuple[Kind, Spec]]]:
    return enumerate(zip(these, specs, strict=True))
