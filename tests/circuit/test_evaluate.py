"""The evaluator against a naive one: integers, words of numpy, and values on the way."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from gdl.circuit.cone import frontier
from gdl.circuit.evaluate import evaluate_edges, evaluate_nodes
from gdl.verify.systems.bit_parallel import Simulator
from tests.circuit.graphs import ALL, COLUMNS, INPUTS, Graph, graphs, table


@given(graphs())
def test_integers_hold_an_assignment_a_bit(graph: Graph) -> None:
    values = {0: 0, **dict(zip(graph.aig.inputs, COLUMNS, strict=True))}
    assert evaluate_edges(graph.aig, graph.edges, values, ALL) == graph.tables()


@given(graphs())
def test_every_node_has_its_table(graph: Graph) -> None:
    inputs = dict(zip(graph.aig.inputs, COLUMNS, strict=True))
    assert evaluate_nodes(graph.aig, inputs, mask=ALL) == [
        table(graph.aig, 2 * node) for node in range(len(graph.aig))
    ]


@given(graphs(), st.data())
def test_an_evaluation_may_begin_in_the_middle(graph: Graph, data: st.DataObject) -> None:
    aig = graph.aig
    ready = data.draw(st.sets(st.sampled_from(range(1, len(aig)))))
    values = {0: 0} | {n: table(aig, 2 * n) for n in frontier(aig, graph.edges, ready)}
    assert evaluate_edges(aig, graph.edges, values, ALL) == graph.tables()


@given(graphs(), st.lists(st.integers(0, 2**INPUTS - 1), max_size=200), st.sampled_from([1, 30]))
def test_a_simulator_holds_as_many_states_as_are_asked(
    graph: Graph, some_rows: list[int], times: int
) -> None:
    """Up to 2,048 states are integers, more are vectors."""
    rows = some_rows * times
    bits = np.array([[row >> i & 1 for row in rows] for i in range(INPUTS)], np.bool_)
    inputs = [2 * node for node in graph.aig.inputs]
    found = Simulator(graph.aig, inputs, graph.edges).run(bits)
    expected = [[truth >> row & 1 for row in rows] for truth in graph.tables()]
    assert found.tolist() == np.array(expected, np.bool_).reshape(len(expected), -1).tolist()
