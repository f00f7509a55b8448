"""The ``[picture.NAME]`` table of a manifest, and how a mark is drawn.

In: the table. Out: a `Picture` or `Mark`; problems are noted in the table's file. The table
is the first board; each ``[[picture.NAME.board]]`` is one more (`gdl.ruleset.manifest_board`).

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
from gdl.ruleset.arithmetic import Sizes
from gdl.ruleset.errors import did_you_mean, one_of
from gdl.ruleset.manifest_board import BOARD_KEYS, read_board
from gdl.ruleset.toml_table import Table
from gdl.view.mark import NOTHING, SHAPES, Mark
from gdl.view.picture import Picture

_COLOUR: Final = re.compile(r"#[0-9a-fA-F]{6}")
_KEYS: Final = (*BOARD_KEYS, "mark", "empty", "blank", "board")
_MARK_KEYS: Final = ("title", "symbol", "ascii", "colour")
MAX_SYMBOL: Final = 4
"""Columns of a terminal that a symbol may take."""


def read_mark(table: Table, name: str, *, shape: str | None = None) -> Mark:
    """Return how a mark is drawn; what is left out comes from its name.

    Args:
        table: Its table.
        name: As the facts call it.
        shape: Its shape unless the table says one; None where a table may say none.
    """
    table.only(_MARK_KEYS if shape is None else (*_MARK_KEYS, "shape"))
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
    if shape is not None:
        shape = table.text("shape", one_of(SHAPES), default=shape)
        if shape and shape not in SHAPES:
            hint = did_you_mean(shape, SHAPES)
            said = f"{shape!r} is no shape of a mark"
            table.problem("wrong-value", "shape", said, one_of(SHAPES), hint=hint, at=shape)
    return Mark(name, title, symbol, plain, colour, shape or "")


def read_picture(table: Table, players: tuple[Mark, ...], sizes: Sizes) -> Picture:
    """Return the picture that a table describes.

    Args:
        table: The table.
        players: The players' marks, which are known to it.
        sizes: What ranges may name: the parameters of the ruleset.
    """
    table.only(_KEYS)
    boards = [read_board(table, sizes)]
    for further in table.tables("board", f"[[{table.name}.board]] tables"):
        further.only((*BOARD_KEYS, "beside"))
        boards.append(read_board(further, sizes))
    marks = {mark.name: mark for mark in (*players, *_marks(table))}
    return Picture(
        tuple(boards),
        tuple(marks.values()),
        _empty(table),
        frozenset(table.list_of("blank", str, 'a list of marks, for instance ["b"]')),
    )


def _marks(table: Table) -> tuple[Mark, ...]:
    section = table.table("mark")
    if section is None:
        return ()
    tables = ((name, section.table(name)) for name in section.values)
    return tuple(read_mark(entry, name, shape="") for name, entry in tables if entry is not None)


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
