"""What kind of game it is, as OpenSpiel wants to know before it is played.

In: a `Course`. Out: a `Profile`, and with what the user says a `Kind`: do players take turns,
and do their goals always add up to the same. That nobody chooses while another one does is
proved where the rules run like a clock; else both are what a fixed number of random plays
shows, the same in every run. Whoever relies on it checks it at every state
(`gdl.adapters.spiel_game`).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np

from gdl.adapters.markov_game import EVEN, Course, Standing
from gdl.language.diagnostics import GdlError

PLIES: Final = 1_000
"""Plies that are looked at in random plays; a tenth of it for games run by the reasoner."""
FEWEST: Final = 3
"""Plays that are finished whatever they take."""


@dataclass(frozen=True, slots=True)
class Profile:
    """What kind of game it is.

    Attributes:
        is_turn_taking: Whether no two players choose at the same time.
        goal_sum: What the goals of a finished game add up to, None where that differs, or
            where no random play came to a decided end.
    """

    is_turn_taking: bool
    goal_sum: int | None


@dataclass(frozen=True, slots=True)
class Kind:
    """What kind of game it is.

    Attributes:
        is_turn_taking: Whether no two players choose at the same time.
        utility: ``zero-sum``, ``constant-sum`` or ``general-sum``.
        utility_sum: What utilities add up to, None where that differs.
    """

    is_turn_taking: bool
    utility: str
    utility_sum: float | None


def profile(course: Course) -> Profile:
    """Return what random plays show of a game. Cost: a thousand plies, half a second or so."""
    rng = np.random.default_rng(0)
    is_turn_taking, sums = True, set[int]()
    left = PLIES if course.game.back_end.native is not None else PLIES // 10
    plays = 0
    while left > 0 or plays < FEWEST:
        state = course.start(rng)
        while course.standing(state) is Standing.GOING and (left > 0 or plays < FEWEST):
            asked = course.asked(state)
            is_turn_taking = is_turn_taking and len(asked) <= 1
            chosen = {p: int(rng.choice(course.options(state, p))) for p in asked}
            state = course.after(state, chosen, rng)
            left -= 1
        plays += 1
        if course.is_decided(state):
            goals = [course.goal(state, player) for player in range(len(course.players))]
            sums.add(sum(goal for goal in goals if goal is not None))
    total = sums.pop() if len(sums) == 1 else None
    return Profile(course.table.is_turn_taking or is_turn_taking, total)


def find_kind(course: Course, dynamics: str | None, utility: str | None) -> Kind:
    """Return what kind of game it is: what was said, and what is found out for the rest.

    Raises:
        GdlError: The sum is said to be constant, and is not.
    """
    found = profile(course)
    is_turn_taking = found.is_turn_taking if dynamics is None else dynamics == "sequential"
    players = len(course.players)
    total = None if found.goal_sum is None or players == 1 else found.goal_sum / EVEN - players
    if utility is None:
        constant = "constant-sum" if total else "zero-sum"
        utility = "general-sum" if total is None else constant
    if utility == "constant-sum" and total is None:
        raise GdlError(
            f"random plays of {course.game.id} do not end with goals that add up to the same\n"
            "  expected: general-sum, or a game whose players share a fixed sum"
        )
    if utility == "general-sum":
        total = None
    elif utility == "zero-sum":
        total = 0.0
    return Kind(is_turn_taking, utility, total)
