"""Where the sites of a picture are: geometry without any position.

In: a `Picture`. Out: a `Plan`: sites with their places on paper and on a terminal, the lines,
plates and labels of each board. All lengths are in cells. Kept for pictures that are asked for
again, since a plan follows from its picture alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from gdl.view.grid_plan import grid
from gdl.view.hexagon_plan import hexagons
from gdl.view.panel import Panel, Point, Site
from gdl.view.picture import GRID, HEXAGONS, POINTS, Layout, Picture
from gdl.view.point_plan import points

PLANNERS: Final = {GRID: grid, HEXAGONS: hexagons, POINTS: points}
TITLE: Final = 0.7
"""Height of a board's title."""
BESIDE: Final = 0.5
"""Between two boards."""


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
        labels=tuple(
            replace(label, at=(label.at[0] + x, label.at[1] + y)) for label in panel.labels
        ),
        names={name: number + first for name, number in panel.names.items()},
        lines=tuple(tuple(number + first for number in line) for line in panel.lines),
        first=first,
        at=(x, y),
    )


def _panel(layout: Layout) -> Panel:
    panel = PLANNERS[layout.kind](layout)
    lines = tuple(
        tuple(panel.names[name] for name in line if name in panel.names) for line in layout.lines
    )
    return replace(panel, lines=lines)
