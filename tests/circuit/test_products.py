"""Products of edges: beside all assignments of random graphs, and the lines of known games."""

from __future__ import annotations

from itertools import combinations
from random import Random

import pytest

from gdl.circuit.aig import Aig, Lit
from gdl.circuit.products import blockers, goal_lines, products
from gdl.game import load


def random_edge(chance: Random, inputs: int, gates: int) -> tuple[Aig, list[Lit], Lit]:
    """Return an edge in which no input is inverted: sums and products of inputs."""
    aig = Aig()
    facts = [aig.add_input() for _ in range(inputs)]
    edges = list(facts)
    for _ in range(gates):
        one, other = chance.sample(edges, 2)
        edges.append(aig.conj(one, other) if chance.random() < 0.5 else aig.disj(one, other))
    return aig, facts, edges[-1]


def holds(aig: Aig, edge: Lit, held: int) -> bool:
    node = edge >> 1
    if not aig.is_and(node):
        value = bool(held >> node & 1)
    else:
        value = holds(aig, aig.left[node], held) and holds(aig, aig.right[node], held)
    return value != bool(edge & 1)


@pytest.mark.parametrize("seed", range(20))
def test_products_are_the_smallest_sets_that_make_an_edge_true(seed: int) -> None:
    aig, facts, edge = random_edge(Random(seed), 5, 8)
    nodes = [1 << (fact >> 1) for fact in facts]
    true = [
        sum(held)
        for size in range(1, len(nodes) + 1)
        for held in combinations(nodes, size)
        if holds(aig, edge, sum(held))
    ]
    smallest = [held for held in true if not any(o != held and o & held == o for o in true)]
    assert products(aig, edge) == sorted(smallest)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "lines", "width"),
    [("tictactoe", 8, 3), ("connectfour", 69, 4), ("pentago/classic", 32, 5)],
)
def test_lines_that_win(name: str, lines: int, width: int) -> None:
    native = load(name, backend="native").back_end.native
    assert native is not None
    circuit = native.circuit
    for role in (0, 1):
        found = goal_lines(circuit, role)
        assert [len(line) for line in found] == [width] * lines
    # In Pentago stones are turned, and come to where others stood; elsewhere they stay.
    cells = [f for f, fact in enumerate(circuit.facts) if str(fact).startswith("(cell")]
    blocked = sum(bool(blockers(circuit).get(cell)) for cell in cells)
    assert blocked < len(cells) if name.startswith("pentago") else blocked > 0
