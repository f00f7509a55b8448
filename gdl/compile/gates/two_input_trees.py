"""Wide gates as trees of two-input gates that share as much as they can.

In: a network and its outputs. Out: an and-inverter graph and the outputs in it. The pair
of operands that most gates have in common becomes a gate, again and again; what is left
is paired by depth, the shallowest first.

Source: Boyar, Peralta, "A New Combinational Logic Minimization Technique with
Applications to Cryptology", SEA 2010 (greedy pairs); Brayton, Rudell et al., "MIS", 1987.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from heapq import heapify, heappop, heappush, heapreplace
from itertools import chain, combinations, count
from typing import Final

from gdl.circuit.aig import TRUE, Aig, Lit
from gdl.compile.budget import Budget
from gdl.compile.gates.network import Network

_WIDEST: Final = 64
"""Pairs are looked for in gates up to this width; wider ones would have too many."""
_MOST_PAIRS: Final = 6_000_000
"""Beyond that no pairs are looked for: they would not fit into memory."""
_FOR_ARRAYS: Final = 400_000
"""Twice as many pairs as those from which on arrays find who shares them."""
_BETWEEN_CHECKS: Final = 256
"""Pairs between two looks at the clock."""
_EDGE_BITS: Final = 32
_EDGE: Final = (1 << _EDGE_BITS) - 1
_PAIR_BITS: Final = 2 * _EDGE_BITS
_PAIR: Final = (1 << _PAIR_BITS) - 1
"""A pair is one number of 64 bits, its lower edge above the higher one."""

Pair = tuple[Lit, Lit]


def two_input_gates(
    network: Network, outputs: Sequence[Lit], budget: Budget | None = None
) -> tuple[Aig, list[Lit]]:
    """Return a graph that does the same as a network, and the edges of the outputs.

    Args:
        network: The network.
        outputs: Edges that are looked at from outside.
        budget: When it is spent, no more shared pairs are looked for.
    """
    uses = network.live(outputs)
    rows = {
        node: set(network.operands[node])
        for node in range(network.inputs + 1, len(network))
        if uses[node]
    }
    pairs = _shared_pairs(rows, len(network), budget)
    aig = Aig()
    table: dict[int, Lit] = {0: 0}
    for node in range(1, network.inputs + 1):
        table[node] = aig.add_input()
    builder = _Builder(aig, table, pairs)
    for node, operands in rows.items():
        table[node] = builder.tree(operands)
    return aig, [builder.edge(edge) for edge in outputs]


class _Builder:
    def __init__(self, aig: Aig, table: dict[int, Lit], pairs: dict[int, Pair]) -> None:
        self._aig = aig
        self._table = table
        self._levels = [0] * len(aig)  # gates are added below only
        self._pairs = pairs

    def edge(self, edge: Lit) -> Lit:
        """Return the graph's edge for an edge of the network or a shared pair."""
        node = edge >> 1
        if node not in self._table:
            stack = [node]
            while stack:
                top = stack[-1]
                missing = [e >> 1 for e in self._pairs[top] if e >> 1 not in self._table]
                if missing:
                    stack += missing
                    continue
                stack.pop()
                left, right = self._pairs[top]
                self._table[top] = self.tree((left, right))
        return self._table[node] ^ (edge & 1)

    def tree(self, operands: Iterable[Lit]) -> Lit:
        """Return a tree over operands, of least depth."""
        table, levels, nodes, conj = self._table, self._levels, self._aig.left, self._aig.conj
        edges = [
            table[edge >> 1] ^ (edge & 1) if edge >> 1 in table else self.edge(edge)
            for edge in sorted(operands)
        ]
        if len(edges) == 2:  # noqa: PLR2004  # most of a large network: no heap to be made
            edge = conj(*edges)
            if len(levels) < len(nodes):
                levels.append(1 + max(levels[edges[0] >> 1], levels[edges[1] >> 1]))
            return edge
        heap = [(levels[edge >> 1], edge) for edge in edges]
        heapify(heap)
        while len(heap) > 1:
            _, left = heappop(heap)
            level, right = heap[0]  # the deeper of the two
            edge = conj(left, right)
            if len(levels) < len(nodes):
                levels.append(level + 1)
            heapreplace(heap, (levels[edge >> 1], edge))
        return heap[0][1] if heap else TRUE


def _shared_pairs(rows: dict[int, set[Lit]], first: int, budget: Budget | None) -> dict[int, Pair]:
    """Take pairs that several rows have out of the rows; return the new nodes and their pairs."""
    # Greedy: the pair that most rows have saves most gates, of several the lowest. Of pairs that
    # were there first nearly all are gone, or have fewer rows, when their turn comes: these are
    # sorted once, and only what was made since or has fewer rows now waits in a heap. Counts may
    # be out of date; they are compared with the present ones when they come up.
    users = _pair_users(rows)
    turns = sorted((_turn(pair, len(nodes)) for pair, nodes in users.items()), reverse=True)
    heap: list[int] = []
    shared: dict[int, Pair] = {}
    for step in count():
        if budget is not None and not step % _BETWEEN_CHECKS and budget.is_spent:
            break
        if turns and not (heap and heap[0] < turns[-1]):
            turn = turns.pop()
        elif heap:
            turn = heappop(heap)
        else:
            break
        pair = turn & _PAIR
        there = users.get(pair, ())
        if len(there) != -(turn >> _PAIR_BITS):
            if len(there) > 1:
                heappush(heap, _turn(pair, len(there)))
            continue
        new = first + len(shared)
        shared[new] = pair >> _EDGE_BITS, pair & _EDGE
        _replace(pair, 2 * new, rows, users, heap)
    return shared


def _turn(pair: int, uses: int) -> int:
    """Return a number by which pairs are in order: of more rows first, then by their edges."""
    return pair - (uses << _PAIR_BITS)


def _pair_users(rows: dict[int, set[Lit]]) -> dict[int, set[int]]:
    """Return for each pair that two rows or more have the rows that have it.

    A pair is one number, of its lower edge and then its higher one. It has no more rows than each
    of its edges, and a row of two or more is nearly always the only one with most of its pairs:
    rows are counted first, by edge and then by pair.
    """
    rows_of = Counter(edge for row in rows.values() for edge in row)
    wide = {
        node: sorted(edge for edge in row if rows_of[edge] > 1)
        for node, row in rows.items()
        if len(row) <= _WIDEST
    }
    squares = sum(len(row) ** 2 for row in wide.values())
    if squares > 2 * _MOST_PAIRS:
        return {}
    if squares > _FOR_ARRAYS:
        return _many_pair_users(wide)
    shared: set[int] = set()
    seen: set[int] = set()
    for row in wide.values():
        for left, right in combinations(row, 2):
            pair = left << _EDGE_BITS | right
            (shared if pair in seen else seen).add(pair)
    users: dict[int, set[int]] = {pair: set() for pair in shared}
    for node, row in wide.items():
        for left, right in combinations(row, 2):
            pair = left << _EDGE_BITS | right
            if pair in shared:
                users[pair].add(node)
    return users


def _many_pair_users(wide: dict[int, list[Lit]]) -> dict[int, set[int]]:
    """Return the same for so many pairs that arrays pay for their import: all pairs, sorted."""
    import numpy as np

    lengths = np.fromiter(map(len, wide.values()), np.int64, len(wide))
    edges = np.fromiter(chain.from_iterable(wide.values()), np.int64, int(lengths.sum()))
    nodes = np.repeat(np.fromiter(wide, np.int64, len(wide)), lengths)
    keys, rows = [edges[:0]], [nodes[:0]]
    # Rows lie one behind the other: what stands so many places further on, in the same row, makes
    # a pair with this, in order as each row is.
    for distance in range(1, int(lengths.max(initial=0))):
        is_pair = nodes[:-distance] == nodes[distance:]
        keys.append((edges[:-distance] << _EDGE_BITS | edges[distance:])[is_pair])
        rows.append(nodes[:-distance][is_pair])
    pairs, having = np.concatenate(keys), np.concatenate(rows)
    order = np.argsort(pairs, kind="stable")
    pairs, having = pairs[order], having[order]
    first = np.flatnonzero(np.diff(pairs, prepend=-1))
    end = np.append(first[1:], len(pairs))
    first, end = first[end - first > 1], end[end - first > 1]
    by_pair = having.tolist()
    return {
        pair: set(by_pair[start:stop])
        for pair, start, stop in zip(
            pairs[first].tolist(), first.tolist(), end.tolist(), strict=True
        )
    }


def _replace(
    pair: int,
    new: Lit,
    rows: dict[int, set[Lit]],
    users: dict[int, set[int]],
    heap: list[int],
) -> None:
    # In each row the new edge stands for both: their other pairs lose this row, new pairs gain it.
    both = pair >> _EDGE_BITS, pair & _EDGE
    rows_of: dict[Lit, list[int]] = {}
    for node in users.pop(pair):
        row = rows[node]
        row.difference_update(both)
        for edge in row:
            rows_of.setdefault(edge, []).append(node)
        row.add(new)
    for edge, nodes in rows_of.items():
        for gone in both:
            there = users.get(
                edge << _EDGE_BITS | gone if edge < gone else gone << _EDGE_BITS | edge
            )
            if there:
                there.difference_update(nodes)
        if len(nodes) > 1:
            key = edge << _EDGE_BITS | new  # no row had it before: its number is the highest
            users[key] = set(nodes)
            heappush(heap, _turn(key, len(nodes)))
