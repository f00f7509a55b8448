"""A position as a picture in the terminal: the board in colour, or the facts.

In: a `State`. Out: rich text. What changed with the last joint move is on brighter
ground, and without colour has a ``>`` before it (a ``+`` before a fact).

Source: contrast as in the Web Content Accessibility Guidelines 2.1, section 1.4.3.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from gdl.cli.terminal.console import can_draw, clean, console
from gdl.ruleset.board import Board, Mark
from gdl.state import State

if TYPE_CHECKING:
    from rich.console import RenderableType
    from rich.text import Text

GROUNDS: Final = (("#b5803f", "#c99656"), ("#e8c48a", "#f7e6c8"), ("#14275e", "#23418f"))
"""Colours a board may have, each with a brighter one: dark wood, light wood, navy."""
INKS: Final = ("#302010", "#b8c4e0")
"""Colours of lines and empty cells: on wood, on navy."""


def draw_state(state: State) -> RenderableType:
    """Return the board of a state, or its facts where the ruleset has no picture."""
    before = None if state.previous is None else state.previous.facts
    board = state.game.ruleset.board(state.facts, before=before)
    if board is None:
        return _draw_facts(state)
    return draw_board(board)


def draw_board(board: Board) -> Text:
    """Return a board as rich text, for the standard console."""
    made = console()
    is_coloured = made.is_terminal and made.color_system is not None and not made.no_color
    symbols = "".join(mark.symbol for mark in (*board.marks, board.empty))
    return _Painter(
        board, is_coloured=is_coloured, is_ascii=not can_draw(made, symbols + "│─┼")
    ).text()


def _draw_facts(state: State) -> RenderableType:
    from rich.columns import Columns
    from rich.text import Text

    before = None if state.previous is None else state.previous.facts
    cells = []
    for fact in sorted(state.facts):
        is_new = before is not None and fact not in before
        cells.append(Text(("+" if is_new else " ") + clean(str(fact)), style="bold" * is_new))
    return Columns(cells, padding=(0, 2), column_first=True) if cells else Text("(no facts)")


class _Painter:
    """One drawing: its widths, characters and colours."""

    def __init__(self, board: Board, *, is_coloured: bool, is_ascii: bool) -> None:
        from gdl.language.source import display_width

        self._measure = display_width
        self.board, self.is_coloured, self.is_ascii = board, is_coloured, is_ascii
        self.gap = " " if is_coloured else "  "  # without colour, a sign must fit in
        self.ground, self.bright = _ground(board.marks)
        self.ink = max(INKS, key=lambda ink: _contrast(ink, self.ground))
        texts = [*map(self._symbol, (*board.marks, board.empty)), *board.column_labels]
        self.width = max(map(display_width, texts))
        self.margin = max(map(display_width, board.row_labels), default=0)

    def text(self) -> Text:
        """Return the whole picture: labels, rows, legend, facts that are no marks."""
        from rich.text import Text

        lines = [self._header()]
        for row in range(len(self.board.cells)):
            lines.append(self._row(row))
            if row + 1 in self.board.row_breaks and row + 1 < len(self.board.cells):
                lines.append(self._rule())
        lines += [Text(), *self._below()]
        for line in lines:
            if not self.is_coloured:
                line.rstrip()
        return Text("\n").join(lines)

    def _below(self) -> list[Text]:
        from rich.text import Text

        legend = Text()
        for mark in self.board.marks:
            if mark.title.casefold() == self._symbol(mark).casefold():
                continue
            legend.append(self._symbol(mark), self._style(mark, self.ground))
            legend.append(f" {clean(mark.title)}  ")
        rest = Text(clean("  ".join(map(str, self.board.rest))), style="dim")
        return [line for line in (legend, rest) if line.plain]

    def _header(self) -> Text:
        from rich.text import Text

        line = Text(" " * self.margin)
        for column, label in enumerate(self.board.column_labels):
            line.append(f"{self.gap}{self._fit(label)}", "dim")
            line.append("  " if self._is_break(column) else "")
        return line

    def _row(self, row: int) -> Text:
        from rich.text import Text

        label = self.board.row_labels[row]
        line = Text().append(" " * (self.margin - self._measure(label)) + label, "dim")
        for column, mark in enumerate(self.board.cells[row]):
            line.append_text(self._cell(mark or self.board.empty, (row, column)))
            if self._is_break(column):
                line.append(" |" if self.is_ascii else " │", self._frame())
        return line.append(" " if self.is_coloured else "", self._frame())

    def _cell(self, mark: Mark, place: tuple[int, int]) -> Text:
        from rich.text import Text

        is_changed = place in self.board.changed
        symbol = self._symbol(mark)
        if self.is_coloured:
            ground = self.bright if is_changed else self.ground
            return Text.assemble(
                (self.gap, f"on {self.ground}"), (self._fit(symbol), self._style(mark, ground))
            )
        blank = " " * (self.width - self._measure(symbol))
        return Text(f" {blank}{'>' if is_changed else ' '}{symbol}")

    def _rule(self) -> Text:
        from rich.text import Text

        level, cross = ("-", "+") if self.is_ascii else ("─", "┼")
        line = ""
        for column in range(len(self.board.column_labels)):
            line += level * (self.width + len(self.gap))
            line += level + cross if self._is_break(column) else ""
        return Text(" " * self.margin).append(line + level * self.is_coloured, self._frame())

    def _is_break(self, column: int) -> bool:
        """Return whether a line stands after a column."""
        return column + 1 in self.board.column_breaks and column + 1 < len(self.board.column_labels)

    def _frame(self) -> str:
        return f"{self.ink} on {self.ground}" if self.is_coloured else ""

    def _style(self, mark: Mark, ground: str) -> str:
        if not self.is_coloured:
            return ""
        weight = "" if mark is self.board.empty else "bold "
        return f"{weight}{mark.colour or self.ink} on {ground}"

    def _symbol(self, mark: Mark) -> str:
        return mark.ascii if self.is_ascii else mark.symbol

    def _fit(self, text: str) -> str:
        return " " * (self.width - self._measure(text)) + text


def _ground(marks: tuple[Mark, ...]) -> tuple[str, str]:
    """Return the ground, and the brighter one, on which the palest mark is seen best."""
    colours = [mark.colour for mark in marks if mark.colour]
    return max(
        GROUNDS, key=lambda ground: min((_contrast(c, ground[0]) for c in colours), default=0)
    )


def _contrast(one: str, other: str) -> float:
    """Return the contrast of two colours ``#rrggbb``, 1 to 21."""
    dark, light = sorted((_luminance(one), _luminance(other)))
    return (light + 0.05) / (dark + 0.05)


def _luminance(colour: str) -> float:
    shares = [int(colour[start : start + 2], 16) / 255 for start in (1, 3, 5)]
    red, green, blue = (s / 12.92 if s <= 0.03928 else ((s + 0.055) / 1.055) ** 2.4 for s in shares)  # noqa: PLR2004  # the formula of the guidelines
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue
