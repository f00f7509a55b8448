"""How much time and memory a question may take.

Source: ours.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from typing import Final

DEFAULT_SECONDS: Final = 120.0
DEFAULT_MEGABYTES: Final = 4096


class OutOfBudgetError(Exception):
    """Time or memory ran out; whoever asked turns it into a partial answer."""


@dataclass(slots=True)
class Budget:
    """Counts from when it is made.

    Attributes:
        seconds: Wall-clock time.
        megabytes: Memory of the whole process.
    """

    seconds: float = DEFAULT_SECONDS
    megabytes: int = DEFAULT_MEGABYTES
    _start: float = field(default_factory=time.monotonic)

    @property
    def elapsed(self) -> float:
        """Seconds since it was made."""
        return time.monotonic() - self._start

    @property
    def left(self) -> float:
        """Seconds that are left, never below 0."""
        return max(0.0, self.seconds - self.elapsed)

    def share(self, seconds: float) -> Budget:
        """Return a budget of at most so many seconds within this one."""
        return Budget(min(seconds, self.left), self.megabytes)

    def check(self) -> None:
        """Raise when nothing is left.

        Raises:
            OutOfBudgetError: Says what ran out.
        """
        if self.elapsed > self.seconds:
            raise OutOfBudgetError(f"{self.seconds:g} seconds are over")
        used = memory_megabytes()
        if used > self.megabytes:
            raise OutOfBudgetError(f"{used} of {self.megabytes} megabytes are in use")


def memory_megabytes() -> int:
    """Return the resident memory of this process; 0 where the system does not say."""
    try:
        with open("/proc/self/statm", encoding="ascii") as file:  # noqa: PTH123  # every few milliseconds
            return int(file.read().split()[1]) * 4096 // 1_048_576
    except (OSError, ValueError, IndexError):
        return 0
