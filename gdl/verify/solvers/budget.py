"""How much time and memory a question may take.

Memory is what the process holds now less what it held when the question was asked, as in
`gdl.compile.budget`: a program that already holds much is not punished for it.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Final

from gdl.compile.budget import memory_held
from gdl.language.preconditions import require_function, require_number, require_path, require_whole
from gdl.verify.solvers.proof_log import ProofLog

DEFAULT_SECONDS: Final = 120.0
DEFAULT_MEGABYTES: Final = 4096


class OutOfBudgetError(Exception):
    """Time or memory ran out; whoever asked turns it into a partial answer."""


def check_budget(
    seconds: float, megabytes: float, seed: int, on_stage: Callable[..., object] | None
) -> None:
    """Check the arguments that every question takes.

    Raises:
        ArgumentError: One has a type or value that it cannot have.
    """
    require_number("seconds", seconds)
    require_number("megabytes", megabytes)
    require_whole("seed", seed, 0)
    require_function("on_stage", on_stage)


def open_budget(seconds: float, megabytes: int, proofs: str | os.PathLike[str] | None) -> Budget:
    """Return a budget; where a folder for proofs is named, it is made.

    Raises:
        ArgumentError: That is no path.
        GdlError: There is something in the folder.
    """
    log = None if proofs is None else ProofLog(Path(require_path("proofs", proofs)))
    if log is not None:
        log.open()
    return Budget(seconds, megabytes, proofs=log)


@dataclass(slots=True)
class Budget:
    """Counts from when it is made.

    Attributes:
        seconds: Time by the clock.
        megabytes: Memory that the process may take from then on.
        whole: What this is a share of, None for a whole budget.
        stopped: Why nothing may go on, empty while it may.
        proofs: Where proofs of what solvers deny are written, None where nobody wants them.
            It travels with the budget, since whoever may ask a solver has one.
        clock: Tells the time in seconds: that of the wall, or of the processor.
    """

    seconds: float = DEFAULT_SECONDS
    megabytes: int = DEFAULT_MEGABYTES
    whole: Budget | None = None
    stopped: str = ""
    proofs: ProofLog | None = None
    clock: Callable[[], float] = time.monotonic
    _start: float = field(init=False)
    _held: int = field(default_factory=memory_held)

    def __post_init__(self) -> None:
        """Begin to count."""
        self._start = self.clock()

    @property
    def elapsed(self) -> float:
        """Seconds since it was made."""
        return self.clock() - self._start

    @property
    def left(self) -> float:
        """Seconds that are left, never below 0; 0 when it was stopped."""
        return 0.0 if self.why_stopped else max(0.0, self.seconds - self.elapsed)

    @property
    def bytes_left(self) -> int:
        """Bytes that may still be taken, never below 0."""
        return max(0, (self.megabytes << 20) + self._held - memory_held())

    def share(self, seconds: float) -> Budget:
        """Return a budget of at most so many seconds within this one."""
        seconds = min(seconds, self.left)
        return replace(self, seconds=seconds, whole=self, stopped="")

    def renew(self, seconds: float) -> None:
        """Give a share another turn: so many seconds from now on, within what it is a share of."""
        self._start = self.clock()
        self.seconds = seconds if self.whole is None else min(seconds, self.whole.left)

    def without_proofs(self) -> Budget:
        """Return the same budget for questions on which no answer rests."""
        return replace(self, seconds=self.left, whole=self, stopped="", proofs=None)

    def stop(self, why: str) -> None:
        """Let nothing go on that this is a budget of, nor anything that shares it."""
        if self.whole is not None:
            self.whole.stop(why)
        self.stopped = why

    @property
    def why_stopped(self) -> str:
        """Why this or what it is a share of was stopped, empty where it was not."""
        return self.stopped or ("" if self.whole is None else self.whole.why_stopped)

    def check(self) -> None:
        """Raise when nothing is left.

        Raises:
            OutOfBudgetError: Says what ran out.
        """
        if self.stopped:
            raise OutOfBudgetError(self.stopped)
        if self.whole is not None:
            self.whole.check()
        if self.elapsed > self.seconds:
            raise OutOfBudgetError(f"{round(self.seconds, 1):g} seconds are over")
        if self.bytes_left == 0:
            raise OutOfBudgetError(f"all of {self.megabytes} megabytes are in use")
