"""Technology mapping: cover a graph with operations of three inputs.

A CPU with AVX-512 computes any function of three words in one instruction
(``vpternlog``). In goes an and-inverter graph and its roots, out comes a `Cover`
of operations with at most three operands and a truth table each, about half as
many as there are ands. For other CPUs `gdl.native.code.formulas` spells them out.

Source: Mishchenko, Chatterjee, Brayton, "Improvements to Technology Mapping for
LUT-Based FPGAs", TCAD 2007 (priority cuts, area flow).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple, TypeAlias

from gdl.circuit.aig import Aig, Lit
from gdl.circuit.cone import cone
from gdl.circuit.evaluate import evaluate_edges

Cut: TypeAlias = tuple[int, ...]

ARITY: Final = 3
KEPT: Final = 5
"""Cuts kept for each node."""
COLUMNS: Final = (0b10101010, 0b11001100, 0b11110000)
"""Truth table of the first, second and third operand."""
ONES: Final = 0xFF


class Operation(NamedTuple):
    """One operation.

    Attributes:
        node: The node of the graph that it computes.
        operands: Nodes it reads, at most three.
        table: Bit ``i`` is the result where operand ``j`` has bit ``j`` of ``i``.
    """

    node: int
    operands: Cut
    table: int


class Cover(NamedTuple):
    """Operations in an order in which operands come first.

    Attributes:
        operations: All of them.
        inverted: Nodes whose operation yields the inverse of the node.
    """

    operations: tuple[Operation, ...]
    inverted: frozenset[int]


def cover(aig: Aig, roots: Sequence[Lit]) -> Cover:
    """Return a network that computes every root, in depth-first order of the roots.

    A root that is wanted inverted only is computed inverted.
    Cost O(gates).
    """
    # Area flow shares the price of a node among its users. Users are first those in the graph; a
    # node inside of a cut is not read any more, so they are counted again in the cover found.
    nodes = cone(aig, roots)
    users = _users(aig, nodes, roots)
    cuts = _enumerate(aig, nodes, users)
    best = _select(nodes, cuts, users)
    users = _recount(nodes, best, roots)
    best = _select(nodes, cuts, users)
    order = _order(aig, best, roots)
    inverted = inverted_roots(aig, roots)
    operations = tuple(
        Operation(node, best[node], _table(aig, node, best[node], inverted)) for node in order
    )
    return Cover(operations, inverted & set(order))


def _users(aig: Aig, nodes: Sequence[int], roots: Sequence[Lit]) -> dict[int, int]:
    users: dict[int, int] = {}
    for node in nodes:
        for edge in (aig.left[node], aig.right[node]):
            users[edge >> 1] = users.get(edge >> 1, 0) + 1
    for root in roots:
        users[root >> 1] = users.get(root >> 1, 0) + 1
    return users


def _enumerate(aig: Aig, nodes: Sequence[int], users: dict[int, int]) -> dict[int, list[Cut]]:
    """Return the cuts of each node that promise the smallest area, the best first."""
    cuts: dict[int, list[Cut]] = {}
    flow: dict[int, float] = {}
    # A cut of a gate is the union of a cut of each operand, or of the operand itself. Operands come
    # first, so theirs are known; only the best few are kept (priority cuts).
    for node in nodes:
        left, right = aig.left[node] >> 1, aig.right[node] >> 1
        ranked: dict[Cut, float] = {}
        lefts = [(left,), *cuts.get(left, ())]
        rights = [(right,), *cuts.get(right, ())]
        for a in lefts:
            for b in rights:
                if a == b:
                    merged = a
                elif len(a) == len(b) == 1:
                    merged = (a[0], b[0]) if a[0] < b[0] else (b[0], a[0])
                else:
                    union = {*a, *b}
                    if len(union) > ARITY:
                        continue
                    merged = tuple(sorted(union))
                if merged not in ranked:
                    ranked[merged] = sum([flow.get(leaf, 0.0) for leaf in merged])
        best = sorted(ranked, key=lambda cut: (ranked[cut], len(cut)))[:KEPT]
        cuts[node] = best
        flow[node] = (1 + ranked[best[0]]) / max(1, users.get(node, 1))
    return cuts


def _select(
    nodes: Sequence[int], cuts: dict[int, list[Cut]], users: dict[int, int]
) -> dict[int, Cut]:
    flow: dict[int, float] = {}
    best: dict[int, Cut] = {}
    for node in nodes:
        cost, cut = min((sum([flow.get(leaf, 0.0) for leaf in cut]), cut) for cut in cuts[node])
        best[node] = cut
        flow[node] = (1 + cost) / max(1, users.get(node, 1))
    return best


def _recount(nodes: Sequence[int], best: dict[int, Cut], roots: Sequence[Lit]) -> dict[int, int]:
    """Return how often each node is read in the present cover."""
    users: dict[int, int] = {}
    for root in roots:
        users[root >> 1] = users.get(root >> 1, 0) + 1
    # Users before operands: when a node is met, all who read it have been counted.
    for node in reversed(nodes):
        if node in users:
            for leaf in best[node]:
                users[leaf] = users.get(leaf, 0) + 1
    return users


def _order(aig: Aig, best: dict[int, Cut], roots: Sequence[Lit]) -> list[int]:
    """Return the nodes of the cover, each as late as its first user allows (depth first)."""
    order: list[int] = []
    done: set[int] = set()
    for root in roots:
        stack = [root >> 1]
        while stack:
            node = stack[-1]
            if node in done or not aig.is_and(node):
                stack.pop()
                continue
            waiting = [leaf for leaf in best[node] if leaf not in done and aig.is_and(leaf)]
            if waiting:
                stack.append(waiting[0])
            else:
                stack.pop()
                done.add(node)
                order.append(node)
    return order


def inverted_roots(aig: Aig, roots: Sequence[Lit]) -> frozenset[int]:
    """Return the gates that roots want inverted only."""
    plain = {root >> 1 for root in roots if not root & 1}
    return frozenset(root >> 1 for root in roots if root & 1 and aig.is_and(root >> 1)) - plain


def _table(aig: Aig, node: int, cut: Cut, inverted: frozenset[int]) -> int:
    # Each leaf gets its column of all eight cases; evaluating the cut on them is its truth table.
    values = {0: 0}
    for column, leaf in zip(COLUMNS, cut, strict=False):
        values[leaf] = column ^ ONES if leaf in inverted else column
    (table,) = evaluate_edges(aig, (2 * node + (node in inverted),), values, ONES)
    return table
