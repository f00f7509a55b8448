"""Who sits at the near side of a board, read from the rules: who has men at its lower edge."""

from __future__ import annotations

import pytest

import gdl
from gdl.boards.inferred import with_board
from gdl.ruleset import Ruleset, find
from gdl.ruleset.flatten import flatten
from gdl.web.sides import near
from tests.shared import SHARED, needs_games

SHIPPED = {
    "chess": "white",  # what is on a square names no role, but moves begin there
    "chess/racingkings": None,  # both begin at the same edge
    "checkers/american": "white",
    "quoridor": "white",  # moves say only where a man goes, but facts name whose it is
    "chinesecheckers": "south",
    "kalah": "south",  # its stores lie at one height
    "kuhnpoker": "second",  # whose cards come by chance
    "tictactoe": None,
    "go": None,
    "othello": None,  # men of both lie across
    "backgammon": None,
    "linesofaction": None,
    "2048": None,
    "threeplayertictactoe": None,
    "rockpaperscissors": None,
}
PUBLISHED = {
    "breakthrough": "white",
    "checkers.v1": "red",
    "sheepAndWolf": "sheep",
    "connect4": None,  # stones fall on the ground, which is drawn
    "golden_rectangle": None,
    "ticTacToe": None,
}


@pytest.mark.later
@pytest.mark.parametrize(("ruleset", "expected"), SHIPPED.items())
def test_the_near_side_of_a_shipped_game(ruleset: str, expected: str | None) -> None:
    assert near(gdl.load(ruleset, backend="reason")) == expected


@needs_games
@pytest.mark.parametrize(("name", "expected"), PUBLISHED.items())
def test_the_near_side_of_a_board_that_rules_alone_show(name: str, expected: str | None) -> None:
    shown = with_board(Ruleset(name, (SHARED / "games" / f"{name}.kif",)))
    assert near(gdl.load(shown, backend="reason")) == expected


def test_a_hand_below_the_board_gives_nobody_a_side() -> None:
    text = flatten(find("breakthrough"))
    hands = "".join(
        f"(init {held}) (<= (next {held}) (true {held}))"
        for role in ("white", "black")
        for held in (f"(holds {role} ace)", f"(holds {role} king)")
    )
    for rules in (text, text + hands):
        shown = with_board(Ruleset("test", (), text=rules))
        assert near(gdl.load(shown, backend="reason")) == "white"


STUCK = """
(role a) (role b) (row 1) (row 2) (row 3)
(init (cell 1 1 a)) (init (cell 2 1 none)) (init (cell 3 3 b)) (init (control a))
(<= (legal a (go ?x ?y)) (true (control a)) (row ?x) (row ?y))
(<= (legal b noop) (true (control a)))
(<= (next (cell ?x ?y a)) (does a (go ?x ?y)))
(<= (next (control b)) (true (control a)))
(<= terminal (true (control c))) (goal a 50) (goal b 50)
"""


def test_a_game_that_is_stuck_or_has_no_picture_is_asked_all_the_same() -> None:
    bare = Ruleset("stuck", (), text=STUCK)
    for shown in (bare, with_board(bare)):
        assert near(gdl.load(shown, backend="reason")) is None
