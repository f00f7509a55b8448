"""Rates with their spread.

In goes something that runs n playouts, out comes a `Rate`. Time is that of the
processor, not of the wall: on a shared machine only ratios of the same run mean
anything, and they mean more when the share that others took is left out.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from statistics import median
from typing import Final

from gdl.playouts import Playouts

FIRST: Final = 64
"""Playouts of the first try."""


@dataclass(frozen=True, slots=True)
class Rate:
    """Playouts a second of processor time.

    Attributes:
        playouts: Median.
        low: Slowest run.
        high: Fastest run.
        mean_length: Mean number of joint moves of a playout.
        mean_goals: Mean goal of each role.
        n: Playouts of each run.
    """

    playouts: float
    low: float
    high: float
    mean_length: float
    mean_goals: tuple[float, ...]
    n: int

    @property
    def transitions(self) -> float:
        """Joint moves a second."""
        return self.playouts * self.mean_length


def measure(
    run: Callable[[int], Playouts],
    *,
    seconds: float = 1.0,
    repeats: int = 3,
    first: int = FIRST,
    clock: Callable[[], float] = time.process_time,
) -> Rate:
    """Return the rate of ``run(n)``, with n so large that one run takes about ``seconds``.

    Args:
        run: Runs so many playouts.
        seconds: Time of one run.
        repeats: Number of runs, after those that find n.
        first: Playouts of the first try.
        clock: Tells the time, in seconds; `time.perf_counter` where threads are measured.
    """
    n, spent = first, 0.0
    while True:
        start = clock()
        run(n)
        spent = clock() - start
        if spent >= seconds / 4:
            break
        n *= 8 if spent < seconds / 32 else 2
    n = max(1, int(n * seconds / spent))
    rates: list[float] = []
    for _ in range(repeats):
        start = clock()
        counts = run(n)
        rates.append(n / (clock() - start))
    return Rate(
        median(rates),
        min(rates),
        max(rates),
        counts.mean_length,
        tuple(counts.mean_goal(role) for role in counts.roles),
        n,
    )


def rate_of(step: Callable[[], int], seconds: float) -> float:
    """Return what is done in a second of processor time, by steps that say how much they did."""
    done, start = 0, time.process_time()
    while (spent := time.process_time() - start) < seconds or not done:
        done += step()
    return done / spent


def interleave(
    runs: Sequence[Callable[[], float]], *, rounds: int = 3
) -> tuple[tuple[float, ...], ...]:
    """Run several measurements in turn, so that a slow minute hits all; rates by measurement."""
    measured: list[list[float]] = [[] for _ in runs]
    for _ in range(rounds):
        for rates, run in zip(measured, runs, strict=True):
            rates.append(run())
    return tuple(map(tuple, measured))
