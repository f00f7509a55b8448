"""A position as an image.

In: a state. Out: ``uint8[height, width, 3]``: the board picture of the ruleset, or, without
one, its facts as lines of text.
"""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw, ImageFont

from gdl.ruleset.board import Board, Mark
from gdl.state import State

CELL: Final = 40
"""Width of a cell, in pixels."""
MARGIN: Final = 28
BREAK: Final = 3
"""Width of the line that separates parts of a board; other lines are 1 wide."""
SMALL: Final = 13
LINE: Final = 16
MOST_LINES: Final = 60
"""Facts that are shown where there is no board."""
LONGEST: Final = 72
GROUND: Final = "#e8d8b0"
INK: Final = "#403020"
PAPER: Final = "#ffffff"
FRESH: Final = "#c04040"


def rgb_array(state: State) -> NDArray[np.uint8]:
    """Return a position as an image; cells that the last move changed have a frame."""
    before = None if state.previous is None else state.previous.facts
    grid = state.game.ruleset.board(state.facts, before=before)
    image = _text(str(state)) if grid is None else _board(grid)
    return np.asarray(image, np.uint8).copy()


def _board(grid: Board) -> Image.Image:
    height, width = len(grid.row_labels), len(grid.column_labels)
    image = Image.new("RGB", (MARGIN + width * CELL + 8, MARGIN + height * CELL + 8), PAPER)
    pen = ImageDraw.Draw(image)
    right, bottom = MARGIN + width * CELL, MARGIN + height * CELL
    pen.rectangle((MARGIN, MARGIN, right, bottom), fill=GROUND)
    for column in range(width + 1):
        x = MARGIN + column * CELL
        pen.line((x, MARGIN, x, bottom), INK, BREAK if column in grid.column_breaks else 1)
    for row in range(height + 1):
        y = MARGIN + row * CELL
        pen.line((MARGIN, y, right, y), INK, BREAK if row in grid.row_breaks else 1)
    for column, label in enumerate(grid.column_labels):
        _write(pen, MARGIN + column * CELL + CELL / 2, MARGIN / 2, label, INK)
    for row, label in enumerate(grid.row_labels):
        _write(pen, MARGIN / 2, MARGIN + row * CELL + CELL / 2, label, INK)
    for row, cells in enumerate(grid.cells):
        for column, mark in enumerate(cells):
            x, y = MARGIN + column * CELL, MARGIN + row * CELL
            if (row, column) in grid.changed:
                pen.rectangle((x + 2, y + 2, x + CELL - 2, y + CELL - 2), outline=FRESH)
            if mark is not None:
                _mark(pen, x, y, mark)
    return image


def _mark(pen: ImageDraw.ImageDraw, x: float, y: float, mark: Mark) -> None:
    """Draw a stone in the colour of a mark, or its letters where it has none."""
    if not mark.colour:
        _write(pen, x + CELL / 2, y + CELL / 2, mark.ascii, INK, CELL // 2)
        return
    gap = CELL // 7
    pen.ellipse((x + gap, y + gap, x + CELL - gap, y + CELL - gap), mark.colour, INK)


def _text(text: str) -> Image.Image:
    lines = text.splitlines()
    if len(lines) > MOST_LINES:
        lines = [*lines[:MOST_LINES], f"and {len(lines) - MOST_LINES} more"]
    lines = [line if len(line) <= LONGEST else f"{line[:LONGEST]}..." for line in lines]
    width = 2 * MARGIN + max(map(len, lines), default=0) * SMALL
    image = Image.new("RGB", (width, 2 * MARGIN + LINE * max(1, len(lines))), PAPER)
    pen = ImageDraw.Draw(image)
    font = ImageFont.load_default(SMALL)
    for number, line in enumerate(lines):
        pen.text((MARGIN, MARGIN + number * LINE), line, INK, font)
    return image


def _write(  # noqa: PLR0913, PLR0917  # a place, a text and how it looks
    pen: ImageDraw.ImageDraw, x: float, y: float, text: str, colour: str, size: int = SMALL
) -> None:
    """Write a short text with its middle at a place."""
    pen.text((x, y), text, colour, ImageFont.load_default(size), anchor="mm")
