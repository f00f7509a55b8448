"""A sum of products says what the factored graph said."""

from __future__ import annotations

from collections.abc import Sequence

from hypothesis import given
from hypothesis import strategies as st

from gdl.circuit.aig import Aig, Lit, negate
from gdl.circuit.cone import cone
from gdl.native.scalar.two_level import write_out
from tests.native.circuits import conj, disj

INPUTS = 5


@st.composite
def graphs(draw: st.DrawFn) -> tuple[Aig, list[Lit]]:
    """Draw a graph over five inputs, and all its edges."""
    aig = Aig()
    edges = [aig.add_input() for _ in range(INPUTS)]
    for _ in range(draw(st.integers(1, 25))):
        left, right = (draw(st.sampled_from(edges)) ^ draw(st.integers(0, 1)) for _ in range(2))
        edges.append(aig.conj(left, right))
    return aig, [edge for edge in edges if edge > 1]


def table(aig: Aig, edge: Lit) -> list[bool]:
    """Return the truth of an edge under each assignment of the inputs."""
    rows = []
    for number in range(1 << INPUTS):
        truth = {0: False, **{i + 1: bool(number >> i & 1) for i in range(INPUTS)}}
        for node in cone(aig, [edge]):
            truth[node] = all(
                truth[each >> 1] != bool(each & 1) for each in (aig.left[node], aig.right[node])
            )
        rows.append(truth[edge >> 1] != bool(edge & 1))
    return rows


@given(graphs(), st.data())
def test_what_is_written_out_says_the_same(
    graph: tuple[Aig, list[Lit]], data: st.DataObject
) -> None:
    aig, edges = graph
    root, *others = data.draw(st.lists(st.sampled_from(edges), min_size=1, max_size=4))
    root ^= data.draw(st.integers(0, 1))
    before = [table(aig, edge) for edge in (root, *others)]
    made, made_others = write_out(aig, root, others)
    assert [table(aig, edge) for edge in (made, *made_others)] == before


def lines(aig: Aig, cells: Sequence[Lit]) -> Lit:
    """Return ``a (b c d or e f g)``, two lines through one cell, factored."""
    a, *others = cells
    neither = aig.conj(*(negate(conj(aig, line)) for line in (others[:3], others[3:])))
    return aig.conj(a, negate(neither))


def test_lines_through_one_cell_become_products() -> None:
    aig = Aig()
    a, *others = cells = [aig.add_input() for _ in range(7)]
    made, _ = write_out(aig, lines(aig, cells), ())
    products = [conj(aig, [a, *line]) for line in (others[:3], others[3:])]
    assert made == disj(aig, products)


def test_a_part_that_others_read_stays_one_node() -> None:
    aig = Aig()
    *cells, other = (aig.add_input() for _ in range(8))
    won = lines(aig, cells)
    made, (part,) = write_out(aig, disj(aig, [won, other]), (won,))
    assert made == disj(aig, [part, other])
