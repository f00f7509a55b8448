"""Limits on evaluation: how long, how many facts, how deep a term.

In: counts from the running rules. Out: nothing, or a `LimitError` that shows the rule that ran
when a limit was met.

Source: ours.
"""

from __future__ import annotations

from time import monotonic
from typing import Final

from gdl.language.diagnostics import Diagnostic, LimitError, Severity
from gdl.language.limits import Limits
from gdl.language.source import Span
from gdl.language.syntax import Term, kif_text, signature
from gdl.reason.program import Definition

STRIDE: Final = 1000
"""Inner loops that a rule may begin before it looks at the clock."""
CALLS: Final = 256
"""Calls and steps between two looks at the clock."""
TERM_SHOWN: Final = 60
"""Characters of a deep term that a message shows."""


class Watch:
    """Counts what one state (or what never changes) costs; one a context.

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

    def count(self, found: int, definition: Definition) -> None:
        """Count one evaluation and the facts that it found.

        Raises:
            LimitError: Too many facts, or too late.
        """
        self.facts += found
        self._calls += 1
        if self.facts > self._limits.facts:
            raise too_many_facts(definition, self._limits)
        if self._calls >= CALLS:
            self._calls = 0
            self.look(definition)

    def look(self, definition: Definition) -> None:
        """Compare the clock with the deadline.

        Raises:
            LimitError: Too late.
        """
        if monotonic() > self._deadline:
            raise too_late(definition, self._limits)

    def tick(self, definition: Definition, found: int = 0) -> int:
        """Look at the clock and at how much a running rule has found; return the next `STRIDE`.

        Raises:
            LimitError: Too many facts, or too late.
        """
        self.look(definition)
        if self.facts + found > self._limits.facts:
            raise too_many_facts(definition, self._limits)
        return STRIDE


def too_many_facts(definition: Definition, limits: Limits) -> LimitError:
    """Return the error for more facts than `Limits.facts`."""
    return LimitError(
        diagnostics=[
            Diagnostic(
                slug="limit-facts",
                severity=Severity.ERROR,
                message=f"{_rule(definition)} derives too many facts",
                span=_span(definition),
                expected=f"at most {limits.facts:,} facts for one state",
                help="bound what the rule can derive, or raise Limits.facts",
            )
        ]
    )


def too_late(definition: Definition, limits: Limits) -> LimitError:
    """Return the error for more time than `Limits.seconds`."""
    return LimitError(
        diagnostics=[
            Diagnostic(
                slug="limit-seconds",
                severity=Severity.ERROR,
                message=f"evaluation takes too long; when the time was over, "
                f"{_rule(definition)} was running",
                span=_span(definition),
                expected=f"at most {limits.seconds:g} seconds for one state",
                help="give the rule conditions that bind its variables sooner, "
                "or raise Limits.seconds",
            )
        ]
    )


def too_deep(definition: Definition, term: Term, limits: Limits) -> LimitError:
    """Return the error for a term deeper than `Limits.term_depth`."""
    text = kif_text(term)
    shown = text if len(text) <= TERM_SHOWN else f"{text[:TERM_SHOWN]}..."
    return LimitError(
        diagnostics=[
            Diagnostic(
                slug="limit-term-depth",
                severity=Severity.ERROR,
                message=f"{_rule(definition)} derives a term that is nested too deep: {shown}",
                span=_span(definition),
                expected=f"terms of at most {limits.term_depth} levels",
                help="a rule that wraps what it derives in a function must not feed itself; "
                "or raise Limits.term_depth",
            )
        ]
    )


def too_nested() -> LimitError:
    """Return the error for functions that nest deeper than Python allows."""
    return LimitError(
        "the rules rest on each other too deeply for the stack that is left\n"
        "  help: ask from a shallower place in your program, or raise sys.setrecursionlimit"
    )


def _rule(definition: Definition) -> str:
    clause = definition.clause
    return "a rule" if clause is None else f"a rule for {signature(clause.head)}"


def _span(definition: Definition) -> Span | None:
    clause = definition.clause
    if clause is None:
        return None
    place = clause.rule.head.place or clause.rule.place
    return None if place is None else place.span
