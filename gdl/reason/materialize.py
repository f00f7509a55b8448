"""Rules on rules on rules: where evaluation on demand would nest too deep.

In: predicates, bottom-up. Out: those among them that are evaluated whole, lowest first, before
anything that rests on them is asked. Everybody else is evaluated on demand, one function within
the other, and Python bounds how deep functions nest.
"""

from __future__ import annotations

from collections.abc import Iterable
from collections.abc import Set as AbstractSet
from typing import Final

from gdl.language import graphs
from gdl.reason.codegen import MAX_LOOPS
from gdl.reason.join_order import MAX_NESTING
from gdl.reason.program import Kind, Predicate, asked_by

MAX_FRAMES: Final = 300
"""Functions within each other; Python's own limit is 1000, and the caller needs some of them."""


def materialized(
    predicates: Iterable[Predicate], unbindable: AbstractSet[Predicate]
) -> frozenset[Predicate]:
    """Return the predicates to evaluate whole.

    Args:
        predicates: Each after those it depends on.
        unbindable: Those that cannot be evaluated whole.
    """
    whole: set[Predicate] = set()
    frames: dict[Predicate, int] = {}
    for predicate in predicates:
        if predicate.kind is not Kind.RULES:
            continue
        below = max((frames.get(other, 0) for other in asked_by(predicate)), default=0)
        frames[predicate] = below + _own_frames(predicate)
        if frames[predicate] > MAX_FRAMES and predicate not in unbindable:
            whole.add(predicate)
            frames[predicate] = 0
    return frozenset(whole)


def materialized_below(predicate: Predicate, whole: AbstractSet[Predicate]) -> list[Predicate]:
    """Return the whole predicates that one rests on, each after those it rests on itself."""
    if not whole:
        return []
    successors = {predicate: list(asked_by(predicate))}
    work = [predicate]
    while work:
        for other in successors[work.pop()]:
            if other not in successors:
                successors[other] = list(asked_by(other))
                work.append(other)
    return [p for part in graphs.components(successors) for p in part if p in whole]


def _own_frames(predicate: Predicate) -> int:
    """Return how many functions one question may need: its own, those it is cut into, tests."""
    longest = max((len(definition.body) for definition in predicate.definitions), default=0)
    return 3 + longest // MAX_LOOPS + min(MAX_NESTING, longest // 2)
