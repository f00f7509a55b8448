"""A position as a picture in the terminal: the board in colour, or the facts.

In: a `State`. Out: rich text. What changed with the last joint move is on brighter
ground, and without colour has a ``>`` before it (a ``+`` before a fact).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from gdl.cli.terminal.console import can_draw, console
from gdl.language.source import harmless
from gdl.state import State
from gdl.view.colour import contrast
from gdl.view.mark import Mark
from gdl.view.scene import Scene
from gdl.view.text import (
    ARROWS,
    BLANK,
    CELL,
    DIAGONALS,
    FACES,
    FLAG,
    LABEL,
    Run,
    draw_lines,
    legend_marks,
    symbol,
)

if TYPE_CHECKING:
    from rich.console import RenderableType
    from rich.text import Text

GROUNDS: Final = (
    ("#b5803f", "#c99656", "#a06d30"),
    ("#e8c48a", "#f7e6c8", "#d4a866"),
    ("#14275e", "#23418f", "#0d1b45"),
)
"""Colours a board may have, each with a brighter and a darker one: dark wood, light wood, navy."""
INKS: Final = ("#302010", "#b8c4e0")
"""Colours of lines and empty cells: on wood, on navy."""


def draw_state(state: State, *, has_legend: bool = True) -> RenderableType:
    """Return the picture of a state, or its facts where the ruleset has none."""
    before = None if state.previous is None else state.previous.facts
    drawn = state.game.ruleset.scene(state.facts, before=before)
    return _draw_facts(state) if drawn is None else draw_scene(drawn, has_legend=has_legend)


def draw_scene(drawn: Scene, *, has_legend: bool = True) -> Text:
    """Return a picture as rich text, for the standard console."""
    terminal = console()
    has_colours = terminal.color_system is not None and not terminal.no_color
    symbols = "".join(mark.symbol for mark in (*drawn.picture.marks, drawn.picture.empty))
    is_ascii = not can_draw(terminal, symbols + "│─┼" + DIAGONALS + ARROWS + FACES)
    is_coloured = terminal.is_terminal and has_colours
    painter = _Painter(drawn, is_coloured=is_coloured, is_ascii=is_ascii)
    return painter.text(has_legend=has_legend)


def _draw_facts(state: State) -> RenderableType:
    from rich.columns import Columns
    from rich.text import Text

    before = None if state.previous is None else state.previous.facts
    cells = []
    for fact in sorted(state.facts):
        is_new = before is not None and fact not in before
        cells.append(Text(("+" if is_new else " ") + harmless(str(fact)), style="bold" * is_new))
    return Columns(cells, padding=(0, 2), column_first=True) if cells else Text("(no facts)")


class _Painter:
    """The colours of one drawing."""

    def __init__(self, drawn: Scene, *, is_coloured: bool, is_ascii: bool) -> None:
        self.drawn, self.is_coloured, self.is_ascii = drawn, is_coloured, is_ascii
        self.ground, self.bright, self.dark = _grounds(drawn.picture.marks)
        self.ink = max(INKS, key=lambda ink: contrast(ink, self.ground))

    def text(self, *, has_legend: bool) -> Text:
        """Return the whole picture: boards, legend, facts that are no marks."""
        from rich.text import Text

        lines = [self._line(runs) for runs in draw_lines(self.drawn, ascii_only=self.is_ascii)]
        below = [self._legend(), self._rest()] if has_legend else [self._rest()]
        lines += [Text(), *(line for line in below if line.plain)]
        for line in lines:
            if not self.is_coloured:
                line.rstrip()
        return Text("\n").join(lines)

    def _line(self, runs: list[Run]) -> Text:
        from rich.text import Text

        line = Text()
        for run in runs:
            # On brighter ground a sign need not say what changed.
            hides_flag = run.what == FLAG and self.is_coloured
            line.append(" " * len(run.text) if hides_flag else run.text, self._style(run))
        return line

    def _style(self, run: Run) -> str:
        if run.what == LABEL:
            return "dim"
        if run.what == BLANK or not self.is_coloured:
            return ""
        ground = self.bright if run.is_changed else self.dark if run.is_dark else self.ground
        if run.what != CELL or run.mark is None:
            return f"{self.ink} on {ground}"
        return f"bold {run.mark.colour or self.ink} on {ground}"

    def _legend(self) -> Text:
        from rich.text import Text

        legend = Text()
        for mark in legend_marks(self.drawn, ascii_only=self.is_ascii):
            written = symbol(mark, ascii_only=self.is_ascii)
            legend.append(written, self._style(Run(written, CELL, mark=mark)))
            legend.append(f" {harmless(mark.title)}  ")
        return legend

    def _rest(self) -> Text:
        from rich.text import Text

        return Text(harmless("  ".join(map(str, self.drawn.rest))), style="dim")


def _grounds(marks: tuple[Mark, ...]) -> tuple[str, str, str]:
    """Return the ground, brighter and darker, on which the palest mark is seen best."""
    colours = [mark.colour for mark in marks if mark.colour]
    return max(
        GROUNDS, key=lambda ground: min((contrast(c, ground[0]) for c in colours), default=0)
    )
