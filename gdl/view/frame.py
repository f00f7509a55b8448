"""What every position of a picture has: its boards without anything on them, as shapes.

In: a `Picture`. Out: a `Frame`: what lies below, and for each site its own shapes around its
middle and the outline that a person touches.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Final

from gdl.view.panel import BAR, CORNER, HEXAGON_FORM, Panel, Site, label_size
from gdl.view.picture import (
    CHECKERED,
    COUNTER,
    DIE,
    GRID,
    HAND,
    HANGING,
    HOLES,
    LATTICE,
    LINES,
    LINKS,
    PILE,
    PIT,
    POINTS,
    SQUARES,
    Layout,
    Picture,
)
from gdl.view.piece_shapes import HEXAGON_POINTS
from gdl.view.plan import Plan, plan
from gdl.view.shape import PIXELS, Shape, circle, line, polygon, rect, text

RIM: Final = 0.07
"""Of a plate, beyond its cells."""
KEPT: Final = 64


@dataclass(frozen=True, slots=True)
class Frame:
    """A picture without a position.

    Attributes:
        plan: Where the sites are.
        size: Width and height, in pixels.
        ground: What lies below: plates, lines, labels.
        bases: Of each site what it looks like when it is empty.
        outlines: Of each site what a person touches.
    """

    plan: Plan
    size: tuple[int, int]
    ground: tuple[Shape, ...]
    bases: tuple[tuple[Shape, ...], ...]
    outlines: tuple[Shape, ...]

    def middle(self, site: int) -> tuple[float, float]:
        """Return where the middle of a site is, in pixels."""
        x, y = self.plan.sites[site].at
        return round(x * PIXELS, 1), round(y * PIXELS, 1)

    def to_json(self) -> dict[str, Any]:
        """Return the frame as a value for ``json``; docs/matches.md lists its fields."""
        sites = self.plan.sites
        panel = self.plan.panels[0]
        turning = panel.blocks if _can_turn(panel.layout) else ()
        # The plates of parts that turn come first in the ground; they are told with their parts.
        return {
            "size": list(self.size),
            "ground": [shape.to_json() for shape in self.ground[len(turning) :]],
            "sites": [
                {
                    "name": site.name,
                    "title": site.title,
                    "at": list(self.middle(number)),
                    "cell": None if site.row is None else [site.row, site.column],
                    "base": [shape.to_json() for shape in self.bases[number]],
                    "outline": self.outlines[number].to_json(),
                }
                for number, site in enumerate(sites)
            ],
            "blocks": [
                {
                    "block": list(block),
                    "plate": _plate(panel, block).to_json(),
                    "sites": _within(panel, block),
                }
                for block in turning
            ],
            "panels": [
                [round(value * PIXELS, 1) for value in (*panel.at, *panel.size)]
                for panel in self.plan.panels
            ],
        }


@lru_cache(KEPT)
def frame(picture: Picture) -> Frame:
    """Return what every position of a picture has. Cost linear in the sites."""
    planned = plan(picture)
    ground = [shape for panel in planned.panels for shape in _ground(panel)]
    bases = tuple(tuple(_base(panel, site)) for panel in planned.panels for site in panel.sites)
    width, height = planned.size
    size = round(width * PIXELS), round(height * PIXELS)
    return Frame(planned, size, tuple(ground), bases, tuple(map(_outline, planned.sites)))


def _can_turn(layout: Layout) -> bool:
    """Return whether all that is drawn of a part of a board lies in its cells and their plate."""
    is_whole = layout.kind == GRID and not layout.map and not layout.lines and not layout.sides
    return is_whole and layout.ground not in {LINES, LINKS, LATTICE}


def _within(panel: Panel, block: tuple[int, int, int, int]) -> list[int]:
    top, left, bottom, right = block
    return [
        number
        for number, site in zip(panel.numbers, panel.sites, strict=True)
        if site.row is not None
        and site.column is not None
        and top <= site.row < bottom
        and left <= site.column < right
    ]


def _plate(panel: Panel, block: tuple[int, int, int, int]) -> Shape:
    inside = [panel.sites[number - panel.first].at for number in _within(panel, block)]
    xs, ys = [x for x, _ in inside] or [0.0], [y for _, y in inside] or [0.0]
    middle = (min(xs) + max(xs)) / 2, (min(ys) + max(ys)) / 2
    size = max(xs) - min(xs) + 1 + 2 * RIM, max(ys) - min(ys) + 1 + 2 * RIM
    return rect("plate", middle, size, 0.16)


def _ground(panel: Panel) -> Iterator[Shape]:
    layout = panel.layout
    if layout.kind == GRID and not layout.map:
        yield from (_plate(panel, block) for block in panel.blocks)
    if layout.kind == GRID and layout.ground == LINES:
        yield from _crossings(panel)
    for path in panel.lines:
        sites = [panel.sites[number - panel.first].at for number in path]
        yield line("line", sites)
    size = label_size(len(layout.columns))
    for label in panel.labels:
        yield text("label", label.at, label.text, size)
    for site in panel.sites:
        yield from _site_label(site)
    if layout.title:
        yield text("title", (panel.at[0] + panel.size[0] / 2, panel.at[1] - 0.3), layout.title, 0.4)


def _crossings(panel: Panel) -> Iterator[Shape]:
    """Return the lines through the cells of each row and column."""
    cells = {
        (site.row, site.column): site.at
        for site in panel.sites
        if site.row is not None and site.column is not None
    }
    for (row, column), at in cells.items():
        for other in ((row, column + 1), (row + 1, column)):
            if other in cells:
                yield line("line", [at, cells[other]])


def _site_label(site: Site) -> Iterator[Shape]:
    (x, y), (width, height) = site.at, site.size
    places = {
        "above": (x, y - height / 2 - 0.25),
        "below": (x, y + height / 2 + 0.25),
        "left": (x - width / 2 - 1, y),
    }
    if site.label in places:
        yield text("label", places[site.label], site.title, 0.3)


def _base(panel: Panel, site: Site) -> Iterator[Shape]:
    """Return what an empty site looks like, around its middle."""
    zero, ground = (0, 0), panel.layout.ground
    if site.form == HEXAGON_FORM:
        yield polygon("hexagon", HEXAGON_POINTS)
    elif site.form == PIT:
        yield rect("pit", zero, site.size, min(site.size) / 2)
    elif site.form in {PILE, HANGING, HAND}:
        yield rect("slot", zero, site.size, 0.1)
    elif site.form == DIE:
        yield rect("slot", zero, (0.76, 0.76), 0.14)
    elif site.form not in {BAR, CORNER, COUNTER}:
        if panel.layout.map and panel.layout.kind == GRID and ground in {HOLES, SQUARES}:
            yield rect("square", zero, (1, 1))
        elif ground == CHECKERED and panel.layout.kind == GRID:
            yield rect("dark" if site.is_dark else "light", zero, (1, 1))
        elif ground == SQUARES:
            yield rect("square", zero, (1, 1))
        is_dot = ground == LATTICE and site.row is not None and site.row % 2 == 0
        if ground in {HOLES, LINKS} or panel.layout.kind == POINTS or is_dot:
            yield circle("hole", zero, 0.12)


def _outline(site: Site) -> Shape:
    """Return what a person touches, around the middle of a site."""
    zero = (0, 0)
    match site.form:
        case "hexagon":
            return polygon("spot", [(x * 0.92, y * 0.92) for x, y in HEXAGON_POINTS])
        case "bar":
            return rect("spot", zero, (max(site.size[0], 0.3), max(site.size[1], 0.3)), 0.05)
        case "corner":
            return circle("spot", zero, 0.32)
        case "point":
            return circle("spot", zero, 0.45)
        case "pit":
            return rect("spot", zero, site.size, min(site.size) / 2)
        case _:
            return rect("spot", zero, (site.size[0] - 0.06, site.size[1] - 0.06), 0.13)
