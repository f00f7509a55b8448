"""Plays that come to all of many things: a few long ones show most.

In: a system whose bads are to be reached. Out: plays, each of which shows one that those before
it do not. Random plays are tried first, every other round such as linger; a solver looks for what
they do not meet.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from gdl.verify.proving.unroll import bounded
from gdl.verify.solvers.budget import Budget, OutOfBudgetError
from gdl.verify.systems.bit_parallel import of_facts, states_along
from gdl.verify.systems.sampling import sample
from gdl.verify.systems.system import Bad, Play, System

LANES: Final = 128
ROUNDS: Final = 8
"""Rounds of so many random plays."""


def covering_plays(
    system: System, first: Iterable[Play], budget: Budget, *, seed: int = 0
) -> list[Play]:
    """Return plays in whose states all bads of a system are true.

    Args:
        system: The system.
        first: Plays that are tried first.
        budget: Of time and memory.
        seed: Of the random plays.

    Raises:
        OutOfBudgetError: It was spent first, or something is never true.
    """
    plays: list[Play] = []
    left = list(system.bads)

    def take(play: Play) -> None:
        nonlocal left
        seen = shown_along(system.asking(left), play)
        if seen:
            plays.append(play)
            left = [bad for bad in left if bad not in seen]

    for play in (*first, ()):
        take(play)
    for turn in range(ROUNDS):
        if not left:
            return plays
        budget.check()
        lingers = turn % 2 == 1
        sampled = sample(system.asking(()), budget, seed=seed + turn, lanes=LANES, lingers=lingers)
        plays_to = sampled.first(system, [bad.edge for bad in left])
        for met in sorted(filter(None, plays_to), key=len, reverse=True):  # which show others, too
            take(tuple(met))
    while left:
        shortest, _ = bounded(system.asking(left), budget)
        if shortest is None:
            budget.check()
            raise OutOfBudgetError(f"no play was found that comes to {left[0].name}")
        take(shortest)
    return plays


def shown_along(system: System, play: Play) -> set[Bad]:
    """Return the bads that are true in some state of a play. Cost O(nodes) a ply."""
    import numpy as np

    edges = [bad.edge for bad in system.bads]
    shown = of_facts(system, edges).run(states_along(system, play))
    return {system.bads[index] for index in np.flatnonzero(shown.any(axis=1)).tolist()}
