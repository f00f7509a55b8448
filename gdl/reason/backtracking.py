"""Ways to meet conditions, found one by one: the plain search behind explanations.

In: conditions and a substitution. Out: substitutions that meet them all; or, where there are none,
the one that got furthest. No recursion; the search is bounded.

Source: Ullman, "Principles of Database and Knowledge-Base Systems" I, 1988, section 3.3 (the
meaning of a rule body as a join).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final, TypeAlias

from gdl.language.matching import Substitution, applied, applied_row, match_row
from gdl.reason.model import Model
from gdl.reason.program import Call, Condition, Predicate
from gdl.reason.tables import Row

MAX_STEPS: Final = 20_000
"""Substitutions that one search may try."""

Allowed: TypeAlias = Callable[[Predicate, Row], bool]
"""Whether a row may be used; a proof may not use what was derived later."""


@dataclass(slots=True)
class Search:
    """A search for ways to meet conditions.

    Attributes:
        model: What holds.
        conditions: In the order in which they are met.
        furthest: A substitution that meets as many of the first conditions as any.
        depth: How many those are.
        most: Substitutions that it may try.
        is_cut: Whether it tried so many, so that there may be more ways.
    """

    model: Model
    conditions: Sequence[Condition]
    furthest: Substitution
    depth: int = 0
    most: int = MAX_STEPS
    is_cut: bool = False

    def solutions(self, allowed: Allowed | None = None) -> Iterator[Substitution]:
        """Yield substitutions that meet all conditions, until there are no more or time is up."""
        stack = [iter([self.furthest])]
        for _ in range(self.most):
            substitution = next(stack[-1], None)
            depth = len(stack) - 1
            if substitution is None:
                stack.pop()
                if not stack:
                    return
                continue
            if depth > self.depth:
                self.depth, self.furthest = depth, substitution
            if depth == len(self.conditions):
                yield substitution
            else:
                stack.append(self._extended(self.conditions[depth], substitution, allowed))
        self.is_cut = True

    def _extended(
        self, condition: Condition, substitution: Substitution, allowed: Allowed | None
    ) -> Iterator[Substitution]:
        if not isinstance(condition, Call):
            if applied(condition.left, substitution) is not applied(condition.right, substitution):
                yield substitution
            return
        pattern = applied_row(condition.args, substitution)
        rows = self.model.rows(condition.predicate, pattern)
        if condition.is_negative:
            if not rows:
                yield substitution
            return
        for row in rows:
            if allowed is None or allowed(condition.predicate, row):
                extended = match_row(pattern, row, substitution)
                if extended is not None:
                    yield extended
