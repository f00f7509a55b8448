"""``gdl why``, and why in a game that is played."""

from __future__ import annotations

import json

import pytest

from gdl.game import load
from tests.cli.running import gdl


@pytest.fixture
def occupied() -> str:
    """Why o may not mark the middle that x has marked, as the programming interface says it."""
    return f"{load('tictactoe').initial().play('b2').why('legal o b2')}\n"


@pytest.mark.parametrize("query", [["legal", "o", "b2"], ["legal o b2"], ["(legal o (mark b 2))"]])
def test_why_not_goes_back_to_the_move_that_is_in_the_way(query: list[str], occupied: str) -> None:
    ran = gdl("why", "tictactoe", *query, "--moves", "b2")
    assert (ran.code, ran.out, ran.err) == (0, occupied, "")
    assert ran.out.startswith("legal o b2 does not hold: ")
    assert "(true (cell b 2 x))  [since turn 1, when x played b2]\n" in ran.out


def test_json_says_whether_it_holds() -> None:
    won = "a1; b1; a2; b2; a3"
    holds = json.loads(gdl("why", "tictactoe", "goal x 100", "--moves", won, "--json").out)
    assert (holds["query"], holds["holds"]) == ("goal x 100", True)
    assert holds["explanation"][0].startswith("(goal x 100)")
    fails = json.loads(gdl("why", "tictactoe", "terminal", "--json").out)
    assert fails["holds"] is False


def test_a_relation_that_the_rules_do_not_have() -> None:
    ran = gdl("why", "tictactoe", "foo bar")
    assert (ran.code, ran.out, ran.err) == (
        1,
        "",
        (
            "error: the rules have no relation foo/1\n"
            "  expected: base/1, column/1, does/2, empty/2, goal/2, init/1, input/2, legal/2 ...\n"
        ),
    )


def test_a_fact_is_no_relation_and_the_question_about_it_is_named() -> None:
    ran = gdl("why", "tictactoe", "cell b 2 x")
    assert (ran.code, ran.out, ran.err) == (
        1,
        "",
        "error: the rules have no relation cell/3\n  help: of a fact ask: true (cell b 2 x)\n",
    )


@pytest.mark.parametrize(
    ("game", "move", "question"),
    [("tictactoe", "b2", "legal x b2"), ("connectfour", "4", "legal red 4")],
)
def test_a_move_alone_is_no_sentence_and_the_question_about_it_is_named(
    game: str, move: str, question: str
) -> None:
    ran = gdl("why", game, move)
    assert (ran.code, ran.out, ran.err) == (
        1,
        "",
        f"error: the rules have no relation {move}/0\n  help: of the move ask: {question}\n",
    )


def test_an_illegal_move_is_explained_while_playing(occupied: str) -> None:
    ran = gdl("play", "tictactoe", "--against", "human", stdin="b2\nb2\nquit\n")
    assert f"O> b2\nb2 is not legal for O here.\n{occupied}Legal and similar: " in ran.out
    assert ran.err == ""


def test_why_while_playing_takes_moves_and_sentences(occupied: str) -> None:
    lines = "b2\nwhy b2\nwhy (line x)\nwhy terminal\nwhy a1\nwhy (\nwhy ()\nquit\n"
    ran = gdl("play", "tictactoe", "--against", "human", stdin=lines)
    assert f"O> why b2\n{occupied}" in ran.out
    assert "O> why (line x)\n(line x) does not hold: " in ran.out
    assert "O> why terminal\nterminal does not hold: " in ran.out
    assert "O> why a1\nlegal o a1 holds\n  (legal o (mark a 1))  [tictactoe.kif:" in ran.out
    assert ran.err.count("error[") == 2
    assert ran.code == 0
