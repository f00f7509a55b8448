"""One board of a plan: its sites and labels, and the measures that boards of every kind share.

All lengths are in cells.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Final

from gdl.language.source import display_width
from gdl.view.picture import Layout

Point = tuple[float, float]

CELL_FORM, HEXAGON_FORM, BAR, CORNER = "cell", "hexagon", "bar", "corner"
GAP: Final = 0.4
"""Between the parts of a grid."""
EDGE: Final = 0.13
"""Around a board."""


@dataclass(frozen=True, slots=True)
class Site:
    """One place where something can stand.

    Attributes:
        name: Its words in patterns.
        title: As people call it.
        at: Its middle, on paper.
        cell: Column and row on a terminal, before they are spread; may be between two cells.
        form: What it is: a cell, a hexagon, a bar, a corner, or a form of spots.
        size: Width and height.
        row: Row of a grid, counted from 0 at the top; None for all but its cells.
        column: Column of a grid likewise.
        is_dark: Whether it is a dark cell of a checkered board.
        label: Where its title is written: ``above``, ``below``, ``left`` or nowhere.
    """

    name: str
    title: str
    at: Point
    cell: Point
    form: str = CELL_FORM
    size: Point = (1, 1)
    row: int | None = None
    column: int | None = None
    is_dark: bool = False
    label: str = ""


@dataclass(frozen=True, slots=True)
class Label:
    """A text beside the sites of a board.

    Attributes:
        text: What is written.
        at: Its middle, on paper.
        cell: Column and row on a terminal, -1 for what stands before the first.
        is_row: Whether it names a row.
    """

    text: str
    at: Point
    cell: Point
    is_row: bool = False


@dataclass(frozen=True, slots=True)
class Panel:
    """One board of a plan.

    Attributes:
        layout: What the manifest says of it.
        first: Number of its first site in the plan.
        sites: Its sites; cells by rows, then edges and corners.
        names: Every name of each of its sites, by number in the plan.
        labels: Its labels.
        lines: Lines from site to site, by number in the plan.
        blocks: First row and column, and those behind the last, of each part of a grid.
        at: Left upper corner, on paper.
        size: Width and height.
    """

    layout: Layout
    sites: tuple[Site, ...]
    size: Point
    names: dict[str, int] = field(hash=False)
    labels: tuple[Label, ...] = ()
    lines: tuple[tuple[int, ...], ...] = ()
    blocks: tuple[tuple[int, int, int, int], ...] = ()
    first: int = 0
    at: Point = (0, 0)

    @property
    def numbers(self) -> range:
        """The numbers of its sites in the plan."""
        return range(self.first, self.first + len(self.sites))


def label_size(columns: int) -> float:
    """Return the height of labels: wide boards are shrunk more on small screens."""
    return min(0.5, max(0.3, 0.03 * columns))


def row_margin(layout: Layout) -> float:
    """Return the width of what stands beside the rows: of their longest label, with some air."""
    size = label_size(len(layout.columns))
    longest = max(map(display_width, layout.row_labels), default=0)
    return max(2 * size, 0.6 * size * (longest + 1))


def cuts(breaks: Sequence[int], size: int) -> list[tuple[int, int]]:
    """Return first and last (exclusive) of each part between breaks."""
    return list(pairwise((0, *sorted(set(breaks) & set(range(1, size))), size)))


def is_on_map(layout: Layout, row: int, column: int) -> bool:
    """Return whether a map has a cell there; without a map every cell is."""
    if not layout.map:
        return True
    return row < len(layout.map) and layout.map[row][column : column + 1] not in {"", " ", "."}
