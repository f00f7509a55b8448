"""The phases of a puzzle: ways through each of them, and plans through all.

In: `Parts`. Out: plans as moves by number, the phases being searched one inside the other.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import Final

import numpy as np

from gdl.circuit.game import GameCircuit
from gdl.play.anytime import UnsuitedError
from gdl.play.puzzles.lanes import Lanes
from gdl.play.puzzles.subgroups.deepening import EXHAUSTED, FOUND, RUNNING, deepen, followers
from gdl.play.puzzles.subgroups.likes import find_likes
from gdl.play.puzzles.subgroups.move_sets import chain
from gdl.play.puzzles.subgroups.parts import Parts, as_one, bits_of, find_parts
from gdl.play.puzzles.subgroups.patterns import Masks, Pair, Pattern

NODES: Final = 1 << 20
"""States that are met in a slice of the search."""
SLICES: Final = 8
"""Slices of a phase after which another way of the one before is tried."""
DEEPEST: Final = 40
"""Moves of a phase, at most."""


class Phase:
    """The ways from where parts are to where each is in its orbit under fewer moves."""

    def __init__(self, parts: Parts, moves: tuple[int, ...], fewer: tuple[int, ...]) -> None:
        """Prepare; nothing is made yet."""
        self._parts, self._moves, self._fewer = parts, list(moves), list(fewer)
        self._patterns: list[Pattern] = []

    def build(self) -> Iterator[None]:
        """Make the patterns, and yield now and then.

        Raises:
            UnsuitedError: One is too large.
        """
        self._patterns.clear()  # one that was broken off begins anew
        left: list[Pattern] = []
        for likes in find_likes(self._parts, self._moves, self._fewer):
            left.append(Masks(likes))
            yield
        # The largest pattern is joined with the next largest for as long as there is room; what
        # does not fit begins one of its own. A few large ones bound better than many small ones.
        left.sort(key=lambda pattern: len(pattern.distance))
        while left:
            pattern, rest = left.pop(), []
            for other in reversed(left):
                try:
                    pattern = Pair(pattern, other)
                except UnsuitedError:
                    rest.append(other)
                yield
            left = rest[::-1]
            self._patterns.append(pattern)
        self._allowed = followers(as_one(self._parts)[:, self._moves])
        sizes = [len(pattern.distance) for pattern in self._patterns]
        self._offsets = np.cumsum([0, *sizes])[:-1].astype(np.int64)
        self._after = np.concatenate([pattern.after.ravel() for pattern in self._patterns])
        self._distance = np.concatenate([pattern.distance for pattern in self._patterns])

    def find(self, values: list[int], slices: int) -> Iterator[list[int] | None]:
        """Yield ways, the shortest first, and None in between; give up after so many slices."""
        at = np.array([pattern.find(values) for pattern in self._patterns], np.int64)
        if (at < 0).any():
            return
        # Each pattern bounds what all parts need, so no way is shorter than the greatest. Ways of
        # one length are yielded one after the other: where one leads to an order of parts that
        # fewer moves cannot mend, the next may not.
        bound = int(self._distance[self._offsets + at].max())
        stack = np.zeros((DEEPEST + 2, len(at) + 1), np.int64)
        depth = np.zeros(1, np.int64)
        while bound <= DEEPEST:
            stack[0, :-1], stack[0, -1], depth[0] = at, 0, 0
            status = RUNNING
            while status != EXHAUSTED:
                status = deepen(
                    self._after, self._distance, self._offsets, self._allowed, stack, depth, bound,
                    NODES,
                )  # fmt: skip
                if status == FOUND:
                    yield [self._moves[m - 1] for m in stack[: depth[0], -1].tolist()]
                    depth[0] -= 1  # go on as if this had been no way
                    status = RUNNING if depth[0] >= 0 else EXHAUSTED
                elif status == RUNNING:
                    slices -= 1
                    if slices < 0:
                        return
                    yield None
            bound += 1


class Phases:
    """The phases of a puzzle, one after the other."""

    def __init__(self, parts: Parts) -> None:
        """Choose them.

        Raises:
            UnsuitedError: There are none that are small enough.
        """
        self._parts = parts
        sets = chain(parts)
        self._phases = [Phase(parts, a, b) for a, b in pairwise(sets)]
        self._left = self._phases[:]

    @classmethod
    def of(cls, lanes: Lanes, circuit: GameCircuit, root: bytes) -> Phases:
        """Return the phases of a puzzle, of which moves are observed from a state on.

        Raises:
            UnsuitedError: See `find_parts` and `chain`.
        """
        return cls(find_parts(lanes, circuit, root))

    def build(self) -> Iterator[None]:
        """Make all patterns that are not there, and yield now and then.

        Raises:
            UnsuitedError: One is too large.
        """
        while self._left:
            yield from self._left[0].build()
            del self._left[0]

    def plans(self, state: bytes) -> Iterator[list[int] | None]:
        """Yield plans from a state as moves by number in the rules, and None in between.

        Raises:
            UnsuitedError: A part has a value there that it did not have before.
        """
        return self._solve(self._parts.read(bits_of(state)), 0)

    def _solve(self, values: list[int], at: int) -> Iterator[list[int] | None]:
        """Yield plans from a phase on.

        That all parts are in their orbits does not say that fewer moves suffice: their order may be
        one that these never make. Then another way of the phase before is tried.
        """
        if at == len(self._phases):
            yield []
            return
        # A phase that finds nothing soon mostly cannot; the first has nothing to fall back on.
        slices = SLICES if at else 1 << 60
        for way in self._phases[at].find(values, slices):
            if way is None:
                yield None
                continue
            after = values
            for move in way:
                after = [int(t[v, move]) for t, v in zip(self._parts.after, after, strict=True)]
            for rest in self._solve(after, at + 1):
                yield None if rest is None else [*(self._parts.number[m] for m in way), *rest]
