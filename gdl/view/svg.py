"""A picture as SVG: a text that stands alone, for notebooks and documents.

In: a `Scene`. Out: one ``<svg>`` element with a title, a description in words, and colours for
light and for dark surroundings; it loads nothing.

Source: W3C, SVG 2, section 5.8 (title and desc) and SVG accessibility (``role``, labels).
"""

from __future__ import annotations

from collections.abc import Mapping
from html import escape
from typing import Final

from gdl.language.terms import kif_text
from gdl.view.frame import Frame, frame
from gdl.view.piece_shapes import link_shapes, piece_shapes
from gdl.view.scene import Scene, links_from, told
from gdl.view.shape import CIRCLE, LINE, POLYGON, RECT, Shape

LIGHT: Final = {
    "paper": "#ffffff", "ink": "#1f2328", "soft": "#5c6370", "plate": "#e2c58f",
    "hole": "#b8935a", "dark": "#b58863", "light": "#f0d9b5", "card": "#fffdf5", "new": "#b0521b",
    "token": "#7a5230", "rim": "#404040",
}  # fmt: skip
"""Colours by what they are for."""
DARK: Final = {
    "paper": "#16181c", "ink": "#e8e6e1", "soft": "#a2a8b3", "plate": "#6d5230",
    "hole": "#a08050", "dark": "#6f5136", "light": "#b59a74", "card": "#2b2f36", "new": "#ff9e62",
    "token": "#d9b98c", "rim": "#c0c0c0",
}  # fmt: skip

LOOKS: Final[Mapping[str, tuple[str, str]]] = {
    "plate": ("plate", "hole"),
    "square": ("plate", "hole"),
    "hexagon": ("plate", "hole"),
    "pit": ("plate", "hole"),
    "slot": ("", "hole"),
    "dark": ("dark", ""),
    "light": ("light", ""),
    "hole": ("hole", ""),
    "line": ("", "hole"),
    "label": ("soft", ""),
    "title": ("ink", ""),
    "stone": ("ink", "rim"),
    "bar": ("ink", ""),
    "token": ("token", "rim"),
    "pointer": ("new", ""),
    "card": ("card", "rim"),
    "pip": ("ink", ""),
    "symbol": ("ink", ""),
    "man": ("ink", ""),
    "count": ("ink", ""),
    "changed": ("", "new"),
}
"""Fill and stroke of each kind of shape."""
MOST_TOLD: Final = 400
"""Characters of the description of what stands where."""


def draw_svg(drawn: Scene, *, title: str = "", width: int | None = None) -> str:
    """Return a picture as SVG.

    Args:
        drawn: What to draw; sites that changed have a ring around what stands there.
        title: What the picture is called, for those who cannot see it.
        width: How wide it is at most, in pixels; by default as wide as its cells are drawn.
    """
    framed = frame(drawn.picture)
    own, height = framed.size
    shown = own if width is None else min(own, width)
    size = f'viewBox="0 0 {own} {height}" width="{shown}" height="{round(height * shown / own)}"'
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" {size} role="img" class="gdl">',
        f"<title>{escape(title or 'Position')}</title>",
        f"<desc>{escape(describe(drawn))}</desc>",
        f"<style>{STYLE}</style>",
        *map(element, framed.ground),
    ]
    for number, site in enumerate(framed.plan.sites):
        pieces = drawn.pieces.get(number, ())
        shapes = site_shapes(framed, drawn, number)
        if shapes:
            x, y = framed.middle(number)
            said = escape(f"{site.title}: {told(pieces)}")
            inner = "".join(map(element, shapes))
            parts.append(f'<g transform="translate({x:g} {y:g})"><title>{said}</title>{inner}</g>')
    return "\n".join((*parts, "</svg>"))


def site_shapes(framed: Frame, drawn: Scene, number: int) -> list[Shape]:
    """Return all that is drawn of a site, around its middle."""
    site = framed.plan.sites[number]
    pieces = drawn.pieces.get(number, ())
    links = link_shapes(framed.plan, links_from(drawn, number))
    shapes = [*framed.bases[number], *links, *piece_shapes(site.form, site.size, pieces)]
    if number in drawn.changed:
        outline = framed.outlines[number]
        shapes.append(Shape(outline.tag, "changed", outline.points, outline.size))
    return shapes


def describe(drawn: Scene) -> str:
    """Return in words what stands where."""
    words = [
        f"{site.title} {told(drawn.pieces[number])}"
        for number, site in enumerate(drawn.plan.sites)
        if number in drawn.pieces
    ]
    listed = ", ".join(words) or "nothing on the board"
    listed = listed if len(listed) <= MOST_TOLD else f"{listed[:MOST_TOLD]}..."
    rest = " ".join(map(kif_text, drawn.rest))
    return f"{listed}; {rest[:MOST_TOLD]}" if rest else listed


def element(shape: Shape) -> str:
    """Return a shape as an element of SVG."""
    places = [f"{x:g},{y:g}" for x, y in shape.points]
    if shape.tag == CIRCLE:
        (x, y), size = shape.points[0], shape.size
        where = f'cx="{x:g}" cy="{y:g}" r="{size:g}"'
    elif shape.tag == RECT:
        (x, y), (right, bottom) = shape.points
        where = (
            f'x="{x:g}" y="{y:g}" width="{right - x:g}" height="{bottom - y:g}" rx="{shape.size:g}"'
        )
    elif shape.tag in {POLYGON, LINE}:
        where = f'points="{" ".join(places)}"'
    else:
        x, y = shape.points[0]
        where = f'x="{x:g}" y="{y:g}" font-size="{shape.size:g}"'
        if shape.turn:
            where += f' transform="rotate({shape.turn} {x:g} {y:g})"'
    fill = f' style="fill:{shape.fill}"' if shape.fill else ""
    inner = escape(shape.text)
    return f'<{shape.tag} class="{shape.kind}" {where}{fill}>{inner}</{shape.tag}>'


def _style() -> str:
    """Return the style sheet; all names begin with those of the picture's class."""

    def variables(colours: Mapping[str, str]) -> str:
        return "".join(f"--{name}:{value};" for name, value in colours.items())

    rules = [
        f".gdl{{{variables(LIGHT)}}}",
        f"@media(prefers-color-scheme:dark){{.gdl{{{variables(DARK)}}}}}",
        ".gdl text{text-anchor:middle;dominant-baseline:central;font-family:sans-serif}",
    ]
    for kind, (fill, stroke) in LOOKS.items():
        look = f"fill:{f'var(--{fill})' if fill else 'none'}"
        if stroke:
            look += f";stroke:var(--{stroke});stroke-width:{WIDTHS.get(kind, 1.5):g}"
        rules.append(f".gdl .{kind}{{{look}}}")
    # A white man on a light square is seen by its outline.
    rules.append(".gdl .man{stroke:#101010;stroke-width:2;paint-order:stroke}")
    return "".join(rules)


WIDTHS: Final = {"changed": 4.0, "line": 2.5}
"""Of strokes, where they are not 1.5 pixels wide."""
STYLE: Final = _style()
