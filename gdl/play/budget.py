"""The time a player has for one move, and the ways to end a search before it.

A `Budget` of seconds runs from the moment it is made. It is over when its seconds are spent, less a
margin for what is left to do (naming the move, handing it over), when its simulations are
spent, or when somebody stops it from another thread. The margin is small, and grows where the
machine shows that it is slow to wake who waits (`Budget.expect`).
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from threading import Event
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from gdl.play.thoughts import Thoughts

MARGIN: Final = 0.02
"""Part of the seconds that a player keeps in hand."""
LEAST_MARGIN: Final = 0.006
"""Seconds that are kept in hand besides."""
MOST_MARGIN: Final = 0.1
"""Seconds of that part, at most."""
SAFETY: Final = 3.0
"""How many times the delay that was measured is kept in hand."""
TELL_SECONDS: Final = 0.1
"""Least time between two reports to a watcher, in seconds."""


class Budget:
    """How long a player may think about one move.

    Attributes:
        seconds: The whole time, in seconds; infinite where only simulations are counted.
        simulations: How many simulations a search may make; None for any number. With
            infinite seconds a player with a seed then always finds the same.
        started: When it began to run, as `time.monotonic` tells it.
        margin: Seconds at the end in which nothing new should be begun; never more than half.
    """

    def __init__(
        self,
        seconds: float = math.inf,
        *,
        simulations: int | None = None,
        margin: float | None = None,
        stop: Event | None = None,
        watch: Callable[[Thoughts], None] | None = None,
    ) -> None:
        """Start the budget.

        Args:
            seconds: The whole time.
            simulations: Most simulations of a search.
            margin: Seconds to keep in hand, by default a small part of the whole.
            stop: Set from outside, it ends the search.
            watch: Is shown what a search thinks, again and again while it goes on.

        Raises:
            ValueError: Time or simulations that are not more than nothing.
        """
        if not seconds > 0:
            raise ValueError(f"seconds must be more than 0, not {seconds}")
        if simulations is not None and simulations < 1:
            raise ValueError(f"simulations must be at least 1, not {simulations}")
        self.started = time.monotonic()
        self.seconds = seconds
        self.simulations = simulations
        if margin is None:
            margin = min(LEAST_MARGIN + min(MARGIN * seconds, MOST_MARGIN), seconds / 2)
        self.margin = self._least = margin
        self._stop = stop or Event()
        self._watch = watch
        self._told = self.started

    @property
    def spent(self) -> float:
        """Seconds since it began to run."""
        return time.monotonic() - self.started

    @property
    def left(self) -> float:
        """Seconds until the time for thinking is over, below 0 when it is; a stop counts."""
        if self._stop.is_set():
            return 0.0
        return self.seconds - self.margin - self.spent

    @property
    def is_over(self) -> bool:
        """Whether a player should answer now."""
        return self.left <= 0

    @property
    def is_missed(self) -> bool:
        """Whether an answer that comes now is late."""
        return self.spent > self.seconds

    def expect(self, delay: float) -> None:
        """Keep more in hand: so many seconds may pass from the wish to answer to the answer.

        What was measured on the way is a sample, so a multiple of it is kept.
        """
        self.margin = max(self.margin, min(self._least + SAFETY * delay, self.seconds / 2))

    def stop(self) -> None:
        """End the search; may be called from any thread."""
        self._stop.set()

    @property
    def is_watched(self) -> bool:
        """Whether somebody watches and it is time to tell."""
        return self._watch is not None and time.monotonic() - self._told >= TELL_SECONDS

    def tell(self, thoughts: Thoughts) -> None:
        """Show the watcher what the search thinks."""
        if self._watch is not None:
            self._watch(thoughts)
            self._told = time.monotonic()

    def __repr__(self) -> str:
        """Show what is left."""
        return f"<Budget {self.left:.3f} of {self.seconds:g} s>"
