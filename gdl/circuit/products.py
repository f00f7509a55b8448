"""The small sets of facts that make an edge true: lines of stones, a piece on its last row.

In: an edge of facts. Out: its sum of products, without the products that contain another one. What
is asked to be absent is left out: so a product is what has to come about, and not all that the edge
asks for.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import product
from typing import Final

from gdl.circuit.aig import Aig, Lit
from gdl.circuit.cone import cone, conjuncts
from gdl.circuit.game import GameCircuit

MOST: Final = 1024
"""Products of an edge, at most."""
MOST_GATES: Final = 20_000
"""Gates below an edge, at most."""
MOST_WORK: Final = 1 << 21
"""Pairs of products that are compared below an edge, at most: a tenth of a second."""
WIDEST: Final = 8
"""Facts of a product, at most."""
NOTHING_ASKED: Final = frozenset({0})
"""The sum of the empty product alone."""


def goal_lines(circuit: GameCircuit, role: int) -> list[frozenset[int]]:
    """Return the sets of two to `WIDEST` facts that bring a role its highest goal.

    There are none where they are too many, or where the goal rests on something else. Whether they
    bring it in each state that play leads to is not said: they are hints for a search.
    """
    goals = circuit.goals[role]
    if not goals:
        return []
    number = {edge >> 1: fact for fact, edge in enumerate(circuit.fact_inputs)}
    encoded = products(circuit.aig, max(goals)[1])
    lines = (frozenset(n for n in number if p >> n & 1) for p in encoded)
    return [frozenset(number[node] for node in line) for line in lines if len(line) > 1]


def products(aig: Aig, edge: Lit) -> list[int]:
    """Return the products of an edge, each as a number whose ones are input nodes.

    There are none where that would be too much work. Cost O(gates), and `MOST_WORK`.
    """
    nodes = cone(aig, [edge])
    if len(nodes) > MOST_GATES:
        return []
    covers: dict[Lit, frozenset[int]] = {}

    def of(lit: Lit) -> frozenset[int]:
        if lit in covers:
            return covers[lit]
        if lit <= 1:
            return NOTHING_ASKED if lit else frozenset()
        return NOTHING_ASKED if lit & 1 else frozenset({1 << (lit >> 1)})

    work = 0
    for lit in _wanted(aig, edge, nodes):
        left, right = (
            of(operand ^ (lit & 1)) for operand in (aig.left[lit >> 1], aig.right[lit >> 1])
        )
        is_sum = bool(lit & 1)
        work += (len(left) + len(right)) ** 2 if is_sum else (len(left) * len(right)) ** 2
        if work > MOST_WORK:
            return []
        covers[lit] = _least(left | right if is_sum else {a | b for a, b in product(left, right)})
    return sorted(p for p in of(edge) if 0 < p.bit_count() <= WIDEST)


def _wanted(aig: Aig, edge: Lit, nodes: list[int]) -> list[Lit]:
    """Return the edges of gates that one rests on, operands before users."""
    wanted = {edge}
    for node in reversed(nodes):
        for lit in wanted & {2 * node, 2 * node + 1}:
            wanted |= {aig.left[node] ^ (lit & 1), aig.right[node] ^ (lit & 1)}
    return sorted(lit for lit in wanted if aig.is_and(lit >> 1))


def _least(products: Iterable[int]) -> frozenset[int]:
    """Return the products of which no other one is a part, and none that is too wide."""
    least: list[int] = []
    for factors in sorted(products, key=int.bit_count):
        if factors.bit_count() > WIDEST or len(least) > MOST:
            break
        if not any(other & factors == other for other in least):
            least.append(factors)
    return frozenset(least)


def blockers(circuit: GameCircuit) -> dict[int, frozenset[int]]:
    """Return for each fact those in whose company it never holds, and which never go away again.

    A stone of one's own never comes to where one of the other's stays.
    """
    if circuit.assumed is None:
        return {}
    aig = circuit.aig
    groups = [members for members, _ in circuit.assumed]
    lasting = {
        fact
        for fact in {fact for members in groups for fact in members}
        if circuit.fact_inputs[fact] ^ 1 in conjuncts(aig, circuit.next[fact] ^ 1)
    }
    excluded: dict[int, frozenset[int]] = {}
    for members in groups:
        for fact in members:
            excluded[fact] = excluded.get(fact, frozenset()) | (
                lasting.intersection(members) - {fact}
            )
    return excluded
