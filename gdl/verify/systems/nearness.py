"""How near states are to where edges of a circuit hold, by how much of their conditions holds.

Where a condition is a conjunction the share of what holds of it counts, where it is a disjunction
the best part; what lies deeper holds or does not. So eight tiles of nine in place are nearer than
two, though the rules say "all" only.

Source: the goal counts of planners (Richter and Westphal, "The LAMA Planner", 2010), and the fuzzy
goals of Schiffel and Thielscher, "Fluxplayer", AAAI 2007.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from gdl.circuit.aig import Aig, Lit
from gdl.circuit.game import GameCircuit
from gdl.verify.systems.simulate import Simulator

LEVELS: Final = 5
"""Conjunctions and disjunctions that are looked into, one in the other."""
PARTS: Final = 1_500
"""Parts of all conditions, at most."""

Tree: TypeAlias = "int | tuple[bool, list[Tree]]"
"""Place of an edge, or whether all of some parts must hold, and these parts."""


class Nearness:
    """Says of many states how near they are to where each of some edges holds."""

    def __init__(self, circuit: GameCircuit, edges: Sequence[Lit]) -> None:
        """Take the conditions apart, edges of facts alone. Cost O(nodes)."""
        self._aig = circuit.aig
        self._count = len(circuit.facts)
        self._edges: dict[Lit, int] = {}
        self._trees = [self._take(edge, LEVELS) for edge in edges]
        self._simulator = Simulator(circuit.aig, circuit.fact_inputs, list(self._edges))

    def _take(self, edge: Lit, levels: int) -> Tree:
        parts = _parts(self._aig, edge) if levels else [edge]
        if len(parts) < 2 or len(self._edges) + len(parts) > PARTS:  # noqa: PLR2004  # one is none
            return self._edges.setdefault(edge, len(self._edges))
        # An edge that is complemented is a disjunction: not all of its parts fail.
        is_all = not edge & 1
        return is_all, [self._take(part ^ (not is_all), levels - 1) for part in parts]

    def __call__(self, states: NDArray[np.uint8]) -> list[NDArray[np.float32]]:
        """Return for each edge how near each state is, 0 to 1, ``float32[B]``.

        Args:
            states: ``uint8[B, bytes]``, a bit for each fact, the first one highest.
        """
        bits = np.unpackbits(states, axis=1, count=self._count).T.astype(np.bool_)
        values = self._simulator.run(bits)
        return [_worth(tree, values) for tree in self._trees]


def _parts(aig: Aig, edge: Lit) -> list[Lit]:
    """Return what an edge's node is the conjunction of, looking through conjunctions in it."""
    parts: dict[Lit, None] = {}
    stack, met = [edge & ~1], set()
    while stack:
        one = stack.pop()
        node = one >> 1
        if one & 1 or aig.left[node] < 0:
            parts[one] = None
        elif node not in met:
            met.add(node)
            stack += (aig.left[node], aig.right[node])
    return list(parts)


def _worth(tree: Tree, values: NDArray[np.bool_]) -> NDArray[np.float32]:
    worth: NDArray[np.float32]
    if isinstance(tree, int):
        worth = values[tree].astype(np.float32)
        return worth
    is_all, parts = tree
    worths = [_worth(part, values) for part in parts]
    worth = np.mean(worths, axis=0, dtype=np.float32) if is_all else np.max(worths, axis=0)
    return worth
