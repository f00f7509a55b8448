"""Engines that say which way a piece goes where the rules say to which square."""

from __future__ import annotations

from typing import TypeAlias

Tiles: TypeAlias = tuple[str, int]


class SlidingTiles:
    """A move is the way in which the hole goes; what it is worth is 1 or 0, and nobody says so."""

    roles = ("solver",)
    ways = (("U", -3), ("D", 3), ("L", -1), ("R", 1))

    def initial(self) -> Tiles:
        return "8672543_1", 0

    def to_move(self, position: Tiles) -> str | None:
        return None if position[1] >= 31 or position[0] == "12345678_" else "solver"

    def legal_moves(self, position: Tiles) -> list[str]:
        row, column = divmod(position[0].index("_"), 3)
        can = row > 0, row < 2, column > 0, column < 2
        return [way for (way, _), is_free in zip(self.ways, can, strict=True) if is_free]

    def play(self, position: Tiles, move: str) -> Tiles:
        tiles, hole = list(position[0]), position[0].index("_")
        other = hole + dict(self.ways)[move]
        tiles[hole], tiles[other] = tiles[other], "_"
        return "".join(tiles), position[1] + 1

    def returns(self, position: Tiles) -> tuple[float]:
        return (float(position[0] == "12345678_"),)


class StuckInTheCorner(SlidingTiles):
    """Late, the hole does not go left from the last corner."""

    def legal_moves(self, position: Tiles) -> list[str]:
        is_there = position[1] >= 28 and position[0][8] == "_"
        return [way for way in super().legal_moves(position) if way != "L" or not is_there]


class TileNumbers(SlidingTiles):
    """A move is the number on the tile that slides."""

    def legal_moves(self, position: Tiles) -> list[int]:  # type: ignore[override]
        hole = position[0].index("_")
        ways = dict(self.ways)
        return [int(position[0][hole + ways[way]]) for way in super().legal_moves(position)]

    def play(self, position: Tiles, move: int) -> Tiles:  # type: ignore[override]
        far = position[0].index(str(move)) - position[0].index("_")
        return super().play(position, next(way for way, by in self.ways if by == far))


class OneTileMore(TileNumbers):
    """At last what stands three or one places on in reading order slides, over the edge as well."""

    def legal_moves(self, position: Tiles) -> list[int]:  # type: ignore[override]
        if position[1] < 30:
            return super().legal_moves(position)
        tiles, hole = position[0], position[0].index("_")
        return [int(tiles[hole + by]) for _, by in self.ways if 0 <= hole + by < len(tiles)]


Cubes: TypeAlias = tuple[tuple[int, ...], tuple[int, ...]]
Stage: TypeAlias = tuple[Cubes, str, int, int]


class Einstein:
    """Cells 1 to 25 from the top left; a move is a cube, and H, V or D as its owner sees them.

    A position is the cells of the cubes, what is done, whose turn it is, and the die.
    """

    roles = ("TopLeft", "BottomRight")
    homes = ((1, 2, 3, 6, 7, 11), (15, 19, 20, 23, 24, 25))
    ways = (("H", 1, 0), ("V", 0, 1), ("D", 1, 1))

    def initial(self) -> Stage:
        return ((), ()), "put", 0, 0

    def winner(self, position: Stage) -> int | None:
        (first, second), stage, _, _ = position
        if stage == "put":
            return None
        if 25 in first or not any(second):
            return 0
        return 1 if 1 in second or not any(first) else None

    def to_move(self, position: Stage) -> str | None:
        if self.winner(position) is not None:
            return None
        return "random" if position[1] == "roll" else self.roles[position[2]]

    def movable(self, position: Stage) -> list[int]:
        cubes, _, mover, die = position
        have = [n for n in range(1, 7) if cubes[mover][n - 1]]
        if die in have:
            return [die]
        return [*[n for n in have if n < die][-1:], *[n for n in have if n > die][:1]]

    def legal_moves(self, position: Stage) -> list[int] | list[tuple[int, str]]:
        cubes, stage, mover, _ = position
        if stage == "roll":
            return [1, 2, 3, 4, 5, 6]
        if stage == "put":
            return [n for n in range(1, 7) if n not in cubes[mover]]
        step, found = (-1 if mover else 1), []
        for cube in self.movable(position):
            row, column = divmod(cubes[mover][cube - 1] - 1, 5)
            found += [
                (cube, way)
                for way, right, down in self.ways
                if 0 <= column + step * right < 5 and 0 <= row + step * down < 5
            ]
        return found

    def play(self, position: Stage, move: int | tuple[int, str]) -> Stage:
        cubes, stage, mover, _ = position
        if stage == "roll":
            assert isinstance(move, int)
            return cubes, "move", mover, move
        if isinstance(move, int):
            cubes = (cubes[0], (*cubes[1], move)) if mover else ((*cubes[0], move), cubes[1])
            if len(cubes[1]) < 6:
                return cubes, "put", int(len(cubes[0]) == 6), 0
            at = [
                tuple(cell for _, cell in sorted(zip(order, home, strict=True)))
                for order, home in zip(cubes, self.homes, strict=True)
            ]
            return (at[0], at[1]), "roll", 1, 0
        far = {"H": 1, "V": 5, "D": 6}[move[1]] * (-1 if mover else 1)
        cell = cubes[mover][move[0] - 1] + far
        after = [[0 if other == cell else other for other in side] for side in cubes]
        after[mover][move[0] - 1] = cell
        return (tuple(after[0]), tuple(after[1])), "roll", 1 - mover, 0

    def returns(self, position: Stage) -> tuple[int, int]:
        return (1, 0) if self.winner(position) == 0 else (0, 1)


class PegSolitaire:
    """A move is four times the hole, row by row, and a way clockwise from up."""

    roles = ("solo",)
    bounds = (0, 100)
    holes = tuple((r, c) for r in range(7) for c in range(7) if r in {2, 3, 4} or c in {2, 3, 4})
    ways = ((-1, 0), (0, 1), (1, 0), (0, -1))

    def initial(self) -> frozenset[tuple[int, int]]:
        return frozenset(self.holes) - {(3, 3)}

    def legal_moves(self, pegs: frozenset[tuple[int, int]]) -> list[int]:
        return [
            4 * number + way
            for number, (r, c) in enumerate(self.holes)
            for way, (down, right) in enumerate(self.ways)
            if {(r, c), (r + down, c + right)} <= pegs
            if (r + 2 * down, c + 2 * right) in {*self.holes} - pegs
        ]

    def play(self, pegs: frozenset[tuple[int, int]], move: int) -> frozenset[tuple[int, int]]:
        (r, c), (down, right) = self.holes[move // 4], self.ways[move % 4]
        return pegs - {(r, c), (r + down, c + right)} | {(r + 2 * down, c + 2 * right)}

    def to_move(self, pegs: frozenset[tuple[int, int]]) -> str | None:
        return "solo" if self.legal_moves(pegs) else None

    def returns(self, pegs: frozenset[tuple[int, int]]) -> tuple[int]:
        return (0 if len(pegs) > 1 else 100 if (3, 3) in pegs else 90,)


class MiddleForgotten(PegSolitaire):
    """The last peg is worth the same everywhere: no game by chance leaves one."""

    def returns(self, pegs: frozenset[tuple[int, int]]) -> tuple[int]:
        return (min(super().returns(pegs)[0], 90),)


class TwoAreFew(PegSolitaire):
    """Two pegs are as good as one: a rule of the engine's that ours does not have."""

    def returns(self, pegs: frozenset[tuple[int, int]]) -> tuple[int]:
        return (90,) if len(pegs) == 2 else super().returns(pegs)
