"""Where on its board a move is made: what a person clicks on, and what turns.

In: a `Picture` and a move. Out: a `MoveLocation`. It says nothing of what the move does; that
is for the rules alone.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from gdl.language.terms import Constant, Term, kif_text
from gdl.ruleset.template import fill, holes, match, read_template

if TYPE_CHECKING:
    from gdl.ruleset.board import Picture


@dataclass(frozen=True, slots=True)
class MovePlace:
    """A kind of move, and where on the board it is made.

    Attributes:
        move: Template, perhaps with ``?column``, ``?row``, ``?block`` and ``?turn``.
        column_offset: Added to the column, which is a number then.
        row_offset: Added to the row likewise.
        blocks: Row and column, counted from 0, of the block that a name means.
        turns: Degrees, clockwise, that a name means.
    """

    move: Term
    column_offset: int = 0
    row_offset: int = 0
    blocks: tuple[tuple[str, tuple[int, int]], ...] = ()
    turns: tuple[tuple[str, int], ...] = ()


@dataclass(frozen=True, slots=True)
class MoveLocation:
    """Where on the board one move is made.

    Attributes:
        row: Row of the cell, counted from 0 at the top; None where any row will do.
        column: Column of the cell, counted from 0 at the left; None likewise.
        block: First row, first column, and the row and column behind the last ones, of the
            part of the board that turns; None where nothing turns.
        degrees: How far it turns, clockwise; 0 where nothing turns.
    """

    row: int | None = None
    column: int | None = None
    block: tuple[int, int, int, int] | None = None
    degrees: int = 0


def shifted(value: Term, offset: int) -> Term:
    """Return a number with something added, any other value as it is."""
    if offset and isinstance(value, Constant) and value.name.isdecimal() and len(value.name) < 10:  # noqa: PLR2004  # a grid is small
        return Constant(str(int(value.name) + offset))
    return value


def location_of(picture: Picture, move: Term) -> MoveLocation | None:
    """Return where on the board a move is made; None where the picture does not say.

    Cost linear in the kinds of moves.
    """
    for kind in picture.moves:
        found = match(kind.move, move)
        if found is not None:
            return _located(picture, kind, found)
    return None


def moves_at(picture: Picture, row: int, column: int) -> tuple[Term, ...]:
    """Return a move of each kind that is made on a cell, whether it is legal or not.

    What turns, and how far, is the first that the picture lists. A page asks with it why
    nothing can be put on a cell.
    """
    if not (0 <= row < len(picture.rows) and 0 <= column < len(picture.columns)):
        return ()
    made = (_made(picture, kind, row, column) for kind in picture.moves)
    return tuple(move for move in made if move is not None)


def _made(picture: Picture, kind: MovePlace, row: int, column: int) -> Term | None:
    binding = {
        "row": shifted(picture.rows[row], -kind.row_offset),
        "column": shifted(picture.columns[column], -kind.column_offset),
    }
    if kind.blocks:
        binding["block"] = read_template(kind.blocks[0][0])
    if kind.turns:
        binding["turn"] = read_template(kind.turns[0][0])
    wanted = set(holes(kind.move))
    if not wanted <= set(binding) or not wanted & {"row", "column"}:
        return None
    move = fill(kind.move, binding)
    found = _located(picture, kind, match(kind.move, move) or {})
    where = (None, None) if found is None else (found.row, found.column)
    return move if where[0] in (None, row) and where[1] in (None, column) else None


def _located(picture: Picture, kind: MovePlace, found: Mapping[str, Term]) -> MoveLocation | None:
    row = column = block = None
    degrees = 0
    if "row" in found:
        row = _index(picture.rows, shifted(found["row"], kind.row_offset))
    if "column" in found:
        column = _index(picture.columns, shifted(found["column"], kind.column_offset))
    if "block" in found:
        place = dict(kind.blocks).get(kif_text(found["block"]))
        block = None if place is None else _block(picture, *place)
    if "turn" in found:
        degrees = dict(kind.turns).get(kif_text(found["turn"]), 0)
    if row is None and column is None and block is None:
        return None
    return MoveLocation(row, column, block, degrees if block else 0)


def _index(values: tuple[Term, ...], value: Term) -> int | None:
    return values.index(value) if value in values else None


def _block(picture: Picture, row: int, column: int) -> tuple[int, int, int, int] | None:
    tops = (0, *picture.row_breaks, len(picture.rows))
    lefts = (0, *picture.column_breaks, len(picture.columns))
    if row + 1 >= len(tops) or column + 1 >= len(lefts):
        return None
    return tops[row], lefts[column], tops[row + 1], lefts[column + 1]
