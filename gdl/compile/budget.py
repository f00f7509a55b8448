"""What one build may still take: time until a deadline, and memory.

In: the limits of a build. Out: whether they are used up, asked again and again by every
stage. A stage that only makes the circuit smaller stops then and keeps what it has; one
that the circuit cannot do without raises.

Memory is what the process holds now less what it held when the build began, so that a
program that already holds much is not punished for it.
"""

from __future__ import annotations

import os
import sys
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from gdl.compile.limits import CompileLimits, GroundingLimitError

_STATM: Final = Path("/proc/self/statm")


@dataclass(frozen=True, slots=True)
class Budget:
    """The limits of a build, and where it began.

    Attributes:
        limits: The limits of the whole build.
        deadline: When its time is up, by the clock of the limits.
        memory: Bytes that the process held when it began.
    """

    limits: CompileLimits
    deadline: float
    memory: int

    @property
    def seconds_left(self) -> float:
        """Seconds until the deadline, never negative."""
        return max(0.0, self.deadline - self.limits.clock())

    @property
    def bytes_left(self) -> int:
        """Bytes that may still be taken, never negative."""
        return max(0, self.limits.bytes - (memory_held() - self.memory))

    @property
    def is_spent(self) -> bool:
        """Whether time or memory is used up. Cost some ten microseconds."""
        return self.limits.clock() >= self.deadline or not self.bytes_left

    def part(self, share: float) -> Budget:
        """Return a budget of the same memory that ends after a share of the time left."""
        return replace(self, deadline=self.limits.clock() + share * self.seconds_left)

    def check(self, stage: str) -> None:
        """Raise if it is spent.

        Args:
            stage: What is being done, for the message (``making gates of the rules``).

        Raises:
            GroundingLimitError: Time or memory is used up.
        """
        if self.limits.clock() >= self.deadline:
            most, limit = f"{self.limits.seconds:g} seconds", "seconds"
        elif not self.bytes_left:
            most, limit = f"{self.limits.bytes:,} bytes", "bytes"
        else:
            return
        raise GroundingLimitError(
            f"the circuit of the rules is too large: {stage} was stopped after {most}",
            help=f"raise the limit with CompileLimits({limit}=...), "
            "or let the reasoner play this game",
        )


def begin(limits: CompileLimits) -> Budget:
    """Return the budget of a build that begins now."""
    return Budget(limits, limits.clock() + limits.seconds, memory_held())


def processor_seconds() -> float:
    """Return the processor time of this process and of the grounders that it has waited for."""
    return sum(os.times()[:4])


def memory_held() -> int:
    """Return the bytes that this process has in memory; where nothing says it, 0."""
    try:
        import resource
    except ImportError:
        return 0
    try:
        return int(_STATM.read_bytes().split()[1]) * resource.getpagesize()
    except (OSError, ValueError, IndexError):
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        return peak if sys.platform == "darwin" else peak * 1024
