"""A board of spots: points of a graph, pits, piles, hands, dice, counters.

The manifest says where each stands; this only moves them together into a rectangle.
"""

from __future__ import annotations

from gdl.view.panel import EDGE, Panel, Site
from gdl.view.picture import Layout

MARGIN = 0.2
LABEL = 0.5
"""Height of a label."""


def points(layout: Layout) -> Panel:
    """Return the plan of a board of spots."""
    spots = layout.spots
    left = min((s.at[0] - 2 * (s.label == "left") for s in spots), default=0)
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
    right = max((s.at[0] + s.size[0] / 2 for s in sites), default=0)
    bottom = max((s.at[1] + s.size[1] / 2 + LABEL * (s.label == "below") for s in sites), default=0)
    names = {site.name: number for number, site in enumerate(sites)}
    return Panel(layout, sites, (right + MARGIN + EDGE, bottom + MARGIN + EDGE), names)
