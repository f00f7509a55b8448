"""Gates in blocks of 64 that a vector of counts holds.

In go gates with any number of operands; out come `Blocks`: each gate has a place, gates of
one block do not read each other, and those that read the same nodes lie side by side, so
that a change touches few blocks. Wide gates are split, since a count is a byte.

Source: ours.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from gdl.compile.circuit import Lit

BLOCK: Final = 64
"""Gates of one block."""
WIDEST: Final = 120
"""Operands of a gate, at most; a byte counts them."""
SUMMARY: Final = 63
"""Bits of the word that says where blocks were touched; the last one is for legal moves."""
MANY: Final = 48
"""A node with more readers says nothing about which of them belong together."""


@dataclass(frozen=True, slots=True)
class Blocks:
    """Where gates lie.

    Attributes:
        place: Of each node its number; `BLOCK` numbers a block, with gaps.
        operands: Of each gate its operands; gates that were split have new names.
        first: Blocks of the nodes that are no gates; gates begin after them.
        count: Number of blocks, those included.
        coarse: A bit of the summary stands for two to this many blocks of gates; these come
            in whole groups.
    """

    place: dict[int, int]
    operands: dict[int, tuple[Lit, ...]]
    first: int
    count: int
    coarse: int


def place(gates: Mapping[int, Sequence[Lit]], sources: Sequence[int], fresh: int) -> Blocks:
    """Return where gates lie.

    Args:
        gates: Operands of each gate, operands before users.
        sources: All other nodes, in order.
        fresh: From here on names are free.
    """
    operands = _split(gates, fresh)
    level = dict.fromkeys(sources, 0)
    by_level: dict[int, list[int]] = {}
    for node, edges in operands.items():
        level[node] = 1 + max((level[edge >> 1] for edge in edges), default=0)
        by_level.setdefault(level[node], []).append(node)
    places = {node: i for i, node in enumerate(sources)}
    first = count = -(-len(sources) // BLOCK)
    for number in sorted(by_level):
        ordered = _chain(by_level[number], operands)
        places |= {node: count * BLOCK + i for i, node in enumerate(ordered)}
        count += -(-len(ordered) // BLOCK)
    coarse = 0
    while -(-(count - first) >> coarse) > SUMMARY:
        coarse += 1
    count += (first - count) % (1 << coarse)
    return Blocks(places, operands, first, count, coarse)


def _split(gates: Mapping[int, Sequence[Lit]], fresh: int) -> dict[int, tuple[Lit, ...]]:
    found: dict[int, tuple[Lit, ...]] = {}
    for node, edges in gates.items():
        left = list(edges)
        while len(left) > WIDEST:
            parts = [left[i : i + WIDEST] for i in range(0, len(left), WIDEST)]
            left = []
            for part in parts:
                found[fresh] = tuple(part)
                left.append(2 * fresh)
                fresh += 1
        found[node] = tuple(left)
    return found


def _chain(nodes: Iterable[int], operands: Mapping[int, Sequence[Lit]]) -> list[int]:
    """Return nodes in an order in which neighbours share operands; greedily."""
    nodes = list(nodes)
    readers: dict[int, dict[int, None]] = {}
    for node in nodes:
        for edge in operands[node]:
            readers.setdefault(edge >> 1, {})[node] = None
    near = {source: row for source, row in readers.items() if len(row) <= MANY}
    left = dict.fromkeys(nodes)
    ordered: list[int] = []
    following: int | None = None
    while left:
        node = next(iter(left)) if following is None else following
        del left[node]
        ordered.append(node)
        shared: dict[int, int] = {}
        for source in {edge >> 1 for edge in operands[node]} & near.keys():
            del near[source][node]
            for other in near[source]:
                shared[other] = shared.get(other, 0) + 1
        following = max(shared, key=lambda other: shared[other], default=None)
    return ordered
