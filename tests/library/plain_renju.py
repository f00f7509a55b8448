"""Renju's forbidden points in plain Python, by the words of the definition: by trying stones.

A row is found by putting the stones that complete it and looking for fives, never by counting along
a line as the rule file does. Stones are a set for each colour.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

SIZE = 15
WAYS = ((1, 0), (0, 1), (1, 1), (1, -1))
Point = tuple[int, int]
Four = frozenset[Point]


@dataclass(frozen=True)
class Renju:
    """The stones on a board."""

    black: frozenset[Point]
    white: frozenset[Point]

    def with_black(self, *points: Point) -> Renju:
        return Renju(self.black | set(points), self.white)

    def empty(self) -> Iterator[Point]:
        points = ((x, y) for x in range(SIZE) for y in range(SIZE))
        return filter(self.is_empty, points)

    def is_empty(self, point: Point) -> bool:
        on_board = point[0] in range(SIZE) and point[1] in range(SIZE)
        return on_board and point not in self.black and point not in self.white

    def row(self, point: Point, way: Point) -> Four:
        """Return the unbroken row of black stones through a point."""
        found = {point}
        for sign in (1, -1):
            x, y = point
            while (x := x + sign * way[0], y := y + sign * way[1]) in self.black:
                found.add((x, y))
        return frozenset(found)

    def near(self, point: Point, way: Point) -> list[Point]:
        """Return the empty points of a line that are in reach of one row with a point."""
        line = [(point[0] + n * way[0], point[1] + n * way[1]) for n in range(-5, 6)]
        return [each for each in line if self.is_empty(each)]

    def fours(self, point: Point, way: Point) -> dict[Four, set[Point]]:
        """Return the fours of a stone in a line, with the points that make each of them five."""
        found: dict[Four, set[Point]] = {}
        for last in self.near(point, way):
            row = self.with_black(last).row(last, way)
            if len(row) == 5 and point in row:
                found.setdefault(row - {last}, set()).add(last)
        return found

    def straight(self, point: Point, way: Point) -> bool:
        """Return whether a stone is in a straight four of a line."""
        return any(len(lasts) == 2 for lasts in self.fours(point, way).values())

    def has_five(self, point: Point) -> bool:
        return any(len(self.row(point, way)) == 5 for way in WAYS)

    def heavy(self, point: Point) -> bool:
        """Return whether a stone makes an overline or two fours."""
        count = sum(len(self.fours(point, way)) for way in WAYS)
        return count > 1 or any(len(self.row(point, way)) > 5 for way in WAYS)


def growing(board: Renju, point: Point, way: Point) -> Iterable[Point]:
    """Return where a stone on a point can grow to a straight four in a line, making no five."""
    after = board.with_black(point)
    for more in after.near(point, way):
        grown = after.with_black(more)
        both = point in grown.row(more, way)
        if both and grown.straight(more, way) and not grown.has_five(more):
            yield more


def is_forbidden(board: Renju, point: Point, levels: int | None = 2) -> bool:
    """Return whether black may not play on an empty point.

    Args:
        board: The stones.
        point: The point.
        levels: Of threes inside threes: with 2 the points where a three grows are judged by their
            own threes, and those by overlines and fours on the board as it stands, as the rule
            file does; None for all, as the Renju International Federation does.
    """
    after = board.with_black(point)
    if after.has_five(point):
        return False
    if after.heavy(point):
        return True
    if levels == 0:
        return False
    return sum(is_three(board, point, way, levels) for way in WAYS) > 1


def is_three(board: Renju, point: Point, way: Point, levels: int | None) -> bool:
    after = board.with_black(point)
    for more in growing(board, point, way):
        if levels is None:
            if not is_forbidden(after, more, None):
                return True
        elif not after.with_black(more).heavy(more):
            inner = [other for other in WAYS if other != way] if levels == 2 else []
            if sum(is_three(board, more, other, 1) for other in inner) < 2:
                return True
    return False


def has_line(stones: frozenset[Point]) -> bool:
    """Return whether five stones or more stand in a row."""
    return any(
        all((x + n * dx, y + n * dy) in stones for n in range(5))
        for (x, y), (dx, dy) in ((stone, way) for stone in stones for way in WAYS)
    )
