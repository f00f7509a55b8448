"""Colour refinement of two structures at once: which of their vertices may stand for each other.

In: first colours of both, and a round of refinement for each. Out: the one-to-one maps that keep
colours, as long as few picks lead to them. Vertices get colours from what they stand in until
colours no longer split; where a colour is left with several, one is picked and tried against those
of the other side, its namesake first.

Source: Weisfeiler, Lehman, "The Reduction of a Graph to Canonical Form", 1968; McKay,
Piperno, "Practical Graph Isomorphism, II", 2014 (refine, pick, refine).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Iterator
from itertools import count
from typing import Final, TypeVar

from gdl.verify.solvers.budget import Budget

PICKED: Final = 99

V = TypeVar("V", bound=Hashable)
Pair = tuple[dict[V, int], dict[V, int]]
"""Colours of both structures."""
Refine = Callable[[dict[V, int]], dict[V, int]]
"""One round: each vertex by its own colour, which is part of the new one, and what it stands in.
Hashes of both structures are comparable within a process."""


def bijections(
    first: Pair[V], refine: tuple[Refine[V], Refine[V]], budget: Budget, *, most: int
) -> Iterator[dict[V, V]]:
    """Yield maps of the vertices of one structure to those of another that keep colours.

    Colours are made of what an isomorphism keeps, so it never maps one colour to another: no
    isomorphism is lost, but for those that more picks would find. That a map is one is not
    checked here. Two colours that hash alike by chance leave more to try, and lose nothing.

    Args:
        first: Colours to begin with.
        refine: A round of refinement, of each structure.
        budget: Of time.
        most: Picks that are tried in all.

    Raises:
        OutOfBudgetError: Time ran out first.
    """
    attempts = count(1)

    def completed(colours: Pair[V]) -> Iterator[dict[V, V]]:
        refined = _stable(colours, refine, budget)
        if refined is None:
            return
        groups: dict[int, tuple[list[V], list[V]]] = {}
        for side, of_side in enumerate(refined):
            for vertex, colour in of_side.items():
                groups.setdefault(colour, ([], []))[side].append(vertex)
        several = [group for group in groups.values() if len(group[0]) > 1]
        if not several:
            yield {mine[0]: theirs[0] for mine, theirs in groups.values()}
            return
        # The smallest colour branches least. What is picked must stand for one of the other's
        # vertices of its colour, so trying these tries all.
        mine, theirs = min(several, key=lambda group: len(group[0]))
        left, right = refined
        for vertex in sorted(theirs, key=lambda candidate: candidate != mine[0]):
            if next(attempts) > most:
                return
            yield from completed((left | {mine[0]: PICKED}, right | {vertex: PICKED}))

    return completed(first)


def _stable(
    colours: Pair[V], refine: tuple[Refine[V], Refine[V]], budget: Budget
) -> Pair[V] | None:
    """Return colours that no longer split, None where the structures are not alike."""
    classes = 0
    while True:
        budget.check()
        left, right = colours = refine[0](colours[0]), refine[1](colours[1])
        if Counter(left.values()) != Counter(right.values()):
            return None
        if len(set(left.values())) == classes:
            return colours
        classes = len(set(left.values()))
