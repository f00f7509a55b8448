"""Row i of a vector environment of Gymnasium is environment i of one game, played alone."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from tests.shared import missing, needs

pytest.importorskip("gymnasium", reason=missing("adapters"))

import gymnasium as gym
from gymnasium.error import ResetNeeded
from gymnasium.vector import AutoresetMode, SyncVectorEnv
from gymnasium.wrappers.vector import FlattenObservation, RecordEpisodeStatistics

from gdl.adapters import gymnasium
from gdl.adapters.markov_game import UnplayableError
from gdl.language.diagnostics import GdlError
from gdl.language.syntax import Term
from gdl.machine import IllegalMoveError
from gdl.play import Position
from gdl.state import State
from tests.adapters.games import load
from tests.adapters.rules import CARD, DEAD_END, DICE, write

pytestmark = needs("native")
B = 5


def first(_game: object, state: Position, _clock: object) -> Term:
    """Take the first legal move in the order of the table, whoever asks."""
    assert isinstance(state, State)
    return min(state.legal(str(state.movers[0])), key=str)


def last(_seen: NDArray[np.int8], masks: NDArray[np.bool_]) -> NDArray[np.int64]:
    """Take the last legal move."""
    return np.asarray(masks.shape[1] - 1 - masks[:, ::-1].argmax(axis=1), np.int64)


def actions_of(observation: dict[str, Any], rng: np.random.Generator) -> NDArray[np.int64]:
    """Return legal actions mostly, and now and then others."""
    masks = observation["action_mask"].astype(float)
    drawn = (masks + 1e-3 * rng.random(masks.shape)) * rng.random(masks.shape)
    chosen = np.asarray(drawn.argmax(axis=1), np.int64)
    odd = rng.random(len(chosen)) < 0.02
    chosen[odd] = rng.integers(0, masks.shape[1], odd.sum())
    return chosen


def infos_of(infos: dict[str, Any]) -> object:
    """Return what both say: how episodes ended, and where."""
    if "final_info" in infos:
        assert (infos["_final_info"] == infos["_final_obs"]).all()
        finals = [final for final in infos["final_obs"] if final is not None]
        seen = [{name: part.tolist() for name, part in final.items()} for final in finals]
        return infos["_final_info"].tolist(), infos["final_info"]["end"].tolist(), seen
    return infos["end"].tolist() if "end" in infos else None


@pytest.mark.later
@pytest.mark.parametrize("mode", AutoresetMode)
@pytest.mark.parametrize(
    ("name", "role"),
    [
        ("tictactoe", "x"),
        ("tictactoe", "o"),
        ("connectfour", "yellow"),
        ("kalah", None),
        ("lightsout", None),
    ],
)
@pytest.mark.sample(4)
def test_it_is_the_environments_of_one_game_side_by_side(
    name: str, role: str | None, mode: AutoresetMode
) -> None:
    game = load(name)
    how: dict[str, Any] = {"role": role, "opponents": first, "max_plies": 30}
    ours = gymnasium.vector_env(game, B, autoreset_mode=mode, **how)
    theirs = SyncVectorEnv(
        [lambda: gymnasium.env(game, **how) for _ in range(B)], autoreset_mode=mode
    )
    assert ours.metadata["autoreset_mode"] is mode
    for space in ("observation_space", "action_space"):
        assert getattr(ours, space) == getattr(theirs, space)
        assert getattr(ours, f"single_{space}") == getattr(theirs, f"single_{space}")
    rng = np.random.default_rng(0)
    (mine, _), (other, _) = ours.reset(seed=0), theirs.reset(seed=0)
    ended = 0
    for _ in range(60):
        assert mine in ours.observation_space
        for key in other:
            np.testing.assert_array_equal(mine[key], other[key])
        actions = actions_of(other, rng)
        mine, *told, infos = ours.step(actions)
        other, *asked, others = theirs.step(actions)
        for one, two in zip(told, asked, strict=True):
            assert one.dtype == two.dtype
            assert np.abs(one.astype(float) - two).max() < 1e-6
        assert infos_of(infos) == infos_of(others)
        over = told[1] | told[2]
        ended += int(over.sum())
        if mode is AutoresetMode.DISABLED and over.any():
            options = {"reset_mask": over}
            (mine, _), (other, _) = (env.reset(options={**options}) for env in (ours, theirs))
    assert ended >= 5


@pytest.mark.later
@pytest.mark.parametrize("text", [DICE, DEAD_END, "rockpaperscissors", "goofspiel"])
def test_chance_and_choices_at_once_are_played_on(text: str, tmp_path: Path) -> None:
    env = gymnasium.vector_env(write(tmp_path, "small", text) if "(" in text else load(text), 70)
    observation, _ = env.reset(seed=1)
    rng, kept = np.random.default_rng(0), 0
    for _ in range(20):
        actions = (observation["action_mask"] * rng.random((70, 1))).argmax(axis=1)
        observation, rewards, terminated, truncated, infos = env.step(actions)
        over = terminated | truncated
        assert not rewards[~over].any()
        assert not observation["action_mask"][over].any()
        assert observation["action_mask"][~over].any(axis=1).all()
        assert (infos["_end"] == over).all() if over.any() else not infos
        kept += int(over.sum())
    assert kept >= 70


def test_what_happens_in_a_row_depends_on_its_seed_and_moves_alone() -> None:
    def played(seeds: list[int]) -> NDArray[Any]:
        env = gymnasium.vector_env(load("connectfour"), len(seeds), role="yellow")
        observation, _ = env.reset(seed=seeds)
        seen = []
        for _ in range(40):
            observation, *_ = env.step(last(observation["observation"], observation["action_mask"]))
            seen.append(observation["observation"][0])
        return np.stack(seen)

    one = played([7])
    assert (played([7, 8, 9]) == one).all()
    assert (played([7, 7, 11, 12, 2]) == one).all()
    assert not (played([8]) == one).all()


def test_a_seed_repeats_all() -> None:
    def played(seed: int | None, env: gym.vector.VectorEnv[Any, Any, Any]) -> NDArray[Any]:
        observation, _ = env.reset(seed=seed)
        seen = []
        for _ in range(10):
            observation, *_ = env.step(observation["action_mask"].argmax(axis=1))
            seen.append(observation["observation"])
        return np.stack(seen)

    env = gymnasium.vector_env(load("tictactoe"), 8)
    once = played(3, env)
    assert (played(3, env) == once).all()
    again = played(None, env)
    assert not (again == once).all()
    played(3, env)
    assert (played(None, env) == again).all()


def test_a_policy_plays_the_other_roles_in_arrays() -> None:
    env = gymnasium.vector_env(load("connectfour"), B, policy=last)
    alone = gymnasium.env(
        load("connectfour"), opponents=lambda _g, s, _c: s.legal(str(s.movers[0]))[-1]
    )
    env.reset(seed=0)
    observation, _ = alone.reset(seed=0)
    for column in (0, 0, 1):
        mine, *_ = env.step(np.full(B, column))
        observation, *_ = alone.step(column)
        assert (mine["observation"] == observation["observation"]).all()


def test_a_named_player_answers_in_every_row() -> None:
    """Who has three in a row is stopped."""
    env = gymnasium.vector_env(load("connectfour"), 3, opponents="greedy")
    env.reset(seed=0)
    for _ in range(3):
        observation, rewards, terminated, *_ = env.step([0, 1, 2])
    assert not rewards.any()
    assert not terminated.any()
    for row, column in enumerate((0, 1, 2)):
        assert observation["observation"][row, :, :, column].any(axis=0).sum() >= 4


def test_make_vec_and_wrappers_of_gymnasium_take_it() -> None:
    made = gym.make_vec(gymnasium.register(load("tictactoe")), num_envs=6, role="o")
    assert type(made).__name__ == "VectorSeatEnv"
    env = FlattenObservation(RecordEpisodeStatistics(made))
    seen, _ = env.reset(seed=0)
    assert seen.shape == (6, 5 * 9 + 9)
    lengths: list[int] = []
    while len(lengths) < 20:
        masks = seen[:, :9]
        seen, *_, infos = env.step(masks.argmax(axis=1))
        if "episode" in infos:
            lengths += infos["episode"]["l"][infos["_episode"]].tolist()
    assert set(lengths) <= {2, 3, 4}
    env.close()


def test_it_is_copied_and_pickled_as_it_stands() -> None:
    env = gymnasium.vector_env(load("tictactoe"), B)
    observation, _ = env.reset(seed=4)
    others = [copy.deepcopy(env), pickle.loads(pickle.dumps(env))]
    for _ in range(6):
        actions = observation["action_mask"].argmax(axis=1)
        observation, rewards, *_ = env.step(actions)
        for other in others:
            seen, got, *_ = other.step(actions)
            assert (seen["observation"] == observation["observation"]).all()
            assert (got == rewards).all()


def test_pictures_are_one_for_each_game() -> None:
    env = gymnasium.vector_env(load("tictactoe"), 2, render_mode="ansi")
    env.reset(seed=0)
    texts = env.render()
    assert len(texts) == 2
    assert texts[0] == str(load("tictactoe").initial())
    assert gymnasium.vector_env(load("tictactoe"), 2).render() is None


NEVER = """
(role a) (role b)
(init (step 0))
(<= (legal a go) (true (step 0)))
(<= (legal a stop) (true (step 0)))
(<= (legal b wait))
(<= (next (step 1)) (true (step 0)))
(<= (legal a wait) (true (step 1)))
(<= terminal (true (step 1)))
(<= (goal a 50)) (<= (goal b 50))
"""


def refusals(tmp_path: Path) -> list[tuple[Callable[[], object], type[Exception], str]]:
    game = load("tictactoe")
    env = gymnasium.vector_env(game, B, autoreset_mode="DISABLED", on_illegal="raise")
    fresh = gymnasium.vector_env(game, B)
    env.reset(seed=0)
    card, never = write(tmp_path, "card", CARD), write(tmp_path, "never", NEVER)
    mask = {"reset_mask": np.ones(B, np.bool_)}

    def over() -> None:
        seen, _ = env.reset(seed=0)
        for _ in range(6):
            seen, *_ = env.step(np.maximum(seen["action_mask"].argmax(axis=1), 0))

    begins = "reset() begins the first episodes; it comes before all else"
    return [
        (lambda: fresh.step(np.zeros(B, int)), ResetNeeded, begins),
        (lambda: fresh.reset(options=mask), ResetNeeded, begins),
        (
            lambda: env.step([0] * 3),
            GdlError,
            (
                "actions have the shape (3,) and the type int64\n"
                "  expected: the number of a move for each game, int[5]"
            ),
        ),
        (
            lambda: env.step([0.5] * B),
            GdlError,
            (
                "actions have the shape (5,) and the type float64\n"
                "  expected: the number of a move for each game, int[5]"
            ),
        ),
        (
            lambda: env.reset(options={"reset_mask": [1, 0, 0, 0, 0]}),
            GdlError,
            (
                "reset_mask has the shape (5,) and the type int64\n"
                "  expected: bool[5], one of them true at least"
            ),
        ),
        (
            lambda: env.reset(seed=[1, 2]),
            GdlError,
            "seed has the shape (2,)\n  expected: a number, or int[5]",
        ),
        (lambda: env.reset(seed=-1), GdlError, "seed must be at least 0, not -1"),
        (over, GdlError, "is over\n  help: begin it anew: reset(options="),
        (
            lambda: gymnasium.vector_env(game, B, autoreset_mode="LATER"),
            ValueError,
            "autoreset_mode must be NEXT_STEP or SAME_STEP or DISABLED, not 'LATER'",
        ),
        (lambda: gymnasium.vector_env(game, 0), GdlError, "the size of a batch must be at least 1"),
        (lambda: gymnasium.vector_env(card, B), GdlError, "card.kif hides facts from its players"),
        (
            lambda: gymnasium.vector_env(never, B, role="b").reset(),
            UnplayableError,
            "b was not asked for a move in 100 episodes of ",
        ),
    ]


def test_what_cannot_be_is_refused_in_words(tmp_path: Path) -> None:
    for call, kind, said in refusals(tmp_path):
        with pytest.raises(kind) as caught:
            call()
        assert said in str(caught.value)


def test_an_illegal_move_is_told_with_its_row_and_changes_nothing() -> None:
    env = gymnasium.vector_env(load("connectfour"), B, on_illegal="raise")
    before, _ = env.reset(seed=0)
    for number in (7, -1):
        with pytest.raises(IllegalMoveError) as caught:
            env.step([0, 0, 0, number, 0])
        assert f"row 3 of the batch, number {number}; nothing was changed" in caught.value.__notes__
    after, *_ = env.step(np.zeros(B, int))
    assert (after["observation"] != before["observation"]).any()
