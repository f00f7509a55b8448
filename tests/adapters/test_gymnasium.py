"""Gymnasium's own check, and what it does not ask."""

from __future__ import annotations

import copy
import math
import pickle
from pathlib import Path
from typing import Any, cast

import numpy as np
import pytest

from tests.shared import missing

pytest.importorskip("gymnasium", reason=missing("adapters"))

import gymnasium as gym
from gymnasium.error import ResetNeeded
from gymnasium.utils.env_checker import check_env

from gdl.adapters import gymnasium
from gdl.game import Game
from gdl.language.diagnostics import GdlError
from gdl.language.syntax import Term
from gdl.machine import IllegalMoveError
from gdl.play import Budget, Position, UnknownPlayerError
from gdl.state import State, UnknownRoleError
from tests.adapters.games import SHIPPED, UNKNOWN, load, pick
from tests.adapters.rules import CARD, DEAD_END, DICE, GUESS, write
from tests.shared import needs_games


def hold_to_the_official_check(name: str | Path) -> None:
    made = gym.make(gymnasium.register(load(name)), disable_env_checker=True)
    check_env(made.unwrapped)


@pytest.mark.sample(3)
@pytest.mark.parametrize("name", SHIPPED)
def test_official_check_of_a_shipped_ruleset(name: str) -> None:
    hold_to_the_official_check(name)


@needs_games
@pytest.mark.parametrize("path", UNKNOWN, ids=lambda path: path.name)
def test_official_check_of_a_file_nobody_chose(path: Path) -> None:
    hold_to_the_official_check(path)


@needs_games
@pytest.mark.slow
@pytest.mark.parametrize("path", pick(9, 15), ids=lambda path: path.name)
def test_official_check_of_more_files(path: Path) -> None:
    hold_to_the_official_check(path)


@pytest.mark.parametrize("text", [CARD, DEAD_END, DICE, GUESS])
def test_official_check_of_small_games(text: str, tmp_path: Path) -> None:
    path = write(tmp_path, "small", text)
    check_env(gym.make(gymnasium.register(path), disable_env_checker=True).unwrapped)


def lockstep(name: str | Path, seed: int) -> None:
    """Play episodes at random, and a state beside them that is told the joint moves alone."""
    rng = np.random.default_rng(seed)
    rules = load(name)
    env = gymnasium.env(rules, role=rules.roles[-1])
    seen, told = env.reset(seed=seed)
    over = cut = False
    reward = 0.0
    while not (over or cut):
        ours = rules.initial()
        for after in env.position.history[1:]:
            assert not ours.is_terminal
            assert after.last_move is not None
            ours = ours.play(after.last_move)
        legal = {env.markov_game.table.moves[i] for i in np.flatnonzero(seen["action_mask"])}
        assert legal == set(ours.legal(env.role))
        number = rng.choice(np.flatnonzero(seen["action_mask"]))
        seen, reward, over, cut, told = env.step(number)
    assert over == env.position.is_terminal
    assert not seen["action_mask"].any()
    if over:
        goal = env.position.goal(env.role)
        assert told["goal"] == goal
        assert reward == pytest.approx(goal / 100 if len(rules.roles) == 1 else goal / 50 - 1)


@pytest.mark.parametrize("name", ["tictactoe", "connectfour", "pentago/classic"])
def test_masks_and_rewards_are_those_of_the_state(name: str) -> None:
    lockstep(name, seed=1)


@needs_games
@pytest.mark.parametrize("path", UNKNOWN, ids=lambda path: path.name)
def test_masks_and_rewards_are_those_of_the_state_in_other_files(path: Path) -> None:
    lockstep(path, seed=2)


class Copycat:
    """Remembers what it was shown and plays the first legal move."""

    def __init__(self) -> None:
        self.shown: list[State] = []

    def __call__(self, game: Game, state: Position, budget: Budget) -> Term:
        del game, budget
        assert isinstance(state, State)
        self.shown.append(state)
        return state.legal("x")[0]


def test_the_learner_is_asked_when_it_is_its_turn() -> None:
    copycat = Copycat()
    env = gymnasium.env(load("tictactoe"), role="o", opponents={"x": copycat})
    seen, _ = env.reset()
    assert env.position.ply == 1
    assert seen["action_mask"].tolist() == [0, 1, 1, 1, 1, 1, 1, 1, 1]
    assert env.action_masks().tolist() == [False, *[True] * 8]
    for number in (1, 4):
        _, reward, over, _, told = env.step(number)
        assert (reward, over, told) == (0.0, False, {})
    _, reward, over, cut, told = env.step(7)
    assert (reward, over, cut, told) == (1.0, True, False, {"goal": 100, "end": "over"})
    assert [state.ply for state in copycat.shown] == [0, 2, 4]


def test_a_puzzle_is_played_alone(tmp_path: Path) -> None:
    env = gymnasium.env(write(tmp_path, "robot", DEAD_END))
    env.reset()
    stop = env.markov_game.table.numbers[env.position.game.move("stop")]
    assert env.step(stop)[1:4] == (1.0, True, False)
    env.reset()
    left = env.markov_game.table.numbers[env.position.game.move("left")]
    assert env.step(left)[1:4] == (0.0, False, False)
    assert env.step(left)[1:] == (0.0, False, True, {"goal": None, "end": "stuck"})


def test_a_seed_repeats_the_opponents() -> None:
    def play() -> list[Any]:
        env = gymnasium.env(load("connectfour"), opponents="random")
        seen, _ = env.reset(seed=11)
        rewards: list[Any] = []
        for _ in range(30):
            number = int(seen["action_mask"].argmax())
            seen, reward, over, _, _ = env.step(number)
            rewards.append((seen["observation"].tobytes(), reward))
            if over:
                seen, _ = env.reset()
        return rewards

    assert play() == play()


def test_an_illegal_move_loses_or_raises() -> None:
    env = gymnasium.env(load("tictactoe"), opponents={"o": "greedy"})
    env.reset(seed=1)
    env.step(4)
    _, reward, over, cut, told = env.step(4)
    assert (reward, over, cut, told["end"]) == (-1.0, True, False, "illegal")
    assert told["illegal"].startswith("b2 is not legal for x here\n")
    seen, *after = env.step(0)
    assert after == [-1.0, True, False, told]
    assert not seen["action_mask"].any()
    env.reset()
    assert env.step(0)[1:] == (0.0, False, False, {})
    strict = gymnasium.env(load("tictactoe"), on_illegal="raise")
    strict.reset(seed=1)
    with pytest.raises(IllegalMoveError):
        strict.step(9)


def test_wrong_arguments_are_told() -> None:
    with pytest.raises(UnknownRoleError) as unknown:
        gymnasium.env(load("tictactoe"), role="z")
    assert str(unknown.value) == "tictactoe has no role 'z' to play\n  expected: x or o"
    with pytest.raises(UnknownPlayerError):
        gymnasium.env(load("tictactoe"), opponents="nobody")
    with pytest.raises(ValueError, match="opponents") as caught:
        gymnasium.env(load("tictactoe"), opponents={"x": "random"})
    assert str(caught.value) == "opponents must name o, not x"
    with pytest.raises(ValueError, match="on_illegal") as caught:
        gymnasium.env(load("tictactoe"), on_illegal="cry")
    assert str(caught.value) == "on_illegal must be lose or raise, not 'cry'"
    with pytest.raises(ValueError, match="max_plies") as caught:
        gymnasium.env(load("tictactoe"), max_plies=0)
    assert str(caught.value) == "max_plies must be at least 1, not 0"
    with pytest.raises(GdlError) as refused:
        gymnasium.env(load("tictactoe"), simulations=0)
    assert str(refused.value) == "simulations must be at least 1, not 0"
    with pytest.raises(GdlError) as refused:
        gymnasium.env(load("tictactoe"), opponents=cast("Any", None))
    assert str(refused.value) == "an opponent must be the name of a player or a function, not None"


def test_what_comes_before_reset_is_told() -> None:
    env = gymnasium.env(load("tictactoe"), render_mode="ansi")
    for call in (lambda: env.step(0), env.render, env.action_masks, lambda: env.position):
        with pytest.raises(ResetNeeded) as caught:
            call()
        assert str(caught.value) == "reset() begins the first episode; it comes before all else"


@pytest.mark.parametrize("action", [1.0, None, "a", [3], math.nan])
def test_an_action_that_is_no_number_is_told(action: object) -> None:
    env = gymnasium.env(load("tictactoe"))
    env.reset(seed=1)
    with pytest.raises(GdlError) as caught:
        env.step(action)
    assert str(caught.value) == f"an action must be the number of a move, not {action!r}"
    assert env.step(np.int8(3))[1:] == (0.0, False, False, {})


@pytest.mark.later
@pytest.mark.parametrize("opponent", ["random", "greedy", "mcts"])
def test_a_copy_goes_on_as_the_environment_does_or_is_refused(opponent: str) -> None:
    env = gymnasium.env(load("tictactoe"), opponents=opponent, simulations=20)
    ways: tuple[Any, ...] = (copy.deepcopy, lambda env: pickle.loads(pickle.dumps(env)))
    for way in ways:
        other = way(env)
        for each in (env, other):
            each.reset(seed=3)
        for _ in range(2):
            number = int(env.action_masks().argmax())
            assert (
                env.step(number)[0]["observation"] == other.step(number)[0]["observation"]
            ).all()
        env.reset(seed=4)
        if opponent != "mcts":
            other = way(env)
            assert str(env.step(8)) == str(other.step(8))
            continue
        with pytest.raises(GdlError) as caught:
            way(env)
        assert str(caught.value) == (
            "an environment cannot be copied or pickled while mcts plays in it\n"
            "  help: copy it before reset(), or let random or greedy play"
        )
        env = gymnasium.env(load("tictactoe"), opponents=opponent, simulations=20)


def test_one_hot_planes_are_one_hot() -> None:
    env = gymnasium.env(load("pentago/phased"))
    seen, _ = env.reset(seed=4)
    for _ in range(20):
        board = seen["observation"][:3]
        assert (board.sum(axis=0) == 1).all()
        number = int(np.flatnonzero(seen["action_mask"])[-1])
        seen, _, over, _, _ = env.step(number)
        if over:
            break
