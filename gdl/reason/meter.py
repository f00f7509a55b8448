"""Limits on evaluation: how long, how many facts, how deep a term.

In: counts from the running rules. Out: nothing, or a `LimitError` that shows the rule that ran
when a limit was met.
"""

from __future__ import annotations

from time import monotonic
from typing import Final

from gdl.language.limits import Limits
from gdl.language.refusals import too_late, too_many_facts
from gdl.reason.program import Definition

STRIDE: Final = 1000
"""Inner loops that a rule may begin before it looks at the clock."""
CALLS: Final = 256
"""Calls and steps between two looks at the clock."""


class Meter:
    """Counts what a context costs: that of a state, of moves made there, or of what never changes.

    Attributes:
        facts: Facts derived so far.
        deadline: When the time for the question that is asked now is over, `time.monotonic`.
    """

    __slots__ = ("_calls", "_limits", "deadline", "facts")

    def __init__(self, limits: Limits, deadline: float | None = None) -> None:
        """Begin to count; without a deadline the time of a question begins now."""
        self._limits = limits
        self._calls = 0
        self.facts = 0
        self.deadline = monotonic() + limits.seconds if deadline is None else deadline

    def count(self, more: int, definition: Definition) -> None:
        """Count one evaluation and the facts that it found.

        Raises:
            LimitError: Too many facts, or too late.
        """
        self.facts += more
        self._calls += 1
        if self.facts > self._limits.facts:
            raise too_many_facts(definition.clause, self._limits)
        if self._calls >= CALLS:
            self._calls = 0
            self.check_time(definition)

    def check_time(self, definition: Definition) -> None:
        """Compare the clock with the deadline.

        Raises:
            LimitError: Too late.
        """
        if monotonic() > self.deadline:
            raise too_late(definition.clause, self._limits)

    def tick(self, definition: Definition, unsaved: int = 0) -> int:
        """Look at the clock and at how much a running rule has found; return the next `STRIDE`.

        Raises:
            LimitError: Too many facts, or too late.
        """
        self.check_time(definition)
        if self.facts + unsaved > self._limits.facts:
            raise too_many_facts(definition.clause, self._limits)
        return STRIDE
