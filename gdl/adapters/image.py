"""A position as an image.

In: a state. Out: ``uint8[height, width, 3]``: the picture of the ruleset, or, without one, its
facts as lines of text. It draws the shapes of `gdl.view`, as the writer of SVG does.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Final

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw, ImageFont

from gdl.state import State
from gdl.view.frame import frame
from gdl.view.scene import Scene
from gdl.view.shape import CIRCLE, LINE, POLYGON, RECT, Shape
from gdl.view.svg import LIGHT, LOOKS, site_shapes

SCALE: Final = 2 / 3
"""Of a shape's pixels: a cell is 40 pixels wide."""
MARGIN: Final = 28
SMALL: Final = 13
LINE_HEIGHT: Final = 16
MOST_LINES: Final = 60
"""Facts that are shown where there is no board."""
LONGEST: Final = 72
INK: Final = "#403020"
BREADTH: Final[Mapping[str, int]] = {"changed": 3, "line": 2}
"""Of lines, where it is not 1 pixel."""


def rgb_array(state: State) -> NDArray[np.uint8]:
    """Return a position as an image; sites that the last move changed have a frame."""
    before = None if state.previous is None else state.previous.facts
    drawn = state.game.ruleset.scene(state.facts, before=before)
    image = _text(str(state)) if drawn is None else _picture(drawn)
    return np.asarray(image, np.uint8).copy()


def _picture(drawn: Scene) -> Image.Image:
    framed = frame(drawn.picture)
    # The font that comes with pillow knows Latin letters, not the symbols of games.
    letters = {mark.symbol: mark.ascii for mark in drawn.picture.marks}
    width, height = (round(length * SCALE) for length in framed.size)
    image = Image.new("RGB", (width, height), LIGHT["paper"])
    for shape in framed.ground:
        _draw(image, shape)
    for number in range(len(framed.plan.sites)):
        middle = framed.middle(number)
        for shape in site_shapes(framed, drawn, number):
            _draw(image, replace(shape.moved(middle), text=letters.get(shape.text, shape.text)))
    return image


def _draw(image: Image.Image, shape: Shape) -> None:
    pen = ImageDraw.Draw(image)
    inside, rim = LOOKS[shape.kind]
    fill = shape.fill or LIGHT.get(inside)
    outline = LIGHT.get(rim)
    width = BREADTH.get(shape.kind, 1)
    points = [(x * SCALE, y * SCALE) for x, y in shape.points]
    size = shape.size * SCALE
    if shape.tag == CIRCLE:
        pen.circle(points[0], size, fill, outline, width)
    elif shape.tag == RECT:
        pen.rounded_rectangle((*points[0], *points[1]), size, fill, outline, width)
    elif shape.tag == POLYGON:
        pen.polygon(points, fill, outline, width)
    elif shape.tag == LINE:
        pen.line(points, outline, width)
    else:
        _write(image, shape, points[0], fill or INK)


def _write(image: Image.Image, shape: Shape, at: tuple[float, float], colour: str) -> None:
    """Write a short text with its middle at a place, turned as it is."""
    font = ImageFont.load_default(max(8.0, shape.size * SCALE))
    if not shape.turn:
        ImageDraw.Draw(image).text(at, shape.text, colour, font, anchor="mm")
        return
    side = round(4 * max(8.0, shape.size * SCALE))
    layer = Image.new("L", (side, side))
    ImageDraw.Draw(layer).text((side / 2, side / 2), shape.text, 255, font, anchor="mm")
    turned = layer.rotate(-shape.turn)  # it turns the other way round
    corner = round(at[0] - side / 2), round(at[1] - side / 2)
    image.paste(Image.new("RGB", turned.size, colour), corner, turned)


def _text(text: str) -> Image.Image:
    lines = text.splitlines()
    if len(lines) > MOST_LINES:
        lines = [*lines[:MOST_LINES], f"and {len(lines) - MOST_LINES} more"]
    lines = [line if len(line) <= LONGEST else f"{line[:LONGEST]}..." for line in lines]
    width = 2 * MARGIN + max(map(len, lines), default=0) * SMALL
    image = Image.new("RGB", (width, 2 * MARGIN + LINE_HEIGHT * max(1, len(lines))), LIGHT["paper"])
    pen = ImageDraw.Draw(image)
    font = ImageFont.load_default(SMALL)
    for number, line in enumerate(lines):
        pen.text((MARGIN, MARGIN + number * LINE_HEIGHT), line, INK, font)
    return image
