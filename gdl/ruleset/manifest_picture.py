"""The ``[picture.NAME]`` table of a manifest, and how a mark is drawn.

In: the table. Out: a `Picture` or `Mark`; problems are noted in the table's file.

    [picture.squares]
    columns = { a = "A", b = "B" }     # left to right, with labels
    rows = "1..6"                      # top to bottom; "6..1" puts 6 on top
    column-breaks = [3]
    row-breaks = [3]
    [[picture.squares.cell]]
    fact = "(cell ?column ?row ?mark)"
    [[picture.squares.move]]           # where on the board a move is made
    move = "(place ?column ?row)"
"""

from __future__ import annotations

import re
from typing import Final

from gdl.language.source import display_width
from gdl.language.terms import Term
from gdl.ruleset.board import NOTHING, CellFact, Mark, Picture
from gdl.ruleset.move_location import MovePlace
from gdl.ruleset.template import TemplateError, holes, read_template
from gdl.ruleset.toml_table import Table
from gdl.ruleset.values import read_values

_COLOUR: Final = re.compile(r"#[0-9a-fA-F]{6}")
_KEYS: Final = (
    "columns",
    "rows",
    "column-breaks",
    "row-breaks",
    "cell",
    "mark",
    "empty",
    "blank",
    "move",
)
_FACT: Final = 'a term with ?column and ?row, for instance "(cell ?column ?row ?mark)"'
_MOVE: Final = 'a term with ?column, ?row or ?block, for instance "(place ?column ?row)"'
_BLOCK: Final = "row and column of a block, counted from 1 between the breaks, for instance [1, 2]"
_TURN: Final = "degrees, clockwise: 90, 180, 270 or -90"
TURNS: Final = frozenset({90, 180, 270, -90, -180, -270})
MAX_SYMBOL: Final = 4
"""Columns of a terminal that a symbol may take."""
MAX_CELLS: Final = 10_000
"""Cells of a grid."""


def read_mark(table: Table, name: str) -> Mark:
    """Return how a mark is drawn; what is left out comes from its name."""
    table.only(("title", "symbol", "ascii", "colour"))
    title = table.text("title", 'for instance "Black"', default=name[:1].upper() + name[1:])
    symbol = table.text("symbol", "a character or two", default=title[:1])
    plain = table.text("ascii", "an ASCII character or two", default=title[:1])
    colour = table.text("colour", 'for instance "#c00000"', default="")
    for key, text in (("symbol", symbol), ("ascii", plain)):
        if display_width(text) > MAX_SYMBOL or not text.isprintable():
            table.problem(
                "wrong-value",
                key,
                f"the {key} is too wide",
                f"at most {MAX_SYMBOL} columns",
                at=text,
            )
    if not plain.isascii():
        said = f"{plain!r} is not ASCII"
        table.problem("wrong-value", "ascii", said, "an ASCII character", at=plain)
    if colour and not _COLOUR.fullmatch(colour):
        said, expected = f"{colour!r} is no colour", '"#rrggbb", for instance "#c00000"'
        table.problem("wrong-value", "colour", said, expected, at=colour)
    return Mark(name, title, symbol, plain, colour)


def read_picture(table: Table, players: tuple[Mark, ...]) -> Picture:
    """Return the picture that a table describes; the players' marks are known to it."""
    table.only(_KEYS)
    columns, rows = read_values(table, "columns"), read_values(table, "rows")
    if len(columns) * len(rows) > MAX_CELLS:
        table.problem("wrong-value", "rows", "the grid is too large", f"at most {MAX_CELLS} cells")
    cells = []
    for each in table.tables("cell", f"[[{table.name}.cell]] tables", required=True):
        cell = _cell_fact(each)
        if cell is not None:
            cells.append(cell)
    row_breaks = _breaks(table, "row-breaks", len(rows))
    column_breaks = _breaks(table, "column-breaks", len(columns))
    blocks = (len(row_breaks) + 1, len(column_breaks) + 1)
    moves = [
        _move_place(each, blocks) for each in table.tables("move", f"[[{table.name}.move]] tables")
    ]
    return Picture(
        tuple(value for value, _ in columns),
        tuple(value for value, _ in rows),
        tuple(text for _, text in columns),
        tuple(text for _, text in rows),
        column_breaks,
        row_breaks,
        tuple(cells),
        (*players, *_marks(table)),
        _empty(table),
        frozenset(table.list_of("blank", str, 'a list of marks, for instance ["b"]')),
        tuple(move for move in moves if move is not None),
    )


def _breaks(table: Table, key: str, size: int) -> tuple[int, ...]:
    expected = f"whole numbers from 1 to {size - 1}, for instance [{max(1, size // 2)}]"
    found = table.list_of(key, int, expected)
    if any(not 0 < number < size for number in found):
        table.problem("wrong-value", key, f"{key} lies outside the grid", expected)
    return tuple(found)


def _marks(table: Table) -> tuple[Mark, ...]:
    section = table.table("mark")
    if section is None:
        return ()
    tables = ((name, section.table(name)) for name in section.values)
    return tuple(read_mark(each, name) for name, each in tables if each is not None)


def _empty(table: Table) -> Mark:
    section = table.table("empty")
    if section is None:
        return NOTHING
    section.only(("symbol", "ascii"))
    return Mark(
        "",
        NOTHING.title,
        section.text("symbol", "a character", default=NOTHING.symbol),
        section.text("ascii", "an ASCII character", default=NOTHING.ascii),
    )


def _cell_fact(table: Table) -> CellFact | None:
    table.only(("fact", "mark", "column-offset", "row-offset"))
    fact = _template(table, "fact", _FACT)
    mark = table.text("mark", "the name of a mark", default="") or None
    offsets = _offsets(table)
    if fact is None:
        return None
    named = set(holes(fact))
    missing = [name for name in ("column", "row") if name not in named]
    if mark is None and "mark" not in named:
        missing.append("mark")
    if missing:
        hint = 'or say which mark it is: mark = "queen"' if missing == ["mark"] else None
        table.problem("wrong-term", "fact", f"the fact has no ?{missing[0]}", _FACT, hint=hint)
        return None
    return CellFact(fact, mark, offsets[0], offsets[1])


def _offsets(table: Table) -> list[int]:
    return [table.value(key, int, "a whole number") or 0 for key in ("column-offset", "row-offset")]


def _move_place(table: Table, blocks: tuple[int, int]) -> MovePlace | None:
    table.only(("move", "column-offset", "row-offset", "block", "turn"))
    move = _template(table, "move", _MOVE)
    offsets = _offsets(table)
    places = _block_places(table, blocks)
    turns = _turn_degrees(table)
    if move is None:
        return None
    if not {"column", "row", "block"} & set(holes(move)):
        table.problem("wrong-term", "move", "the move has no place on the board", _MOVE)
        return None
    return MovePlace(move, offsets[0], offsets[1], places, turns)


def _block_places(table: Table, blocks: tuple[int, int]) -> tuple[tuple[str, tuple[int, int]], ...]:
    section = table.table("block")
    if section is None:
        return ()
    places = []
    for name in section.values:
        found = section.list_of(name, int, _BLOCK)
        if len(found) == len(blocks) and all(
            1 <= number <= most for number, most in zip(found, blocks, strict=True)
        ):
            places.append((name, (found[0] - 1, found[1] - 1)))
        else:
            section.problem("wrong-value", name, f"{name} is no block of the board", _BLOCK)
    return tuple(places)


def _turn_degrees(table: Table) -> tuple[tuple[str, int], ...]:
    section = table.table("turn")
    if section is None:
        return ()
    turns = tuple((name, section.value(name, int, _TURN) or 0) for name in section.values)
    for name, degrees in turns:
        if degrees not in TURNS:
            section.problem("wrong-value", name, f"{name} is no turn", _TURN)
    return turns


def _template(table: Table, key: str, expected: str) -> Term | None:
    text = table.text(key, expected)
    if not text:
        return None
    try:
        return read_template(text)
    except TemplateError as error:
        table.problem("wrong-term", key, f"the {key} is no term: {error}", expected)
        return None
