"""What type of game it is, as OpenSpiel wants to know before it is played.

In: a `MarkovGame`. Out: a `SampledType`, and with what the user says a `GameType`: do players take
turns, and do their goals always add up to the same. That nobody chooses while another one does is
proved where the rules run like a clock; else both are what a fixed number of random plays
shows, the same in every run. Whoever relies on it checks it at every state
(`gdl.adapters.spiel_game`).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np

from gdl.adapters.markov_game import EVEN, MarkovGame, Status
from gdl.language.diagnostics import GdlError

PLIES: Final = 1_000
"""Plies that are looked at in random plays; a tenth of it for games run by the reasoner."""
FEWEST: Final = 3
"""Plays that are finished whatever they take."""


@dataclass(frozen=True, slots=True)
class SampledType:
    """What type of game random plays show it to be.

    Attributes:
        is_turn_taking: Whether no two players choose at the same time.
        goal_sum: What the goals of a finished game add up to, None where that differs, or
            where no random play came to a decided end.
    """

    is_turn_taking: bool
    goal_sum: int | None


@dataclass(frozen=True, slots=True)
class GameType:
    """What type of game it is.

    Attributes:
        is_turn_taking: Whether no two players choose at the same time.
        utility: ``zero-sum``, ``constant-sum`` or ``general-sum``.
        utility_sum: What utilities add up to, None where that differs.
    """

    is_turn_taking: bool
    utility: str
    utility_sum: float | None


def sample_type(markov_game: MarkovGame) -> SampledType:
    """Return what random plays show of a game. Cost: a thousand plies, half a second or so."""
    rng = np.random.default_rng(0)
    is_turn_taking, sums = True, set[int]()
    left = PLIES if markov_game.game.back_end.native is not None else PLIES // 10
    plays = 0
    while left > 0 or plays < FEWEST:
        state = markov_game.start(rng)
        while markov_game.status(state) is Status.GOING and (left > 0 or plays < FEWEST):
            asked = markov_game.asked(state)
            is_turn_taking = is_turn_taking and len(asked) <= 1
            chosen = {p: int(rng.choice(markov_game.options(state, p))) for p in asked}
            state = markov_game.after(state, chosen, rng)
            left -= 1
        plays += 1
        if markov_game.is_decided(state):
            goals = [markov_game.goal(state, player) for player in range(len(markov_game.players))]
            sums.add(sum(goal for goal in goals if goal is not None))
    total = sums.pop() if len(sums) == 1 else None
    return SampledType(markov_game.table.is_turn_taking or is_turn_taking, total)


def find_game_type(markov_game: MarkovGame, dynamics: str | None, utility: str | None) -> GameType:
    """Return what type of game it is: what was said, and what is found out for the rest.

    Raises:
        GdlError: The sum is said to be constant, and is not.
    """
    sampled = sample_type(markov_game)
    is_turn_taking = sampled.is_turn_taking if dynamics is None else dynamics == "sequential"
    players = len(markov_game.players)
    total = None if sampled.goal_sum is None or players == 1 else sampled.goal_sum / EVEN - players
    if utility is None:
        constant = "constant-sum" if total else "zero-sum"
        utility = "general-sum" if total is None else constant
    if utility == "constant-sum" and total is None:
        raise GdlError(
            f"random plays of {markov_game.game.id} do not end with goals that add up to the same",
            expected="general-sum, or a game whose players share a fixed sum",
        )
    if utility == "general-sum":
        total = None
    elif utility == "zero-sum":
        total = 0.0
    return GameType(is_turn_taking, utility, total)
