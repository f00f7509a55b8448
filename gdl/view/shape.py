"""What pictures are drawn of: circles, rectangles, polygons, lines and texts.

A shape says what it is (``kind``) and not how that looks: colours are the writer's, so that a
picture may be light or dark. Lengths are in pixels of an unscaled picture.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from math import cos, radians, sin
from typing import Any, Final

from gdl.view.panel import Point

PIXELS: Final = 60
"""Width of a cell."""
CIRCLE, RECT, POLYGON, LINE, TEXT = "circle", "rect", "polygon", "polyline", "text"


@dataclass(frozen=True, slots=True)
class Shape:
    """One thing to draw.

    Attributes:
        tag: The element of SVG that it is.
        kind: What it is, for instance ``stone``.
        points: Middle of a circle or text; two corners of a rectangle; else all points.
        size: Radius of a circle or of the corners of a rectangle; height of a text.
        text: What a text says.
        fill: A colour of its own, ``#rrggbb``.
        turn: How far a text is turned, in degrees clockwise.
    """

    tag: str
    kind: str
    points: tuple[Point, ...]
    size: float = 0
    text: str = ""
    fill: str = ""
    turn: int = 0

    def to_json(self) -> list[Any]:
        """Return the attributes in order, without those at the end that say nothing."""
        told: list[Any] = [
            self.tag,
            self.kind,
            [coordinate for point in self.points for coordinate in point],
            self.size,
            self.text,
            self.fill,
            self.turn,
        ]
        while not told[-1]:
            told.pop()
        return told

    def moved(self, to: Point) -> Shape:
        """Return the shape with another origin."""
        points = tuple(_rounded(x + to[0], y + to[1]) for x, y in self.points)
        return replace(self, points=points)


def _rounded(x: float, y: float) -> Point:
    return round(x, 1), round(y, 1)


def _scaled(points: Iterable[Point]) -> tuple[Point, ...]:
    return tuple(_rounded(x * PIXELS, y * PIXELS) for x, y in points)


def circle(kind: str, at: Point, radius: float, fill: str = "") -> Shape:
    """Return a disc; lengths in cells, here and below."""
    return Shape(CIRCLE, kind, _scaled([at]), round(radius * PIXELS, 1), fill=fill)


def rect(kind: str, at: Point, size: Point, corner: float = 0, fill: str = "") -> Shape:
    """Return a rectangle by its middle, width and height."""
    (x, y), (width, height) = at, size
    corners = [(x - width / 2, y - height / 2), (x + width / 2, y + height / 2)]
    return Shape(RECT, kind, _scaled(corners), round(corner * PIXELS, 1), fill=fill)


def polygon(
    kind: str, points: Iterable[Point], *, at: Point = (0, 0), turn: float = 0, fill: str = ""
) -> Shape:
    """Return a polygon, turned about the origin and then moved."""
    c, s = cos(radians(turn)), sin(radians(turn))
    turned = [(x * c - y * s + at[0], x * s + y * c + at[1]) for x, y in points]
    return Shape(POLYGON, kind, _scaled(turned), fill=fill)


def line(kind: str, points: Iterable[Point]) -> Shape:
    """Return a line from point to point."""
    return Shape(LINE, kind, _scaled(points))


def text(  # noqa: PLR0913  # a place, a text and how it looks
    kind: str, at: Point, says: str, size: float, *, fill: str = "", turn: int = 0
) -> Shape:
    """Return a text by its middle."""
    return Shape(TEXT, kind, _scaled([at]), round(size * PIXELS, 1), says, fill, turn)
