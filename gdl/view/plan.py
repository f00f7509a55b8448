"""Where the sites of a picture are: geometry without any position.

In: a `Picture`. Out: a `Plan`: sites with their places on paper and on a terminal, the lines,
plates and labels of each board. All lengths are in cells. Kept for pictures that are asked for
again, since a plan follows from its picture alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import Final

from gdl.language.source import display_width
from gdl.view.picture import HEXAGONS, POINTS, Layout, Picture

Point = tuple[float, float]

CELL_FORM, HEXAGON_FORM, BAR, CORNER = "cell", "hexagon", "bar", "corner"
GAP: Final = 0.4
"""Between the parts of a grid."""
EDGE: Final = 0.13
"""Around a board."""
TITLE: Final = 0.7
"""Height of a board's title."""
BESIDE: Final = 0.5
"""Between two boards."""


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


@dataclass(frozen=True, slots=True)
class Plan:
    """All boards of a picture.

    Attributes:
        panels: The boards.
        sites: The sites of all boards.
        size: Width and height.
    """

    panels: tuple[Panel, ...]
    sites: tuple[Site, ...]
    size: Point


def plan(picture: Picture) -> Plan:
    """Return where the sites of a picture are. Cost linear in the sites, the first time."""
    if not picture.planned:
        picture.planned.append(_plan(picture))
    return picture.planned[0]


def _plan(picture: Picture) -> Plan:
    panels: list[Panel] = []
    count = 0
    for layout in picture.boards:
        panel = _panel(layout)
        x, y = _beside(panels, is_right=layout.beside)
        top = TITLE if layout.title else 0
        panels.append(_moved(panel, count, x, y + top))
        count += len(panel.sites)
    width = max(panel.at[0] + panel.size[0] for panel in panels)
    height = max(panel.at[1] + panel.size[1] for panel in panels)
    sites = tuple(site for panel in panels for site in panel.sites)
    return Plan(tuple(panels), sites, (width, height))


def _beside(panels: Sequence[Panel], *, is_right: bool) -> Point:
    """Return where the next board begins: beside the one before, or below all."""
    if not panels:
        return 0, 0
    last = panels[-1]
    if is_right:
        top = TITLE if last.layout.title else 0
        return last.at[0] + last.size[0] + BESIDE, last.at[1] - top
    return 0, max(panel.at[1] + panel.size[1] for panel in panels) + BESIDE


def _moved(panel: Panel, first: int, x: float, y: float) -> Panel:
    return replace(
        panel,
        sites=tuple(replace(site, at=(site.at[0] + x, site.at[1] + y)) for site in panel.sites),
        labels=tuple(replace(each, at=(each.at[0] + x, each.at[1] + y)) for each in panel.labels),
        names={name: number + first for name, number in panel.names.items()},
        lines=tuple(tuple(number + first for number in line) for line in panel.lines),
        first=first,
        at=(x, y),
    )


def _panel(layout: Layout) -> Panel:
    from gdl.view import grid_plan, hexagon_plan, point_plan

    planners = {HEXAGONS: hexagon_plan.hexagons, POINTS: point_plan.points}
    panel = planners.get(layout.kind, grid_plan.grid)(layout)
    lines = tuple(
        tuple(panel.names[name] for name in line if name in panel.names) for line in layout.lines
    )
    return replace(panel, lines=lines)


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
