"""Facts that go round in a cycle of phases: whose turn it is, place or rotate.

Some facts follow each other whatever is played. Where they go round in a short
cycle from the initial state on, each step of the cycle is a phase with a circuit
of its own, in which those facts are constants; the waiting role then has one
move, and half of the logic is gone.

In goes a `GameCircuit`, out comes a `PhaseCycle`.

Source: Schiffel, Thielscher, "Automated Theorem Proving for General Game Playing", IJCAI
2009 (control fluents); Clarke, Grumberg, Peled, "Model Checking", 1999, 13.1 (cones of
influence).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from math import lcm
from typing import Final, NamedTuple

from gdl.circuit.aig import Aig, Lit
from gdl.circuit.cone import live
from gdl.circuit.evaluate import evaluate_edges
from gdl.circuit.game import GameCircuit

MAX_PHASES: Final = 8
"""Longest cycle that is unrolled; each phase costs a circuit."""
LONGEST_CLOCK: Final = 1 << 14
"""Moves for which a clock is looked at."""


class PhaseCycle(NamedTuple):
    """Values of the facts that go round in each phase.

    Attributes:
        facts: Indices of these facts, rising.
        phases: For each phase, in order from the initial state, which of them hold.
    """

    facts: tuple[int, ...]
    phases: tuple[frozenset[int], ...]

    @property
    def period(self) -> int:
        """Number of phases, 1 where no facts go round."""
        return len(self.phases)


NO_CYCLE: Final = PhaseCycle((), (frozenset(),))


def find_phases(circuit: GameCircuit) -> PhaseCycle:
    """Return the facts that go round in a cycle of at most `MAX_PHASES` steps.

    Groups of facts that need each other are taken together and apart from others, so that a
    step counter beside a turn marker does not hide it. Cost O(nodes * `MAX_PHASES`).
    """
    needs = autonomous(circuit.aig, circuit.fact_inputs, circuit.next)
    states = _states(circuit, tuple(needs))
    # Small groups first, each only where the common period of all stays small: facts of several
    # groups repeat together after the least common multiple of their periods.
    facts: set[int] = set()
    period = 1
    for group in sorted(_closures(needs), key=lambda group: (len(group), sorted(group))):
        length = _cycle(states, group)
        if length is not None and lcm(period, length) <= MAX_PHASES:
            period = lcm(period, length)
            facts |= group
    if not facts:
        return NO_CYCLE
    return PhaseCycle(tuple(sorted(facts)), tuple(state & facts for state in states[:period]))


def autonomous(aig: Aig, facts: Sequence[Lit], follows: Sequence[Lit]) -> dict[int, frozenset[int]]:
    """Return the facts that run by themselves, and of each the facts that it depends on.

    They are the largest set of facts whose next values depend on none but these, and so on no
    move, even through other facts.

    Args:
        aig: The graph.
        facts: Input of each fact.
        follows: Edge of each fact after a step.

    Cost O(nodes), and as many operations on sets of facts as the facts without a move in their
    cone have nodes.
    """
    fact_of = {edge >> 1: f for f, edge in enumerate(facts)}
    left, right = aig.left, aig.right
    is_moved = bytearray(len(aig))
    for node in aig.inputs:
        is_moved[node] = node not in fact_of
    for node in aig.ands():
        is_moved[node] = is_moved[left[node] >> 1] | is_moved[right[node] >> 1]
    # Greatest fixed point: begin with all facts whose next value depends on facts of the circuit
    # alone, and drop those that need a dropped one until none does.
    free = [f for f in fact_of.values() if not is_moved[follows[f] >> 1]]
    # Sets of facts are bits of integers: cones that overlap are gone through once.
    sets = {0: 0, **{node: 1 << f for node, f in fact_of.items()}}
    for node in live(aig, [follows[f] for f in free]):
        sets[node] = sets[left[node] >> 1] | sets[right[node] >> 1]
    needs = {f: sets[follows[f] >> 1] for f in free}
    closed = sum(1 << f for f in free)
    while dropped := [f for f, needed in needs.items() if needed & ~closed]:
        for f in dropped:
            del needs[f]
            closed ^= 1 << f
    return {f: frozenset(_members(needed)) for f, needed in sorted(needs.items())}


def clock_length(circuit: GameCircuit, start: AbstractSet[int]) -> int:
    """Return for how many moves no state is met twice: facts that run by themselves count them.

    They count from the state in which the facts of ``start`` hold: a clock that ends in a circle
    counts less far from a later state.

    Cost O(their gates) a move, for `LONGEST_CLOCK` moves at most.
    """
    facts = tuple(autonomous(circuit.aig, circuit.fact_inputs, circuit.next))
    edges = [circuit.next[fact] for fact in facts]
    state = tuple(int(fact in start) for fact in facts)
    seen: set[tuple[int, ...]] = set()
    while state not in seen and len(seen) < LONGEST_CLOCK:
        seen.add(state)
        values = {circuit.fact_inputs[f] >> 1: v for f, v in zip(facts, state, strict=True)}
        state = tuple(map(int, evaluate_edges(circuit.aig, edges, {0: 0, **values}, 1)))
    return len(seen)


def _members(bits: int) -> Iterator[int]:
    while bits:
        yield (bits & -bits).bit_length() - 1
        bits &= bits - 1


def _closures(needs: Mapping[int, frozenset[int]]) -> set[frozenset[int]]:
    """Return for each fact the facts that it needs, directly or not, and itself."""
    groups: set[frozenset[int]] = set()
    for fact in needs:
        seen = {fact}
        stack = [fact]
        while stack:
            fresh = needs[stack.pop()] - seen
            seen |= fresh
            stack += fresh
        groups.add(frozenset(seen))
    return groups


def _states(circuit: GameCircuit, facts: Sequence[int]) -> list[frozenset[int]]:
    """Return which of some facts that run by themselves hold at first and after each step.

    A group that is closed goes the same way beside the others as it goes alone.
    """
    states = [circuit.initial.intersection(facts)]
    edges = [circuit.next[fact] for fact in facts]
    for _ in range(MAX_PHASES):
        values = {circuit.fact_inputs[f] >> 1: int(f in states[-1]) for f in facts}
        following = evaluate_edges(circuit.aig, edges, {0: 0, **values}, 1)
        states.append(frozenset(f for f, holds in zip(facts, following, strict=True) if holds))
    return states


def _cycle(states: Sequence[frozenset[int]], group: frozenset[int]) -> int | None:
    """Return after how many steps a closed group is as at first, None where it never is."""
    start = states[0] & group
    return next((n for n, state in enumerate(states) if n and state & group == start), None)
