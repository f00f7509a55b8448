"""What a player knows of its match: repeated, late and lost news, and what is only sensed."""

from __future__ import annotations

import random

import pytest

from gdl.game import Game
from gdl.ggp.messages import Sensed
from gdl.ggp.seat import Hearing, Seat, find_role
from gdl.language.parse import parse_term
from gdl.language.syntax import Constant, Term
from gdl.machine import JointMove
from gdl.play import InformationState
from tests.ggp.games import CARDS, RACE, game, tic_tac_toe
from tests.shared import needs

NOOP = Constant("noop")


def seat(of: Game, role: str) -> Seat:
    return Seat(of, Constant(role), random.Random(0))


def joint(*moves: str) -> JointMove:
    return tuple(parse_term(move) for move in moves)


def first(of: Seat, *moves: str) -> Term:
    """Answer as a player would, with the only move or the one that is given."""
    move = parse_term(moves[0]) if moves else of.moves()[0]
    of.say(move)
    return move


def test_each_step_leads_to_its_state() -> None:
    here = seat(tic_tac_toe(), "x")
    assert here.hear(None) is Hearing.REPEATED
    assert here.hear(joint("(mark b 2)", "noop")) is Hearing.NEW
    assert here.hear(joint("noop", "(mark a 1)")) is Hearing.NEW
    assert here.step == 2
    assert {"(cell b 2 x)", "(cell a 1 o)", "(control x)"} <= {
        str(fact) for fact in here.states[0].facts
    }


def test_a_step_that_is_told_twice_is_made_once() -> None:
    here = seat(tic_tac_toe(), "x")
    move = joint("(mark b 2)", "noop")
    first(here, "(mark b 2)")
    assert [here.hear(move), here.hear(move)] == [Hearing.NEW, Hearing.REPEATED]
    assert here.step == 1


def test_a_step_that_is_told_late_changes_nothing() -> None:
    here = seat(tic_tac_toe(), "x")
    old, new = joint("(mark b 2)", "noop"), joint("noop", "(mark a 1)")
    here.hear(old)
    here.hear(new)
    assert here.hear(old) is Hearing.LATE
    assert here.hear(None) is Hearing.LATE
    assert (here.step, here.step_of(old), here.step_of(None)) == (2, 1, 0)


def test_the_same_moves_again_are_a_new_step_where_they_are_legal_and_were_answered() -> None:
    here = seat(game(RACE), "left")
    for step in range(5):
        first(here, "run")
        assert here.hear(joint("run", "walk")) is Hearing.NEW, step
    assert here.is_over


def test_the_same_moves_again_are_the_same_step_where_no_answer_was_given() -> None:
    here = seat(game(RACE), "left")
    first(here, "run")
    here.hear(joint("run", "walk"))
    assert here.hear(joint("run", "walk"), was_answered=False) is Hearing.REPEATED
    first(here, "walk")
    assert here.hear(joint("run", "walk")) is Hearing.REPEATED  # we would have walked
    assert here.step == 1


def test_capitals_of_another_manager_do_not_matter() -> None:
    here = seat(tic_tac_toe(), "x")
    assert here.hear(joint("(MARK B 2)", "NOOP")) is Hearing.NEW
    assert parse_term("(cell b 2 x)") in here.states[0].facts
    assert find_role(here.game, Constant("X")) is Constant("x")
    assert find_role(here.game, Constant("y")) is None


def test_capitals_of_another_manager_make_no_step_that_is_new_an_old_one() -> None:
    here = seat(game(RACE), "left")
    for step in range(5):
        first(here, "run")
        assert here.hear(joint("RUN", "WALK")) is Hearing.NEW, step
    assert here.is_over


def test_where_one_step_was_missed_all_that_may_have_happened_is_reckoned_with() -> None:
    here = seat(tic_tac_toe(), "x")
    first(here, "(mark b 2)")
    assert here.hear(joint("noop", "(mark a 1)")) is Hearing.NEW  # of our own move nobody told
    assert here.step == 2
    (state,) = here.states
    assert {"(cell b 2 x)", "(cell a 1 o)"} <= {str(fact) for fact in state.facts}
    first(here, "(mark c 3)")
    here.hear(joint("(mark c 3)", "noop"))
    assert here.hear(joint("(mark c 1)", "noop")) is Hearing.NEW  # nor of the answer to it
    assert {str(move) for move in here.moves()} == {"noop"}
    assert len(here.states) == 5  # o may be on any of five cells


@pytest.mark.parametrize(
    "moves", [joint("(mark z 9)", "noop"), joint("noop"), joint("noop", "noop"), ()]
)
def test_news_that_cannot_be_true_change_nothing(moves: JointMove) -> None:
    here = seat(tic_tac_toe(), "x")
    assert here.hear(moves) is Hearing.LOST
    assert (here.step, len(here.moves())) == (0, 9)


def test_percepts_leave_only_states_that_agree() -> None:
    here = seat(game(CARDS), "player")
    assert here.hear(Sensed(0, None)) is Hearing.REPEATED
    first(here)
    seen = Sensed(1, NOOP, frozenset({parse_term("(got king)")}))
    assert here.hear(seen) is Hearing.NEW
    assert here.hear(seen) is Hearing.REPEATED
    (state,) = here.states
    assert parse_term("(holds king)") in state.facts
    position = here.position(here.moves())
    assert isinstance(position, InformationState)
    assert parse_term("(holds king)") in position.sample(random.Random(1), None).facts


def test_capitals_of_what_was_sensed_do_not_matter() -> None:
    here = seat(game(CARDS), "player")
    seen = Sensed(1, Constant("NOOP"), frozenset({parse_term("(GOT King)")}))
    assert here.hear(seen) is Hearing.NEW
    (state,) = here.states
    assert parse_term("(holds king)") in state.facts
    assert here.heard == [Sensed(1, NOOP, frozenset({parse_term("(got king)")}))]


@pytest.mark.parametrize("told", ["nil", "NIL"])
def test_a_move_may_have_the_name_that_stands_for_none(told: str) -> None:
    rules = CARDS.replace("(does player (say ?c))", "(does player ?c) (card ?c)")
    here = seat(game(rules.replace("(say ?c)", "?c").replace("ace", "nil")), "player")
    seen = frozenset({parse_term("(got king)")})
    assert here.hear(Sensed(0, None)) is Hearing.REPEATED
    assert here.hear(Sensed(1, NOOP, seen)) is Hearing.NEW
    assert here.hear(Sensed(2, Constant(told))) is Hearing.NEW
    assert here.heard[1] == Sensed(2, Constant("nil"))
    assert {str(fact) for fact in here.states[0].facts} == {"(holds king)", "said"}


def test_the_word_for_no_move_is_none_where_the_rules_have_no_such_move() -> None:
    here = seat(game(CARDS), "player")
    assert here.hear(Sensed(1, Constant("NIL"))) is Hearing.REPEATED  # who counts from one
    assert here.hear(Sensed(1, NOOP)) is Hearing.NEW
    assert here.hear(Sensed(2, Constant("NIL"))) is Hearing.NEW
    assert here.heard[1] == Sensed(2, None)


def test_the_first_move_may_have_that_name() -> None:
    here = seat(game(CARDS.replace("legal player noop", "legal player nil")), "player")
    assert here.hear(Sensed(0, None)) is Hearing.REPEATED
    assert here.hear(Sensed(1, Constant("NIL"))) is Hearing.NEW


def test_without_percepts_both_cards_are_possible() -> None:
    here = seat(game(CARDS.replace("(sees player (got ?c))", "(sees random (got ?c))")), "player")
    first(here)
    here.hear(Sensed(1, NOOP))
    assert len(here.states) == 2
    assert [str(move) for move in here.moves()] == ["(say ace)", "(say king)"]


def test_steps_that_were_never_told_are_filled_in() -> None:
    here = seat(game(CARDS), "player")
    first(here)
    assert here.hear(Sensed(2, parse_term("(say ace)"))) is Hearing.NEW
    assert here.is_over
    assert here.hear(Sensed(1, NOOP)) is Hearing.LATE


@needs("native")
def test_another_back_end_is_taken_over_where_it_agrees() -> None:
    import gdl

    here = seat(tic_tac_toe(), "x")
    here.hear(joint("(mark b 2)", "noop"))
    before = here.states[0].facts
    assert here.adopt(gdl.load("tictactoe", backend="native"))
    assert here.game.backend == "native"
    assert here.states[0].facts == before
    assert not here.adopt(gdl.load("connectfour", backend="reason"))
    assert here.game.backend == "native"
