"""PettingZoo's own tests, and what they do not ask."""

from __future__ import annotations

import copy
import pickle
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any, cast

import numpy as np
import pytest

from tests.shared import missing

pytest.importorskip("pettingzoo", reason=missing("adapters"))

from pettingzoo.test import (
    api_test,
    parallel_api_test,
    parallel_seed_test,
    render_test,
    seed_test,
)

import gdl
from gdl.adapters import pettingzoo
from gdl.language.diagnostics import GdlError
from gdl.machine import IllegalMoveError
from tests.adapters.games import SHIPPED, UNKNOWN, load, pick
from tests.adapters.rules import (
    CARD,
    DEAD_END,
    DICE,
    ENDLESS,
    GUESS,
    GUST,
    LISTED,
    PENNIES,
    TORN,
    write,
)
from tests.shared import needs_games

CYCLES = 25

by_convention = pytest.mark.filterwarnings(
    # observations with action masks are dicts, as in PettingZoo's own classic games, whose names
    # the suite excuses from these three warnings
    "ignore:Observation is not a NumPy array",
    "ignore:Observation space for each agent probably should be",
    "ignore:Action mask numpy array is all zeros",
)


def hold_to_the_official_suites(name: str | Path) -> None:
    game = load(name)
    api_test(pettingzoo.env(game), num_cycles=CYCLES)
    seed_test(lambda: pettingzoo.env(game), num_cycles=CYCLES)
    render_test(lambda render_mode: pettingzoo.env(game, render_mode=render_mode))
    parallel_api_test(pettingzoo.parallel_env(game), num_cycles=CYCLES)
    parallel_seed_test(lambda: pettingzoo.parallel_env(game), num_cycles=CYCLES)


@pytest.mark.sample(2)
@by_convention
@pytest.mark.parametrize("name", SHIPPED)
def test_official_suites_on_a_shipped_ruleset(name: str) -> None:
    hold_to_the_official_suites(name)


@needs_games
@by_convention
@pytest.mark.parametrize("path", UNKNOWN, ids=lambda path: path.name)
def test_official_suites_on_a_file_nobody_chose(path: Path) -> None:
    hold_to_the_official_suites(path)


@needs_games
@pytest.mark.slow
@by_convention
@pytest.mark.parametrize("path", pick(7, 15), ids=lambda path: path.name)
def test_official_suites_on_more_files(path: Path) -> None:
    hold_to_the_official_suites(path)


def lockstep_one_after_the_other(name: str | Path, seed: int) -> None:
    """Play an AEC environment at random and a state beside it, from the masks alone."""
    rng = random.Random(seed)
    env = pettingzoo.raw_env(load(name), max_plies=300)
    env.reset(seed=seed)
    state = load(name).initial()
    moves = env.markov_game.table.moves
    chosen: dict[str, Any] = {}
    while not any(env.terminations.values()) and not any(env.truncations.values()):
        while not env.markov_game.asked(state):
            state = state.play({})
        agent = env.agent_selection
        role = env.roles[agent]
        mask = env.observe(agent)["action_mask"]
        legal = state.legal(role)
        assert {moves[i] for i in np.flatnonzero(mask)} == set(legal)
        action = rng.choice(np.flatnonzero(mask).tolist())
        chosen[role] = moves[action]
        env.step(action)
        if len(chosen) == len(env.markov_game.asked(state)):
            state = state.play(chosen)
            chosen = {}
    while not state.is_terminal and state.ply < env.position.ply:
        state = state.play({})
    assert env.position == state
    assert env.terminations["player_0"] == state.is_terminal
    for agent, role in env.roles.items():
        if state.is_terminal:
            assert env.infos[agent]["goal"] == state.goal(role)


@pytest.mark.parametrize("name", SHIPPED)
def test_masks_and_ends_are_those_of_the_state(name: str) -> None:
    lockstep_one_after_the_other(name, seed=3)


@needs_games
@pytest.mark.parametrize("path", UNKNOWN, ids=lambda path: path.name)
def test_masks_and_ends_are_those_of_the_state_in_other_files(path: Path) -> None:
    lockstep_one_after_the_other(path, seed=4)


def lockstep_all_at_once(name: str | Path, seed: int) -> None:
    """Play a parallel environment at random and a state beside it, from the masks alone."""
    rng = random.Random(seed)
    env = pettingzoo.parallel_env(load(name), max_plies=300, on_illegal="raise")
    seen, told = env.reset(seed=seed)
    state = load(name).initial()
    moves = env.markov_game.table.moves
    while env.agents:
        while not env.markov_game.asked(state):
            state = state.play({})
        actions: dict[str, int | None] = {}
        for agent, role in env.roles.items():
            mask = np.flatnonzero(seen[agent]["action_mask"]).tolist()
            assert {moves[i] for i in mask} == (set(state.legal(role)) if mask else set())
            actions[agent] = rng.choice(mask) if mask else None
        state = state.play({env.roles[a]: moves[i] for a, i in actions.items() if i is not None})
        seen, _, over, _, told = env.step(actions)
    while not state.is_terminal and state.ply < env.position.ply:
        state = state.play({})
    assert env.position == state
    assert over["player_0"] == state.is_terminal
    if state.is_terminal:
        for agent, role in env.roles.items():
            assert told[agent]["goal"] == state.goal(role)


@pytest.mark.parametrize("text", [PENNIES, LISTED])
def test_masks_and_ends_are_those_of_the_state_all_at_once(text: str, tmp_path: Path) -> None:
    lockstep_all_at_once(write(tmp_path, "small", text), seed=5)


@needs_games
@pytest.mark.parametrize("path", UNKNOWN, ids=lambda path: path.name)
def test_masks_and_ends_are_those_of_the_state_in_other_files_all_at_once(path: Path) -> None:
    lockstep_all_at_once(path, seed=6)


def test_a_win_is_worth_one_and_a_loss_the_opposite() -> None:
    env = pettingzoo.env(load("tictactoe"))
    env.reset()
    state = load("tictactoe").initial()
    numbers = env.markov_game.table.numbers
    for cell in ("a1", "b1", "a2", "b2", "a3"):
        env.step(numbers[state.game.move(cell)])
    assert env.rewards == {"player_0": 1.0, "player_1": -1.0}
    assert env.terminations == {"player_0": True, "player_1": True}
    assert env.infos["player_0"] == {"goal": 100, "end": "over"}
    assert env.unwrapped.roles == {"player_0": "x", "player_1": "o"}


def test_who_makes_an_illegal_move_loses(caplog: pytest.LogCaptureFixture) -> None:
    env = pettingzoo.env(load("tictactoe"))
    env.reset()
    env.step(4)
    env.step(4)
    assert "Illegal move" in caplog.text
    assert env.rewards == {"player_0": 0, "player_1": -1.0}


@pytest.mark.parametrize("make", [pettingzoo.env, pettingzoo.parallel_env])
def test_what_players_were_shown_goes_with_an_environment(
    make: Callable[[Path], Any], tmp_path: Path
) -> None:
    env = make(write(tmp_path, "card", CARD))
    for seed in range(4):
        env.reset(seed=seed)
        seen = env.markov_game.observe(env.position, 0)
        assert seen.sum() == 2  # a card, and the number that is always 1
        for other in (copy.copy(env), copy.deepcopy(env), pickle.loads(pickle.dumps(env))):
            assert (other.markov_game.observe(other.position, 0) == seen).all()
            assert other.position == env.position


def test_actions_that_are_none_are_told() -> None:
    env = pettingzoo.parallel_env(load("tictactoe"))
    env.reset(seed=1)
    for actions, said in (
        ([0, 0], "actions must be a dictionary of agents and their moves, not [0, 0]"),
        ({"player_0": 1.5}, "an action must be the number of a move, not 1.5"),
    ):
        with pytest.raises(GdlError) as caught:
            env.step(cast("Any", actions))
        assert str(caught.value) == said


def test_the_raw_environment_refuses_an_illegal_move() -> None:
    env = pettingzoo.raw_env(load("tictactoe"))
    env.reset()
    env.step(4)
    with pytest.raises(IllegalMoveError) as caught:
        env.step(4)
    assert str(caught.value) == (
        "b2 is not legal for o here\n  expected: one of 8 moves, such as a2, b1, b3, c2 or a1"
    )
    assert env.agent_selection == "player_1"


def test_an_agent_that_is_asked_must_move() -> None:
    env = pettingzoo.parallel_env(load("tictactoe"))
    env.reset()
    with pytest.raises(GdlError) as caught:
        env.step({"player_1": 3})
    assert str(caught.value) == (
        "player_0 (x) is asked, and no move of it was given\n"
        "  expected: a number for each agent whose action mask is not all zeros"
    )


def test_an_unknown_render_mode_is_refused() -> None:
    with pytest.raises(ValueError, match="render_mode") as caught:
        pettingzoo.env(load("tictactoe"), render_mode="movie")
    assert str(caught.value) == "render_mode must be human or ansi or rgb_array, not 'movie'"


def test_a_long_episode_is_truncated() -> None:
    env = pettingzoo.env(load("tictactoe"), max_plies=3)
    env.reset()
    for number in (0, 1, 2):
        env.step(number)
    assert env.truncations == {"player_0": True, "player_1": True}
    assert env.terminations == {"player_0": False, "player_1": False}
    assert env.infos["player_1"]["end"] == "cut"


@by_convention
@pytest.mark.parametrize("text", [CARD, DEAD_END, DICE, GUESS, GUST, ENDLESS, PENNIES, TORN])
def test_official_suites_on_small_games(text: str, tmp_path: Path) -> None:
    hold_to_the_official_suites(write(tmp_path, "small", text))


@by_convention
def test_official_suites_on_rules_run_as_they_are_written(tmp_path: Path) -> None:
    rules = gdl.load(write(tmp_path, "listed", LISTED), backend="reason")
    api_test(pettingzoo.env(rules), num_cycles=CYCLES)
    parallel_api_test(pettingzoo.parallel_env(rules), num_cycles=CYCLES)


def test_an_environment_can_be_copied_and_pickled() -> None:
    env = pettingzoo.raw_env(load("tictactoe"))
    env.reset(seed=0)
    env.step(4)
    for other in (copy.deepcopy(env), pickle.loads(pickle.dumps(env))):
        assert other.position == env.position
        other.step(0)
        assert (other.agent_selection, env.agent_selection) == ("player_0", "player_1")
        assert other.position != env.position


def test_pictures_show_the_stones() -> None:
    env = pettingzoo.env(load("pentago/classic"), render_mode="rgb_array")
    env.reset()
    before: Any = env.render()
    env.step(int(env.observe("player_0")["action_mask"].argmax()))
    after: Any = env.render()
    assert before.shape == after.shape
    assert (before != after).any()
    drawn = pettingzoo.env(load("pentago/classic"), render_mode="ansi")
    drawn.reset()
    assert str(drawn.render()) == str(load("pentago/classic").initial())
