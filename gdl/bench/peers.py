"""Other programs that play the same games, measured the same way.

open_spiel's rollouts run in C++ (`RandomRolloutEvaluator`). Python reaches them through
its tree search: with one simulation, that evaluates the root, which is nothing but so
many rollouts from the initial state. pgx steps many games at once on the processor
through JAX; its random policy runs inside the same compiled loop, which is its fastest way.

Source: Lanctot et al., "OpenSpiel: A Framework for Reinforcement Learning in Games", 2019;
Koyamada et al., "Pgx: Hardware-Accelerated Parallel Game Simulators for Reinforcement
Learning", NeurIPS 2023.
"""

from __future__ import annotations

import importlib
import importlib.util
import os
import time
from collections.abc import Callable
from typing import Any, Final

from gdl.bench.measure import rate_of

OPEN_SPIEL: Final = {
    "tictactoe": "tic_tac_toe",
    "connectfour": "connect_four",
    "pentago/strict": "pentago",
    "pentago/utwente": "pentago",
    "pentago/phased": "pentago",
    "gomoku/freestyle": "gomoku",
}
"""open_spiel's name of the game that is the same as ours, or the nearest to it.

Its pentago is the utwente rule and its gomoku the freestyle rule.
"""
BY_FILE: Final = {
    "ticTacToe": "tic_tac_toe",
    "connectFour": "connect_four",
    "breakthrough": "breakthrough",
    "reversi": "othello",
}
"""The same for published rule files, by their names."""
PGX: Final = {
    "tictactoe": "tic_tac_toe",
    "connectfour": "connect_four",
    "ticTacToe": "tic_tac_toe",
    "reversi": "othello",
}
"""pgx's name of the game that is the same as a ruleset or a published file."""
PGX_STEPS: Final = 100
"""Steps of one compiled loop of pgx."""


def has_open_spiel() -> bool:
    """Return whether open_spiel is installed."""
    return importlib.util.find_spec("pyspiel") is not None


def open_spiel_rollouts(game: str, rollouts: int) -> Callable[[], None]:
    """Return what runs so many of open_spiel's own rollouts from the start of a game."""
    pyspiel: Any = importlib.import_module("pyspiel")
    loaded = pyspiel.load_game(game)
    evaluator = pyspiel.RandomRolloutEvaluator(rollouts, 1)
    bot = pyspiel.MCTSBot(
        loaded,
        evaluator,
        1.0,  # constant of exploration, of no use in one simulation
        1,  # simulations
        10,  # megabytes
        False,  # solve  # noqa: FBT003  # positional in pyspiel
        42,  # seed
        False,  # verbose  # noqa: FBT003  # likewise
    )
    state = loaded.new_initial_state()

    def run() -> None:
        bot.mcts_search(state)

    return run


def open_spiel_rate(game: str, *, seconds: float = 1.0) -> float:
    """Return open_spiel's rollouts a second of processor time."""
    rollouts = 16
    while True:
        run = open_spiel_rollouts(game, rollouts)
        start = time.process_time()
        run()
        spent = time.process_time() - start
        if spent >= seconds / 4:
            return rollouts / spent
        rollouts *= 2 if spent > seconds / 32 else 8


def has_pgx() -> bool:
    """Return whether pgx is installed."""
    return importlib.util.find_spec("pgx") is not None


def pgx_rate(game: str, size: int) -> Callable[[float], float]:
    """Return what tells pgx's moves a second, so many games at once, uniform random moves.

    It takes the processor time of a measurement, in seconds. Games that end begin anew, as
    in ours. Compiling takes some seconds, once.
    """
    os.environ.setdefault(
        "XLA_FLAGS", "--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1"
    )
    jax: Any = importlib.import_module("jax")
    pgx: Any = importlib.import_module("pgx")
    auto_reset: Any = importlib.import_module("pgx.experimental").auto_reset
    env = pgx.make(game)
    step = jax.vmap(auto_reset(env.step, env.init))

    def move(carry: tuple[Any, Any], _: None) -> tuple[tuple[Any, Any], None]:
        state, key = carry
        key, choice, chance = jax.random.split(key, 3)
        logits = jax.numpy.where(state.legal_action_mask, 0.0, -1e9)
        chosen = jax.random.categorical(choice, logits, axis=-1)
        return (step(state, chosen, jax.random.split(chance, size)), key), None

    loop = jax.jit(lambda carry: jax.lax.scan(move, carry, None, length=PGX_STEPS)[0])
    key = jax.random.PRNGKey(0)
    carry = loop((jax.vmap(env.init)(jax.random.split(key, size)), key))
    jax.block_until_ready(carry)

    def steps() -> int:
        nonlocal carry
        carry = loop(carry)
        jax.block_until_ready(carry)
        return size * PGX_STEPS

    return lambda seconds: rate_of(steps, seconds)
