"""Seconds for a piece of work, of which a busy machine takes little.

Whether moves can be matched must not hang on what else a machine does: what is counted is time of
the processor, and of time by the clock the share that one of many gets. Where there is a core for
everybody who wants to run, that is all of it: an engine that waits, or works in a process of its
own, holds up a search for no longer than was asked.
"""

from __future__ import annotations

import os
import time
from dataclasses import dataclass, field
from typing import Final

WAITING: Final = 0.25
"""What a second by the clock counts at least."""


@dataclass(frozen=True)
class Allowance:
    """So many seconds from now on.

    Time of the processor is that of all threads; it never counts for more than the clock says.

    Attributes:
        seconds: How many; None for no end.
    """

    seconds: float | None
    _clock: float = field(default_factory=time.monotonic)
    _used: float = field(default_factory=time.process_time)

    def part(self, share: float) -> Allowance:
        """Return a part of it, from when it began."""
        seconds = None if self.seconds is None else self.seconds * share
        return Allowance(seconds, self._clock, self._used)

    def rest(self, share: float) -> Allowance:
        """Return a share of what is left of it, from now on."""
        left = None if self.seconds is None else max(0.0, self.seconds - self.spent) * share
        return Allowance(left)

    @property
    def spent(self) -> float:
        """Seconds that count so far."""
        clock = time.monotonic() - self._clock
        return max(clock * _share(), min(clock, time.process_time() - self._used))

    def is_spent(self) -> bool:
        """Return whether nothing is left."""
        return self.seconds is not None and self.spent > self.seconds


def _share() -> float:
    """Return the share of the machine that one gets who wants to run."""
    if not hasattr(os, "getloadavg"):
        return WAITING
    running, *_ = os.getloadavg()
    return min(1.0, max(WAITING, (os.cpu_count() or 1) / max(running, 1.0)))
