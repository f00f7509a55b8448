"""One board of a picture, as a manifest describes it.

In: the table of the picture, or one of its ``board`` tables. Out: a `Layout`; problems are noted
in the table's file. What is on the board stands in ``cell`` tables, where moves are made in
``move`` tables; both name sites by patterns (`gdl.ruleset.manifest_site`).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from gdl.ruleset.arithmetic import Sizes
from gdl.ruleset.errors import did_you_mean, one_of
from gdl.ruleset.manifest_site import check_names, read_cell, read_move
from gdl.ruleset.toml_table import Table
from gdl.ruleset.values import read_values
from gdl.view.picture import (
    FORMS,
    GRID,
    GROUNDS,
    HEXAGON,
    HEXAGONS,
    HOLES,
    KINDS,
    LEFT,
    OUTLINES,
    POINT,
    POINTS,
    RHOMBUS,
    RIGHT,
    SLANTS,
    ZIGZAG,
    Layout,
    Spot,
)

_GRID_KEYS: Final = ("columns", "rows", "column-breaks", "row-breaks")
BOARD_KEYS: Final = (
    *_GRID_KEYS,
    "cell",
    "move",
    "kind",
    "title",
    "ground",
    "slant",
    "outline",
    "map",
    "point",
    "spots",
    "lines",
)
_KEYS_OF: Final = {
    GRID: (*_GRID_KEYS, "ground", "map", "lines"),
    HEXAGONS: ("columns", "rows", "slant", "outline", "map", "lines"),
    POINTS: ("point", "spots", "lines"),
}
_ALL: Final = frozenset(key for keys in _KEYS_OF.values() for key in keys)
_LABELS: Final = ("above", "below", "left")
_AT: Final = "cells to the right and downwards, for instance [0, 2.5]"
_MAP: Final = 'a text for each row, a blank or dot where there is no cell: ["..##", ".###"]'
_LINES: Final = 'lists of names from end to end, for instance [["a", "b", "c"]]'
MAX_CELLS: Final = 10_000
"""Sites of a board."""
MAX_AT: Final = 200
"""Cells from the left, or from the top, at which a spot may stand."""


def read_board(table: Table, sizes: Sizes) -> Layout:
    """Return the board that a table describes; its ranges may name sizes."""
    kind = _choice(table, "kind", KINDS, GRID)
    for key in sorted(table.values.keys() & (_ALL - set(_KEYS_OF[kind]))):
        said = f"a board of kind {kind} has no {key}"
        table.problem("unknown-key", key, said, one_of(_KEYS_OF[kind], most=99))
    layout = _points(table, sizes) if kind == POINTS else _rows_and_columns(table, kind, sizes)
    check_names(table, layout)
    return layout


def _choice(table: Table, key: str, words: tuple[str, ...], default: str) -> str:
    """Return one of some words; the default, and a problem noted, for any other."""
    word = table.text(key, one_of(words), default=default)
    if word not in words:
        said, hint = f"{word!r} is no {key} of a board", did_you_mean(word, words)
        table.problem("wrong-value", key, said, one_of(words), hint=hint, at=word)
        return default
    return word


def _rows_and_columns(table: Table, kind: str, sizes: Sizes) -> Layout:
    columns, rows = (read_values(table, key, sizes) for key in ("columns", "rows"))
    if len(columns) * len(rows) > MAX_CELLS:
        table.problem("wrong-value", "rows", "the grid is too large", f"at most {MAX_CELLS} cells")
        columns = columns[:1]
    outline = _choice(table, "outline", OUTLINES, RHOMBUS)
    if outline != RHOMBUS and len(columns) != len(rows):
        said = f"a {outline} has as many columns as rows, not {len(columns)} and {len(rows)}"
        table.problem("wrong-value", "outline", said, "the same number of both")
    elif outline == HEXAGON and len(rows) % 2 == 0:
        said = f"a hexagon of {len(rows)} rows has no middle one"
        table.problem("wrong-value", "outline", said, "an odd number: 2 * side - 1")
    slant = _choice(table, "slant", SLANTS, RIGHT)
    if outline != RHOMBUS and slant == ZIGZAG:
        said = f"rows that zigzag make no {outline}"
        table.problem("wrong-value", "slant", said, one_of((RIGHT, LEFT)))
    row_breaks = _breaks(table, "row-breaks", len(rows))
    column_breaks = _breaks(table, "column-breaks", len(columns))
    cells = [
        cell
        for entry in table.tables("cell", f"[[{table.name}.cell]] tables", required=True)
        if (cell := read_cell(entry, kind)) is not None
    ]
    blocks = (len(row_breaks) + 1, len(column_breaks) + 1)
    return Layout(
        kind,
        tuple(value for value, _ in columns),
        tuple(value for value, _ in rows),
        tuple(text for _, text in columns),
        tuple(text for _, text in rows),
        column_breaks,
        row_breaks,
        tuple(cells),
        tuple(
            move
            for entry in table.tables("move", f"[[{table.name}.move]] tables")
            if (move := read_move(entry, kind, blocks)) is not None
        ),
        ground=_choice(table, "ground", GROUNDS, HOLES),
        slant=slant,
        outline=outline,
        map=_map(table, len(rows), len(columns)),
        lines=_lines(table),
        title=table.text("title", "a text above the board", default=""),
        beside=bool(table.value("beside", bool, "true or false")),
    )


def _points(table: Table, sizes: Sizes) -> Layout:
    spots = [*_point_table(table), *_spot_tables(table, sizes)]
    if not spots:
        expected = f"a table [{table.name}.point] or [[{table.name}.spots]] tables"
        table.problem("missing-key", None, f"{table.name} has no points", expected)
    if len(spots) > MAX_CELLS:
        said = "the board is too large"
        table.problem("wrong-value", "spots", said, f"at most {MAX_CELLS} spots")
        spots = spots[:1]
    _check_places(table, spots)
    return Layout(
        POINTS,
        cells=tuple(
            cell
            for entry in table.tables("cell", f"[[{table.name}.cell]] tables", required=True)
            if (cell := read_cell(entry, POINTS)) is not None
        ),
        moves=tuple(
            move
            for entry in table.tables("move", f"[[{table.name}.move]] tables")
            if (move := read_move(entry, POINTS, (0, 0))) is not None
        ),
        spots=tuple(spots),
        lines=_lines(table),
        title=table.text("title", "a text above the board", default=""),
        beside=bool(table.value("beside", bool, "true or false")),
    )


def _point_table(table: Table) -> Iterator[Spot]:
    section = table.table("point")
    for name in section.values if section else ():
        assert section is not None
        yield Spot(_words(name), name, _pair(section, name, _AT))


def _spot_tables(table: Table, sizes: Sizes) -> Iterator[Spot]:
    """Return the spots of ``spots`` tables: each a row of spots at equal distances."""
    for row in table.tables("spots", f"[[{table.name}.spots]] tables"):
        row.only(("names", "prefix", "at", "step", "form", "size", "labels"))
        prefix = row.text("prefix", "words before each name", default="")
        x, y = _pair(row, "at", _AT)
        right, down = _pair(row, "step", "cells to the next spot, for instance [1, 0]", (1, 0))
        form = _choice(row, "form", FORMS, POINT)
        size = _pair(row, "size", "width and height, for instance [1, 4]", (1, 1))
        if min(size) <= 0:
            row.problem("wrong-value", "size", "a spot has a size", "more than 0")
        label = row.text("labels", one_of(_LABELS), default="")
        if label and label not in _LABELS:
            said, hint = f"{label!r} is no place for labels", did_you_mean(label, _LABELS)
            row.problem("wrong-value", "labels", said, one_of(_LABELS), hint=hint, at=label)
            label = ""
        for number, (value, title) in enumerate(read_values(row, "names", sizes)):
            at = (x + number * right, y + number * down)
            name = _words(f"{prefix} {value}")
            has_title = isinstance(row.values["names"], dict)
            yield Spot(name, title if has_title else name, at, form, size, label)


def _words(text: str) -> str:
    return " ".join(text.split())


def _pair(
    table: Table, key: str, expected: str, default: tuple[float, float] | None = None
) -> tuple[float, float]:
    """Return two numbers; zeros, or the default, and a problem noted if it is something else."""
    if key not in table.values and default is not None:
        return default
    pair = table.value(key, list, expected, required=True)
    if pair is not None and not (
        len(pair) == 2  # noqa: PLR2004  # a pair
        and all(type(number) in {int, float} and abs(number) <= MAX_AT for number in pair)
    ):
        said = f"{key} is no pair of numbers up to {MAX_AT}"
        table.problem("wrong-value", key, said, expected)
        pair = None
    return default or (0, 0) if pair is None else (pair[0], pair[1])


def _check_places(table: Table, spots: list[Spot]) -> None:
    """Note two spots of one name, and two that stand on one another."""
    names: dict[str, Spot] = {}
    places: dict[tuple[int, int], Spot] = {}
    for spot in spots:
        at = round(4 * spot.at[0]), round(2 * spot.at[1])
        if spot.name in names:
            said = f"two spots are called {spot.name}"
            table.problem("repeated-value", None, said, "different names")
        elif at in places:
            said = f"{places[at].name} and {spot.name} stand in one place"
            table.problem("repeated-value", None, said, "half a cell between them, or more")
        names[spot.name] = places[at] = spot


def _breaks(table: Table, key: str, size: int) -> tuple[int, ...]:
    expected = f"whole numbers from 1 to {size - 1}, for instance [{max(1, size // 2)}]"
    breaks = table.list_of(key, int, expected)
    if any(not 0 < number < size for number in breaks):
        table.problem("wrong-value", key, f"{key} lies outside the grid", expected)
    return tuple(breaks)


def _map(table: Table, rows: int, columns: int) -> tuple[str, ...]:
    if "map" not in table.values:
        return ()
    lines = table.list_of("map", str, _MAP)
    if len(lines) != rows or any(len(line) > columns for line in lines):
        said = f"the map is not of {rows} rows with at most {columns} cells"
        table.problem("wrong-value", "map", said, _MAP)
    elif not any(line.strip(" .") for line in lines):
        table.problem("wrong-value", "map", "the map has no cell", _MAP)
    return tuple(lines)


def _lines(table: Table) -> tuple[tuple[str, ...], ...]:
    lines = []
    for line in table.list_of("lines", list, _LINES):
        if len(line) < 2 or not all(isinstance(name, str) for name in line):  # noqa: PLR2004  # its ends
            table.problem("wrong-type", "lines", "a line is no list of two names or more", _LINES)
        else:
            lines.append(tuple(_words(name) for name in line))
    return tuple(lines)
