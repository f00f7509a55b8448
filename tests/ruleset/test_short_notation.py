"""Moves written and read where the position is known: SAN, by the manifest of chess."""

from __future__ import annotations

import pytest

import gdl
from gdl.cli.positions.moves import written
from gdl.ruleset import NotationError
from gdl.state import State


def chess(play: str) -> State:
    state = gdl.load("chess", backend="reason").initial()
    for move in play.split():
        state = state.play(move)
    return state


def test_a_game_is_played_in_san() -> None:
    state = chess("e4 e5 Qh5 Nc6 Bc4 Nf6 Qxf7#")
    assert state.is_terminal
    assert state.goal("white") == 100


def test_capitals_tell_a_pawn_from_a_bishop() -> None:
    state = chess("Nf3 a6 g3 a5 Bg2 a4 b4 axb3")  # in passing
    assert str(state.move("axb3")) == "(move a 2 b 3)"
    with pytest.raises(NotationError, match="no legal move is written so"):
        state.move("Bxb3")


AMBIGUOUS = """\
move:1:1: error[ambiguous-move]: 2 legal moves are written so
  1 | Nd2
    | ^^^
  expected: Nbd2 or Nfd2"""
UNKNOWN = """\
move:1:1: error[no-such-move]: no legal move is written so
  1 | Bb5
    | ^^^
  expected: one of 20 moves, such as b4, b3 or h4"""


@pytest.mark.slow
def test_what_is_needed_is_asked_for_and_more_is_understood() -> None:
    state = chess("Nf3 a6 d3 a5")
    assert state.notation("(move b 1 d 2)", short=True) == "Nbd2"
    assert state.move("Nb1d2") is state.move("b1d2") is state.move("Nbd2")
    with pytest.raises(NotationError) as caught:
        state.move("Nd2")
    assert str(caught.value) == AMBIGUOUS
    with pytest.raises(NotationError) as caught:
        chess("").play("Bb5")
    assert str(caught.value) == UNKNOWN


@pytest.mark.later
@pytest.mark.sample(3)
@pytest.mark.parametrize(
    "text", ["", "Nf", "O-", "e9", "x", "N" * 400, "♘f3", "(move e 2", "Nf3++"]
)
def test_what_is_no_text_of_a_move_is_refused(text: str) -> None:
    with pytest.raises(NotationError):
        chess("").move(text)


@pytest.mark.slow
def test_a_move_of_the_usual_notation_may_be_illegal_though_it_looks_like_a_short_one() -> None:
    state = gdl.load("chess/crazyhouse", backend="reason").initial()
    for move in ("e4", "d5", "exd5", "Qxd5"):
        state = state.play(move)
    assert str(state.move("P@d2")) == "(drop pawn d 2)"
    assert str(state.why("legal white P@d2")).startswith("legal white P@d2 does not hold: ")
    with pytest.raises(gdl.IllegalMoveError, match="P@d2 is not legal for white"):
        state.play("P@d2")
    assert state.play("P@e4").facts == state.play("@e4").facts


def test_a_ruleset_without_one_writes_as_always() -> None:
    state = gdl.load("tictactoe", backend="reason").initial()
    assert state.notation("b2", short=True) == state.notation("b2") == "b2"


@pytest.mark.later
def test_the_terminal_shows_both() -> None:
    state = chess("")
    assert written(state, state.move("Nf3")) == "g1f3 (Nf3)"
