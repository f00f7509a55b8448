"""Making networks smaller never changes what they say where the knowledge holds."""

from __future__ import annotations

from collections.abc import Callable
from itertools import product
from unittest.mock import patch

import pytest
from hypothesis import event, given, settings
from hypothesis import strategies as st

from gdl.circuit.aig import Lit
from gdl.circuit.evaluate import evaluate_nodes
from gdl.circuit.mutex import MutexGroup
from gdl.compile.gates.cut_proofs import Prover, _size, not_one_holds, two_hold
from gdl.compile.gates.implications import edges_of, input_implications, mask_of
from gdl.compile.gates.network import Network
from gdl.compile.gates.rewrite import Rewriter, implications, rewrite
from gdl.compile.gates.two_input_trees import two_input_gates
from tests.compile.networks import values_of
from tests.shared import examples

FACTS = 4
MOVES = 4
INPUTS = FACTS + MOVES
FACT_GROUP = MutexGroup((2, 4, 6), is_exact=True)
LOOSE_GROUP = MutexGroup((6, 8), is_exact=False)
MOVE_GROUP = MutexGroup((10, 12, 14, 16), is_exact=True)
GROUPS = [FACT_GROUP, LOOSE_GROUP, MOVE_GROUP]
LEGALITY = {10: 1 << 2, 12: 1 << 4, 14: (1 << 3) | (1 << 8), 16: 0}
"""What the moves say of the state: the first needs fact 1, the second fact 2, ..."""


def rows() -> list[tuple[int, ...]]:
    """Return all assignments that agree with the groups and with legality."""
    found = []
    for row in product((0, 1), repeat=INPUTS):
        value = dict(enumerate(row, start=1))

        def holds(edge: Lit, value: dict[int, int] = value) -> bool:
            return bool(value[edge >> 1] ^ (edge & 1))

        sums = [sum(holds(member) for member in group.members) for group in GROUPS]
        if sums[0] != 1 or sums[1] > 1 or sums[2] != 1:
            continue
        if all(
            holds(edge) for move in LEGALITY if holds(move) for edge in edges_of(LEGALITY[move])
        ):
            found.append(row)
    return found


ROWS = rows()
MASK = (1 << len(ROWS)) - 1
COLUMNS = [sum(row[i] << number for number, row in enumerate(ROWS)) for i in range(INPUTS)]


@st.composite
def networks(draw: st.DrawFn) -> tuple[Network, list[Lit]]:
    network = Network()
    edges = [network.add_input() for _ in range(INPUTS)]
    for _ in range(draw(st.integers(1, 14))):
        picks = draw(st.lists(st.sampled_from(edges), min_size=2, max_size=5))
        signs = draw(st.lists(st.integers(0, 1), min_size=len(picks), max_size=len(picks)))
        edges.append(network.conj_all(e ^ s for e, s in zip(picks, signs, strict=True)))
    outputs = [edge ^ draw(st.integers(0, 1)) for edge in edges[-3:]]
    return network, outputs


def values(network: Network, edges: list[Lit]) -> list[int]:
    found = values_of(network, COLUMNS, MASK)
    return [found[edge >> 1] ^ (MASK if edge & 1 else 0) for edge in edges]


WIDTHS = st.sampled_from([None, FACTS])
"""Sets of all inputs, and sets of facts only."""


@pytest.mark.slow
@settings(max_examples=examples(600))
@given(networks(), WIDTHS)
def test_a_rewritten_network_agrees_wherever_the_knowledge_holds(
    case: tuple[Network, list[Lit]], facts: int | None
) -> None:
    network, outputs = case
    known = input_implications(INPUTS, GROUPS, LEGALITY, facts=facts)
    once, first = rewrite(network, outputs, known)
    twice, second = rewrite(once, first, known)
    assert values(once, first) == values(network, outputs)
    assert values(twice, second) == values(network, outputs)


@settings(max_examples=examples(500))
@given(networks(), WIDTHS)
def test_operands_that_are_seen_to_be_small_at_once_are_left_by_a_closer_look(
    case: tuple[Network, list[Lit]], facts: int | None
) -> None:
    network, outputs = case
    seen: list[bool] = []
    at_once = Rewriter._is_as_small_as_can_be

    def both(rewriter: Rewriter, operands: set[Lit]) -> bool:
        seen.append(at_once(rewriter, operands))
        if seen[-1]:
            with patch.object(Rewriter, "_is_as_small_as_can_be", lambda *_: False):
                assert rewriter._reduced(set(operands)) == operands
        return seen[-1]

    with patch.object(Rewriter, "_is_as_small_as_can_be", both):
        rewrite(network, outputs, input_implications(INPUTS, GROUPS, LEGALITY, facts=facts))
    event(f"some are seen at once: {any(seen)}, some are not: {not all(seen)}")


@settings(max_examples=examples(200))
@given(networks())
def test_without_knowledge_a_rewritten_network_agrees_everywhere(
    case: tuple[Network, list[Lit]],
) -> None:
    network, outputs = case
    everything = (1 << (1 << INPUTS)) - 1
    columns = [sum(1 << row for row in range(1 << INPUTS) if row >> i & 1) for i in range(INPUTS)]
    new, edges = rewrite(network, outputs, input_implications(INPUTS, [], {}))
    before = values_of(network, columns, everything)
    after = values_of(new, columns, everything)
    assert [after[e >> 1] ^ -(e & 1) & everything for e in edges] == [
        before[e >> 1] ^ -(e & 1) & everything for e in outputs
    ]


@given(networks())
def test_two_input_gates_say_the_same_as_wide_ones(case: tuple[Network, list[Lit]]) -> None:
    network, outputs = case
    aig, edges = two_input_gates(network, outputs)
    inputs = dict(zip(aig.inputs, COLUMNS, strict=True))
    found = evaluate_nodes(aig, inputs, mask=MASK)
    assert [found[e >> 1] ^ (MASK if e & 1 else 0) for e in edges] == values(network, outputs)


@given(networks(), WIDTHS)
def test_what_an_edge_is_said_to_imply_holds_with_it(
    case: tuple[Network, list[Lit]], facts: int | None
) -> None:
    network, outputs = case
    known = input_implications(INPUTS, GROUPS, LEGALITY, facts=facts)
    masks = implications(network, outputs, known)
    for value, mask in zip(values(network, outputs), masks, strict=True):
        for edge in edges_of(mask) if value else ():
            column = COLUMNS[(edge >> 1) - 1] ^ (MASK if edge & 1 else 0)
            assert not value & ~column


def breaking(prover: Prover, edges: list[Lit], law: Callable[[list[int], int], int]) -> int:
    """Return the assignments that break a law, of those that agree with each implication."""
    leaves, gates = prover._cut(edges)
    assignments = prover._all_assignments(leaves, gates)
    assert assignments is not None
    allowed = assignments.everything
    for edge in range(2, 2 * INPUTS + 2):
        for other in edges_of(prover._knowledge.implied[edge]):
            if edge >> 1 in leaves and other >> 1 in leaves:
                allowed &= assignments.value(edge ^ 1) | assignments.value(other)
    return law([assignments.value(edge) for edge in edges], assignments.everything) & allowed


@given(networks(), WIDTHS)
def test_a_proof_is_true(case: tuple[Network, list[Lit]], facts: int | None) -> None:
    network, outputs = case
    prover = Prover(network, input_implications(INPUTS, GROUPS, LEGALITY, facts=facts))
    found = values(network, outputs)
    for law in (two_hold, not_one_holds):
        is_proved = prover.always(outputs, law)
        assert not is_proved or not law(found, MASK)
        assert is_proved == (not breaking(prover, outputs, law))


def test_few_leaves_have_at_most_as_many_assignments_as_if_they_were_free() -> None:
    network = Network()
    for _ in range(INPUTS):
        network.add_input()
    prover = Prover(network, input_implications(INPUTS, GROUPS, LEGALITY))
    for row in product((False, True), repeat=INPUTS):
        leaves = {node for node, is_in in enumerate(row, start=1) if is_in}
        assert _size(prover._variables(leaves)) <= 1 << len(leaves)


def test_proofs_that_need_the_groups_are_found() -> None:
    network = Network()
    for _ in range(INPUTS):
        network.add_input()
    prover = Prover(network, input_implications(INPUTS, GROUPS, LEGALITY))
    both = network.conj_all((2, 10))
    assert prover.always([10, 4], two_hold)
    assert prover.always([both, 3], not_one_holds) is False
    assert prover.always([2, 4, 6], not_one_holds)
    assert prover.always([10, 12, 14, 16], not_one_holds)
    assert not prover.always([2, 8], two_hold)


def test_narrow_sets_hold_facts_only_and_moves_exclude_each_other_all_the_same() -> None:
    narrow = input_implications(INPUTS, GROUPS, LEGALITY, facts=FACTS)
    assert max(edge for mask in narrow.implied for edge in edges_of(mask)) <= 2 * FACTS + 1
    network = Network()
    edges = [network.add_input() for _ in range(INPUTS)]
    one, other, third, fourth = edges[FACTS:]
    both = network.conj_all((one, other))
    but = network.conj_all((one, other ^ 1, edges[3]))
    rest = network.conj_all((one ^ 1, other ^ 1, third ^ 1))
    _, found = rewrite(network, [both, but, rest], narrow)
    assert found[0] == 0
    assert found[2] == fourth
    new, (last,) = rewrite(network, [but], narrow)
    assert new.operands[last >> 1] == (edges[3], one)


def test_an_edge_of_a_set_is_its_bit() -> None:
    assert list(edges_of(mask_of([3, 70, 5]))) == [3, 5, 70]
    assert list(edges_of(0)) == []
