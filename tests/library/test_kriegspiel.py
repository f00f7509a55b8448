"""Kriegspiel on four by four squares beside open_spiel's: tries, what is legal, ends."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest

from tests.shared import IS_WHOLE_CORPUS, missing

pytest.importorskip("pyspiel", reason=missing("openspiel"))

import pyspiel

import gdl
from gdl.game import Game
from gdl.state import State

SPIEL = "kriegspiel(board_size=4,threefold_repetition=false,50_move_rule=false)"
"""Repetition is not counted by us, and open_spiel ends quiet games after 50 plies, not 100."""
SEATS = ("black", "white")
QUIET = "(quiet 100)"
GAMES = 200 if IS_WHOLE_CORPUS else 4


@pytest.fixture(scope="module")
def game() -> Game:
    return gdl.load("chess/kriegspiel", backend="reason")


def umpired(state: State) -> State:
    """Return the next state in which somebody tries a move, or the last one."""
    while not state.is_terminal and not state.movers:
        state = state.play(["noop", "noop"])
    return state


def actions(theirs: Any) -> dict[str, int]:  # noqa: ANN401  # open_spiel has no types
    """Return open_spiel's tries by their names."""
    return {theirs.action_to_string(each): each for each in theirs.legal_actions()}


def returns(state: State) -> list[float]:
    return [state.goal(role) / 50 - 1 for role in SEATS]


def drain(theirs: Any) -> None:  # noqa: ANN401
    """Let who is mated or stalemated try all that is left: open_spiel ends the game then."""
    while not theirs.is_terminal():
        theirs.apply_action(theirs.legal_actions()[0])


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(2))
def test_tries_and_ends_are_those_of_open_spiel(game: Game, seed: int) -> None:
    rng, mates = Random(seed), 0
    for _ in range(GAMES):
        ours, theirs = game.initial(), pyspiel.load_game(SPIEL).new_initial_state()
        while not ours.is_terminal:
            assert not theirs.is_terminal(), theirs.history()
            role = SEATS[theirs.current_player()]
            assert ours.movers in ((role,), ()), theirs.history()
            known = actions(theirs)
            assert sorted(map(ours.notation, ours.legal(role))) == sorted(known), theirs.history()
            move = rng.choice(sorted(known))
            after = ours.play({role: move})
            ours = umpired(after)
            theirs.apply_action(known[move])
            told = theirs.observation_string(0)
            refused = "refused" in heard_of(after)
            assert refused == ("Illegal" in told), theirs.history()
            assert (not refused and "try" in heard_of(ours)) == ("pawn tr" in told)
        if any(str(fact) == QUIET for fact in ours.facts):
            continue
        drain(theirs)
        assert returns(ours) == theirs.returns(), theirs.history()
        mates += returns(ours) != [0, 0]
    assert mates


def heard_of(state: State) -> set[str]:
    """Return what black hears of the ply that led to a state."""
    assert state.previous is not None
    assert state.last_move is not None
    game, before = state.game, state.previous.inner
    return set(map(str, game.machine.percepts(before, state.last_move, game.role("black"))))


def heard(game: Game, tries: str) -> list[set[str]]:
    """Return what black hears of each ply."""
    state, heard = game.initial(), []
    for move in tries.split():
        state = state.play(move) if move != "-" else state.play(["noop", "noop"])
        heard.append(heard_of(state))
    return heard


def test_the_umpire_speaks(game: Game) -> None:
    # a pawn cannot step on a man; one takes, and black hears where and what, and of the check
    assert heard(game, "a2a3 c2b3 - a3a2") == [
        {"refused"},
        {"moved", "(taken b 3 pawn)"},
        {"(checks long)"},
        {"refused"},
    ]


def tries(state: State) -> set[str]:
    return set(map(state.notation, state.legal("white")))


def test_a_player_sees_nothing_of_the_others_men(game: Game) -> None:
    state = game.initial()
    assert "a2a3" in tries(state)  # where a black pawn stands
    assert "a2a4" not in tries(state)  # no pawn goes two squares
    assert tries(state.play("a2a3")) == tries(state) - {"a2a3"}
