"""Laws of the algebra of graphs: what is built means what its name says."""

from __future__ import annotations

from collections.abc import Callable
from functools import reduce
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gdl.circuit.aig import FALSE, TRUE, Aig, Lit, negate
from gdl.circuit.arithmetic import Number, add, constant, subtract
from gdl.circuit.cone import cone, conjuncts, frontier, implied, live, support
from gdl.circuit.copy import Copier, copy_cone
from gdl.circuit.logic import (
    at_least_two,
    conj_all,
    disj_all,
    exactly_one,
    factored_conj,
    majority,
    select,
    two_level_conj,
    xor,
)
from gdl.circuit.validate import validate_aig
from tests.circuit.graphs import ALL, INPUTS, ROWS, Graph, graphs, holds, table

EDGES = st.lists(st.integers(0, 2 * INPUTS + 1), max_size=7)


def inputs_only() -> Aig:
    aig = Aig()
    for _ in range(INPUTS):
        aig.add_input()
    return aig


@given(EDGES)
def test_many_way_gates_mean_all_some_and_exactly_one(edges: list[Lit]) -> None:
    aig = inputs_only()
    makers = (conj_all, disj_all, exactly_one, at_least_two)
    every, some, one, two = (make(aig, edges) for make in makers)
    for row in range(ROWS):
        values = [holds(aig, edge, row) for edge in edges]
        assert holds(aig, every, row) == all(values)
        assert holds(aig, some, row) == any(values)
        assert holds(aig, one, row) == (sum(values) == 1)
        assert holds(aig, two, row) == (sum(values) >= 2)


def test_a_many_way_gate_has_least_depth() -> None:
    aig = Aig()
    edge = conj_all(aig, [aig.add_input() for _ in range(8)])
    depth = dict.fromkeys([0, *aig.inputs], 0)
    for node in aig.ands():
        depth[node] = 1 + max(depth[aig.left[node] >> 1], depth[aig.right[node] >> 1])
    assert depth[edge >> 1] == 3


@pytest.mark.parametrize("conj", [Aig.conj, two_level_conj, factored_conj])
@given(graphs())
def test_every_conjunction_means_and(conj: Callable[[Aig, Lit, Lit], Lit], graph: Graph) -> None:
    for a, b in product(graph.edges, repeat=2):
        edge = conj(graph.aig, a, b)
        assert table(graph.aig, edge) == table(graph.aig, a) & table(graph.aig, b)
    validate_aig(graph.aig)


@given(graphs(gates=5))
def test_functions_of_three_edges(graph: Graph) -> None:
    aig = graph.aig
    for a, b, c in product(graph.edges[:3], repeat=3):
        x, y, z = (table(aig, edge) for edge in (a, b, c))
        assert table(aig, select(aig, a, b, c)) == x & y | ~x & z & ALL
        assert table(aig, majority(aig, a, b, c)) == x & y | x & z | y & z
        assert table(aig, xor(aig, a, b)) == x ^ y


def test_a_difference_of_equal_edges_or_constants_takes_no_gate() -> None:
    aig = Aig()
    x = aig.add_input()
    assert [xor(aig, x, e) for e in (x, negate(x), FALSE, TRUE)] == [FALSE, TRUE, x, negate(x)]
    assert [xor(aig, e, x) for e in (negate(x), FALSE, TRUE)] == [TRUE, x, negate(x)]
    assert len(list(aig.ands())) == 0


@given(graphs())
def test_a_cone_is_closed_in_order_and_has_only_what_is_needed(graph: Graph) -> None:
    aig = graph.aig
    nodes = cone(aig, graph.edges)
    assert nodes == sorted(set(nodes)) == live(aig, graph.edges)
    operands = {edge >> 1 for node in nodes for edge in (aig.left[node], aig.right[node])}
    roots = {edge >> 1 for edge in graph.edges}
    assert {node for node in operands | roots if aig.is_and(node)} == set(nodes)
    assert support(aig, graph.edges) == {n for n in operands | roots if n in aig.inputs}


@given(graphs(), st.data())
def test_a_cone_ends_at_what_is_ready(graph: Graph, data: st.DataObject) -> None:
    """The nodes above, and those where they end, give the edges whatever the latter stand for."""
    aig = graph.aig
    ready = data.draw(st.sets(st.sampled_from(range(1, len(aig)))))
    above, ends = cone(aig, graph.edges, ready), frontier(aig, graph.edges, ready)
    assert not ready.intersection(above)
    assert all(end in ready or end in aig.inputs for end in ends)
    values = {0: False} | {end: data.draw(st.booleans()) for end in ends}
    for node in above:
        values[node] = all(
            values[edge >> 1] != bool(edge & 1) for edge in (aig.left[node], aig.right[node])
        )
    assert {edge >> 1 for edge in graph.edges} <= values.keys()


@given(graphs())
def test_an_edge_is_its_conjuncts_and_implies_what_it_is_said_to(graph: Graph) -> None:
    aig = graph.aig
    for edge in graph.edges:
        parts = [table(aig, part) for part in conjuncts(aig, edge)]
        assert reduce(int.__and__, parts, ALL) == table(aig, edge)
        for other in implied(aig, edge):
            assert not table(aig, edge) & ~table(aig, other)


@pytest.mark.parametrize("conj", [Aig.conj, two_level_conj, factored_conj])
@given(graphs(), graphs())
def test_a_copy_means_the_original_with_edges_in_place_of_inputs(
    conj: Callable[[Aig, Lit, Lit], Lit], graph: Graph, other: Graph
) -> None:
    target = other.aig
    edges = [*other.edges, TRUE, FALSE, target.inputs[0] * 2][:INPUTS]
    edges += [2 * node for node in target.inputs[len(edges) :]]
    table_of = dict(zip(graph.aig.inputs, edges, strict=True))
    made = Copier(target, graph.aig, table_of, conj=conj).edges(graph.edges)
    for row in range(ROWS):
        inner = sum(holds(target, edge, row) << i for i, edge in enumerate(edges))
        for old, new in zip(graph.edges, made, strict=True):
            assert holds(target, new, row) == holds(graph.aig, old, inner)
    validate_aig(target)


@pytest.mark.slow
@given(graphs())
def test_a_plain_copy_into_an_empty_graph_has_the_cone_and_no_more(graph: Graph) -> None:
    target = inputs_only()
    inputs = dict(zip(graph.aig.inputs, (2 * node for node in target.inputs), strict=True))
    made = copy_cone(graph.aig, target, inputs, graph.edges)
    assert [table(target, edge) for edge in made] == graph.tables()
    assert len(list(target.ands())) == len(cone(graph.aig, graph.edges))
    assert copy_cone(graph.aig, target, inputs, graph.edges) == made


@given(graphs())
def test_a_copy_may_take_what_is_known_of_the_target(graph: Graph) -> None:
    """Where what is known holds, the copy means the original."""
    target = inputs_only()
    known = dict.fromkeys(implied(target, target.conj(2, 4)), TRUE)
    values = {
        n: known.get(2 * m, 2 * m) for n, m in zip(graph.aig.inputs, target.inputs, strict=True)
    }
    made = Copier(target, graph.aig, values, known).edges(graph.edges)
    for row in range(ROWS):
        if row & 0b11 == 0b11:
            for old, new in zip(graph.edges, made, strict=True):
                assert holds(target, new, row) == holds(graph.aig, old, row)


@given(st.integers(0, 3), st.integers(0, 3), st.integers(0, 1))
def test_sums_and_differences(a: int, b: int, carry: Lit) -> None:
    """Of two inputs each, and of constants, which fold."""
    aig = inputs_only()
    inputs = [2 * node for node in aig.inputs]
    row = a | b << 2
    for x, y in ((tuple(inputs[:2]), tuple(inputs[2:])), (constant(a), constant(b))):
        assert number(aig, add(aig, x, y, carry), row) == a + b + carry
    x, y = tuple(inputs[:2]), tuple(inputs[2:])
    difference, is_negative = subtract(aig, x, y)
    assert number(aig, difference, row) == (a - b) % 4
    assert holds(aig, is_negative, row) == (a < b)
    assert add(Aig(), constant(a), constant(b))[-1] <= TRUE


def number(aig: Aig, bits: Number, row: int) -> int:
    return sum(holds(aig, edge, row) << i for i, edge in enumerate(bits))
