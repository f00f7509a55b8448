"""What black may not do in renju: beside plain Python, and known shapes."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

import pytest

import gdl
from tests.library.plain_renju import Point, Renju, has_line, is_forbidden

SHAPES: list[tuple[str, bool, *tuple[str, ...]]] = [
    ("two threes", True, "..x..", "..x..", "xx?..", ".....", "....."),
    ("two threes, one of them closed", False, "..x..", "..x..", "xx?o.", "....."),
    ("a four and a three", False, "...x.", "...x.", "xxx?.", "....."),
    ("two fours", True, "...x.", "...x.", "xxx?.", "...x."),
    ("two fours in one row", True, "x.x?x.x"),
    ("a straight four", False, ".xx?x."),
    ("an overline", True, "xxx?xx"),
    (
        "five, and an overline besides",
        False,
        "..x...",
        "..x...",
        "xx?xx.",
        "..x...",
        "..x...",
        "..x...",
    ),
]
"""By name: whether black may not play on ``?``, and the rows, below one another."""


def placed(rows: list[str]) -> tuple[Renju, Point]:
    """Return the board that rows show, and the point that is asked about."""
    at = {(x + 5, y + 4): mark for y, row in enumerate(rows) for x, mark in enumerate(row)}
    black, white = (frozenset(point for point in at if at[point] == mark) for mark in "xo")
    return Renju(black, white), next(point for point in at if at[point] == "?")


@pytest.mark.parametrize("shape", SHAPES, ids=lambda shape: shape[0])
def test_plain_python_knows_the_shapes(shape: tuple[str, bool, *tuple[str, ...]]) -> None:
    _, expected, *rows = shape
    board, point = placed(rows)
    assert is_forbidden(board, point) == is_forbidden(board, point, None) == expected


@pytest.fixture(scope="module")
def renju() -> gdl.Game:
    return gdl.load("gomoku/renju")


@pytest.mark.slow
def test_rules_know_the_shapes(renju: gdl.Game) -> None:
    for _, expected, *rows in SHAPES:
        board, point = placed(rows)
        assert (point in forbidden(renju, board)) == expected, rows


def boards(chance: Random, count: int) -> Iterator[Renju]:
    """Return boards on which nobody has five, crowded enough for many rows."""
    while count:
        side = chance.choice([7, 9, 11])
        points = [(x + 3, y + 2) for x in range(side) for y in range(side)]
        chance.shuffle(points)
        number = chance.randint(side, side * side // 3)
        black = frozenset(points[:number])
        white = frozenset(points[number : number + chance.randint(0, number // 2)])
        if not has_line(black) and not has_line(white):
            count -= 1
            yield Renju(black, white)


def facts(board: Renju) -> list[str]:
    return [
        "(control black)",
        *(f"(cell {x} {y} black)" for x, y in board.black),
        *(f"(cell {x} {y} white)" for x, y in board.white),
    ]


def forbidden(game: gdl.Game, board: Renju) -> set[Point]:
    legal = game.state(facts(board)).legal("black")
    texts = {str(move) for move in legal}
    return {(x, y) for x, y in board.empty() if f"(place {x} {y})" not in texts}


@pytest.mark.slow
def test_forbidden_points_are_those_of_plain_python(renju: gdl.Game) -> None:
    seen = 0
    for board in boards(Random(30), 30):
        expected = {point for point in board.empty() if is_forbidden(board, point)}
        assert forbidden(renju, board) == expected, board
        seen += len(expected)
    assert seen > 60


@pytest.mark.slow
def test_machine_code_forbids_as_the_rules_do() -> None:
    compiled, written = (gdl.load("gomoku/renju", backend=each) for each in ("native", "reason"))
    for board in boards(Random(7), 2):
        ours, theirs = compiled.state(facts(board)), written.state(facts(board))
        for _ in range(2):
            assert set(ours.legal("black")) == set(theirs.legal("black"))
            assert set(ours.legal("white")) == set(theirs.legal("white"))
            move = next(iter(theirs.legal()))
            ours, theirs = ours.play(move), theirs.play(move)
            assert (ours.facts, ours.is_terminal) == (theirs.facts, theirs.is_terminal)
            if ours.is_terminal:
                break


@pytest.mark.slow
def test_the_second_level_is_nearly_that_of_the_federation() -> None:
    """Where the two differ, a point is allowed here that the Federation forbids."""
    points = [
        (is_forbidden(board, point), is_forbidden(board, point, None))
        for board in boards(Random(5), 60)
        for point in board.empty()
    ]
    assert (True, False) not in points
    assert points.count((False, True)) * 50 < points.count((True, True))
