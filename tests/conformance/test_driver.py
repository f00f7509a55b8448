"""The comparison itself: what it reports, in words, and how it answers rules that are wrong."""

from pathlib import Path

import pytest

import gdl
from engine import GAMES
from gdl.conform import Divergence, Lockstep, Pair, every_state, random_games, replay, suite
from tests.conformance.games import load, lockstep
from tests.conformance.mutants import all_mutants

STRICT = GAMES["pentago/strict"]
REPORT = """\
board: rules and reference differ after 1 move
  rules:     ......
             ......
             B.....
             ......
             ......
             ......
  reference: ..B...
             ......
             ......
             ......
             ......
             ......
  moves:     A1 Q00 CW
  board:
    ..B...
    ......
    ......
    ......
    ......
    ......"""


def broken(name: str, folder: Path) -> gdl.Game:
    mutant = next(each for each in all_mutants() if each.name == name)
    return gdl.load(mutant.write(folder), backend="reason")


def test_a_difference_is_told_so_that_it_can_be_seen_again(tmp_path: Path) -> None:
    game = broken("pentago/strict:rotation-direction-swapped", tmp_path)
    report = replay(Lockstep(game, STRICT), ["A1 Q00 CW", "F6 Q00 CCW"])
    assert report.states == 2
    assert str(report.difference) == REPORT


def test_legal_moves_are_contrasted_by_what_the_other_side_lacks(tmp_path: Path) -> None:
    game = broken("gomoku/freestyle:mover-may-pass", tmp_path)
    difference = every_state(Lockstep(game, GAMES["gomoku/freestyle"]), 0).difference
    assert difference is not None
    assert (difference.what, difference.rules, difference.reference) == (
        "legal moves of black",
        "also noop",
        "also nothing",
    )


def test_a_second_mark_on_a_square_is_not_hidden_by_the_picture(tmp_path: Path) -> None:
    game = broken("pentago/phased:turned-marbles-leave-copies", tmp_path)
    moves = [
        *("(place 2 2 2)", "(rotate 2 clockwise)"),
        *("(place 2 1 3)", "(rotate 2 clockwise)"),
    ]
    report = replay(Lockstep(game, GAMES["pentago/phased"]), moves)
    assert report.difference is not None
    assert report.difference.moves == tuple(moves)


def test_a_legal_move_that_the_rules_refuse_is_a_difference(tmp_path: Path) -> None:
    game = broken("pentago/strict:empty-quadrants-do-not-turn", tmp_path)
    steps = Lockstep(game, STRICT)
    found = steps.step(steps.start(), STRICT.parse("A1 Q11 CW"))
    assert isinstance(found, Divergence)
    assert (found.what, found.reference) == ("answer to A1 Q11 CW", "legal")
    assert found.rules == "refused: A1 Q11 CW is not legal for black here"


def test_an_illegal_move_that_the_rules_accept_is_a_difference(tmp_path: Path) -> None:
    game = broken("pentago/strict:occupied-squares-allowed", tmp_path)
    steps = Lockstep(game, STRICT)
    found = steps.attempt(steps.reach(["A1 Q11 CW"]), "white", "A1 Q11 CW")
    assert isinstance(found, Divergence)
    assert found.what == "answer to A1 Q11 CW by white"
    assert found.rules == "accepted"
    assert found.reference == "refused: 'A1 Q11 CW' places on an occupied square"


@pytest.mark.parametrize(
    ("role", "text"),
    [
        ("white", "A1 Q00 CW"),  # occupied
        ("black", "B1 Q00 CW"),  # out of turn
        ("white", "B1"),  # no rotation
        ("white", "G7 Q00 CW"),  # beside the board
        ("white", "hello"),
        ("black", "hello"),
    ],
)
def test_an_illegal_move_is_refused_by_both_and_changes_nothing(role: str, text: str) -> None:
    steps = lockstep("pentago/strict")
    pair = steps.reach(["A1 Q11 CW"])
    assert steps.attempt(pair, role, text) is None
    assert steps.compare(pair) is None
    assert pair == steps.reach(["A1 Q11 CW"])


def test_a_legal_attempt_leads_on() -> None:
    steps = lockstep("pentago/strict")
    after = steps.attempt(steps.start(), "black", "A1 Q11 CW")
    assert isinstance(after, Pair)
    assert after == steps.reach(["A1 Q11 CW"])


def test_an_engine_of_other_rules_is_found_out() -> None:
    steps = Lockstep(load("pentago/strict"), GAMES["pentago/utwente"])
    moves = (
        "F1 Q11 CW; E1 Q11 CW; F2 Q11 CW; E2 Q11 CW; A1 Q11 CW; A2 Q11 CW; B1 Q11 CW; B2 Q11 CW;"
        "C1 Q11 CW; C2 Q01 CCW"
    )
    report = replay(steps, [text.strip() for text in moves.split(";")], compare_last=1)
    assert report.difference is not None
    assert report.difference.what == "goals of black"
    assert (report.difference.rules, report.difference.reference) == ("0", "50")


def test_games_depend_on_the_seed_and_their_number_alone() -> None:
    steps = lockstep("pentago/phased")
    assert random_games(steps, 2, seed=5) == random_games(steps, 2, seed=5)
    assert random_games(steps, 1, seed=5).last != random_games(steps, 1, seed=6).last


def test_a_suite_shares_its_games_among_the_styles() -> None:
    assert [check.games for check in suite(depth=1, games=7)] == [0, 2, 2, 1, 1, 1]
    assert [check.games for check in suite(depth=1, games=0)] == [0]
    assert suite(depth=1, games=1)[0].name == "all positions to 1 move"
