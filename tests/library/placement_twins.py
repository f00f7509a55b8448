"""Games of placement and connection beside those of open_spiel: which move is which action."""

from __future__ import annotations

from collections.abc import Callable

from tests.library.placement_games import CylinderConnectFour, SwapHex, WholeUltimate
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

TABLES = [
    (HEX_3, 5),
    (Y_3, 6),
    (HAVANNAH_3, 3),
    (MNK_4, 4),
    (CONNECT, 5),
    (ULTIMATE, 4),
    (BOXES, 4),
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
    (BOXES, 5, 300),
    (BOXES_WIDE, 3, 200),
]
"""Random plays to their ends: of the quick tests, and of the slow ones."""
