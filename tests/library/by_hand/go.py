"""Go on a small board with simple ko and area, after Tromp and Taylor, without suicide."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random
from typing import NamedTuple

SIZE = 5
Point = tuple[int, int]
POINTS = [(x, y) for x in range(SIZE) for y in range(SIZE)]


class Position(NamedTuple):
    """The stones of who moves and of the other, the point of the ko, passes and plies."""

    mine: frozenset[Point] = frozenset()
    yours: frozenset[Point] = frozenset()
    ko: Point | None = None
    passes: int = 0
    plies: int = 0


def near(point: Point) -> list[Point]:
    x, y = point
    return [p for p in ((x + 1, y), (x - 1, y), (x, y + 1), (x, y - 1)) if p in POINTS]


def flood(start: Point, inside: frozenset[Point]) -> tuple[set[Point], set[Point]]:
    """Return the points that hang together with one, and what they border on."""
    area, work = {start}, [start]
    while work:
        new = [p for p in near(work.pop()) if p in inside and p not in area]
        area |= {*new}
        work += new
    return area, {p for a in area for p in near(a)} - area


class Go:
    roles = ("black", "white")

    def initial(self) -> Position:
        return Position()

    def to_move(self, position: Position) -> str | None:
        is_over = position.passes == 2 or position.plies == 2 * SIZE * SIZE
        return None if is_over else self.roles[position.plies % 2]

    def taken(self, mine: frozenset[Point], yours: frozenset[Point], point: Point) -> set[Point]:
        """Return the other's stones without a liberty next to a stone just put."""
        chains = (flood(p, yours) for p in near(point) if p in yours)
        return {stone for chain, edge in chains if edge <= mine for stone in chain}

    def legal_moves(self, position: Position) -> list[Point | None]:
        return [None, *self._points(position)]

    def _points(self, position: Position) -> Iterator[Point]:
        mine, yours, ko, _, _ = position
        for point in POINTS:
            if point not in mine | yours and point != ko:
                after = mine | {point}
                _, edge = flood(point, after)
                if not edge <= yours or self.taken(after, yours, point):
                    yield point

    def play(self, position: Position, move: Point | None) -> Position:
        mine, yours, _, passes, plies = position
        if move is None:
            return Position(yours, mine, None, passes + 1, plies + 1)
        mine |= {move}
        taken = self.taken(mine, yours, move)
        chain, edge = flood(move, mine)
        is_ko = len(taken) == len(chain) == 1 and edge - yours | taken == taken
        ko = next(iter(taken)) if is_ko else None
        return Position(yours - taken, mine, ko, 0, plies + 1)

    def returns(self, position: Position) -> tuple[int, int]:
        stones = position[:2] if position.plies % 2 == 0 else position[1::-1]
        free = frozenset(POINTS) - stones[0] - stones[1]
        area = [0, 0]
        for seat in (0, 1):
            area[seat] += len(stones[seat])
            for point in free:
                edge = flood(point, free)[1]
                area[seat] += bool(edge) and edge <= stones[seat]
        value = (area[0] > area[1]) - (area[0] < area[1])
        return value, -value

    def format(self, move: Point | None) -> str:
        return "pass" if move is None else f"{'abcde'[move[0]]}{move[1] + 1}"

    def rare(self, rng: Random) -> Position:
        """Return a board that is nearly full, near the last move; chains without liberties go."""
        stones = rng.sample(POINTS, rng.randint(14, SIZE * SIZE - 1))
        cut = rng.randint(3, len(stones) - 3)
        mine, yours = frozenset(stones[:cut]), frozenset(stones[cut:])
        dead = {p for side in (mine, yours) for p in side if flood(p, side)[1] <= mine | yours}
        plies = 2 * rng.randint(12, SIZE * SIZE - 1) + rng.randrange(2)
        return Position(mine - dead, yours - dead, None, rng.choice((0, 0, 1)), plies)

    def facts(self, position: Position) -> list[str]:
        first = position.plies % 2
        sides = zip((self.roles[first], self.roles[1 - first]), position[:2], strict=True)
        ko = [] if position.ko is None else [f"(ko {position.ko[0] + 1} {position.ko[1] + 1})"]
        return [
            *ko,
            f"(control {self.roles[first]})",
            f"(passes {position.passes})",
            f"(ply {position.plies})",
            *(f"(cell {x + 1} {y + 1} {role})" for role, side in sides for x, y in side),
        ]
