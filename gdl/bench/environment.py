"""How fast the vector environment of a game runs.

In goes the name of a game, out comes an `EnvironmentRate`: moves a second of a learner that
draws its moves from the masks, with and without looking at the games.

Source: ours.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from statistics import median
from typing import TYPE_CHECKING, Final

from gdl.language.diagnostics import GdlError

if TYPE_CHECKING:
    from gdl.adapters.lanes_env import VectorEnv

SIZE: Final = 1024
"""Games at once."""


@dataclass(frozen=True, slots=True)
class EnvironmentRate:
    """Moves a second of processor time, one joint move of one game each.

    Attributes:
        size: Games at once.
        moves: Masks, drawing and stepping.
        observed: The same with observations; None where the game hides facts.
    """

    size: int
    moves: float
    observed: float | None


def environment_rate(
    name: str, *, size: int = SIZE, seconds: float = 0.5, rounds: int = 3
) -> EnvironmentRate | None:
    """Return how fast the vector environment of a game runs, None where it has none.

    Args:
        name: Ruleset id or path of a rule file.
        size: Games at once.
        seconds: Processor time of each single run.
        rounds: Runs of each kind, of which the median is taken.
    """
    from gdl.adapters import vector

    try:
        env = vector.env(name, size)
        plain = [_rate(env, seconds, looks=False) for _ in range(rounds)]
        if env.course.hides_facts:
            return EnvironmentRate(size, median(plain), None)
        looking = [_rate(env, seconds, looks=True) for _ in range(rounds)]
    except GdlError:
        return None
    return EnvironmentRate(size, median(plain), median(looking))


def _rate(env: VectorEnv, seconds: float, *, looks: bool) -> float:
    made, start = 0, time.process_time()
    while (spent := time.process_time() - start) < seconds or not made:
        if looks:
            _ = env.observations
        env.step(env.sample())
        made += env.size
    return made / spent
