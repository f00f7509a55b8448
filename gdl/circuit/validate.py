"""Invariants of circuits, checked after each stage.

In: a circuit. Out: nothing, or an AssertionError that says what is wrong with it. A
failure is always a fault of this package, never of the rules.

Source: after the machine verifier of LLVM.
"""

from __future__ import annotations

from gdl.circuit.aig import Aig
from gdl.circuit.cone import support
from gdl.circuit.game import GameCircuit
from gdl.language.terms import in_order


def validate_circuit(circuit: GameCircuit) -> None:
    """Check a circuit; see the attributes of `GameCircuit` for what must hold. Cost O(nodes).

    Raises:
        AssertionError: Says what is wrong.
    """
    validate_aig(circuit.aig)
    _verify_names(circuit)
    _verify_inputs(circuit)
    nodes = len(circuit.aig)
    for edge in circuit.outputs():
        assert 0 <= edge < 2 * nodes, f"output edge {edge} is outside the graph"
    moves = {edge >> 1 for edges in circuit.move_inputs for edge in edges}
    state_only = [circuit.terminal]
    state_only += (edge for edges in circuit.legal for edge in edges)
    state_only += (edge for pairs in circuit.goals for _, edge in pairs)
    seen = support(circuit.aig, state_only) & moves
    assert not seen, "legal, terminal or goal depends on a move"


def validate_aig(aig: Aig) -> None:
    """Check that operands come first and that no two nodes are the same gate.

    Raises:
        AssertionError: Says what is wrong.
    """
    assert len(aig.left) == len(aig.right), "operands are not in pairs"
    assert aig.left[0] == aig.right[0] == -1, "node 0 is not the constant"
    gates: set[int] = set()
    for node, (left, right) in enumerate(zip(aig.left, aig.right, strict=True)):
        if left >= 0:
            in_order = 1 < left < right < 2 * node  # no constants
            assert in_order, f"operands {left, right} of node {node} are not in order"
            gate = left << 32 | right
            assert gate not in gates, f"node {node} doubles another"
            gates.add(gate)
    for node in aig.inputs:
        assert 0 < node < len(aig), f"input {node} is outside the graph"
        assert aig.left[node] == aig.right[node] == -1, f"input {node} has operands"


def _verify_names(circuit: GameCircuit) -> None:
    roles = len(circuit.roles)
    for table in (circuit.moves, circuit.move_inputs, circuit.legal, circuit.goals):
        assert len(table) == roles, "a table does not have one row a role"
    assert len(circuit.sees) in (0, roles), "sees does not have one row a role"
    assert len(circuit.next) == len(circuit.facts), "next does not have one edge a fact"
    for names in (circuit.facts, *circuit.moves):
        assert list(names) == in_order(set(names)), "names are not in order"
    for moves, legal in zip(circuit.moves, circuit.legal, strict=True):
        assert len(moves) == len(legal), "legal does not have one edge a move"
    for pairs in circuit.goals:
        values = [value for value, _ in pairs]
        assert values == sorted(set(values)), "goal values do not rise"
    assert all(0 <= fact < len(circuit.facts) for fact in circuit.initial), "unknown initial fact"


def _verify_inputs(circuit: GameCircuit) -> None:
    edges = [*circuit.fact_inputs]
    for moves, inputs in zip(circuit.moves, circuit.move_inputs, strict=True):
        assert len(moves) == len(inputs), "a role does not have one input a move"
        edges += inputs
    assert len(circuit.fact_inputs) == len(circuit.facts), "there is not one input a fact"
    expected = [2 * node for node in circuit.aig.inputs]
    assert edges == expected, "the inputs are not the facts, then the moves of each role"
