"""Row i of a vector environment is game i as a learner goes through it alone."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gdl.adapters import vector
from gdl.adapters.markov_game import MarkovGame, Status, markov_game
from gdl.adapters.vector_env import VectorEnv
from gdl.language.diagnostics import GdlError
from gdl.language.terms import Constant
from gdl.machine import IllegalMoveError
from gdl.state import State
from tests.adapters.games import UNKNOWN, load, load_markov_game
from tests.adapters.rules import (
    CARD,
    DEAD_END,
    DICE,
    ENDLESS,
    NOBODY,
    PENNIES,
    TORN,
    write,
)
from tests.shared import examples, needs_games

STEPS = 45


def row_is_the_state(env: VectorEnv, row: int, state: State) -> None:
    played = env.markov_game
    asked = played.asked(state)
    assert env.asked[row].tolist() == [p in asked for p in range(len(played.players))]
    assert env.movers[row] == (asked[0] if len(asked) == 1 else -1)
    for player in asked:
        legal = np.flatnonzero(env.masks_of(player)[row]).tolist()
        assert legal == played.options(state, player)
        assert (env.observations[row] == played.observe(state, player)).all()
    if len(asked) == 1:
        assert (env.masks[row] == played.mask(state, asked[0])).all()


def lockstep(played: MarkovGame, size: int, seed: int) -> None:
    """Play at random, and states beside some of the rows; plies are made as the rows make them."""
    env = VectorEnv(played, size, seed=seed)
    rng = np.random.default_rng(seed)
    states = {row: played.game.initial() for row in {0, size // 2, size - 1}}
    for _ in range(STEPS):
        actions = env.sample()
        outcome = env.step(actions)
        for row, state in states.items():
            mine = actions[row] if actions.ndim == 2 else np.full(len(played.players), actions[row])
            moves = {
                played.players[p]: played.table.moves[int(mine[p])] for p in played.asked(state)
            }
            after = played.play(state, moves, rng)
            status = played.status(after)
            assert outcome.terminated[row] == (status is Status.OVER)
            assert outcome.truncated[row] == (status in (Status.STUCK, Status.CUT))
            worth = [0.0] * len(played.players)
            if status is not Status.GOING:
                worth = played.rewards(after)
                after = played.game.initial()
            assert outcome.rewards[row].tolist() == pytest.approx(worth)
            states[row] = after
            row_is_the_state(env, row, after)


@pytest.mark.parametrize("name", ["tictactoe", "connectfour", "pentago/classic", "pentago/phased"])
def test_rows_of_a_shipped_ruleset(name: str) -> None:
    lockstep(load_markov_game(name), 70, seed=1)


@needs_games
@pytest.mark.parametrize("path", UNKNOWN, ids=lambda path: path.name)
def test_rows_of_a_file_nobody_chose(path: Path) -> None:
    lockstep(load_markov_game(path), 70, seed=2)


@pytest.mark.parametrize("text", [PENNIES, DEAD_END, ENDLESS, TORN])
def test_rows_of_small_games(text: str, tmp_path: Path) -> None:
    lockstep(markov_game(write(tmp_path, "game", text), max_plies=7), 70, seed=3)


@pytest.mark.slow
@settings(max_examples=examples(15))
@given(st.integers(1, 600), st.integers(0, 2**32))
def test_rows_of_any_number(size: int, seed: int) -> None:
    lockstep(load_markov_game("tictactoe"), size, seed)


def test_chance_is_drawn_by_the_environment(tmp_path: Path) -> None:
    path = write(tmp_path, "dice", DICE)
    env = vector.env(path, 3000, seed=1)
    assert env.players == ("black", "white")
    assert (env.movers == -1).all()
    outcome = env.step(np.tile([0, 2], (3000, 1)))
    assert outcome.terminated.all()
    wins = outcome.rewards == 1
    assert not wins.all(axis=1).any()
    assert wins.mean(axis=0) == pytest.approx([1 / 3, 1 / 3], abs=0.05)
    again = vector.env(path, 3000, seed=1).step(np.tile([0, 2], (3000, 1)))
    assert (again.rewards == outcome.rewards).all()


def test_arrays_go_to_other_libraries_without_a_copy() -> None:
    env = vector.env(load("connectfour"), 64)
    for array in (env.masks, env.observations, env.movers, env.step(env.sample()).rewards):
        taken = np.from_dlpack(array)
        assert np.shares_memory(taken, array)
        assert (taken == array).all()


def test_arrays_may_be_kept() -> None:
    env = vector.env(load("tictactoe"), 8)
    masks, seen = env.masks, env.observations
    kept = masks.copy(), seen.copy()
    env.step(env.sample())
    assert (masks == kept[0]).all()
    assert (seen == kept[1]).all()


def test_an_illegal_move_changes_nothing() -> None:
    env = vector.env(load("tictactoe"), 5)
    env.step(np.zeros(5, int))
    seen = env.observations
    with pytest.raises(IllegalMoveError) as caught:
        env.step([1, 2, 0, 3, 4])
    assert str(caught.value) == (
        "(mark a 1) is not legal for o here\n"
        "  expected: one of 8 moves, such as (mark a 2), (mark a 3), (mark b 1), (mark c 1) or "
        "(mark b 2)"
    )
    assert caught.value.__notes__ == ["row 2 of the batch, number 0; nothing was changed"]
    assert (env.observations == seen).all()
    for wrong in (-1, 9, 99):
        with pytest.raises(IllegalMoveError):
            env.step(np.full(5, wrong))
    assert (env.lengths == 1).all()


def test_the_only_legal_move_is_asked_for_too(tmp_path: Path) -> None:
    env = vector.env(load("tictactoe"), 2)
    for number in (0, 1, 2, 4, 3, 5, 7, 6):
        env.step([number, number])
    assert env.masks.sum(axis=1).tolist() == [1, 1]
    before = env.save()
    with pytest.raises(IllegalMoveError) as caught:
        env.step([8, 0])
    assert str(caught.value) == "(mark a 1) is not legal for x here\n  expected: (mark c 3)"
    assert caught.value.__notes__ == ["row 1 of the batch, number 0; nothing was changed"]
    assert env.save() == before
    assert env.step([8, 0], rows=[0]).ended.tolist() == [True, False]
    alone = vector.env(write(tmp_path, "robot", DEAD_END), 1)
    alone.step([alone.markov_game.table.numbers[Constant("left")]])
    with pytest.raises(IllegalMoveError):
        alone.step([alone.markov_game.table.numbers[Constant("stop")]])


def test_a_wrong_shape_is_refused(tmp_path: Path) -> None:
    env = vector.env(load("tictactoe"), 5)
    with pytest.raises(ValueError, match="actions") as caught:
        env.step([1, 2])
    assert str(caught.value) == (
        "actions has the shape (2,)\n"
        "  expected: (5,), the move of the one who is asked, or (5, 2), a move of each player"
    )
    with pytest.raises(ValueError, match="type") as caught:
        env.step(np.zeros(5))
    assert str(caught.value) == (
        "actions are of the type float64\n  expected: whole numbers, of moves"
    )
    both = vector.env(write(tmp_path, "pennies", PENNIES), 4)
    with pytest.raises(ValueError, match="several") as caught:
        both.step([0, 1, 0, 1])
    assert str(caught.value) == (
        "several players are asked in row 0, and one move was given\n"
        "  expected: a move of each player, (4, 2)"
    )


def test_games_that_cannot_be_shown_are_refused(tmp_path: Path) -> None:
    path = write(tmp_path, "card", CARD)
    hidden = vector.env(path, 4)
    with pytest.raises(GdlError) as caught:
        _ = hidden.observations
    assert str(caught.value) == (
        f"{path} hides facts from its players, and arrays show all of them\n"
        "  help: gdl.adapters.pettingzoo and openspiel show each player its percepts"
    )
    nobody = write(tmp_path, "nobody", NOBODY)
    with pytest.raises(GdlError) as caught:
        vector.env(nobody, 4)
    assert str(caught.value) == (
        f"{nobody} ends before anybody is asked for a move\n"
        "  expected: a game in which a role has a choice"
    )
