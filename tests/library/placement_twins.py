"""Games of placement and connection beside those of open_spiel: which move is which action."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tests.library.placement_games import (
    CylinderConnectFour,
    QuietMorris,
    StandardGomoku,
    SwapHex,
    WholeUltimate,
)
from tests.library.spiel_twins import centred
from tests.library.spiel_walk import Twin


def column(_theirs: object, _role: str, move: str) -> int:
    return int(move) - 1


def cell(columns: int) -> Callable[[object, str, str], int]:
    """Return what reads ``b3`` as a cell of a board whose rows have so many cells."""
    return lambda _theirs, _role, move: (int(move[1:]) - 1) * columns + ord(move[0]) - ord("a")


def swapping(theirs: object, role: str, move: str) -> int:
    return SwapHex.SWAP if move == "swap" else cell(4)(theirs, role, move)


def small_board(_theirs: object, _role: str, move: str) -> int:
    """Return 9 * board + square of a square named from the bottom left of all."""
    x, y = ord(move[0]) - ord("a"), 9 - int(move[1])
    return 9 * (y // 3 * 3 + x // 3) + y % 3 * 3 + x % 3


def edges(columns: int, rows: int) -> Callable[[object, str, str], int]:
    """Return what reads an edge on the grid of dots and lines as open_spiel numbers it."""

    def action(_theirs: object, _role: str, move: str) -> int:
        x, y = ord(move[0]) - ord("a"), int(move[1:]) - 1
        if x % 2:
            return y // 2 * columns + x // 2
        return (rows + 1) * columns + y // 2 * (columns + 1) + x // 2

    return action


POINTS = [
    "a7",
    "d7",
    "g7",
    "b6",
    "d6",
    "f6",
    "c5",
    "d5",
    "e5",
    "a4",
    "b4",
    "c4",
    "e4",
    "f4",
    "g4",
    "c3",
    "d3",
    "e3",
    "b2",
    "d2",
    "f2",
    "a1",
    "d1",
    "g1",
]


def morris(theirs: QuietMorris, _role: str, move: str) -> int:
    """Return the action: a point, or 24 and more for a move from point to point."""
    numbers = [POINTS.index(point.removeprefix("x")) for point in move.split("-")]
    text = f"Point {numbers[0]}" if len(numbers) == 1 else "Move {} -> {}".format(*numbers)
    return int(theirs.inner.string_to_action(text))


def point(size: int) -> Callable[[object, str, str], int]:
    """Return what reads a point of Go, or a pass."""
    letters = "abcdefghjklmnopqrst"

    def action(_theirs: object, _role: str, move: str) -> int:
        if move == "pass":
            return size * size
        return (int(move[1:]) - 1) * size + letters.index(move[0])

    return action


def hole(size: int) -> Callable[[object, str, str], int]:
    """Return what reads a hole of TwixT: columns, and in each the rows from below."""

    def action(theirs: Any, _role: str, move: str) -> int:  # noqa: ANN401 (open_spiel has no types)
        if move == "swap":  # there it is a peg on the first one
            return int(theirs.history()[0])
        return (ord(move[0]) - ord("a")) * size + size - int(move[1:])

    return action


def board(
    ruleset: str, spiel: str | Callable[[], object], seats: str, action: Callable[..., int]
) -> Twin:
    first, second = seats.split("-")
    return Twin(ruleset, spiel, (first, second), action, centred(50))


HEX_3 = board("hex?size=3", "hex(board_size=3)", "red-blue", cell(3))
HEX_4 = board("hex?size=4", "hex(board_size=4)", "red-blue", cell(4))
HEX = board("hex", "hex", "red-blue", cell(11))
SWAP = board("hex/swap?size=4", SwapHex, "red-blue", swapping)
Y_3 = board("y?size=3", "y(board_size=3)", "black-white", cell(3))
Y_4 = board("y?size=4", "y(board_size=4)", "black-white", cell(4))
Y = board("y", "y(board_size=11)", "black-white", cell(11))
HAVANNAH_3 = board("havannah?size=3", "havannah(board_size=3)", "white-black", cell(5))
HAVANNAH_4 = board("havannah?size=4", "havannah(board_size=4)", "white-black", cell(7))
HAVANNAH = board("havannah", "havannah", "white-black", cell(15))
MNK_4 = board("mnk?columns=4&rows=3&line=3", "mnk(m=4,n=3,k=3)", "x-o", cell(4))
MNK = board("mnk?columns=6", "mnk(m=6,n=5,k=4)", "x-o", cell(6))
CONNECT = board("connectfour", "connect_four", "red-yellow", column)
CYLINDER = board("connectfour/cylinder", CylinderConnectFour, "red-yellow", column)
ULTIMATE = board("ultimatetictactoe", WholeUltimate, "x-o", small_board)
BOXES = board("dotsandboxes?columns=2&rows=2", "dots_and_boxes", "first-second", edges(2, 2))
BOXES_WIDE = board(
    "dotsandboxes?rows=2", "dots_and_boxes(num_rows=2,num_cols=3)", "first-second", edges(3, 2)
)
MORRIS = board("morris/nine", QuietMorris, "white-black", morris)
GO_3 = board("go?size=3", "go(board_size=3,komi=0.0)", "black-white", point(3))
GO = board("go?komi=4", "go(board_size=5,komi=4.0)", "black-white", point(5))
GO_9 = board("go?size=9&komi=6", "go(board_size=9,komi=6.0)", "black-white", point(9))
STANDARD = board("gomoku/standard", StandardGomoku, "black-white", cell(15))
TWIXT_5 = board("twixt?size=5", "twixt(board_size=5)", "red-blue", hole(5))
TWIXT = board("twixt", "twixt", "red-blue", hole(8))

TABLES = [
    (HEX_3, 5),
    (Y_3, 6),
    (HAVANNAH_3, 3),
    (MNK_4, 4),
    (CONNECT, 5),
    (ULTIMATE, 4),
    (BOXES, 4),
    (MORRIS, 3),
    (GO_3, 4),
]
"""Depth of the perft tables that `tests.library.spiel_tables` writes."""

PLAYS = [
    (HEX_3, 10, 500),
    (HEX_4, 5, 500),
    (HEX, 0, 20),
    (SWAP, 10, 500),
    (Y_3, 10, 200),
    (Y_4, 5, 500),
    (Y, 0, 50),
    (HAVANNAH_3, 10, 1_000),
    (HAVANNAH_4, 2, 200),
    (HAVANNAH, 0, 10),
    (MNK_4, 10, 500),
    (MNK, 2, 100),
    (CONNECT, 3, 100),
    (CYLINDER, 3, 200),
    (ULTIMATE, 1, 30),
    (STANDARD, 0, 20),
    (BOXES, 5, 300),
    (BOXES_WIDE, 3, 200),
]
"""Random plays to their ends: of the quick tests, and of the slow ones."""
