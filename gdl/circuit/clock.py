"""Facts that run like a clock: whose turn it is, place or rotate.

Some facts follow each other whatever is played. Where they go round in a short
cycle from the initial state on, each step of the cycle is a phase with a circuit
of its own, in which those facts are constants; the waiting role then has one
move, and half of the logic is gone.

In goes a `GameCircuit`, out comes a `Clock`. Source: ours; the idea of a control
fluent after Schiffel and Thielscher, "Automated Theorem Proving for General Game
Playing", IJCAI 2009.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import lcm
from typing import Final

from gdl.circuit.aig import Lit
from gdl.circuit.game import GameCircuit
from gdl.circuit.logic import cone

MAX_PHASES: Final = 8
"""Longest cycle that is unrolled; each phase costs a circuit."""

MAX_CLOCK_CONE: Final = 500
"""A clock fact has little logic; larger cones are not looked through."""


@dataclass(frozen=True, slots=True)
class Clock:
    """Values of the clock facts in each phase.

    Attributes:
        facts: Indices of the clock facts, rising.
        phases: For each phase, in order from the initial state, which of them hold.
    """

    facts: tuple[int, ...]
    phases: tuple[frozenset[int], ...]

    @property
    def period(self) -> int:
        """Number of phases, 1 where there is no clock."""
        return len(self.phases)


NO_CLOCK: Final = Clock((), (frozenset(),))


def find_clock(circuit: GameCircuit) -> Clock:
    """Return the facts that go round in a cycle of at most `MAX_PHASES` steps.

    Only facts whose inputs are plain, and groups that need each other, are taken together,
    so that a step counter beside a turn marker does not hide it. Cost O(facts).
    """
    closed = _autonomous(circuit)
    facts: set[int] = set()
    period = 1
    for group in sorted(_groups(closed), key=lambda group: (len(group), sorted(group))):
        cycle = _cycle(circuit, group)
        if cycle is not None and lcm(period, len(cycle)) <= MAX_PHASES:
            period = lcm(period, len(cycle))
            facts |= group
    if not facts:
        return NO_CLOCK
    phases = _cycle(circuit, frozenset(facts))
    assert phases is not None
    return Clock(tuple(sorted(facts)), tuple(phases))


def _autonomous(circuit: GameCircuit) -> dict[int, frozenset[int]]:
    """Return the facts that depend on no move, even through others, and what they depend on."""
    fact_of = {edge >> 1: f for f, edge in enumerate(circuit.fact_inputs) if _is_input(circuit, f)}
    needs: dict[int, frozenset[int]] = {}
    for f, edge in enumerate(circuit.next):
        if _is_input(circuit, f):
            nodes = _small_support(circuit, edge)
            if nodes is not None and nodes <= fact_of.keys():
                needs[f] = frozenset(fact_of[node] for node in nodes)
    while True:
        dropped = [f for f, on in needs.items() if not on <= needs.keys()]
        if not dropped:
            return needs
        for f in dropped:
            del needs[f]


def _small_support(circuit: GameCircuit, root: Lit) -> set[int] | None:
    """Return the inputs that an edge depends on; None when its cone is large."""
    aig = circuit.aig
    seen: set[int] = set()
    stack = [root >> 1]
    while stack:
        node = stack.pop()
        if node in seen or node == 0:
            continue
        seen.add(node)
        if len(seen) > MAX_CLOCK_CONE:
            return None
        if aig.is_and(node):
            stack += (aig.left[node] >> 1, aig.right[node] >> 1)
    return {node for node in seen if not aig.is_and(node)}


def _is_input(circuit: GameCircuit, fact: int) -> bool:
    edge = circuit.fact_inputs[fact]
    return not edge & 1 and edge > 1 and not circuit.aig.is_and(edge >> 1)


def _groups(needs: dict[int, frozenset[int]]) -> set[frozenset[int]]:
    """Return for each fact the facts that it needs, directly or not."""
    groups: set[frozenset[int]] = set()
    for fact in needs:
        seen = {fact}
        stack = [fact]
        while stack:
            for other in needs[stack.pop()]:
                if other not in seen:
                    seen.add(other)
                    stack.append(other)
        groups.add(frozenset(seen))
    return groups


def _cycle(circuit: GameCircuit, group: frozenset[int]) -> list[frozenset[int]] | None:
    """Return the states of a closed group from the initial one on, None if no short cycle."""
    start = circuit.initial & group
    states = [start]
    while len(states) <= MAX_PHASES:
        following = _step(circuit, group, states[-1])
        if following == start:
            return states
        states.append(following)
    return None


def _step(circuit: GameCircuit, group: frozenset[int], state: frozenset[int]) -> frozenset[int]:
    aig = circuit.aig
    values: dict[int, bool] = {0: False}
    for fact in group:
        values[circuit.fact_inputs[fact] >> 1] = fact in state
    roots = [circuit.next[fact] for fact in group]
    for node in cone(aig, roots):
        left, right = aig.left[node], aig.right[node]
        values[node] = (values[left >> 1] ^ bool(left & 1)) and (
            values[right >> 1] ^ bool(right & 1)
        )
    return frozenset(f for f in group if values[circuit.next[f] >> 1] ^ bool(circuit.next[f] & 1))
