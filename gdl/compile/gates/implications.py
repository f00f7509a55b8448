"""What is known of the inputs of a game's network in every reachable state.

In: groups of inputs of which one holds, and what a move's legality says of the state. Out:
for every input literal the set of input literals that it implies, as bits of an integer:
bit ``edge`` stands for the edge of an input. Two sets contradict each other when one has an
edge and the other its inversion.

Every gate carries such sets, so a game of many moves could not be held in memory. Its sets
are narrow: they have facts only, and that the moves of a role exclude each other is looked
up where moves meet.

Source: the use of such facts to make logic smaller is that of don't-cares, as in
Mishchenko, Brayton, "SAT-Based Complete Don't-Care Computation for Network Optimization",
DATE 2005.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import NamedTuple, TypeAlias

from gdl.circuit.aig import Lit
from gdl.circuit.mutex import MutexGroup

Mask: TypeAlias = int
"""A set of edges of inputs."""


class Implications(NamedTuple):
    """Facts about inputs that may be used when logic is made smaller.

    Attributes:
        groups: Groups of facts, and of the moves of each role.
        implied: For each edge up to the last input, the edges that it implies, itself too.
        plain: All bits of plain edges; to find contradictions.
        exact_groups_of: For each edge of a member, the exact groups it is in.
        rivals: Where sets are narrow, for each move the number of its group; else empty.
    """

    groups: tuple[MutexGroup, ...]
    implied: tuple[Mask, ...]
    plain: Mask
    exact_groups_of: Mapping[Lit, tuple[int, ...]]
    rivals: Mapping[Lit, int]

    def contradicts(self, mask: Mask) -> bool:
        """Return whether a set of edges holds both an edge and its inversion."""
        return bool(mask & (mask >> 1) & self.plain)


def input_implications(
    inputs: int,
    groups: Sequence[MutexGroup],
    move_implies: Mapping[Lit, Mask],
    *,
    facts: int | None = None,
) -> Implications:
    """Return what groups and the legality of moves say about each input.

    Args:
        inputs: Number of inputs.
        groups: Groups of facts, and of the moves of each role.
        move_implies: For each move, edges of facts that hold where it is legal.
        facts: Number of inputs that are facts, where sets are to be narrow.

    Cost O(moves * facts) operations on bits.
    """
    is_narrow = facts is not None
    last = 2 * (inputs if facts is None else facts) + 1
    implied = [1 << edge if edge <= last else 0 for edge in range(2 * inputs + 2)]
    plain = mask_of(range(2, last + 1, 2))
    rivals: dict[Lit, int] = {}
    for index, group in enumerate(groups):
        if is_narrow and group.members[0] > last:
            rivals.update(dict.fromkeys(group.members, index))
        else:
            _add_group(implied, group)
    # Whoever makes a move finds the facts of its legality, and all that these imply; and where one
    # of these is refuted, the move is not made (contraposition).
    legality = {move: closed(mask, implied) for move, mask in move_implies.items()}
    for move, mask in legality.items():
        implied[move] |= mask
    if not is_narrow:
        _add_contrapositives(implied, legality)
        for move, mask in legality.items():
            implied[move] |= closed(mask, implied)
    groups_of: dict[Lit, list[int]] = {}
    for index, group in enumerate(groups):
        if group.is_exact:
            for member in group.members:
                groups_of.setdefault(member, []).append(index)
    return Implications(
        tuple(groups),
        tuple(implied),
        plain,
        {member: tuple(indices) for member, indices in groups_of.items()},
        rivals,
    )


def _add_group(implied: list[Mask], group: MutexGroup) -> None:
    absent = mask_of([member ^ 1 for member in group.members])
    for member in group.members:
        implied[member] |= absent & ~(1 << (member ^ 1))
    if group.is_exact and len(group.members) == 2:  # noqa: PLR2004  # then each is the other's negation
        first, second = group.members
        implied[first ^ 1] |= 1 << second
        implied[second ^ 1] |= 1 << first


def closed(mask: Mask, implied: Sequence[Mask]) -> Mask:
    """Return a set of edges with all that each of them implies."""
    result = mask
    for edge in edges_of(mask):
        result |= implied[edge]
    return result


def edges_of(mask: Mask) -> Iterable[Lit]:
    """Yield the edges in a set."""
    bits = bin(mask)[:1:-1]
    edge = bits.find("1")
    while edge >= 0:
        yield edge
        edge = bits.find("1", edge + 1)


def _add_contrapositives(implied: list[Mask], legality: Mapping[Lit, Mask]) -> None:
    """A fact that contradicts a move's legality implies that the move is not chosen."""
    refuted: dict[Lit, list[Lit]] = {}
    for move, mask in legality.items():
        for edge in edges_of(mask):
            refuted.setdefault(edge ^ 1, []).append(move ^ 1)
    for edge, moves in refuted.items():
        implied[edge] |= mask_of(moves)


def mask_of(edges: Collection[Lit]) -> Mask:
    """Return the set of some edges of inputs."""
    bits = bytearray(max(edges, default=0) // 8 + 1)
    for edge in edges:
        bits[edge >> 3] |= 1 << (edge & 7)
    return int.from_bytes(bits, "little")
