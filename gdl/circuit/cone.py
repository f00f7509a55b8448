"""What edges depend on: their cones, and the inputs at the end of them."""

from __future__ import annotations

from collections.abc import Container, Iterable, Sequence
from itertools import compress
from typing import Final

from gdl.circuit.aig import Aig, Lit

_MANY: Final = 256
"""Roots from which on one pass over the graph is faster than a walk."""


def cone(aig: Aig, roots: Iterable[Lit], ready: Container[int] = ()) -> list[int]:
    """Return the and nodes that the roots depend on, operands before users.

    A node has a higher number than its operands, so the order of numbers is such an order.

    Args:
        aig: The graph.
        roots: Edges of it.
        ready: Nodes at which the walk ends; they are left out, and what only they need.

    Cost O(nodes of the cone), no recursion.
    """
    left, right = aig.left, aig.right
    seen: set[int] = set()
    stack = [root >> 1 for root in roots]
    if len(stack) > _MANY:
        return _below(aig, stack, ready)
    while stack:
        node = stack.pop()
        if left[node] < 0 or node in seen or node in ready:
            continue
        seen.add(node)
        stack.append(left[node] >> 1)
        stack.append(right[node] >> 1)
    return sorted(seen)


def live(aig: Aig, roots: Iterable[Lit]) -> list[int]:
    """Return the same nodes as `cone`, by one pass over the whole graph.

    Faster than a walk where the roots need most of it. Cost O(nodes of the graph).
    """
    return _below(aig, [root >> 1 for root in roots], ())


def _below(aig: Aig, nodes: Sequence[int], ready: Container[int]) -> list[int]:
    left, right = aig.left, aig.right
    is_live = bytearray(max(nodes, default=0) + 1)
    for node in nodes:
        is_live[node] = 1
    for node in range(len(is_live) - 1, 0, -1):
        if is_live[node]:
            if left[node] < 0 or node in ready:
                is_live[node] = 0
            else:
                is_live[left[node] >> 1] = is_live[right[node] >> 1] = 1
    is_live[0] = 0
    return list(compress(range(len(is_live)), is_live))


def frontier(aig: Aig, roots: Iterable[Lit], ready: Container[int] = ()) -> tuple[int, ...]:
    """Return where a walk down from the roots ends: at inputs and at nodes that are ready."""
    left, right = aig.left, aig.right
    seen = {0}
    ends: list[int] = []
    stack = [root >> 1 for root in roots]
    while stack:
        node = stack.pop()
        if node in seen:
            continue
        seen.add(node)
        if left[node] < 0 or node in ready:
            ends.append(node)
        else:
            stack.append(left[node] >> 1)
            stack.append(right[node] >> 1)
    return tuple(sorted(ends))


def support(aig: Aig, roots: Iterable[Lit]) -> frozenset[int]:
    """Return the input nodes that the roots depend on."""
    return frozenset(frontier(aig, roots))


def implied(aig: Aig, edge: Lit) -> frozenset[Lit]:
    """Return edges that hold whenever one does: itself, and both operands of each plain and."""
    consequences: set[Lit] = set()
    stack = [edge]
    while stack:
        edge = stack.pop()
        if edge in consequences:
            continue
        consequences.add(edge)
        if not edge & 1 and aig.is_and(edge >> 1):
            stack += (aig.left[edge >> 1], aig.right[edge >> 1])
    return frozenset(consequences)


def conjuncts(aig: Aig, edge: Lit) -> list[Lit]:
    """Return the edges whose conjunction an edge is, as far as plain ands go."""
    return sorted(e for e in implied(aig, edge) if e & 1 or not aig.is_and(e >> 1))
