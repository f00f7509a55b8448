"""Pictures of positions: grids, hexagons, points of a graph, piles, hands, dice.

In: a picture as a manifest describes it and the facts of a state. Out: a `Scene`, which
`draw_text` and `draw_svg` draw; `frame` and `piece_shapes` give it to whoever draws himself.
Nothing here knows who looks, nor what the rules mean.

- `mark`, `picture`: what a manifest says; `colour`: which colours can be told apart
- `plan`: where the sites are, of `panel`s that `grid_plan`, `hexagon_plan` and `point_plan` make
- `scene`: what stands on them; `move_location`: where moves are made
- `text`; `svg`, `frame`, `piece_shapes` and `scene_json`, of what `shape` is: the writers
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from gdl._lazy import deferred

if TYPE_CHECKING:
    from gdl.view.mark import Mark
    from gdl.view.move_location import MoveLocation
    from gdl.view.panel import Site
    from gdl.view.picture import Layout, Picture
    from gdl.view.plan import Plan
    from gdl.view.scene import Board, Piece, Scene
    from gdl.view.svg import draw_svg
    from gdl.view.text import draw_text

__all__ = [
    "Board",
    "Layout",
    "Mark",
    "MoveLocation",
    "Picture",
    "Piece",
    "Plan",
    "Scene",
    "Site",
    "draw_svg",
    "draw_text",
]

_HOMES: Final = {
    "gdl.view.mark": ("Mark",),
    "gdl.view.picture": ("Layout", "Picture"),
    "gdl.view.panel": ("Site",),
    "gdl.view.plan": ("Plan",),
    "gdl.view.scene": ("Board", "Piece", "Scene"),
    "gdl.view.svg": ("draw_svg",),
    "gdl.view.text": ("draw_text",),
    "gdl.view.move_location": ("MoveLocation",),
}
__getattr__, __dir__ = deferred(__name__, _HOMES)
