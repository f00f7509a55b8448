"""Other programs that play the same games, measured the same way.

open_spiel's rollouts run in C++ (`RandomRolloutEvaluator`). Python reaches them through
its tree search: with one simulation, that evaluates the root, which is nothing but so
many rollouts from the initial state.

Source: Lanctot et al., "OpenSpiel: A Framework for Reinforcement Learning in Games", 2019.
"""

from __future__ import annotations

import importlib
import importlib.util
import time
from collections.abc import Callable
from typing import Any, Final

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
