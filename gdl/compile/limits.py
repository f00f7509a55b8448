"""How much compiling may ask for, and the errors that say it asked for more."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

from gdl.language.diagnostics import Diagnostic, GdlError, LimitError
from gdl.language.syntax import Rule


@dataclass(frozen=True, slots=True, kw_only=True)
class CompileLimits:
    """Limits of one compilation. All can be set; a user falls back to the reasoner beyond them.

    Time and memory are those of the whole way from clauses to circuit. As they run out, the
    circuit is made less small than it could be; where even the plain one cannot be had, that
    is an error.

    Attributes:
        seconds: Time in seconds, by ``clock``.
        bytes: Memory, in bytes: what this process takes more than before, and what the
            grounder, which is a process of its own, takes.
        ground_rules: Instances of rules, after splitting.
        gates: And gates of the circuit before it is made smaller.
        term_depth: Deepest term that grounding may derive.
        clock: Tells the time: that of the wall, or of the processor. By any but that of the wall
            the grounder may take so many seconds of the processor for itself.
        explain: Whether the error names the rule with most instances. That takes as long again, at
            most twenty seconds: for nothing where nobody is shown the error.
    """

    seconds: float = 60.0
    bytes: int = 4 << 30
    ground_rules: int = 20_000_000
    gates: int = 10_000_000
    term_depth: int = 100
    clock: Callable[[], float] = time.monotonic
    explain: bool = True

    @property
    def of_processor(self) -> bool:
        """Whether seconds are those of the processor."""
        return self.clock is not time.monotonic


DEFAULT_COMPILE_LIMITS = CompileLimits()


class CompileError(GdlError):
    """The rules cannot be made into a circuit; the message says why."""


class GroundingLimitError(CompileError, LimitError):
    """The rules have more instances than the limits allow.

    Attributes:
        rule: The rule with the most instances so far, None when none was told.
        instances: How many instances of it there were when grounding was stopped.
    """

    def __init__(
        self,
        message: str,
        *,
        help: str | None = None,  # noqa: A002  # see GdlError
        diagnostic: Diagnostic | None = None,
        rule: Rule | None = None,
        instances: int = 0,
    ) -> None:
        """Keep the facts beside the text."""
        super().__init__(message, [] if diagnostic is None else [diagnostic], help=help)
        self.rule = rule
        self.instances = instances
