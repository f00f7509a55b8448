"""A budget that counts the time of this process's processors, so that a busy machine is fair."""

from __future__ import annotations

import time

from gdl.play import Budget


class ProcessorBudget(Budget):
    """A budget by processor time; being woken late costs none of it."""

    def __init__(self, seconds: float) -> None:
        """Start the budget."""
        self._began = time.process_time()
        super().__init__(seconds)

    @property
    def spent(self) -> float:
        """Seconds of processor time since it began to run."""
        return time.process_time() - self._began

    def expect(self, delay: float) -> None:
        """Keep nothing more in hand: delays cost no processor time."""
