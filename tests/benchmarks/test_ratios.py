"""How many times as fast one way of playing is as another, in the same run: ratios, not seconds.

The bounds are a third to a half of what a quiet machine shows, so that they fail for a loss
and not for a busy minute. ``pytest tests/benchmarks --benchmark-only`` prints the times.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import cache
from statistics import median
from typing import Any

import numpy as np
import pytest
from pytest_benchmark.fixture import BenchmarkFixture

import gdl
from gdl.bench.measure import interleave
from gdl.bench.peers import open_spiel_rate
from gdl.native.code import llvm as engine
from gdl.native.game import NativeGame
from gdl.playouts import playouts
from gdl.reason.machine import Reasoner
from gdl.ruleset import find
from tests.shared import needs

ROUNDS = 3
SECONDS = 0.1
needs_open_spiel = needs("openspiel")


@cache
def native(name: str) -> NativeGame:
    found = gdl.load(name, backend="native").back_end.native
    assert found is not None
    return found


def lanes(name: str, n: int) -> Callable[[], float]:
    return rate(lambda: native(name).playouts(n), n)


def scalar(name: str, n: int) -> Callable[[], float]:
    game = native(name).scalar()
    return rate(lambda: game.rollouts(game.initial(), n), n)


def reason(name: str, n: int) -> Callable[[], float]:
    machine = Reasoner(find(name).description)
    return rate(lambda: playouts(machine, machine.initial(), n), n)


def rate(run: Callable[[], object], n: int) -> Callable[[], float]:
    """Return what runs something again and again, and says how often a second of the processor."""

    def measured() -> float:
        times, start = 0, time.process_time()
        while (spent := time.process_time() - start) < SECONDS or not times:
            run()
            times += 1
        return n * times / spent

    run()
    return measured


def ratio(
    benchmark: BenchmarkFixture, fast: Callable[[], float], slow: Callable[[], float]
) -> float:
    """Return the median of fast over slow, taken in turns, and note it with the benchmark."""
    ours, theirs = interleave([fast, slow], rounds=ROUNDS)
    found = median(a / b for a, b in zip(ours, theirs, strict=True))
    benchmark.extra_info["ratio"] = found
    benchmark.pedantic(fast, rounds=1)  # type: ignore[no-untyped-call]  # has no types
    return found


@pytest.mark.alone
@pytest.mark.parametrize(
    ("name", "least"), [("tictactoe", 5_000), ("connectfour", 10_000), ("pentago/strict", 50_000)]
)
def test_lanes_over_the_reasoner(benchmark: BenchmarkFixture, name: str, least: float) -> None:
    least *= engine.host().width / 512
    assert ratio(benchmark, lanes(name, 100_000), reason(name, 2)) >= least


@pytest.mark.alone
@pytest.mark.parametrize(("name", "least"), [("connectfour", 35), ("pentago/strict", 50)])
def test_lanes_over_one_game_at_a_time(
    benchmark: BenchmarkFixture, name: str, least: float
) -> None:
    least *= engine.host().width / 512
    assert ratio(benchmark, lanes(name, 200_000), scalar(name, 2_000)) >= least


@pytest.mark.alone
@needs_open_spiel
@pytest.mark.parametrize(
    ("name", "peer", "least"),
    [("pentago/utwente", "pentago", 1.5), ("connectfour", "connect_four", 3.0)],
)
def test_one_game_at_a_time_over_open_spiel(
    benchmark: BenchmarkFixture, name: str, peer: str, least: float
) -> None:
    def theirs() -> float:
        return open_spiel_rate(peer, seconds=SECONDS)

    least *= 1 if engine.host().has("avx512f") else 0.5
    assert ratio(benchmark, scalar(name, 2_000), theirs) >= least


@pytest.mark.alone
def test_a_batch_over_the_lanes(benchmark: BenchmarkFixture) -> None:
    """Arrays in and out, and moves drawn outside, cost no more than a hundred times as much."""
    batch = native("connectfour").batch(1024, auto_reset=True)
    rng = np.random.default_rng(0)
    ended = 0

    def play() -> None:
        nonlocal ended
        for _ in range(100):
            batch.step(batch.sample(rng))
            ended += int(batch.terminal.sum())

    stepping = rate(play, 100 * 1024)
    playing = lanes("connectfour", 100_000)
    mean_length = native("connectfour").playouts(10_000).mean_length
    assert ratio(benchmark, stepping, lambda: playing() * mean_length) >= 1 / 100
    assert ended > 0


class Nothing:
    """What PettingZoo's wrappers go round when there is no game: 20 plies of the same array."""

    def __init__(self) -> None:
        from gymnasium import spaces

        self.possible_agents = ["player_0", "player_1"]
        self.seen = {name: np.ones(7, np.int8) for name in ("observation", "action_mask")}
        self.space = spaces.Discrete(7)

    def action_space(self, agent: str) -> object:
        del agent
        return self.space

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        del seed, options
        self.agents = self.possible_agents[:]
        self.rewards, self._cumulative_rewards = (dict.fromkeys(self.agents, 0.0) for _ in "12")
        self.terminations, self.truncations = (dict.fromkeys(self.agents, False) for _ in "12")
        self.infos: dict[str, Any] = {a: {} for a in self.agents}
        self.agent_selection, self.ply = "player_0", 0

    def observe(self, agent: str) -> object:
        del agent
        return self.seen

    def step(self, action: int | None) -> None:
        if self.terminations[self.agent_selection]:
            self._was_dead_step(action)  # type: ignore[attr-defined]
            return
        self.ply += 1
        self.agent_selection = self.possible_agents[self.ply & 1]
        self.terminations = dict.fromkeys(self.agents, self.ply == 20)


def in_turns(env: Any) -> Callable[[], float]:  # noqa: ANN401  # has no types
    """Return what plays an environment by its masks, and says its moves a second of processor."""

    def measured() -> float:
        moves, start = 0, time.process_time()
        while (spent := time.process_time() - start) < SECONDS:
            env.reset(seed=moves)
            for agent in env.agent_iter():
                observation, _, is_over, is_cut, _ = env.last()
                legal = () if is_over or is_cut else observation["action_mask"].nonzero()[0]
                env.step(int(legal[-(agent == "player_0")]) if len(legal) else None)
                moves += len(legal) > 0
        return moves / spent

    measured()
    return measured


@pytest.mark.alone
def test_a_vector_environment_over_its_batch(benchmark: BenchmarkFixture) -> None:
    """Masks, draws row by row and rewards in numpy, over the same draws in machine code."""
    from gdl.adapters import vector

    batch, rng = native("tictactoe").batch(1024, auto_reset=True), np.random.default_rng(0)
    env = vector.env("tictactoe", 1024)
    learning = rate(lambda: env.step(env.sample()), 1024)
    stepping = rate(lambda: batch.step(batch.sample(rng)), 1024)
    assert ratio(benchmark, learning, stepping) >= 1 / 40


@pytest.mark.alone
@needs("adapters")
def test_a_game_of_pettingzoo_over_its_wrappers_round_nothing(benchmark: BenchmarkFixture) -> None:
    """Connect Four with its guards takes less time than the three usual wrappers by themselves."""
    from pettingzoo import AECEnv
    from pettingzoo.utils import wrappers

    from gdl.adapters import pettingzoo

    empty = type("Empty", (Nothing, AECEnv), {"metadata": {"name": "nothing"}})()
    losing = wrappers.TerminateIllegalWrapper(empty, illegal_reward=-1)
    wrapped = wrappers.OrderEnforcingWrapper(wrappers.AssertOutOfBoundsWrapper(losing))
    assert ratio(benchmark, in_turns(pettingzoo.env("connectfour")), in_turns(wrapped)) >= 1


@pytest.mark.alone
@needs("adapters")
def test_a_seat_of_gymnasium_over_the_same_by_states(benchmark: BenchmarkFixture) -> None:
    """Numbers and bytes in the place of terms and states, which say what is right."""
    from gdl.adapters import gymnasium
    from gdl.adapters.walk import Walk

    def steps(env: Any) -> Callable[[], float]:  # noqa: ANN401  # has no types
        def play() -> None:
            observation, _ = env.reset(seed=0)
            for _ in range(100):
                move = int(observation["action_mask"].argmax())
                observation, _, is_over, is_cut, _ = env.step(move)
                if is_over or is_cut:
                    observation, _ = env.reset()

        return rate(play, 100)

    plain = gymnasium.env("connectfour")
    plain._walk = Walk(plain.markov_game)
    assert ratio(benchmark, steps(gymnasium.env("connectfour")), steps(plain)) >= 3
