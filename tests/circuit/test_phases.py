"""Facts that run by themselves, against all sets of facts and against plain simulation."""

from __future__ import annotations

from itertools import combinations

from hypothesis import given
from hypothesis import strategies as st

from gdl.circuit.aig import FALSE, TRUE, Aig, Lit, negate
from gdl.circuit.cone import cone, support
from gdl.circuit.game import GameCircuit
from gdl.circuit.logic import select
from gdl.circuit.phases import MAX_PHASES, NO_CYCLE, autonomous, find_phases
from gdl.language.terms import Constant
from tests.circuit.graphs import Graph, graphs, holds

FACTS = 3
"""The fourth input is a move."""


def game(aig: Aig, facts: list[Lit], follows: list[Lit], initial: frozenset[int]) -> GameCircuit:
    moves = tuple(2 * node for node in aig.inputs[len(facts) :])
    return GameCircuit(
        roles=(Constant("r"),),
        facts=tuple(Constant(f"f{i}") for i in range(len(facts))),
        initial=initial,
        moves=(tuple(Constant(f"m{i}") for i in range(len(moves))),),
        aig=aig,
        fact_inputs=tuple(facts),
        move_inputs=(moves,),
        legal=((TRUE,) * len(moves),),
        next=tuple(follows),
        terminal=0,
        goals=((),),
    )


@given(graphs(), st.data())
def test_the_facts_found_are_the_largest_closed_set(graph: Graph, data: st.DataObject) -> None:
    follows = [data.draw(st.sampled_from(graph.edges)) for _ in range(FACTS)]
    node_of = dict(enumerate(graph.aig.inputs[:FACTS]))
    needs = {f: support(graph.aig, [edge]) for f, edge in enumerate(follows)}
    closed = [
        set(some)
        for size in range(FACTS + 1)
        for some in combinations(range(FACTS), size)
        if all(needs[f] <= {node_of[g] for g in some} for f in some)
    ]
    found = autonomous(graph.aig, graph.inputs[:FACTS], follows)
    assert set(found) == set().union(*closed)
    for f, on in found.items():
        assert {node_of[g] for g in on} == needs[f]


@given(graphs(), st.data(), st.frozensets(st.integers(0, FACTS - 1)))
def test_the_phases_are_what_happens_whatever_is_played(
    graph: Graph, data: st.DataObject, initial: frozenset[int]
) -> None:
    follows = [data.draw(st.sampled_from(graph.edges)) for _ in range(FACTS)]
    clock = find_phases(game(graph.aig, graph.inputs[:FACTS], follows, initial))
    state = initial
    for ply in range(2 * clock.period):
        assert state & set(clock.facts) == clock.phases[ply % clock.period]
        row = sum(1 << f for f in state) | data.draw(st.integers(0, 1)) << FACTS
        state = frozenset(f for f, edge in enumerate(follows) if holds(graph.aig, edge, row))


def ring(size: int, *, begins_apart: bool = False) -> GameCircuit:
    """A token that goes round; with a first place before the ring where that is asked for."""
    aig = Aig()
    places = [aig.add_input() for _ in range(size)]
    aig.add_input()
    follows = [places[i - 1] for i in range(size)]
    if begins_apart:
        follows[0], follows[1] = 0, aig.disj(places[0], places[-1])
    return game(aig, places, follows, frozenset({0}))


def test_a_ring_is_a_clock_up_to_its_longest() -> None:
    clock = find_phases(ring(MAX_PHASES))
    assert clock.phases == tuple(frozenset({i}) for i in range(MAX_PHASES))
    assert find_phases(ring(MAX_PHASES + 1)) == NO_CYCLE


def test_what_never_comes_back_to_the_first_state_is_no_clock() -> None:
    assert find_phases(ring(4, begins_apart=True)) == NO_CYCLE


def test_a_long_counter_does_not_hide_a_turn_marker() -> None:
    aig = Aig()
    turn, *steps = [aig.add_input() for _ in range(41)]
    aig.add_input()
    circuit = game(aig, [turn, *steps], [negate(turn), 0, *steps[:-1]], frozenset({0, 1}))
    clock = find_phases(circuit)
    assert (clock.facts, clock.phases) == ((0,), (frozenset({0}), frozenset()))


def test_logic_of_any_size_may_run_by_itself() -> None:
    """Two facts that swap, one through two thousand gates over facts that stay false."""
    aig = Aig()
    one, other, *rest = [aig.add_input() for _ in range(40)]
    aig.add_input()
    never = FALSE
    for a, b in combinations(rest, 2):
        never = select(aig, never, a, b)
    swap = [aig.disj(other, never), one]
    circuit = game(aig, [one, other, *rest], [*swap, *rest], frozenset({0}))
    assert len(cone(aig, swap)) > 2_000
    clock = find_phases(circuit)
    assert clock.phases == (frozenset({0}), frozenset({1}))
