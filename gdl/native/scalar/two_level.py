"""Factored sums written out again, for circuits that are driven by what changes.

Logic for all games at once is made small by taking common factors out: ``a (b or c (d or e))``.
Driven by events that is a long way: a change of ``e`` may go through four gates. Written out as a
sum of products, ``a b or a c d or a c e``, it goes to the products that hold it, and on only if one
of them turns, which is rare: the lines of a board game are such products.

Source: two-level logic, Brayton et al., "Logic Minimization Algorithms for VLSI Synthesis",
1984.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from itertools import chain
from typing import Final, TypeAlias

from gdl.circuit.aig import TRUE, Aig, Lit, negate
from gdl.circuit.cone import cone, frontier, support
from gdl.circuit.copy import Copier

LARGEST: Final = 4_096
"""Nodes of a graph that is still looked at."""
MOST: Final = 2_048
"""Products of a sum, at most."""
WORK: Final = 200_000
"""Products made on the way, at most."""
DEAREST: Final = 4
"""Operands of products that are as good as one node that they replace, at most."""

Product: TypeAlias = frozenset[Lit]
Sum: TypeAlias = tuple[Product, ...]


def write_out(aig: Aig, root: Lit, others: Sequence[Lit]) -> tuple[Lit, tuple[Lit, ...]]:
    """Return edges that say the same, a root as a sum of products as far as that is reasonable.

    Where several sums are multiplied each stays a factor. Cost O(nodes + products made); what
    would take more than `WORK` of them is left as it is.

    Args:
        aig: The graph, which grows.
        root: What is written out.
        others: Edges that may depend on parts of it; such a part stays one node.
    """
    nodes = cone(aig, [root])
    if len(nodes) > LARGEST:
        return root, tuple(others)
    # What the goals read of the root stays one node: written out, it would be there twice.
    boundary = {*frontier(aig, others, set(nodes)), root >> 1}
    rebuilt: dict[int, Lit] = {}
    sums: dict[Lit, Sum] = {}
    cost: dict[int, int] = {}
    work = 0
    for node in nodes:
        operands = (aig.left[node], aig.right[node])
        # Of each node the sum of it and of its inverse: an and multiplies the one (distributing
        # over a single sum) and, by De Morgan, joins the other.
        both = tuple(_sum(edge, operands, sums) for edge in (2 * node, 2 * node + 1))
        if node in boundary:
            rebuilt[node] = _build(aig, 2 * node, both, cost)
            cost[rebuilt[node] >> 1] = 1
            both = (_single(rebuilt[node]), _single(negate(rebuilt[node])))
        sums[2 * node], sums[2 * node + 1] = both
        work += sum(map(len, both))
        if work > WORK:
            return root, tuple(others)
    copier = Copier(aig, aig, {node: 2 * node for node in support(aig, [root, *others])} | rebuilt)
    return copier.edge(root), copier.edges(others)


def _single(edge: Lit) -> Sum:
    return (frozenset({edge}),)


def _sum(edge: Lit, operands: tuple[Lit, Lit], sums: dict[Lit, Sum]) -> Sum:
    """Return an and, or the inverse of one, as a sum."""
    sign = edge & 1
    left, right = (sums.get(operand ^ sign, _single(operand ^ sign)) for operand in operands)
    if sign:
        every = tuple(dict.fromkeys(chain(left, right)))
        return every if len(every) <= MOST else _single(edge)
    if len(left) > 1 and len(right) > 1:
        return (frozenset(operands),)
    return tuple(a | b for a in left for b in right)


def _build(aig: Aig, edge: Lit, both: Sequence[Sum], cost: dict[int, int]) -> Lit:
    """Return an edge of which the sum, and that of its inverse, is given.

    Args:
        aig: The graph, which grows.
        edge: What they are the sum of.
        both: The sums.
        cost: What it costs to read a node, as far as known; it grows.
    """

    def price(products: Sum) -> int:
        nodes = [literal >> 1 for product in products for literal in product]
        for node in nodes:
            if node not in cost:
                cost[node] = 1 + DEAREST * max(0, len(cone(aig, [2 * node])) - 1)
        return sum(cost[node] for node in nodes)

    prices = {products: price(products) for products in both if len(products) > 1}
    best = min(prices, key=prices.__getitem__, default=())
    if not best or prices[best] > DEAREST * len(cone(aig, [edge])):
        return edge
    # One after the other, in order: products that begin alike share the nodes of what is alike.
    products = [reduce(aig.conj, sorted(product), TRUE) for product in best]
    none = reduce(aig.conj, map(negate, products), TRUE)
    return negate(none) if best is both[0] else none
