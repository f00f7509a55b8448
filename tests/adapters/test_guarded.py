"""The guarded environment beside PettingZoo's own wrappers: the same answers to anything."""

from __future__ import annotations

import random
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.shared import examples, missing

pytest.importorskip("pettingzoo", reason=missing("adapters"))

from pettingzoo.utils.wrappers import (
    AssertOutOfBoundsWrapper,
    OrderEnforcingWrapper,
    TerminateIllegalWrapper,
)

from gdl.adapters import pettingzoo
from gdl.game import GameLike
from tests.adapters.games import load
from tests.adapters.rules import DEAD_END, PENNIES, write

TOLD = (
    "agent_selection",
    "agents",
    "num_agents",
    "rewards",
    "terminations",
    "truncations",
    "infos",
)
ACTS = ("play", "play", "play", "play", "pass", "clash", "beyond", "odd", "reset", "see", "turn")


def wrapped(game: GameLike, max_plies: int) -> Any:  # noqa: ANN401  # has no types
    raw = pettingzoo.raw_env(game, max_plies=max_plies, render_mode="ansi")
    losing = TerminateIllegalWrapper(raw, illegal_reward=raw.markov_game.worst)
    return OrderEnforcingWrapper(AssertOutOfBoundsWrapper(losing))


def answer(act: Callable[[], object]) -> object:
    """Return what comes of an act: a value, or the kind and the words of an error."""
    try:
        return act()
    except Exception as error:  # noqa: BLE001  # whatever one of them raises
        return type(error), str(error)


def seen(observation: object) -> object:
    if not isinstance(observation, dict):
        return observation
    return {name: array.tolist() for name, array in observation.items()}


def watch(env: Any, agent: str) -> object:  # noqa: ANN401  # either of two
    return seen(env.observe(agent))


def told(env: Any) -> list[object]:  # noqa: ANN401  # likewise
    """Return all that is told of an environment."""
    facts = [answer(partial(getattr, env, name)) for name in TOLD]
    facts += [answer(lambda: env.last()[1:]), answer(env.render), str(env)]
    for agent in env.possible_agents:
        facts.append(answer(lambda agent=agent: seen(env.observe(agent))))  # type: ignore[misc]
    return facts


def do(env: Any, act: str, rng: random.Random) -> object:  # noqa: ANN401  # likewise
    """Do something to an environment, right or wrong; the same number draws the same."""
    size = env.action_space("player_0").n
    if act == "reset":
        env.reset(seed=rng.randrange(9))
        return None
    if act == "see":
        observation, *others = env.last()
        return seen(observation), others
    if act == "turn":
        return next(iter(env.agent_iter()), None)
    if act == "pass":
        return env.step(None)
    if act in {"beyond", "odd"}:
        return env.step(
            rng.choice([-1, size, 1 << 70] if act == "beyond" else [0.5, "1", np.int8(0)])
        )
    mask = env.observe(env.agent_selection)["action_mask"]
    numbers = np.flatnonzero(mask == (act == "play"))
    if not len(numbers):
        return env.step(None)
    return env.step(rng.choice([int, np.int64])(rng.choice(numbers.tolist())))


def hold_together(game: GameLike, acts: list[str], seed: int) -> None:
    one, two = pettingzoo.env(game, max_plies=6, render_mode="ansi"), wrapped(game, 6)
    draws = random.Random(seed), random.Random(seed)
    for act in acts:
        ours, theirs = (
            answer(partial(do, env, act, draw)) for env, draw in zip((one, two), draws, strict=True)
        )
        assert ours == theirs, act
        assert told(one) == told(two), act


any_acts = st.lists(st.sampled_from(ACTS), max_size=14)
begun = any_acts.map(lambda acts: ["reset", *acts])


def test_guarded_is_wrapped_whatever_is_done_once() -> None:
    hold_together(
        load("tictactoe"), ["play", "reset", *ACTS[3:], "play", "clash", "pass", "pass"], 3
    )


@pytest.mark.slow
@given(any_acts | begun, st.integers(0, 99))
@settings(max_examples=examples(60), deadline=None)
def test_guarded_is_wrapped(acts: list[str], seed: int) -> None:
    hold_together(load("tictactoe"), acts, seed)


@pytest.mark.slow
@pytest.mark.parametrize("text", [PENNIES, DEAD_END])
def test_guarded_is_wrapped_in_other_games(text: str, tmp_path: Path) -> None:
    path = write(tmp_path, "small", text)
    rng = random.Random(1)
    for seed in range(10):
        hold_together(path, ["reset", *rng.choices(ACTS, k=12)], seed)
