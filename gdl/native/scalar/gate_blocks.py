"""Blocks of 64 gates, whose counts of operands one vector holds.

In go gates with any number of operands; out come `Blocks`: each gate has a place, gates of
one block do not read each other and are asked for in the same phases of the game, and those
that read the same nodes lie side by side, so that a change touches few blocks. Wide gates are
split, since a count is a byte.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from gdl.circuit.aig import Lit

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
        phases: For each block of gates the phases in which it is asked for.
    """

    place: dict[int, int]
    operands: dict[int, tuple[Lit, ...]]
    first: int
    count: int
    coarse: int
    phases: tuple[frozenset[int], ...]

    def summary(self, phase: int) -> int:
        """Return the bits of the summary whose blocks are asked for in a phase."""
        groups = {i >> self.coarse for i, phases in enumerate(self.phases) if phase in phases}
        return sum(1 << group for group in groups)


def place(
    gates: Mapping[int, Sequence[Lit]],
    phases: Mapping[int, frozenset[int]],
    sources: Sequence[int],
    fresh: int,
) -> Blocks:
    """Return where gates lie.

    Args:
        gates: Operands of each gate, operands before users.
        phases: In which phases each gate is asked for; what it reads is asked for there too.
        sources: All other nodes, in order.
        fresh: From here on names are free.
    """
    phases = dict(phases)
    operands = _split(gates, phases, fresh)
    level = dict.fromkeys(sources, 0)
    by_key: dict[tuple[int, tuple[int, ...], int], list[int]] = {}
    # Gates of one level do not read each other, so a block of them is settled by one look; and
    # levels rise from block to block, so blocks in order are each settled once.
    for node, edges in operands.items():
        level[node] = 1 + max((level[edge >> 1] for edge in edges), default=0)
        asked = tuple(sorted(phases[node]))
        by_key.setdefault((-len(asked), asked, level[node]), []).append(node)
    places = {node: i for i, node in enumerate(sources)}
    first = count = -(-len(sources) // BLOCK)
    asked_of: list[frozenset[int]] = []
    # Gates that are asked for in more phases come first: what they read is asked for in as many
    # phases at least, so it lies in blocks before them.
    for key in sorted(by_key):
        ordered = _chain(by_key[key], operands)
        places |= {node: count * BLOCK + i for i, node in enumerate(ordered)}
        blocks = -(-len(ordered) // BLOCK)
        asked_of += [frozenset(key[1])] * blocks
        count += blocks
    coarse = 0
    while -(-(count - first) >> coarse) > SUMMARY:
        coarse += 1
    count += (first - count) % (1 << coarse)
    return Blocks(places, operands, first, count, coarse, tuple(asked_of))


def _split(
    gates: Mapping[int, Sequence[Lit]], phases: dict[int, frozenset[int]], fresh: int
) -> dict[int, tuple[Lit, ...]]:
    """Return gates none of which is too wide; parts are asked for where the whole is."""
    narrow: dict[int, tuple[Lit, ...]] = {}
    for node, edges in gates.items():
        left = list(edges)
        while len(left) > WIDEST:
            pieces = [left[i : i + WIDEST] for i in range(0, len(left), WIDEST)]
            left = []
            for piece in pieces:
                narrow[fresh] = tuple(piece)
                phases[fresh] = phases[node]
                left.append(2 * fresh)
                fresh += 1
        narrow[node] = tuple(left)
    return narrow


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
