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
    """

    __slots__ = ("_calls", "_deadline", "_limits", "facts")

    def __init__(self, limits: Limits) -> None:
        """Begin to count; the time begins with `start`."""
        self._limits = limits
        self._deadline = monotonic() + limits.seconds
        self._calls = 0
        self.facts = 0

    def start(self) -> None:
        """Begin the time allowed for one question."""
        self._deadline = monotonic() + self._limits.seconds

    def of_moves(self) -> Meter:
        """Return the meter of moves made in the state: no facts yet, and the time that is left."""
        # A state outlives the moves that are tried there; were their facts counted as its own, it
        # would have too many once enough moves have been tried.
        meter = Meter(self._limits)
        meter._deadline = self._deadline
        return meter

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
        if monotonic() > self._deadline:
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
