"""Rulesets beside the games of open_spiel that they should be: which move is which action."""

from __future__ import annotations

from typing import Any

from tests.library.spiel_walk import Twin

HANDS = ("rock", "paper", "scissors")


def centred(unit: float) -> Any:  # noqa: ANN401 (a function of one number)
    """Return the map from goals to returns for goals of 50 + unit * return."""
    return lambda goal: (goal - 50) / unit


def hand(_theirs: object, _role: str, move: str) -> int:
    return HANDS.index(move)


def kuhn(_theirs: object, role: str, move: str) -> int:
    return "JQK".index(move[-1]) if role == "random" else "pb".index(move)


ROCK_PAPER_SCISSORS = Twin(
    "rockpaperscissors", "matrix_rps", ("left", "right"), hand, centred(50), secrets=False
)
KUHN = Twin("kuhnpoker", "kuhn_poker", ("first", "second"), kuhn, centred(25))

TABLES = [
    (ROCK_PAPER_SCISSORS, 1),
    (KUHN, 5),
]
"""Depth of the perft tables that `tests.library.spiel_tables` writes."""
