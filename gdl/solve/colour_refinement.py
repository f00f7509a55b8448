"""Colour refinement of one structure, in arrays: which maps may be its automorphisms.

In: things with colours, and relations among them. Out: one-to-one maps that keep colours. Colours
are words of 64 bits that a round mixes with those beside it, all things at once; the same is done
for dictionaries in `gdl.verify.correspondence.colour_refinement`, which is for two structures and a
hundred times slower.

Source: Weisfeiler, Lehman, "The Reduction of a Graph to Canonical Form", 1968; McKay, Piperno,
"Practical Graph Isomorphism, II", 2014 (refine, pick, refine).
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from itertools import count
from typing import Final

import numpy as np
from numpy.typing import NDArray

Colours = NDArray[np.uint64]
"""The colour of each thing, and behind those of things, of each relation."""

PICKED: Final = np.uint64(0x9E37_79B9_7F4A_7C15)
"""What is mixed into the colour of a thing that is picked."""


def mixed(words: Colours) -> Colours:
    """Return words mixed well (the last steps of splitmix64)."""
    words = (words ^ words >> np.uint64(30)) * np.uint64(0xBF58476D1CE4E5B9)
    words = (words ^ words >> np.uint64(27)) * np.uint64(0x94D049BB133111EB)
    return words ^ words >> np.uint64(31)


class Colouring:
    """Things and the relations among them.

    Attributes:
        things: How many things there are.
        first: Their first colours.
    """

    def __init__(
        self,
        kinds: Sequence[Hashable],
        relations: Iterable[tuple[Hashable, Sequence[Sequence[int]]]],
    ) -> None:
        """Take a structure.

        Args:
            kinds: What each thing is.
            relations: A label, and groups of things, in each of which order means nothing.
        """
        self.things = len(kinds)
        names: dict[Hashable, int] = {}

        def number(name: Hashable) -> int:
            return names.setdefault(name, len(names) + 1)

        colours = [number(("thing", kind)) for kind in kinds]
        edges: list[tuple[int, int, int]] = []
        for label, groups in relations:
            vertex = len(colours)
            colours.append(number(("relation", label)))
            for place, group in enumerate(groups):
                edges += ((vertex, thing, number(("in", place))) for thing in group)
                edges += ((thing, vertex, number(("of", place))) for thing in group)
        self.first: Colours = mixed(np.array(colours, np.uint64))
        sources, targets, labels = np.array(sorted(edges), np.int64).reshape(-1, 3).T
        self._targets, self._labels = targets, mixed(labels.astype(np.uint64))
        self._busy, self._starts = np.unique(sources, return_index=True)

    def _round(self, colours: Colours) -> Colours:
        beside = np.zeros(len(colours), np.uint64)
        if len(self._busy):
            seen = mixed(colours[self._targets] + self._labels)
            beside[self._busy] = np.add.reduceat(seen, self._starts)
        return mixed(colours * np.uint64(3) + mixed(beside))

    def stable(self, *sides: Colours) -> tuple[Colours, ...]:
        """Return colours of the same structure, as many rounds for each as any still splits."""
        classes = 0
        while True:
            now = max(len(np.unique(side)) for side in sides)
            if now == classes:
                return sides
            classes = now
            sides = tuple(map(self._round, sides))

    def pick(self, colours: Colours, thing: int) -> Colours:
        """Return colours in which a thing is told from all others of its own."""
        result = colours.copy()
        result[thing] ^= PICKED
        return result

    def cells(self, colours: Colours, things: Iterable[int]) -> list[list[int]]:
        """Return those of some things that share a colour with another, the fewest first."""
        cells: dict[int, list[int]] = {}
        for thing in things:
            cells.setdefault(int(colours[thing]), []).append(thing)
        return sorted((cell for cell in cells.values() if len(cell) > 1), key=len)

    def maps(
        self, left: Colours, right: Colours, most: int, check: Callable[[], None]
    ) -> Iterator[NDArray[np.int64]]:
        """Yield maps of things that take the colours of one side to those of the other.

        Args:
            left: Colours.
            right: Likewise.
            most: Picks that are tried in all.
            check: Called before each; raises when time is up.
        """
        tried = count(1)

        def completed(left: Colours, right: Colours) -> Iterator[NDArray[np.int64]]:
            check()
            left, right = self.stable(left, right)
            mine, theirs = left[: self.things], right[: self.things]
            if not (np.sort(mine) == np.sort(theirs)).all():
                return
            cells = self.cells(mine, range(self.things))
            if not cells:
                image = np.empty(self.things, np.int64)
                image[np.argsort(mine)] = np.argsort(theirs)
                yield image
                return
            thing = cells[0][0]
            others = np.flatnonzero(theirs == mine[thing]).tolist()
            for candidate in sorted(others, key=lambda other: other != thing):
                if next(tried) > most:
                    return
                yield from completed(self.pick(left, thing), self.pick(right, candidate))

        return completed(left, right)
