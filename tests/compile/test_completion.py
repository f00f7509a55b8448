"""Sums of products as gates: common factors change their size, never their value."""

from __future__ import annotations

from itertools import product

from hypothesis import given
from hypothesis import strategies as st

from gdl.circuit.aig import FALSE, TRUE, Lit
from gdl.compile.gates.completion import sum_of_products
from gdl.compile.gates.network import Network
from tests.compile.networks import values_of

INPUTS = 5
MASK = (1 << (1 << INPUTS)) - 1
COLUMNS = [sum(1 << row for row in range(1 << INPUTS) if row >> i & 1) for i in range(INPUTS)]
EDGES = st.one_of(st.integers(2, 2 * INPUTS + 1), st.sampled_from([FALSE, TRUE]))
ROWS = st.lists(st.lists(EDGES, max_size=4), max_size=24)


def inputs_only() -> Network:
    network = Network()
    for _ in range(INPUTS):
        network.add_input()
    return network


@given(ROWS, st.lists(EDGES, max_size=2))
def test_a_sum_of_products_holds_where_one_of_its_rows_does(
    rows: list[list[Lit]], common: list[Lit]
) -> None:
    rows = [[*common, *row] for row in rows]
    network = inputs_only()
    edge = sum_of_products(rows, network)
    found = values_of(network, COLUMNS, MASK)[edge >> 1] ^ (MASK if edge & 1 else 0)
    for number, values in enumerate(product((0, 1), repeat=INPUTS)):
        bits = [0, *reversed(values)]
        expected = any(all(bits[e >> 1] ^ (e & 1) for e in row) for row in rows)
        assert bool(found >> number & 1) == expected


def test_what_most_rows_share_is_taken_out() -> None:
    network = Network()
    fact, *moves = [network.add_input() for _ in range(101)]
    sum_of_products([[fact, move] for move in moves], network)
    assert len(network) - network.inputs - 1 == 2
