"""The 6x6 board of Pentago as sets of squares: lines of five, and turning a quadrant.

A set of squares is an ``int``: bit ``6 * row + column`` is on when the square belongs to it, with
row 0 at the top and column 0 at the left (source 000, section 8). Quadrants are numbered in
reading order: 0 top left, 1 top right, 2 bottom left, 3 bottom right.
"""

from dataclasses import dataclass
from typing import Final, Literal

SIZE: Final = 6
QUADRANT_SIZE: Final = 3
FIVE: Final = 5
FULL: Final = (1 << SIZE * SIZE) - 1
QUADRANTS: Final = range(4)

Direction = Literal["CW", "CCW"]
DIRECTIONS: Final[tuple[Direction, ...]] = ("CW", "CCW")


@dataclass(frozen=True, slots=True)
class Rotation:
    """A quarter turn of one quadrant."""

    quadrant: int
    """0 to 3, reading order."""
    direction: Direction
    """``CW`` turns the quadrant clockwise as one looks at the board, ``CCW`` against it."""


ROTATIONS: Final = tuple(Rotation(q, direction) for q in QUADRANTS for direction in DIRECTIONS)


def square_bit(row: int, column: int) -> int:
    """Return the set that holds one square only."""
    return 1 << SIZE * row + column


def _line(row: int, column: int, down: int, right: int) -> int | None:
    """Return five squares from a square onwards, or None where they leave the board."""
    last_row, last_column = row + (FIVE - 1) * down, column + (FIVE - 1) * right
    if not (0 <= last_row < SIZE and 0 <= last_column < SIZE):
        return None
    return sum(square_bit(row + i * down, column + i * right) for i in range(FIVE))


LINES: Final = tuple(
    line
    for down, right in ((0, 1), (1, 0), (1, 1), (1, -1))
    for row in range(SIZE)
    for column in range(SIZE)
    if (line := _line(row, column, down, right)) is not None
)
"""The 32 lines of five: 12 rows, 12 columns, 4 falling and 4 rising diagonals. A line of six
holds two of them, so "at least five" needs no more."""

LINES_THROUGH: Final = tuple(
    tuple(line for line in LINES if line >> square & 1) for square in range(SIZE * SIZE)
)
"""For each square the lines of five that it belongs to."""


def _journeys(rotation: Rotation) -> tuple[tuple[int, int], ...]:
    """Return (from, to) for the nine squares of the quadrant, each a set of one square."""
    top, left = (QUADRANT_SIZE * part for part in divmod(rotation.quadrant, 2))
    last = QUADRANT_SIZE - 1
    pairs = []
    for row in range(QUADRANT_SIZE):
        for column in range(QUADRANT_SIZE):
            # Clockwise: the top row becomes the right column, read downwards.
            new = (column, last - row) if rotation.direction == "CW" else (last - column, row)
            source = square_bit(top + row, left + column)
            pairs.append((source, square_bit(top + new[0], left + new[1])))
    return tuple(pairs)


_JOURNEYS: Final = {rotation: _journeys(rotation) for rotation in ROTATIONS}
_QUADRANT: Final = {
    rotation: sum(source for source, _ in journeys) for rotation, journeys in _JOURNEYS.items()
}


def rotate(squares: int, rotation: Rotation) -> int:
    """Return where the marbles of a set lie after a rotation.

    Args:
        squares: Squares with a marble, all of one colour.
        rotation: One of `ROTATIONS`.

    Returns:
        The set after it: marbles of the quadrant have moved, all others lie still.
    """
    quadrant = _QUADRANT[rotation]
    if not squares & quadrant:
        return squares
    turned = squares & ~quadrant
    for source, target in _JOURNEYS[rotation]:
        if squares & source:
            turned |= target
    return turned


def has_line(squares: int) -> bool:
    """Say whether five squares in a row, column or diagonal all belong to the set."""
    # The hottest place of the engine: `any` over a generator takes half as long again.
    for line in LINES:  # noqa: SIM110
        if squares & line == line:
            return True
    return False


def completes_line(squares: int, square: int) -> bool:
    """Say whether adding one square (its bit number) to the set makes a line through it."""
    grown = squares | 1 << square
    for line in LINES_THROUGH[square]:  # noqa: SIM110 (as above)
        if grown & line == line:
            return True
    return False
