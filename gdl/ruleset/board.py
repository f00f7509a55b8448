"""The board as a value, and as text.

In: a `Picture` (which facts are marks on which grid) and the facts of a state. Out: a
`Board`, from which any tool can draw: rows of cells, labels, separators, what changed.
`draw_text` draws it with plain characters.

Source: the arrangement follows the sample output in the README of Pentago.py.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Final

from gdl.language.source import display_width
from gdl.language.terms import Term, kif_text, sort_key
from gdl.ruleset.move_location import MovePlace, shifted
from gdl.ruleset.template import match


@dataclass(frozen=True, slots=True)
class Mark:
    """What can lie on a cell.

    Attributes:
        name: As the facts call it, KIF text.
        title: As people call it.
        symbol: How it is drawn, one or two characters.
        ascii: The same in plain ASCII.
        colour: ``#rrggbb``, empty for the colour of text.
    """

    name: str
    title: str
    symbol: str
    ascii: str
    colour: str = ""


NOTHING: Final = Mark("", "empty", "·", ".")


@dataclass(frozen=True, slots=True)
class CellFact:
    """A kind of fact that puts a mark on the grid.

    Attributes:
        fact: Template with ``?column`` and ``?row``, and ``?mark`` unless the mark is fixed.
        mark: Name of the mark, None when the fact says it.
        column_offset: Added to the column, which is a number then.
        row_offset: Added to the row likewise.
    """

    fact: Term
    mark: str | None = None
    column_offset: int = 0
    row_offset: int = 0


@dataclass(frozen=True, slots=True)
class Picture:
    """Which facts are marks on which grid.

    Attributes:
        columns: Values of ``?column`` from left to right.
        rows: Values of ``?row`` from top to bottom.
        column_labels: What stands above the columns.
        row_labels: What stands beside the rows.
        column_breaks: A line is drawn after so many columns.
        row_breaks: A line is drawn after so many rows.
        cells: The facts.
        marks: How each mark is drawn.
        empty: How a cell without a mark is drawn.
        blank: Marks that mean an empty cell.
        moves: Where on the board moves are made; see `gdl.ruleset.move_location`.
    """

    columns: tuple[Term, ...]
    rows: tuple[Term, ...]
    column_labels: tuple[str, ...]
    row_labels: tuple[str, ...]
    column_breaks: tuple[int, ...]
    row_breaks: tuple[int, ...]
    cells: tuple[CellFact, ...]
    marks: tuple[Mark, ...]
    empty: Mark = NOTHING
    blank: frozenset[str] = frozenset()
    moves: tuple[MovePlace, ...] = ()


@dataclass(frozen=True, slots=True)
class Board:
    """One position as a grid.

    Attributes:
        cells: Rows from top to bottom, cells from left to right; None is an empty cell.
        column_labels: What stands above the columns.
        row_labels: What stands beside the rows.
        column_breaks: A line is drawn after so many columns.
        row_breaks: A line is drawn after so many rows.
        marks: The marks of the game, for a legend.
        empty: How an empty cell is drawn.
        changed: Cells (row, column, counted from 0) that hold another mark than before.
        rest: Facts that are no marks, in canonical order.
    """

    cells: tuple[tuple[Mark | None, ...], ...]
    column_labels: tuple[str, ...]
    row_labels: tuple[str, ...]
    column_breaks: tuple[int, ...]
    row_breaks: tuple[int, ...]
    marks: tuple[Mark, ...]
    empty: Mark
    changed: frozenset[tuple[int, int]] = frozenset()
    rest: tuple[Term, ...] = ()


def board(
    picture: Picture, facts: Collection[Term], *, before: Collection[Term] | None = None
) -> Board:
    """Return a state as a grid.

    Args:
        picture: Which facts are marks.
        facts: What is true in the state.
        before: What was true in the state before, to tell which cells changed.

    Returns:
        The grid. Of several marks on one cell the last in canonical order is taken. Cost
        O(facts * kinds of cells).
    """
    marks, rest = place(picture, facts)
    changed: frozenset[tuple[int, int]] = frozenset()
    if before is not None:
        old, _ = place(picture, before)
        changed = frozenset(cell for cell, mark in marks.items() if old.get(cell) != mark)
    height, width = range(len(picture.rows)), range(len(picture.columns))
    return Board(
        tuple(tuple(marks.get((row, column)) for column in width) for row in height),
        picture.column_labels,
        picture.row_labels,
        picture.column_breaks,
        picture.row_breaks,
        picture.marks,
        picture.empty,
        changed,
        rest,
    )


def place(
    picture: Picture, facts: Collection[Term]
) -> tuple[dict[tuple[int, int], Mark], tuple[Term, ...]]:
    """Return the mark of each cell that has one, by row and column, and all other facts.

    A fact that says that a cell is empty is in neither. Cost O(facts * kinds of cells).
    """
    columns = {value: index for index, value in enumerate(picture.columns)}
    rows = {value: index for index, value in enumerate(picture.rows)}
    marks = {mark.name: mark for mark in picture.marks}
    placed: dict[tuple[int, int], Mark] = {}
    rest = []
    for fact in sorted(facts, key=sort_key):
        for kind in picture.cells:
            found = match(kind.fact, fact)
            if found is None:
                continue
            row = rows.get(shifted(found["row"], kind.row_offset))
            column = columns.get(shifted(found["column"], kind.column_offset))
            if row is None or column is None:
                continue
            name = kif_text(found["mark"]) if kind.mark is None else kind.mark
            if name not in picture.blank:
                placed[row, column] = marks.get(name) or _unknown(name)
            break
        else:
            rest.append(fact)
    return placed, tuple(rest)


def _unknown(name: str) -> Mark:
    first = name.strip("(|")[:1]
    return Mark(name, name, first or "?", first if first.isascii() and first else "?")


def draw_text(board: Board, *, ascii_only: bool = False) -> str:
    """Return a board as text: labels, rows, separators, legend, and the facts beside it.

    A cell that changed has a ``>`` before its mark.

    Args:
        board: What to draw.
        ascii_only: Use ASCII characters alone for marks and lines.
    """
    symbols = {
        mark: mark.ascii if ascii_only else mark.symbol for mark in (*board.marks, board.empty)
    }
    pen = _Pen(board, symbols, ascii_only=ascii_only)
    lines = [pen.header()]
    for row in range(len(board.cells)):
        lines.append(pen.row(row))
        if row + 1 in board.row_breaks and row + 1 < len(board.cells):
            lines.append(pen.rule())
    legend = "  ".join(f"{symbols[mark]} {mark.title}" for mark in board.marks)
    rest = " ".join(map(kif_text, board.rest))
    below = [part for part in (legend, rest) if part]
    return "\n".join(line.rstrip() for line in (*lines, *([""] if below else []), *below))


class _Pen:
    """Widths and characters of one drawing."""

    def __init__(self, board: Board, symbols: Mapping[Mark, str], *, ascii_only: bool) -> None:
        self.board = board
        self.symbols = symbols
        self.ascii_only = ascii_only
        texts = [*symbols.values(), *board.column_labels]
        self.width = max(map(display_width, texts))
        self.margin = max(map(display_width, board.row_labels))
        self.upright, self.level, self.cross = ("|", "-", "+") if ascii_only else ("│", "─", "┼")

    def header(self) -> str:
        """Return the line of column labels."""
        return self._line("", [f" {self._fit(text)}" for text in self.board.column_labels], " ")

    def row(self, row: int) -> str:
        """Return one row of cells with its label."""
        cells = []
        for column, mark in enumerate(self.board.cells[row]):
            flag = ">" if (row, column) in self.board.changed else " "
            cells.append(flag + self._fit(self._symbol(mark)))
        return self._line(self.board.row_labels[row], cells, self.upright)

    def rule(self) -> str:
        """Return the line that separates two rows."""
        cells = [self.level * (self.width + 1)] * len(self.board.column_labels)
        return self._line("", cells, self.cross, self.level)

    def _symbol(self, mark: Mark | None) -> str:
        shown = mark or self.board.empty
        return self.symbols.get(shown) or (shown.ascii if self.ascii_only else shown.symbol)

    def _fit(self, text: str) -> str:
        return " " * (self.width - display_width(text)) + text

    def _line(self, label: str, cells: list[str], separator: str, blank: str = " ") -> str:
        parts = [" " * (self.margin - display_width(label)) + label]
        for column, cell in enumerate(cells):
            parts.append(cell)
            if column + 1 in self.board.column_breaks and column + 1 < len(cells):
                parts.append(blank + separator)
        return "".join(parts)
