"""Laws of and-inverter graphs: gates mean what they say, and equal gates are one."""

from __future__ import annotations

from itertools import product

from hypothesis import given
from hypothesis import strategies as st

from gdl.circuit.aig import FALSE, TRUE, Aig, Lit, negate
from gdl.circuit.evaluate import evaluate_nodes
from gdl.circuit.validate import validate_aig
from gdl.compile.gates.network import Network

INPUTS = 4
COLUMNS = [sum(1 << row for row in range(16) if row >> i & 1) for i in range(INPUTS)]
ALL = (1 << 16) - 1

formulas = st.recursive(
    st.integers(0, INPUTS - 1),
    lambda inner: st.tuples(st.sampled_from(["and", "or"]), st.booleans(), inner, inner),
    max_leaves=20,
)


def truth(formula: object) -> int:
    match formula:
        case int(index):
            return COLUMNS[index]
        case (op, inverted, left, right):
            one, other = truth(left), truth(right)
            value = one & other if op == "and" else one | other
            return value ^ ALL if inverted else value
    raise AssertionError


def gates(aig: Aig, inputs: list[Lit], formula: object) -> Lit:
    match formula:
        case int(index):
            return inputs[index]
        case (op, inverted, left, right):
            join = aig.conj if op == "and" else aig.disj
            edge = join(gates(aig, inputs, left), gates(aig, inputs, right))
            return negate(edge) if inverted else edge
    raise AssertionError


def value(aig: Aig, edge: Lit) -> int:
    inputs = dict(zip(aig.inputs, COLUMNS, strict=True))
    found = evaluate_nodes(aig, inputs, mask=ALL)[edge >> 1]
    return found ^ ALL if edge & 1 else found


@given(formulas)
def test_a_graph_has_the_truth_table_of_its_formula(formula: object) -> None:
    aig = Aig()
    inputs = [aig.add_input() for _ in range(INPUTS)]
    edge = gates(aig, inputs, formula)
    validate_aig(aig)
    assert value(aig, edge) == truth(formula)


@given(formulas)
def test_the_same_formula_twice_adds_no_gate(formula: object) -> None:
    aig = Aig()
    inputs = [aig.add_input() for _ in range(INPUTS)]
    first = gates(aig, inputs, formula)
    size = len(aig)
    assert gates(aig, inputs, formula) == first
    assert len(aig) == size


def test_constants_fold() -> None:
    aig = Aig()
    x = aig.add_input()
    assert aig.conj(x, TRUE) == x
    assert aig.conj(x, FALSE) == FALSE
    assert aig.conj(x, x) == x
    assert aig.conj(x, negate(x)) == FALSE
    assert aig.disj(x, negate(x)) == TRUE
    assert aig.disj(FALSE, x) == x
    assert len(list(aig.ands())) == 0


@given(st.lists(st.integers(0, 2 * INPUTS + 1), max_size=6))
def test_a_wide_gate_is_the_conjunction_of_its_operands(operands: list[int]) -> None:
    network = Network()
    for _ in range(INPUTS):
        network.add_input()
    edge = network.conj_all(operands)
    for row in product((0, 1), repeat=INPUTS):
        values = [0, *row]
        for node in range(INPUTS + 1, len(network)):
            values.append(int(all(values[e >> 1] ^ (e & 1) for e in network.operands[node])))
        expected = all(values[e >> 1] ^ (e & 1) for e in operands)
        assert values[edge >> 1] ^ (edge & 1) == expected
