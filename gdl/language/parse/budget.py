"""The limits of one parse, while it runs.

In: what has been met so far. Out: nothing, or a `LimitError` that names the limit, what
was met, and how to raise it.
"""

from __future__ import annotations

from time import monotonic

from gdl.language.diagnostics import LimitError
from gdl.language.limits import Limits
from gdl.language.source import Source, Span


class Budget:
    """What one source may still use up.

    Attributes:
        limits: The limits it was made from.
    """

    def __init__(self, source: Source, limits: Limits) -> None:
        """Start the clock."""
        self.limits = limits
        self._source = source
        self._deadline = monotonic() + limits.seconds

    def check_size(self, size: int) -> None:
        """Refuse a text of more than ``limits.bytes`` bytes."""
        if size > self.limits.bytes:
            self._refuse("bytes", f"{self._source.name} has {size:,} bytes", None)

    def check_symbol(self, start: int, stop: int) -> None:
        """Refuse a symbol of more than ``limits.symbol_length`` characters."""
        if stop - start > self.limits.symbol_length:
            span = Span(self._source, start, stop)
            self._refuse("symbol_length", f"a symbol has {stop - start:,} characters", span)

    def check_depth(self, depth: int, start: int) -> None:
        """Refuse nesting of more than ``limits.depth``."""
        if depth > self.limits.depth:
            self._refuse("depth", f"{depth:,} brackets are open", self._at(start))

    def check_rules(self, count: int, start: int) -> None:
        """Refuse more than ``limits.rules`` rules."""
        if count > self.limits.rules:
            self._refuse("rules", f"the text has {count:,} rules and more to come", self._at(start))

    def check_rule_length(self, start: int, stop: int) -> None:
        """Refuse a rule of more than ``limits.rule_length`` characters."""
        if stop - start > self.limits.rule_length:
            fact = f"a rule has {stop - start:,} characters"
            self._refuse("rule_length", fact, self._at(start))

    def check_clock(self, start: int) -> None:
        """Refuse to go on after ``limits.seconds`` seconds."""
        if monotonic() > self._deadline:
            self._refuse(
                "seconds", "reading takes too long, it came as far as this", self._at(start)
            )

    def _at(self, start: int) -> Span:
        return Span(self._source, start, start + 1)

    def _refuse(self, name: str, fact: str, span: Span | None) -> None:
        limit = getattr(self.limits, name)
        raise LimitError.at(
            span,
            f"limit-{name.replace('_', '-')}",
            f"{fact}: the limit is {limit:,}",
            help=f"if the text is to be trusted, raise the limit: Limits({name}=...)",
        )
