"""Seconds for a piece of work, of which a busy machine takes little.

Whether moves can be matched must not hang on what else a machine does: what is counted is time of
the processor, and time by the clock at a quarter at least, so that an engine that waits, or works
in a process of its own, cannot hold up a search for ever.
"""

from __future__ import annotations

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
    _clock: float = field(default_factory=time.monotonic, init=False)
    _used: float = field(default_factory=time.process_time, init=False)

    @property
    def spent(self) -> float:
        """Seconds that count so far."""
        clock = time.monotonic() - self._clock
        return max(clock * WAITING, min(clock, time.process_time() - self._used))

    def is_spent(self) -> bool:
        """Return whether nothing is left."""
        return self.seconds is not None and self.spent > self.seconds
