"""How near states are to where edges of a circuit hold, by how much of their conditions holds.

Where a condition is a conjunction the share of what holds of it counts, where it is a disjunction
the best part; what lies deeper holds or does not. So eight tiles of nine in place are nearer than
two, though the rules say "all" only.

Source: the goal counts of planners (Richter and Westphal, "The LAMA Planner", 2010), and the fuzzy
goals of Schiffel and Thielscher, "Fluxplayer", AAAI 2007.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from gdl.circuit.aig import Lit
from gdl.circuit.cone import conjuncts
from gdl.circuit.game import GameCircuit
from gdl.verify.systems.bit_parallel import Simulator

LEVELS: Final = 5
"""Conjunctions and disjunctions that are looked into, one in the other."""
PARTS: Final = 1_500
"""Parts of all conditions, at most."""


class _Level(NamedTuple):
    """Conjunctions and disjunctions whose parts are edges, or those of the level below.

    Attributes:
        parts: Rows of all parts, one condition's after the other: edges, then conditions.
        starts: Where each condition's begin.
        counts: How many each has, ``float32[conditions, 1]``.
        is_all: Whether all of them must hold, ``bool[conditions, 1]``.
    """

    parts: NDArray[np.intp]
    starts: NDArray[np.intp]
    counts: NDArray[np.float32]
    is_all: NDArray[np.bool_]

    def worths(self, rows: NDArray[np.float32]) -> NDArray[np.float32]:
        """Return how much of each condition holds, given the rows of edges and conditions."""
        parts = rows[self.parts]
        shares = np.add.reduceat(parts, self.starts, axis=0) / self.counts
        best = np.maximum.reduceat(parts, self.starts, axis=0)
        worths: NDArray[np.float32] = np.where(self.is_all, shares, best)
        return worths


class Nearness:
    """Says of many states how near they are to where each of some edges holds.

    Attributes:
        size: Parts of conditions that are counted in each state.
    """

    def __init__(self, circuit: GameCircuit, edges: Sequence[Lit]) -> None:
        """Take the conditions apart, edges of facts alone. Cost O(nodes)."""
        self._aig = circuit.aig
        self._count = len(circuit.facts)
        self._edges: dict[Lit, int] = {}
        self._found: list[list[tuple[bool, list[int]]]] = [[] for _ in range(LEVELS)]
        self._taken: dict[tuple[Lit, int], int] = {}
        self._asked = [self._take(edge, LEVELS) for edge in edges]
        self._levels = [
            _level(conditions, len(self._edges)) for conditions in self._found if conditions
        ]
        self.size = sum(len(level.parts) for level in self._levels)
        self._simulator = Simulator(circuit.aig, circuit.fact_inputs, list(self._edges))

    def _take(self, edge: Lit, levels: int) -> int:
        """Return the place of an edge, or the inverse of the number of a condition of a level.

        A condition that is a part of several is taken apart once.
        """
        if (edge, levels) in self._taken:
            return self._taken[edge, levels]
        parts = conjuncts(self._aig, edge & ~1) if levels else [edge]
        if len(parts) < 2 or len(self._edges) + len(parts) > PARTS:  # noqa: PLR2004  # one is none
            place = self._edges.setdefault(edge, len(self._edges))
        else:
            # An edge that is complemented is a disjunction: not all of its parts fail.
            is_all, level = not edge & 1, self._found[levels - 1]
            taken = [self._take(part ^ (not is_all), levels - 1) for part in parts]
            level.append((is_all, taken))
            place = ~(len(level) - 1)
        self._taken[edge, levels] = place
        return place

    def __call__(self, states: NDArray[np.uint8]) -> list[NDArray[np.float32]]:
        """Return for each edge how near each state is, 0 to 1, ``float32[B]``.

        Args:
            states: ``uint8[B, bytes]``, a bit for each fact, the first one highest.
        """
        bits = np.unpackbits(states, axis=1, count=self._count).T.astype(np.bool_)
        edges = self._simulator.run(bits).astype(np.float32)
        rows = edges
        for level in self._levels:
            rows = np.concatenate((edges, level.worths(rows)))
        return [rows[place if place >= 0 else len(edges) + ~place] for place in self._asked]


def _level(conditions: Sequence[tuple[bool, Sequence[int]]], edges: int) -> _Level:
    counts = [len(parts) for _, parts in conditions]
    parts = np.array([part for _, parts in conditions for part in parts], np.intp)
    return _Level(
        np.where(parts < 0, edges + ~parts, parts),
        np.cumsum([0, *counts[:-1]]),
        np.array(counts, np.float32)[:, None],
        np.array([is_all for is_all, _ in conditions])[:, None],
    )
