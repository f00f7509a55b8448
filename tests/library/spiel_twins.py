"""Rulesets beside the games of open_spiel that they should be: which move is which action."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache
from math import copysign
from typing import Any

import pyspiel

from tests.library.plain_games import ThreePlayerTicTacToe, Tron
from tests.library.spiel_walk import Twin

LEFT_RIGHT = ("left", "right")
FIRST_SECOND = ("first", "second")


def centred(unit: float) -> Callable[[int], float]:
    """Return the map from goals to returns for goals of 50 + unit * return."""
    return lambda goal: (goal - 50) / unit


def numbered(move: str) -> Callable[[Any, str, str], int]:
    """Return the map for moves whose place in a list of words is their action."""
    words = move.split()
    return lambda _theirs, _role, text: words.index(text)


def names(theirs: Any, player: int) -> dict[str, int]:  # noqa: ANN401 (open_spiel has no types)
    """Return the legal actions of a player by their names; a star says that something is taken."""
    legal = theirs.legal_actions(player)
    return {theirs.action_to_string(player, each).rstrip("*"): each for each in legal}


def by_name(theirs: Any, role: str, move: str) -> int:  # noqa: ANN401
    return names(theirs, LEFT_RIGHT.index(role))[move]


def square(size: int, *, top_first: bool) -> Callable[[Any, str, str], int]:
    """Return the map for squares counted along the rows, from the top one or from row 1."""

    def action(_theirs: object, _role: str, move: str) -> int:
        column, row = "abcdefgh".index(move[0]), int(move[1]) - 1
        return size * (size - 1 - row if top_first else row) + column

    return action


def kuhn(_theirs: object, role: str, move: str) -> int:
    return "JQK".index(move[-1]) if role == "random" else "pb".index(move)


def leduc(_theirs: object, role: str, move: str) -> int:
    if role == "random":
        return 2 * "JQK".index(move[-2]) + "sh".index(move[-1])
    return "fcr".index(move)


def pig(_theirs: object, role: str, move: str) -> int:
    return int(move) - 1 if role == "random" else ("roll", "hold").index(move)


def goofspiel(_theirs: object, _role: str, move: str) -> int:
    return int(move.removeprefix("prize ")) - 1


def bid(_theirs: object, _role: str, move: str) -> int:
    return int(move)


def liars_dice(_theirs: object, role: str, move: str) -> int:
    if role == "random":
        return int(move[-1]) - 1
    if move == "Liar":
        return 12
    count, face = map(int, move.split("-"))
    return 6 * (count - 1) + face - 1


@cache
def arrangements(player: int) -> dict[str, int]:
    """Return open_spiel's outcome for each order of the cubes, row by row from the top."""
    start = pyspiel.load_game("einstein_wurfelt_nicht").new_initial_state()
    state = start.child(0) if player else start
    return {
        "".join(re.findall("bw"[player] + r"(\d)", str(state.child(outcome)))): outcome
        for outcome in state.legal_actions()
    }


def arranged() -> tuple[list[str], list[int]]:
    """Return moves that put the cubes down in some order, and open_spiel's outcomes for it."""
    orders = ("215643", "362154")
    moves = [f"put {'bw'[player]}{n}" for player, order in enumerate(orders) for n in order]
    return moves, [arrangements(player)[order] for player, order in enumerate(orders)]


def einstein(theirs: Any, role: str, move: str) -> int:  # noqa: ANN401
    words = move.split()
    if words[0] == "roll":
        return int(words[1]) - 1
    player, column, row = ("black", "white").index(role), words[1][0], words[1][1]
    cube, ways = words[0].upper(), (("right", "down"), ("left", "up"))[player]
    rows = [re.findall(r"[bw_][\d_]", line) for line in str(theirs).splitlines()[:5]]
    x, y = next((x, y) for y in range(5) for x in range(5) if rows[y][x] == words[0])
    across, along = abs("abcde".index(column) - x), abs(5 - int(row) - y)
    way = "diag" if across and along else ways[0] if across else ways[1]
    return names(theirs, player)[f"{cube}-{way}"]


def battleship(theirs: Any, role: str, move: str) -> int:  # noqa: ANN401
    player, words = FIRST_SECOND.index(role), move.split()
    place = words[min(1, len(words) - 1)]
    at = f"({int(place[1]) - 1}, {'abcd'.index(place[0])})"
    way = {"across": "horizontally", "down": "vertically", move: ""}[words[-1]]
    does = f"place ship {way} with top-left corner in" if way else "shoot at"
    return names(theirs, player)[f"Pl{player}: {does} {at}"]


def sign(value: float) -> float:
    return copysign(1, value)


ROCK_PAPER_SCISSORS = Twin(
    "rockpaperscissors", "matrix_rps", LEFT_RIGHT, numbered("rock paper scissors"), centred(50)
)
BLOTTO = Twin("blotto", "blotto", LEFT_RIGHT, by_name, centred(50))
GOOFSPIEL = Twin(
    "goofspiel", "goofspiel(num_cards=13)", LEFT_RIGHT, goofspiel, centred(50), forced=True
)
GOOFSPIEL_FOUR = Twin(
    "goofspiel?cards=4", "goofspiel(num_cards=4)", LEFT_RIGHT, goofspiel, centred(50), forced=True
)
OSHI_ZUMO = Twin(
    "oshizumo", "oshi_zumo(coins=50,size=3,horizon=100000)", LEFT_RIGHT, bid, centred(50)
)
OSHI_ZUMO_FIVE = Twin(
    "oshizumo?coins=5&size=1",
    "oshi_zumo(coins=5,size=1,horizon=100000)",
    LEFT_RIGHT,
    bid,
    centred(50),
)
TRON = Twin("tron", Tron, ("red", "blue"), numbered("n e s w"), centred(50))
THREE_PLAYER = Twin(
    "threeplayertictactoe",
    ThreePlayerTicTacToe,
    ("x", "o", "z"),
    square(5, top_first=False),
    float,
)
PIG_TEN = Twin("pig?target=10", "pig(winscore=10,horizon=100000)", FIRST_SECOND, pig, centred(50))
PIG = Twin("pig", "pig(horizon=100000)", FIRST_SECOND, pig, centred(50))

EINSTEIN = Twin(
    "einstein/drawn",
    "einstein_wurfelt_nicht",
    ("black", "white"),
    einstein,
    centred(50),
    begin=arranged,
)
KUHN = Twin("kuhnpoker", "kuhn_poker", FIRST_SECOND, kuhn, centred(25), secrets=True)
LEDUC = Twin("leducpoker", "leduc_poker", FIRST_SECOND, leduc, centred(3), secrets=True)
LIARS_DICE = Twin("liarsdice", "liars_dice", FIRST_SECOND, liars_dice, centred(50), secrets=True)
PHANTOM = Twin(
    "phantomtictactoe",
    "phantom_ttt(obstype=reveal-numturns)",
    ("x", "o"),
    square(3, top_first=True),
    centred(50),
    secrets=True,
)
DARK_HEX = Twin(
    "darkhex?size=3",
    "dark_hex(obstype=reveal-numturns,num_rows=3,num_cols=3)",
    ("x", "o"),
    square(3, top_first=False),
    centred(50),
    secrets=True,
)
DARK_HEX_FOUR = Twin(
    "darkhex",
    "dark_hex(obstype=reveal-numturns,num_rows=4,num_cols=4)",
    ("x", "o"),
    square(4, top_first=False),
    centred(50),
    secrets=True,
)
BATTLESHIP = Twin(
    "battleship",
    "battleship(board_width=4,board_height=4,ship_sizes=[2;3],ship_values=[1;1],"
    "num_shots=16,allow_repeated_shots=False)",
    FIRST_SECOND,
    battleship,
    centred(50),
    theirs=sign,
    secrets=True,
)

TABLES = [
    (ROCK_PAPER_SCISSORS, 1),
    (GOOFSPIEL, 2),
    (GOOFSPIEL_FOUR, 5),
    (OSHI_ZUMO_FIVE, 4),
    (TRON, 3),
    (THREE_PLAYER, 3),
    (PIG, 6),
    (KUHN, 5),
    (LEDUC, 4),
    (LIARS_DICE, 5),
    (PHANTOM, 5),
    (DARK_HEX, 5),
    (DARK_HEX_FOUR, 3),
    (BATTLESHIP, 2),
]
"""Depth of the perft tables that `tests.library.spiel_tables` writes."""
