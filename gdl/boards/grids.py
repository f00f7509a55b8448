"""Two columns of a kind of facts that are row and column of a board.

In: kinds of facts. Out: `Grid`, the one that looks most like a board, or none. A pair of columns
is one where the values of both stand in a row, most cells are named, and a cell holds one thing.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Final

from gdl.boards.kinds import Kind
from gdl.boards.orders import Steps, in_row
from gdl.boards.samples import Place
from gdl.language.terms import Constant, Term, kif_text

COLUMN_NAMES: Final = frozenset(
    ["x", "c", "col", "column", "columns", "file", "f", "cx", "colx", "xx"]
)
ROW_NAMES: Final = frozenset(["y", "r", "row", "rows", "rank", "ry", "yy"])
UPWARD_NAMES: Final = frozenset(["y", "rank", "ry", "yy"])
LEAST_CELLS: Final = 4
LEAST_WHOLE: Final = 9
"""Cells of a whole board on which something stands everywhere."""
LEAST_DENSITY: Final = 0.12
"""Part of its cells that must have been seen with something named on them."""
MOST_CELLS: Final = 1_600
CROWDED: Final = 0.2
"""Part of the cells that may hold two things."""


@dataclass(frozen=True, slots=True)
class Grid:
    """A board of rows and columns.

    Attributes:
        columns: Values from left to right.
        rows: Values from top to bottom.
        cells: The kinds of facts on it, each with its columns of columns and of rows.
        is_row_first: Whether facts name the row before the column.
    """

    columns: tuple[Term, ...]
    rows: tuple[Term, ...]
    cells: tuple[tuple[Kind, int, int], ...]
    is_row_first: bool


@dataclass(frozen=True, slots=True)
class Pair:
    """Two columns of a kind, and how much they look like a board."""

    kind: Kind
    first: int
    second: int
    firsts: tuple[Term, ...]
    seconds: tuple[Term, ...]
    score: float


def grid(
    kinds: Sequence[Kind], steps: Steps, variables: Mapping[Place, frozenset[str]]
) -> Grid | None:
    """Return the board of the facts, None where nothing looks like one."""
    pairs = [pair for kind in kinds for pair in _pairs(kind, steps, variables)]
    if not pairs:
        return None
    best = _extended(max(pairs, key=lambda pair: pair.score), kinds, steps, variables)
    is_row_first, is_upward = _directions(best, variables)
    cells = [(best.kind, best.first, best.second)]
    cells += [
        (kind, *variant)
        for kind in kinds
        if kind is not best.kind and (variant := _likewise(kind, best, variables)) is not None
    ]
    columns, rows = best.firsts, best.seconds
    if is_row_first:
        columns, rows = rows, columns
        cells = [(kind, second, first) for kind, first, second in cells]
    return Grid(columns, rows[::-1] if is_upward else rows, tuple(cells), is_row_first)


def _pairs(kind: Kind, steps: Steps, variables: Mapping[Place, frozenset[str]]) -> Iterable[Pair]:
    in_rows = kind.in_rows(steps)
    for first, second in combinations(in_rows, 2):
        firsts, seconds = in_rows[first], in_rows[second]
        area = len(firsts) * len(seconds)
        at_once = kind.cells((first, second))
        seen = set().union(*at_once)
        if not LEAST_CELLS <= area <= MOST_CELLS or len(seen) < LEAST_DENSITY * area:
            continue
        named = sum(map(len, at_once))
        if sum(map(len, kind.tables)) - named > CROWDED * named:
            continue  # something else than one thing on a cell
        if kind.width == 2 and _is_function(kind, first, firsts, seconds):  # noqa: PLR2004  # a pair
            continue
        filled = max((len(cells) for cells in at_once), default=0) / area
        names = _named(kind, first, variables), _named(kind, second, variables)
        told = {"column", "row"} <= {*names}
        score = (
            2.0 * told
            + filled
            + len(seen) / area
            + 0.3 * (second == first + 1)
            + 0.2 * (len(firsts) == len(seconds))
            + 0.1 * (first == 0)
            + min(1.0, area / 30)
        )
        yield Pair(kind, first, second, firsts, seconds, score)


def _extended(
    best: Pair, kinds: Sequence[Kind], steps: Steps, variables: Mapping[Place, frozenset[str]]
) -> Pair:
    """Return a board with the rows and columns that facts of other kinds name beyond its own.

    Walls of a maze may be seen on all rows but the last. That rules call the columns of both kinds
    column and row says that it is one board. Where something stands on each of its cells there are
    no others, unless these are as few as those in the middle that nobody may enter.
    """
    axes = [best.firsts, best.seconds]
    area = len(axes[0]) * len(axes[1])
    if area >= LEAST_WHOLE and any(
        len(cells) == area for cells in best.kind.cells((best.first, best.second))
    ):
        return best
    names = [_named(best.kind, number, variables) for number in (best.first, best.second)]
    if {*names} == {"column", "row"}:
        for kind in kinds:
            told = [_named(kind, number, variables) for number in range(kind.width)]
            if kind is best.kind or {told.count(name) for name in names} != {1}:
                continue
            for axis, name in enumerate(names):
                values = kind.values(told.index(name))
                wider = in_row({*axes[axis]} | values, steps)
                if wider is not None and values & {*axes[axis]}:
                    axes[axis] = wider
    return replace(best, firsts=axes[0], seconds=axes[1])


def _is_function(kind: Kind, first: int, firsts: Sequence[Term], seconds: Sequence[Term]) -> bool:
    """Return whether facts give each of some things a number, such as what is left of a heap."""
    return len(firsts) != len(seconds) and kind.is_key((first,))


def _named(kind: Kind, number: int, variables: Mapping[Place, frozenset[str]]) -> str:
    """Return what the rules call a column: ``column``, ``row``, or nothing that helps."""
    skeleton = kind.skeleton
    assert isinstance(skeleton, tuple)
    name, parts = skeleton
    if any(part is not None for part in parts):
        return ""
    words = {
        re.sub(r"[^a-z].*", "", word) for word in variables.get((name, len(parts), number), ())
    }
    is_column, is_row = bool(words & COLUMN_NAMES), bool(words & ROW_NAMES)
    if is_column == is_row:
        return ""
    return "column" if is_column else "row"


def _directions(pair: Pair, variables: Mapping[Place, frozenset[str]]) -> tuple[bool, bool]:
    """Return whether the row is named first, and whether rows are counted upwards."""
    names = _named(pair.kind, pair.first, variables), _named(pair.kind, pair.second, variables)
    letters = tuple(all(_is_letter(v) for v in values) for values in (pair.firsts, pair.seconds))
    if letters[0] != letters[1]:  # as on a chess board
        return letters[1], True
    is_row_first = "row" in names[:1] or "column" in names[1:]
    skeleton = pair.kind.skeleton
    assert isinstance(skeleton, tuple)
    place = (skeleton[0], len(skeleton[1]), pair.first if is_row_first else pair.second)
    return is_row_first, bool(variables.get(place, frozenset()) & UPWARD_NAMES)


def _is_letter(value: Term) -> bool:
    text = kif_text(value)
    return len(text) == 1 and text.isalpha()


def _likewise(
    kind: Kind, best: Pair, variables: Mapping[Place, frozenset[str]]
) -> tuple[int, int] | None:
    """Return the columns of another kind that name cells of the same board."""
    firsts, seconds = set(best.firsts), set(best.seconds)
    pairs = [
        (first, second)
        for first, second in combinations(range(kind.width), 2)
        if _within(kind, first, firsts) and _within(kind, second, seconds)
    ]
    if firsts == seconds:  # then numbers alone do not tell a cell from two other numbers
        told = [
            pair
            for pair in pairs
            if {"column", "row"} == {_named(kind, number, variables) for number in pair}
        ]
        pairs = told or [pair for pair in pairs if pair[1] == pair[0] + 1 and _varies(kind, pair)]
    return pairs[0] if pairs else None


def _within(kind: Kind, number: int, values: set[Term]) -> bool:
    seen: set[Constant] = kind.values(number)
    return bool(seen) and seen <= values


def _varies(kind: Kind, pair: tuple[int, int]) -> bool:
    return all(len(kind.values(number)) > 1 for number in pair)
