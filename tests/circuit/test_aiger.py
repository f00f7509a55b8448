"""AIGER written and read back is the same function."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gdl.circuit.aiger import Latch, Model, model_bytes, model_text
from tests.circuit.aiger_file import bit, read_aiger
from tests.circuit.graphs import INPUTS, ROWS, Graph, graphs, holds


@pytest.mark.parametrize("write", [model_text, model_bytes])
@given(graphs(), st.integers(0, INPUTS), st.lists(st.booleans(), min_size=INPUTS, max_size=INPUTS))
def test_a_model_read_back_is_the_same_function(
    write: Callable[[Model], str | bytes], graph: Graph, latches: int, starts: list[bool]
) -> None:
    aig = graph.aig
    edges = graph.inputs
    follows = [graph.edges[i % len(graph.edges)] for i in range(latches)]
    model = Model(
        aig,
        tuple((edge, f"in {edge}") for edge in edges[latches:]),
        tuple(
            Latch(edge, after, start, f"latch {edge}")
            for edge, after, start in zip(edges[:latches], follows, starts, strict=False)
        ),
        tuple((edge, f"out {i}") for i, edge in enumerate(graph.edges)),
        tuple((edge ^ 1, f"bad {i}") for i, edge in enumerate(graph.edges[:2])),
        "of no game",
    )
    content = write(model)
    found = read_aiger(content.encode() if isinstance(content, str) else content)
    assert found.start() == [int(latch.start) for latch in model.latches]
    assert found.comment == ["of no game"]
    for row in range(ROWS):
        bits = [row >> i & 1 for i in range(INPUTS)]
        value = found.values(bits[:latches], bits[latches:])
        wanted = [holds(aig, edge, row) for edge in graph.edges]
        assert [bit(value, edge) for edge in found.outputs] == wanted
        assert [bit(value, edge) for edge in found.bads] == [not value for value in wanted[:2]]
        after = [bit(value, edge) for _, edge, _ in found.latches]
        assert after == [holds(aig, edge, row) for edge in follows]
