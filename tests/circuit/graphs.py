"""Random graphs, and what they mean, worked out without the package."""

from __future__ import annotations

from dataclasses import dataclass

from hypothesis import strategies as st

from gdl.circuit.aig import Aig, Lit

INPUTS = 4
ROWS = 1 << INPUTS
ALL = (1 << ROWS) - 1
COLUMNS = [sum(1 << row for row in range(ROWS) if row >> i & 1) for i in range(INPUTS)]
"""Value of each input in all assignments: bit ``r`` is its value in assignment ``r``."""


@dataclass
class Graph:
    """A graph over `INPUTS` inputs and some edges of it."""

    aig: Aig
    edges: list[Lit]

    @property
    def inputs(self) -> list[Lit]:
        return [2 * node for node in self.aig.inputs]

    def tables(self) -> list[int]:
        return [table(self.aig, edge) for edge in self.edges]


def table(aig: Aig, edge: Lit) -> int:
    """Return the truth table of an edge, one assignment after the other."""
    return sum(holds(aig, edge, row) << row for row in range(ROWS))


def holds(aig: Aig, edge: Lit, row: int) -> bool:
    """Return the value of an edge in one assignment, from its operands."""
    node = edge >> 1
    if node in aig.inputs:
        value = bool(row >> aig.inputs.index(node) & 1)
    elif node == 0:
        value = False
    else:
        value = holds(aig, aig.left[node], row) and holds(aig, aig.right[node], row)
    return value != bool(edge & 1)


@st.composite
def graphs(draw: st.DrawFn, *, gates: int = 10) -> Graph:
    aig = Aig()
    edges = [aig.add_input() for _ in range(INPUTS)]
    for _ in range(draw(st.integers(0, gates))):
        one, other = (draw(st.sampled_from(edges)) ^ draw(st.integers(0, 1)) for _ in range(2))
        edges.append(aig.conj(one, other))
    chosen = draw(st.lists(st.sampled_from(edges), min_size=1, max_size=5))
    return Graph(aig, [edge ^ draw(st.integers(0, 1)) for edge in chosen])
