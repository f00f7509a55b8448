"""A position as shapes to send: each thing that stands somewhere is sent once.

In: a `Scene`. Out: a value for ``json``; together with the `Frame` of its picture it is all that
a page needs to draw the position.
"""

from __future__ import annotations

from typing import Any

from gdl.view.piece_shapes import link_shapes, piece_shapes
from gdl.view.scene import Piece, Scene, links_from, told


def scene_json(drawn: Scene) -> dict[str, Any]:
    """Return what stands on the sites.

    Returns:
        ``pieces``: lists of shapes around the middle of a site, with the links that begin there;
        ``sites``: by number of the site the number of its piece, the name of its mark and what
        stands there in words; ``changed``: sites on which something else stood before.
    """
    numbers: dict[object, int] = {}
    pieces: list[list[Any]] = []
    sites = {}
    for site in sorted({*drawn.pieces, *(link.site for link in drawn.links)}):
        form, size = drawn.plan.sites[site].form, drawn.plan.sites[site].size
        on = drawn.pieces.get(site, ())
        links = link_shapes(drawn.plan, links_from(drawn, site))
        shapes = (*links, *piece_shapes(form, size, on))
        number = numbers.setdefault(shapes, len(pieces))
        if number == len(pieces):
            pieces.append([shape.to_json() for shape in shapes])
        sites[str(site)] = [number, _name(on[-1]) if on else "", told(on)]
    return {"pieces": pieces, "sites": sites, "changed": sorted(drawn.changed)}


def _name(piece: Piece) -> str:
    return piece.count if piece.mark is None else piece.mark.name
