"""How fast many games at once run from Python.

In goes the name of a game, out comes an `EnvironmentRate`: moves a second of a learner that
draws its moves from the masks, with and without looking at the games, and of a bare batch.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING, Final

from gdl.bench.measure import interleave, rate_of
from gdl.bench.peers import PGX, has_pgx, pgx_rate
from gdl.game import load
from gdl.language.diagnostics import GdlError
from gdl.machine import IllegalMoveError

if TYPE_CHECKING:
    from gdl.adapters.vector_env import VectorEnv

SIZE: Final = 1024
"""Games at once."""
AT_A_TIME: Final = 50
"""Steps of a batch between two looks at the clock."""


@dataclass(frozen=True, slots=True)
class EnvironmentRate:
    """Moves a second of processor time, one joint move of one game each.

    Attributes:
        size: Games at once.
        moves: Masks, drawing and stepping.
        observed: The same with observations; None where the game hides facts.
        batch: Moves a second of `game.batch`, masks and drawing included; None where several
            roles choose at once.
        peer: Moves a second of pgx in the same run; None where it is not installed or has no
            such game.
        ratio: Median of the batch's over pgx's, the two taking turns; None likewise.
    """

    size: int
    moves: float
    observed: float | None
    batch: float | None = None
    peer: float | None = None
    ratio: float | None = None


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

    theirs = PGX.get(name, PGX.get(Path(name).stem)) if has_pgx() else None
    try:
        env = vector.env(name, size)
        plain = [_rate(env, seconds, looks=False) for _ in range(rounds)]
        looking = (
            None
            if env.markov_game.hides_facts
            else median(_rate(env, seconds, looks=True) for _ in range(rounds))
        )
        runs = [_batch(name, size, seconds)]
        if theirs is not None:
            peer = pgx_rate(theirs, size)
            runs.append(lambda: peer(seconds))
        ours, *others = interleave(runs, rounds=rounds)
    except IllegalMoveError:  # several choose at once, which a batch does not draw
        return EnvironmentRate(size, median(plain), looking)
    except GdlError:
        return None
    rate = EnvironmentRate(size, median(plain), looking, median(ours))
    if not others:
        return rate
    ratio = median(a / b for a, b in zip(ours, others[0], strict=True))
    return replace(rate, peer=median(others[0]), ratio=ratio)


def _batch(name: str, size: int, seconds: float) -> Callable[[], float]:
    """Return what tells the moves a second of a batch that draws its own."""
    import numpy as np

    batch = load(name, backend="native").batch(size, auto_reset=True)
    rng = np.random.default_rng(0)

    def step() -> int:
        for _ in range(AT_A_TIME):
            batch.step(batch.sample(rng))
        return size * AT_A_TIME

    return lambda: rate_of(step, seconds)


def _rate(env: VectorEnv, seconds: float, *, looks: bool) -> float:
    def step() -> int:
        if looks:
            _ = env.observations
        env.step(env.sample())
        return env.size

    return rate_of(step, seconds)
