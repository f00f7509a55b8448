"""A picture as text: one writer for plain text and for the terminal.

In: a `Scene`. Out: lines of `Run`s, pieces of text that say what they are, which `draw_text`
joins and a terminal colours. Everything is first put on a sheet of single characters, so that
boards of any form may lie over and beside each other; a wide character takes two.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import groupby, pairwise
from math import ceil
from typing import Final

from gdl.language.source import display_width
from gdl.language.terms import kif_text
from gdl.view.mark import CARD, Mark
from gdl.view.panel import BAR, CORNER, Label, Panel, Site
from gdl.view.picture import CHECKERED, DIE, HEXAGONS, LATTICE, PIT, POINTS
from gdl.view.scene import Piece, Scene

BLANK, LABEL, RULE, CELL, FLAG = "blank", "label", "rule", "cell", "flag"
ARROWS: Final = "↑↗→↘↓↙←↖"
ASCII_ARROWS: Final = "^/>\\v/<\\"
DIAGONALS: Final = "╲╱"  # noqa: RUF001  # lines, no letters
FACES: Final = "⚀⚁⚂⚃⚄⚅"
DIE_COUNTS: Final = frozenset("123456")
SPREAD: Final = 4
"""Characters between two columns where lines or edges lie between."""
BESIDE: Final = 4
"""Blanks between two boards."""


@dataclass(frozen=True, slots=True)
class Run:
    """Characters that look alike.

    Attributes:
        text: The characters.
        what: ``blank``, ``label``, ``rule``, ``cell`` or ``flag``.
        site: Number of the site to which they belong, None for none.
        mark: What stands there, None for nothing.
        is_changed: Whether something else stood there before.
        is_dark: Whether it is a dark cell of a checkered board.
    """

    text: str
    what: str = BLANK
    site: int | None = None
    mark: Mark | None = None
    is_changed: bool = False
    is_dark: bool = False


class Sheet:
    """Characters by line and column; either may be negative until it is read."""

    def __init__(self) -> None:
        """Begin with an empty sheet."""
        self.put: dict[tuple[int, int], Run] = {}

    def write(self, line: int, column: int, run: Run) -> None:
        """Write a run from a column on, over what is there."""
        at = column
        for character in run.text:
            width = display_width(character)
            for offset in range(max(1, width)):
                text = character if offset == 0 else ""
                self.put[line, at + offset] = replace(run, text=text)
            at += max(1, width)

    def lay(self, other: Sheet, line: int, column: int) -> None:
        """Copy another sheet to a place."""
        for (row, at), run in other.put.items():
            self.put[row + line, at + column] = run

    def bounds(self) -> tuple[int, int, int, int]:
        """Return first line and column, and those behind the last."""
        lines = [line for line, _ in self.put] or [0]
        columns = [column for _, column in self.put] or [0]
        return min(lines), min(columns), max(lines) + 1, max(columns) + 1

    def lines(self) -> list[list[Run]]:
        """Return all lines, each filled with blanks to the same width."""
        top, left, bottom, right = self.bounds()
        blank = Run(" ")
        return [
            [self.put.get((line, column), blank) for column in range(left, right)]
            for line in range(top, bottom)
        ]


def draw_text(drawn: Scene, *, ascii_only: bool = False) -> str:
    """Return a picture as text: its boards, legend, and the facts beside them.

    What changed has a ``>`` before its mark.

    Args:
        drawn: What to draw.
        ascii_only: Use ASCII characters alone for marks and lines.
    """
    lines = ["".join(run.text for run in line) for line in draw_lines(drawn, ascii_only=ascii_only)]
    legend = "  ".join(
        f"{symbol(mark, ascii_only=ascii_only)} {mark.title}"
        for mark in legend_marks(drawn, ascii_only=ascii_only)
    )
    rest = " ".join(map(kif_text, drawn.rest))
    below = [part for part in (legend, rest) if part]
    return "\n".join(line.rstrip() for line in (*lines, *([""] if below else []), *below))


def legend_marks(drawn: Scene, *, ascii_only: bool) -> list[Mark]:
    """Return the marks that a legend explains: cards and numbers say themselves what they are."""
    return [
        mark
        for mark in drawn.picture.marks
        if mark.look != CARD
        if mark.title.casefold() != symbol(mark, ascii_only=ascii_only).casefold()
    ]


def symbol(mark: Mark, *, ascii_only: bool) -> str:
    """Return how a mark is written."""
    return mark.ascii if ascii_only else mark.symbol


def draw_lines(drawn: Scene, *, ascii_only: bool = False) -> list[list[Run]]:
    """Return the boards of a picture as lines of runs, all lines of one width."""
    whole = Sheet()
    top = left = 0
    height = 0
    for number, panel in enumerate(drawn.plan.panels):
        sheet = _PanelWriter(drawn, panel, ascii_only=ascii_only).sheet()
        if number and panel.layout.beside:
            left += BESIDE
        elif number:
            top, left, height = top + height + 1, 0, 0
        first, least, last, most = sheet.bounds()
        whole.lay(sheet, top - first, left - least)
        left += most - least
        height = max(height, last - first)
    return [_joined(line) for line in whole.lines()]


def _joined(line: list[Run]) -> list[Run]:
    """Return runs that look alike and belong together as one."""
    runs = []
    for look, group in groupby(line, lambda run: replace(run, text="")):
        runs.append(replace(look, text="".join(run.text for run in group)))
    return runs


class _PanelWriter:
    """Widths and characters of one board."""

    def __init__(self, drawn: Scene, panel: Panel, *, ascii_only: bool) -> None:
        self.drawn, self.panel, self.is_ascii = drawn, panel, ascii_only
        layout = panel.layout
        self.is_spots = layout.kind == POINTS
        self.is_spread = self.is_spots or bool(
            layout.sides or layout.lines or any(cell.links for cell in layout.cells)
        )
        marks = (*drawn.picture.marks, drawn.picture.empty)
        texts = [
            *(symbol(mark, ascii_only=ascii_only) for mark in marks),
            *map(self._text, panel.numbers),
            *layout.column_labels,
        ]
        self.width = 1 if self.is_spots else max(map(display_width, texts))
        self.down = 2 if self.is_spread else 1
        self.across = self._across()
        self.level, self.upright, self.cross = "-|+" if ascii_only else "─│┼"

    def _across(self) -> int:
        """Return the characters from one column to the next."""
        if self.is_spots:
            return self._spread_of_spots()
        wide = self.width + 1
        if self.is_spread:
            return max(SPREAD, wide + wide % 2)
        if self.panel.layout.ground == LATTICE:
            return wide + 1  # a line leaves room for the flag of its neighbour
        return wide + wide % 2 if self.panel.layout.kind == HEXAGONS else wide  # half must be whole

    def _spread_of_spots(self) -> int:
        """Return so many that no spot runs into the one at its right."""
        rows: dict[int, list[tuple[float, int]]] = {}
        for number in self.panel.numbers:
            x, y = self.drawn.plan.sites[number].cell
            rows.setdefault(round(self.down * y), []).append((x, number))
        need = [SPREAD]
        for row in rows.values():
            for (x, number), (right, other) in pairwise(sorted(row)):
                site, next_ = self.drawn.plan.sites[number], self.drawn.plan.sites[other]
                title = site.title if site.label in {"above", "below"} else ""
                width = max(map(display_width, (self._text(number), title)))
                width += (display_width(next_.title) + 2) * (next_.label == "left")
                need.append(ceil((width + 2) / max(right - x, 0.5)))
        return max(need)

    def _line(self, y: float) -> int:
        breaks = sum(0 < gap <= y for gap in set(self.panel.layout.row_breaks))
        return round(self.down * y) + breaks

    def _start(self, x: float) -> int:
        """Return where the first character of a column stands."""
        breaks = sum(0 < gap <= x for gap in set(self.panel.layout.column_breaks))
        return round(self.across * x) + 2 * breaks

    def _write(self, sheet: Sheet, y: float, x: float, run: Run) -> None:
        """Write a run so that it ends where its column does."""
        sheet.write(self._line(y), self._start(x) + self.width - display_width(run.text), run)

    def sheet(self) -> Sheet:
        """Return the board with its title, labels and lines."""
        sheet = Sheet()
        if self.is_spread:
            self._lay_ground(sheet)
        for label in self.panel.labels:
            self._label(sheet, label)
        self._rules(sheet)
        for line in self.panel.lines:
            for start, end in pairwise(line):
                self._link(sheet, self.drawn.plan.sites[start], self.drawn.plan.sites[end])
        for link in self.drawn.links:
            if link.site in self.panel.numbers:
                ends = self.drawn.plan.sites
                self._link(sheet, ends[link.site], ends[link.other])
        for number in self.panel.numbers:
            self._site(sheet, number)
        if self.panel.layout.title:
            top, left, _, _ = sheet.bounds()
            sheet.write(top - 1, left, Run(self.panel.layout.title, LABEL))
        return sheet

    def _lay_ground(self, sheet: Sheet) -> None:
        """Put blanks that belong to the board where its lines and sites will be."""
        numbers = self.panel.numbers
        cells = [self.drawn.plan.sites[number].cell for number in numbers]
        ends = [
            self._start(x) + max(self.width, display_width(self._text(number)))
            for (x, _), number in zip(cells, numbers, strict=True)
        ]
        left = self._start(min(x for x, _ in cells)) - 1
        top, bottom = (self._line(reach(y for _, y in cells)) for reach in (min, max))
        for line in range(top, bottom + 1):
            sheet.write(line, left, Run(" " * (max(ends) + 1 - left), RULE))

    def _label(self, sheet: Sheet, label: Label) -> None:
        x, y = label.cell
        if label.is_row:
            rim = self._start(x + 1) - 1 - (2 if self.is_spread else 0)
            sheet.write(self._line(y), rim - display_width(label.text), Run(label.text, LABEL))
        else:
            self._write(sheet, y, x, Run(label.text, LABEL))

    def _rules(self, sheet: Sheet) -> None:
        """Draw the lines between the parts of a grid."""
        layout = self.panel.layout
        rows, columns = len(layout.rows), len(layout.columns)
        downs = [self._start(c) - 2 for c in sorted(set(layout.column_breaks)) if 0 < c < columns]
        levels = [self._line(r) - 1 for r in sorted(set(layout.row_breaks)) if 0 < r < rows]
        end = self._start(columns - 1) + self.width
        for line in range(self._line(rows - 1) + 1 if downs else 0):
            for column in downs:
                sheet.write(line, column, Run(self.upright, RULE))
        for line in levels:
            for column in range(-1, end):
                sign = self.cross if column in downs else self.level
                sheet.write(line, column, Run(sign, RULE))

    def _link(self, sheet: Sheet, start: Site, end: Site) -> None:
        """Draw a line between two sites, without its ends."""
        middle = (self.width - 1) // 2
        line, column = self._line(start.cell[1]), self._start(start.cell[0]) + middle
        down = self._line(end.cell[1]) - line
        right = self._start(end.cell[0]) + middle - column
        falls, rises = "\\/" if self.is_ascii else DIAGONALS
        sign = self.level if not down else self.upright
        if down and right:
            sign = falls if (down > 0) == (right > 0) else rises
        steps = abs(down) or abs(right)
        for step in range(1, steps):
            share = step / steps
            sheet.write(line + round(down * share), column + round(right * share), Run(sign, RULE))

    def _site(self, sheet: Sheet, number: int) -> None:
        site = self.drawn.plan.sites[number]
        pieces = self.drawn.pieces.get(number, ())
        mark = pieces[-1].mark if pieces else None
        is_changed = number in self.drawn.changed
        is_dark = site.is_dark and self.panel.layout.ground == CHECKERED
        run = Run(self._text(number), CELL, number, mark, is_changed, is_dark)
        x, y = site.cell
        if site.form == BAR:
            if pieces:
                self._bar(sheet, site, run)
            return
        if site.form == CORNER and not pieces:
            return
        line, column = self._line(y), self._start(x)
        if not self.is_spots:
            column += self.width - display_width(run.text)
        if not self.is_spread:
            for blank in range(self._start(x) - 1, column):
                sheet.write(line, blank, replace(run, text=" ", mark=None))
        sheet.write(line, column, run)
        if is_changed:
            sheet.write(line, column - 1, replace(run, text=">", what=FLAG))
        if site.label:
            width = display_width(site.title)
            where = {"above": (line - 1, column), "below": (line + 1, column)}
            sheet.write(*where.get(site.label, (line, column - width - 2)), Run(site.title, LABEL))

    def _bar(self, sheet: Sheet, site: Site, run: Run) -> None:
        x, y = site.cell
        line, column = self._line(y), self._start(x) + (self.width - 1) // 2
        wide, high = site.size
        is_level = wide > high
        reach = max(0, round(wide * self.across / 2 if is_level else high * self.down / 2) - 1)
        for step in range(-reach, reach + 1):
            at = (line, column + step) if is_level else (line + step, column)
            sign = self.level if is_level else self.upright
            sheet.write(*at, Run(sign, CELL, run.site, run.mark, run.is_changed))

    def _text(self, number: int) -> str:
        """Return what is written for a site."""
        pieces = self.drawn.pieces.get(number, ())
        form = self.drawn.plan.sites[number].form
        if form == BAR:
            return ""
        text = " ".join(self._piece(piece, form) for piece in pieces)
        row = self.drawn.plan.sites[number].row
        if not text and self.panel.layout.ground == LATTICE and row is not None and row % 2 == 0:
            return "+" if self.is_ascii else "•"
        text = text or symbol(self.drawn.picture.empty, ascii_only=self.is_ascii)
        return f"({text})" if form == PIT else text

    def _piece(self, piece: Piece, form: str) -> str:
        text = "" if piece.mark is None else symbol(piece.mark, ascii_only=self.is_ascii)
        if form == DIE and piece.count in DIE_COUNTS:
            face = FACES[int(piece.count) - 1]
            text += f"[{piece.count}]" if self.is_ascii else face
        else:
            text += piece.count
        if piece.turn is not None:
            text += (ASCII_ARROWS if self.is_ascii else ARROWS)[round(piece.turn / 45) % 8]
        return text
