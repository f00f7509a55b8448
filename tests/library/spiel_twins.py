"""Rulesets beside the games of open_spiel that they should be: which move is which action."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

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


def by_name(theirs: Any, role: str, move: str) -> int:  # noqa: ANN401 (open_spiel has no types)
    player = LEFT_RIGHT.index(role)
    legal: list[int] = theirs.legal_actions(player)
    return next(each for each in legal if theirs.action_to_string(player, each) == move)


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


ROCK_PAPER_SCISSORS = Twin(
    "rockpaperscissors", "matrix_rps", LEFT_RIGHT, numbered("rock paper scissors"), centred(50)
)
BLOTTO = Twin("blotto", "blotto", LEFT_RIGHT, by_name, centred(50))
GOOFSPIEL = Twin(
    "goofspiel/standard", "goofspiel(num_cards=13)", LEFT_RIGHT, goofspiel, centred(50), forced=True
)
GOOFSPIEL_FOUR = Twin(
    "goofspiel/four", "goofspiel(num_cards=4)", LEFT_RIGHT, goofspiel, centred(50), forced=True
)
OSHI_ZUMO = Twin(
    "oshizumo/standard", "oshi_zumo(coins=50,size=3,horizon=100000)", LEFT_RIGHT, bid, centred(50)
)
OSHI_ZUMO_FIVE = Twin(
    "oshizumo/five", "oshi_zumo(coins=5,size=1,horizon=100000)", LEFT_RIGHT, bid, centred(50)
)
TRON = Twin("tron", Tron, ("red", "blue"), numbered("n e s w"), centred(50))
THREE_PLAYER = Twin(
    "threeplayertictactoe",
    ThreePlayerTicTacToe,
    ("x", "o", "z"),
    square(5, top_first=False),
    float,
)
PIG = Twin("pig", "pig(horizon=100000)", FIRST_SECOND, pig, centred(50))

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

TABLES = [
    (ROCK_PAPER_SCISSORS, 1),
    (GOOFSPIEL, 2),
    (GOOFSPIEL_FOUR, 6),
    (OSHI_ZUMO, 1),
    (OSHI_ZUMO_FIVE, 4),
    (TRON, 3),
    (THREE_PLAYER, 3),
    (PIG, 6),
    (KUHN, 5),
    (LEDUC, 4),
    (LIARS_DICE, 5),
    (PHANTOM, 5),
]
"""Depth of the perft tables that `tests.library.spiel_tables` writes."""
