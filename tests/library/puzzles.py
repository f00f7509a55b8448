"""Puzzles in plain Python, written from their rules in words, to be held against the rule files.

A position is a value; `steps` gives the positions after each move by its text, none at the end.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Protocol, TypeVar

P = TypeVar("P")


class Puzzle(Protocol[P]):
    """A game of one player without chance."""

    ruleset: str

    def start(self) -> P:
        """Return the first position."""
        ...

    def steps(self, position: P) -> dict[str, P]:
        """Return the position after each legal move, by the move's text; none at the end."""
        ...

    def goal(self, position: P) -> int:
        """Return what a position is worth, 0 to 100."""
        ...


Square = tuple[int, int]
"""Column and row, counted from 0."""
Lights = tuple[frozenset[Square], frozenset[Square]]
"""The lights that are lit, and those that were pressed."""
Sliding = tuple[tuple[int, ...], int]
"""The tiles in reading order, 0 for the empty square, and the moves so far."""
SIDES = ((1, 0), (-1, 0), (0, 1), (0, -1))


def named(square: Square) -> str:
    """Return a square by letter and number."""
    return f"{'abcdefgh'[square[0]]}{square[1] + 1}"


class LightsOut:
    """Lit and pressed lights; the corners and a cross below the second row are lit first."""

    ruleset = "lightsout"

    def start(self) -> Lights:
        lit = ["#...#", "..#..", ".###.", "..#..", "#...#"]
        return squares(lit, "#"), frozenset()

    def steps(self, position: Lights) -> dict[str, Lights]:
        lit, pressed = position
        if not lit:
            return {}
        free = {(x, y) for x in range(5) for y in range(5)} - pressed
        return {named(each): (lit ^ cross(each), pressed | {each}) for each in free}

    def goal(self, position: Lights) -> int:
        return 0 if position[0] else 100


def cross(square: Square) -> frozenset[Square]:
    """Return a light and those beside it."""
    x, y = square
    near = [(x, y), *((x + dx, y + dy) for dx, dy in SIDES)]
    return frozenset((x, y) for x, y in near if 0 <= x < 5 and 0 <= y < 5)


def squares(rows: list[str], mark: str) -> frozenset[Square]:
    """Return the squares of a drawing that have a mark."""
    return frozenset(
        (x, y) for y, row in enumerate(rows) for x, each in enumerate(row) if each in mark
    )


class Queens:
    """The column of the queen on each row so far."""

    ruleset = "queens"

    def start(self) -> tuple[int, ...]:
        return ()

    def steps(self, position: tuple[int, ...]) -> dict[str, tuple[int, ...]]:
        row = len(position)
        return {
            named((x, row)): (*position, x)
            for x in range(8)
            if row < 8 and all(is_safe(x, row, each, y) for y, each in enumerate(position))
        }

    def goal(self, position: tuple[int, ...]) -> int:
        return 100 if len(position) == 8 else 0


def is_safe(x1: int, y1: int, x2: int, y2: int) -> bool:
    """Return whether queens on these squares do not see each other."""
    return x1 != x2 and abs(x1 - x2) != abs(y1 - y2)


class PegSolitaire:
    """The holes with a peg."""

    ruleset = "pegsolitaire"
    holes = squares(["..###..", "..###..", *["#######"] * 3, "..###..", "..###.."], "#")

    def start(self) -> frozenset[Square]:
        return self.holes - {(3, 3)}

    def steps(self, position: frozenset[Square]) -> dict[str, frozenset[Square]]:
        found = {}
        for x, y in position:
            for dx, dy in SIDES:
                over, to = (x + dx, y + dy), (x + 2 * dx, y + 2 * dy)
                if over in position and to in self.holes - position:
                    found[f"{named((x, y))}-{named(to)}"] = position - {(x, y), over} | {to}
        return found

    def goal(self, position: frozenset[Square]) -> int:
        if len(position) > 1:
            return 0
        return 100 if (3, 3) in position else 90


class SlidingTiles:
    """The tiles in reading order, 0 for the empty square, and the moves so far."""

    ruleset = "slidingtiles"
    order: tuple[int, ...] = (1, 2, 3, 4, 5, 6, 7, 8, 0)

    def start(self) -> Sliding:
        return (8, 6, 7, 2, 5, 4, 3, 0, 1), 0

    def steps(self, position: Sliding) -> dict[str, Sliding]:
        tiles, moves = position
        if tiles == self.order or moves == 31:
            return {}
        return {named((n % 3, n // 3)): (after, moves + 1) for n, after in slid(tiles)}

    def goal(self, position: Sliding) -> int:
        return 100 if position[0] == self.order else 0


def slid(tiles: tuple[int, ...]) -> Iterator[tuple[int, tuple[int, ...]]]:
    """Yield each square whose tile can slide, and the tiles then."""
    hole = tiles.index(0)
    for dx, dy in SIDES:
        x, y = hole % 3 + dx, hole // 3 + dy
        if 0 <= x < 3 and 0 <= y < 3:
            after = list(tiles)
            after[hole], after[3 * y + x] = tiles[3 * y + x], 0
            yield 3 * y + x, tuple(after)


def depths_of_tiles() -> dict[tuple[int, ...], int]:
    """Return how many moves each position of the eight puzzle needs; 9!/2 positions."""
    depths = {SlidingTiles.order: 0}
    frontier = [SlidingTiles.order]
    while frontier:
        found = []
        for tiles in frontier:
            for _, after in slid(tiles):
                if after not in depths:
                    depths[after] = depths[tiles] + 1
                    found.append(after)
        frontier = found
    return depths


Push = tuple[Square, frozenset[Square], int]
"""The keeper, the boxes, and the moves so far."""


class Sokoban:
    """A level as people draw it: ``#`` wall, ``.`` goal, ``$`` box, ``@`` keeper."""

    def __init__(self, ruleset: str, level: list[str], limit: int) -> None:
        self.ruleset = ruleset
        self.floor = squares(level, " .$@")
        self.targets = squares(level, ".")
        self.boxes = squares(level, "$")
        (self.keeper,) = squares(level, "@")
        self.limit = limit

    def start(self) -> Push:
        return self.keeper, self.boxes, 0

    def steps(self, position: Push) -> dict[str, Push]:
        (x, y), boxes, moves = position
        found: dict[str, Push] = {}
        if self.targets <= boxes or moves == self.limit:
            return found
        for way, (dx, dy) in zip(("right", "left", "down", "up"), SIDES, strict=True):
            to, behind = (x + dx, y + dy), (x + 2 * dx, y + 2 * dy)
            if to in boxes and behind in self.floor - boxes:
                found[way] = to, boxes - {to} | {behind}, moves + 1
            elif to in self.floor - boxes:
                found[way] = to, boxes, moves + 1
        return found

    def goal(self, position: Push) -> int:
        return 100 if self.targets <= position[1] else 0


YARD = ["#######", "# .   #", "#  $  #", "# $@  #", "#   . #", "#######"]
CORNER = ["########", "#  .   #", "#  #$  #", "# $ .  #", "#  $#. #", "#   @  #", "########"]
PUZZLES: list[Puzzle[Any]] = [
    LightsOut(),
    Queens(),
    PegSolitaire(),
    SlidingTiles(),
    Sokoban("sokoban/yard", YARD, 30),
    Sokoban("sokoban/corner", CORNER, 60),
]
