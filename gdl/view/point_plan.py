"""A board of spots: points of a graph, pits, piles, hands, dice, counters.

The manifest says where each stands; this only moves them together into a rectangle.
"""

from __future__ import annotations

from gdl.language.source import display_width
from gdl.view.panel import EDGE, Panel, Site
from gdl.view.picture import Layout, Spot

MARGIN = 0.2
LABEL = 0.5
"""Height of a label."""
LETTER = 0.17
"""Width of a letter of a label."""


def wide(spot: Spot) -> float:
    """Return the width of a spot and of what is written above or below it."""
    letters = display_width(spot.title) if spot.label in {"above", "below"} else 0
    return max(spot.size[0], LETTER * letters)


def points(layout: Layout) -> Panel:
    """Return the plan of a board of spots."""
    spots = layout.spots
    left = min((_middle(s) - wide(s) / 2 - 2 * (s.label == "left") for s in spots), default=0)
    top = min((s.at[1] - LABEL * (s.label == "above") for s in spots), default=0)
    sites = tuple(
        Site(
            s.name,
            s.title,
            (
                s.at[0] - left + MARGIN + s.size[0] / 2,
                s.at[1] - top + MARGIN + s.size[1] / 2,
            ),
            (s.at[0] - left, s.at[1] - top),
            s.form,
            s.size,
            label=s.label,
        )
        for s in spots
    )
    right = max((_middle(s) + wide(s) / 2 for s in spots), default=left) - left + MARGIN
    bottom = max((s.at[1] + s.size[1] / 2 + LABEL * (s.label == "below") for s in sites), default=0)
    names = {site.name: number for number, site in enumerate(sites)}
    return Panel(layout, sites, (right + MARGIN + EDGE, bottom + MARGIN + EDGE), names)


def _middle(spot: Spot) -> float:
    return spot.at[0] + spot.size[0] / 2
