"""Which words of moves stand for which: places of words, and values at a place, tried in order.

Moves of a kind have the same number of words of the same sort; where a word varies is a column.
Each of their columns is taken for one of ours, or for several that are counted together (a cell's
number for its row and its column), and the values of a column are taken in the same order, in the
opposite one, or, where they are a few names, in any. Every such reading is a candidate, the
plainest first; whether it is right, play decides.

Lines between dots are of two kinds, level and upright, and no board has both in all of its rows
and columns: a kind whose words do not all go together is split into parts where they do.

There are thousands of readings, so all moves that were seen are read at once, as arrays.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice, permutations, product
from math import prod
from typing import Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from gdl.conform.matching.directions import ranked
from gdl.conform.matching.tokens import Word, Words

Shape: TypeAlias = tuple[Hashable, ...]
Numbers: TypeAlias = NDArray[np.int64]

FEW: Final = 4
"""Values of a column that may stand for each other in any order."""
MOSTLY: Final = 0.8
"""Share of the moves that words have to vouch for."""
MOST_READINGS: Final = 30_000
MOST_PAIRINGS: Final = 24
NONE: Final = -1
"""The key, or the partner, of a move that a reading says nothing about."""


@dataclass(frozen=True, eq=False)
class Kind:
    """Moves with the same number and sort of words.

    Attributes:
        shape: Number and sort.
        columns: Where words vary while a role does not.
        values: For each column what stands there, in order.
        numbers: Which of all the moves these are, ``int64[moves]``.
        indices: What stands in each column, ``int64[moves, columns]``, as places in `values`.
        split: What tells it from the other parts of a kind, None where it is no part; the part's
            number is then the end of the shape.
    """

    shape: Shape
    columns: tuple[int, ...]
    values: tuple[tuple[Word, ...], ...]
    numbers: Numbers
    indices: Numbers
    split: Split | None = None


@dataclass(frozen=True, eq=False)
class Split:
    """What tells the parts of a kind apart.

    Attributes:
        place: Which word of a move.
        parts: The number of the part that each of its values is in.
    """

    place: int
    parts: Mapping[Word, int]


@dataclass(frozen=True, eq=False)
class Column:
    """A column, and the number that each of its values is read as.

    Attributes:
        place: Which word of a move it is.
        number: Which column of its kind it is.
        values: What stands there, in order.
        ranks: What each is read as, ``int64[values]``.
        size: How many values there may be: numbers of squares may have holes.
    """

    place: int
    number: int
    values: tuple[Word, ...]
    ranks: Numbers
    size: int

    def rank(self, word: Word) -> int | None:
        """Return what a word is read as, None for one that was never seen.

        Numbers that count the places of a board with holes say what those in the holes are.
        """
        if word in self.values:
            return int(self.ranks[self.values.index(word)])
        first = self.values[0]
        if len(self.values) == self.size or not isinstance(word, int) or not isinstance(first, int):
            return None
        rank = word - first + int(self.ranks[0])
        return rank if 0 <= rank < self.size else None


Part: TypeAlias = tuple[Column, ...]
"""Columns that are counted together, the first one the slowest."""
Spec: TypeAlias = tuple[tuple[Part, ...], tuple[Part, ...]]
"""What the keys of one kind are made of, on either side."""


@dataclass(frozen=True, eq=False)
class Reading:
    """How to name moves of one side.

    Attributes:
        by_kind: Whether words of several letters tell kinds apart.
        parts: For each shape the number of its pair, and what its key is made of.
        splits: For each shape that has parts what tells these apart.
    """

    by_kind: bool
    parts: Mapping[Shape, tuple[int, tuple[Part, ...]]]
    splits: Mapping[Shape, Split]

    def key(self, row: Words) -> Hashable:
        """Return the key of a move; one of which nothing is known stands for itself."""
        shape = shape_of(row, by_kind=self.by_kind)
        split = self.splits.get(shape)
        if split is not None:
            shape = (*shape, split.parts.get(row[split.place]))
        columns = self.parts.get(shape)
        if columns is None:
            return ("?", row)
        number, parts = columns
        key = 0
        for column in (column for part in parts for column in part):
            rank = column.rank(row[column.place])
            if rank is None:
                return ("?", row)
            key = key * column.size + rank
        return key * len(self.parts) + number

    def keys(self, kinds: Sequence[Kind], count: int) -> Numbers:
        """Return the keys of all moves that were seen, ``int64[count]``; NONE where none is."""
        keys = np.full(count, NONE, np.int64)
        for kind in kinds:
            number, parts = self.parts.get(kind.shape, (NONE, ()))
            if number == NONE:
                continue
            key = np.zeros(len(kind.numbers), np.int64)
            for column in (column for part in parts for column in part):
                key = key * column.size + column.ranks[kind.indices[:, column.number]]
            keys[kind.numbers] = key * len(self.parts) + number
        return keys


def partners(ours: Numbers, theirs: Numbers) -> tuple[Numbers, Numbers]:
    """Return for each move of either side the first move of theirs that has its key, else NONE."""
    order = np.argsort(theirs, kind="stable")
    ranked = theirs[order]

    def first(keys: Numbers) -> Numbers:
        places = np.minimum(np.searchsorted(ranked, keys), len(ranked) - 1)
        return np.where((ranked[places] == keys) & (keys != NONE), order[places], NONE)

    return first(ours), first(theirs)


def shape_of(row: Words, *, by_kind: bool) -> Shape:
    """Return the sort of each word: number, letter, word; or the word, where that tells kinds."""
    return tuple(
        0 if isinstance(word, int) else word if by_kind and len(word) > 1 else 1 for word in row
    )


def kinds(
    rows: Mapping[int, set[Words]], numbers: Mapping[Words, int], *, by_kind: bool
) -> list[Kind]:
    """Return the kinds of the moves that were seen, the largest first.

    Args:
        rows: For each role the moves that were seen.
        numbers: The number of each.
        by_kind: Whether words of several letters tell kinds apart.
    """
    grouped: dict[Shape, dict[int, list[Words]]] = defaultdict(lambda: defaultdict(list))
    for role, seen in rows.items():
        for row in seen:
            grouped[shape_of(row, by_kind=by_kind)][role].append(row)
    kinds_found = []
    for shape, by_role in grouped.items():
        varying = tuple(
            column
            for column in range(len(shape))
            if any(len({row[column] for row in seen}) > 1 for seen in by_role.values())
        )
        every = list({row for seen in by_role.values() for row in seen})
        values = tuple(tuple(sorted({row[c] for row in every}, key=_order)) for c in varying)
        ranks = [{value: n for n, value in enumerate(column)} for column in values]
        indices = [[of[row[c]] for c, of in zip(varying, ranks, strict=True)] for row in every]
        kinds_found.append(
            Kind(
                shape,
                varying,
                values,
                np.array([numbers[row] for row in every], np.int64),
                np.array(indices, np.int64).reshape(len(every), len(varying)),
            )
        )
    kinds_found.sort(key=lambda kind: (-len(kind.numbers), str(kind.shape)))
    return kinds_found


def in_products(kinds: Sequence[Kind]) -> list[Kind]:
    """Return kinds in which all words go together, those that have none left as they are."""
    parts = [part for kind in kinds for part in _parts(kind)]
    parts.sort(key=lambda kind: (-len(kind.numbers), str(kind.shape)))
    return parts


def in_ranges(kinds: Sequence[Kind], sizes: Sequence[int]) -> Iterator[list[Kind]]:
    """Yield ways to cut moves that are bare numbers into ranges of these sizes, in any order.

    An engine that numbers all its moves has one sort after the other: first the level lines, then
    the upright ones.
    """
    if len(kinds) != 1 or len(kinds[0].columns) != 1 or len(sizes) > FEW:
        return
    (kind,), (values,) = kinds, kinds[0].values
    if len(values) != sum(sizes) or not all(isinstance(value, int) for value in values):
        return
    for order in sorted(set(permutations(sizes))):
        part_of = [number for number, size in enumerate(order) for _ in range(size)]
        split = Split(kind.columns[0], dict(zip(values, part_of, strict=True)))
        places = np.array(part_of)[kind.indices[:, 0]]
        yield [_part(kind, places == n, split, n) for n in range(len(order))]


def are_as_many(ours: Sequence[Kind], theirs: Sequence[Kind]) -> bool:
    """Return whether two sets of kinds have as many words to put together, some of them parts."""
    left, right = (
        sorted(sorted(map(len, kind.values)) for kind in side if kind.columns)
        for side in (ours, theirs)
    )
    return left == right and any(kind.split for kind in (*ours, *theirs))


def _parts(kind: Kind) -> list[Kind]:
    """Return the parts of a kind in which all words go together, the kind where that is none.

    Words of a column that go with the same words elsewhere are in one part. The parts are those of
    the column that makes the fewest.
    """
    rows = set(map(tuple, kind.indices.tolist()))
    if _is_product(rows):
        return [kind]
    splits: list[tuple[int, Sequence[Sequence[int]]]] = []
    for column in range(len(kind.columns)):
        beside: dict[int, set[tuple[int, ...]]] = defaultdict(set)
        for row in rows:
            beside[row[column]].add(row[:column] + row[column + 1 :])
        together: dict[frozenset[tuple[int, ...]], list[int]] = defaultdict(list)
        for value, others in sorted(beside.items()):
            together[frozenset(others)].append(value)
        if len(together) <= FEW and all(map(_is_product, together)):
            splits.append((column, list(together.values())))
    if not splits:
        return [kind]
    column, parts = min(splits, key=lambda split: len(split[1]))
    values = kind.values[column]
    of = {values[index]: n for n, part in enumerate(parts) for index in part}
    split = Split(kind.columns[column], of)
    return [
        _part(kind, np.isin(kind.indices[:, column], part), split, n)
        for n, part in enumerate(parts)
    ]


def _part(kind: Kind, rows: NDArray[np.bool_], split: Split, number: int) -> Kind:
    """Return some of the rows of a kind as a kind, whose columns are those that still vary."""
    indices = kind.indices[rows]
    used = [np.unique(column, return_inverse=True) for column in indices.T]
    kept = [n for n, (values, _) in enumerate(used) if len(values) > 1]
    return Kind(
        (*kind.shape, number),
        tuple(kind.columns[n] for n in kept),
        tuple(tuple(kind.values[n][index] for index in used[n][0]) for n in kept),
        kind.numbers[rows],
        np.array([used[n][1] for n in kept], np.int64).reshape(len(kept), len(indices)).T,
        split,
    )


def _is_product(rows: Collection[tuple[int, ...]]) -> bool:
    """Return whether rows are all that can be put together of what stands in each column."""
    return len(rows) == prod(len(set(column)) for column in zip(*rows, strict=True))


def _order(word: Word) -> tuple[int, int, str]:
    return (0, word, "") if isinstance(word, int) else (1, len(word), word)


def are_told(sides: tuple[Sequence[Kind], Sequence[Kind]], pair: tuple[Reading, Reading]) -> bool:
    """Return whether words vouch for a reading, not only for one move in five or fewer.

    Those that both sides have do, and rows and columns that each stand for one of the other side:
    a number by itself may be anybody's, and so may names in any order.
    """
    numbers = pair[1].parts
    shapes = {numbers[kind.shape][0]: kind for kind in sides[1] if kind.shape in numbers}
    told = every = 0
    for kind in sides[0]:
        number, parts = pair[0].parts.get(kind.shape, (NONE, ()))
        if number in shapes:
            other = shapes[number]
            every += len(kind.numbers)
            if _is_told((kind, other), (parts, numbers[other.shape][1])):
                told += len(kind.numbers)
    return told > MOSTLY * every


def _is_told(kinds: tuple[Kind, Kind], parts: tuple[Sequence[Part], Sequence[Part]]) -> bool:
    named = [{word for word in kind.shape if isinstance(word, str)} for kind in kinds]
    if named[0] & named[1]:
        return True
    columns = [(*left, *right) for left, right in zip(*parts, strict=True)]
    single = [pair for pair in columns if len(pair) == 2]  # noqa: PLR2004  # one of either side
    if any(_are_same_names(*pair) for pair in single):
        return True
    most = max((len(values) for kind in kinds for values in kind.values), default=0)
    is_grid = min(len(kind.numbers) for kind in kinds) >= 2 * most
    return is_grid and len(single) == len(columns) > 1


def _are_same_names(left: Column, right: Column) -> bool:
    """Return whether two columns have the same names, which stand for themselves."""
    names, others = (
        dict(zip(column.values, column.ranks.tolist(), strict=True)) for column in (left, right)
    )
    return names == others and all(isinstance(word, str) for word in names)


def pairings(left: Kind, right: Kind, *, is_any: bool) -> Iterator[Spec]:
    """Yield ways to take the columns of one kind for those of another."""
    if len(left.columns) >= len(right.columns):
        yield from _assigned(left, right, is_any=is_any)
    else:
        for theirs, ours in _assigned(right, left, is_any=is_any):
            yield ours, theirs


def _assigned(many: Kind, few: Kind, *, is_any: bool) -> Iterator[Spec]:
    """Yield ways to make each column of the second of columns of the first."""
    for chosen in _choices(tuple(range(len(many.columns))), few.values, many):
        plain = tuple(
            (_plain(place, number, values, prod(len(many.values[m]) for m in chosen[number])),)
            for number, (place, values) in enumerate(zip(few.columns, few.values, strict=True))
        )
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
                tuple(tuple(_column(many, m, next(left)) for m in part) for part in chosen),
                plain,
            )


def _column(kind: Kind, number: int, ranks: Numbers) -> Column:
    values = kind.values[number]
    return Column(kind.columns[number], number, values, ranks, len(values))


def _plain(place: int, number: int, values: tuple[Word, ...], size: int) -> Column:
    """Return a column read in order; numbers with holes as what they are, from 0 or 1."""
    ranks = np.arange(len(values))
    if len(values) < size:
        whole = np.array(values, np.int64)
        ranks = whole - (whole.max() >= size)
    return Column(place, number, values, ranks, size)


def _is_counted(values: tuple[Word, ...], size: int) -> bool:
    """Return whether values may count the places of a board of so many, more than half of them."""
    if len(values) == size:
        return True
    numbers = [value for value in values if isinstance(value, int)]
    is_all = len(numbers) == len(values) and size / 2 < len(values) < size
    return is_all and min(numbers) >= 0 and max(numbers) - (min(numbers) > 0) < size


def _choices(
    free: tuple[int, ...], few: Sequence[tuple[Word, ...]], many: Kind
) -> Iterator[tuple[tuple[int, ...], ...]]:
    """Yield for each column a row of columns with as many values together, each column once."""
    if not few:
        yield ()
        return
    for length in range(1, len(free) - len(few) + 2):
        for part in permutations(free, length):
            if _is_counted(few[0], prod(len(many.values[m]) for m in part)):
                left = tuple(m for m in free if m not in part)
                for rest in _choices(left, few[1:], many):
                    yield part, *rest


def _orders(
    values: tuple[Word, ...], theirs: tuple[Word, ...] | None, *, is_any: bool
) -> Iterator[Numbers]:
    """Yield numbers for the values of a column: as the same words, rising, falling.

    A few names may stand in any order, and if asked a few numbers, too.
    """
    count = len(values)
    seen: dict[tuple[int, ...], None] = {}
    if theirs is not None and set(values) == set(theirs):
        seen[tuple(map(theirs.index, values))] = None
    seen |= {tuple(range(count)): None, tuple(reversed(range(count))): None}
    is_named = any(
        isinstance(value, str) and len(value) > 1 for value in (*values, *(theirs or ()))
    )
    if count <= FEW and (is_named or is_any):
        seen |= dict.fromkeys(permutations(range(count)))
    seen |= dict.fromkeys(ranked(values))
    for order in seen:
        yield np.array(order, np.int64)


def readings(
    ours: Sequence[Kind],
    theirs: Sequence[Kind],
    *,
    by_kind: bool,
    is_any: bool,
    most: int = MOST_READINGS,
) -> Iterator[tuple[Reading, Reading]]:
    """Yield ways to read two sets of moves alike, the plainest first.

    Args:
        ours: The kinds of our moves.
        theirs: The same of the other side.
        by_kind: How both were told apart.
        is_any: Whether a few numbers may stand in any order, as names may.
        most: How many ways, at most, in all and for each kind.
    """
    yield from islice(_read(ours, theirs, most, by_kind=by_kind, is_any=is_any), most)


def _read(
    left: Sequence[Kind], right: Sequence[Kind], most: int, *, by_kind: bool, is_any: bool
) -> Iterator[tuple[Reading, Reading]]:
    # A pass or a swap that only one side has is a kind of its own: it has no partner.
    few, many = sorted((left, right), key=len)
    left_out = [kind for kind in many if not kind.columns][: len(many) - len(few)]
    many = [kind for kind in many if kind not in left_out]
    if len(left) > len(right):
        left = many
    elif len(right) > len(left):
        right = many
    if len(left) != len(right):
        return
    splits = _splits(left), _splits(right)
    for order in islice(permutations(right), MOST_PAIRINGS):
        pairs = list(zip(left, order, strict=True))
        for specs in product(
            *(
                list(islice(pairings(mine, other_kind, is_any=is_any), most))
                for mine, other_kind in pairs
            )
        ):
            yield (
                Reading(
                    by_kind, {k.shape: (n, s[0]) for n, (k, s) in _numbered(left, specs)}, splits[0]
                ),
                Reading(
                    by_kind,
                    {k.shape: (n, s[1]) for n, (k, s) in _numbered(order, specs)},
                    splits[1],
                ),
            )


def _splits(kinds: Sequence[Kind]) -> dict[Shape, Split]:
    return {kind.shape[:-1]: kind.split for kind in kinds if kind.split is not None}


def _numbered(
    these: Sequence[Kind], specs: Sequence[Spec]
) -> Iterator[tuple[int, tuple[Kind, Spec]]]:
    return enumerate(zip(these, specs, strict=True))
