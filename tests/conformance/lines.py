"""Plays in which every possible line is made once: 32 on a Pentago board, 572 in Gomoku."""

from collections.abc import Iterator, Sequence
from random import Random

from engine import board6
from engine.pentago import STRICT, PentagoGame
from engine.pentago_turn import Turn
from tests.scenarios.gomoku import SIZE, Cell, alternate, has_line, notation, run
from tests.scenarios.pentago import translate

GOMOKU_WAYS = ((1, 0), (0, 1), (1, 1), (1, -1))


def pentago_lines(ruleset: str) -> Iterator[tuple[str, ...]]:
    """Yield a play for each line and each player that ends with the line's fifth marble.

    Every turn rotates a quadrant in which there is no marble: a line of five always spares one.
    """
    ends_early = ruleset in ("pentago/classic", "pentago/phased")
    for number, line in enumerate(board6.LINES):
        squares = [square for square in range(36) if line >> square & 1]
        spared = next(each for each in range(4) if not any(_in(square, each) for square in squares))
        others = [
            square for square in range(36) if square not in squares and not _in(square, spared)
        ]
        for surplus in (0, 1):
            quiet = _quiet(others, 4 + surplus, Random(number))
            first, second = (quiet, squares) if surplus else (squares, quiet)
            turns = [_turn(square, spared) for square in _alternate(first, second)]
            yield translate(ruleset, tuple(turns), placement_ends=ends_early)


def _alternate(first: Sequence[int], second: Sequence[int]) -> list[int]:
    turns = [square for pair in zip(first, second, strict=False) for square in pair]
    return [*turns, *first[len(second) :]]


def _in(square: int, quadrant: int) -> bool:
    row, column = divmod(square, 6)
    return (row // 3, column // 3) == divmod(quadrant, 2)


def _quiet(squares: list[int], count: int, chance: Random) -> list[int]:
    """Return so many of the squares, no five of them in a line."""
    while True:
        chosen = chance.sample(squares, count)
        if not board6.has_line(sum(1 << square for square in chosen)):
            return chosen


def _turn(square: int, quadrant: int) -> str:
    turn = Turn(*divmod(square, 6), board6.Rotation(quadrant, "CW"))
    return PentagoGame(STRICT).format(turn)


def gomoku_lines() -> Iterator[tuple[str, ...]]:
    """Yield a play for each line, made by black and by white in turn."""
    number = 0
    for dx, dy in GOMOKU_WAYS:
        for x in range(SIZE):
            for y in range(SIZE):
                line = run(x, y, dx, dy)
                if all(0 <= each < SIZE for cell in line for each in cell):
                    yield _gomoku_play(line, number % 2 == 1, Random(number))
                    number += 1


def _gomoku_play(line: list[Cell], is_white: bool, chance: Random) -> tuple[str, ...]:  # noqa: FBT001 (one of two colours)
    cells = [(x, y) for x in range(SIZE) for y in range(SIZE) if (x, y) not in line]
    quiet = chance.sample(cells, 5 if is_white else 4)
    while any(has_line(set(quiet), cell) for cell in quiet):
        quiet = chance.sample(cells, len(quiet))
    chance.shuffle(line)
    return tuple(map(notation, alternate(quiet, line) if is_white else alternate(line, quiet)))
