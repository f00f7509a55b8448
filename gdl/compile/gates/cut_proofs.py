"""Proofs over cuts of the graph, by trying all: that some edges can never hold together.

In: edges of a network and what is known of its inputs. Out: whether it is proved that no
assignment that the knowledge allows makes all of them true. All assignments of the inputs
near the edges are tried at once, as bits of integers; what lies deeper is taken for free,
so a proof is a proof and no proof says nothing.

Source: Kuehlmann, Krohm, "Equivalence Checking Using Cuts and Heaps", DAC 1997 (cuts);
ours.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final, TypeAlias

from gdl.circuit.aig import Lit
from gdl.compile.gates.implications import Implications, edges_of
from gdl.compile.gates.network import Network

_MOST_LEAVES: Final = 14
"""Leaves that never have too many assignments, whatever is known of them."""
_MOST_ASSIGNMENTS: Final = 1 << _MOST_LEAVES
_MOST_GATES: Final = 3_000

Variable: TypeAlias = tuple[list[int], bool]
"""Nodes of which at most one holds, and whether none may hold."""


@dataclass(frozen=True, slots=True)
class Assignments:
    """All assignments of some leaves at once, one a bit.

    Attributes:
        values: Value of each node that was evaluated.
        variables: The leaves, those together of which at most one holds.
        everything: All of them.
    """

    values: dict[int, int]
    variables: list[Variable]
    everything: int

    def value(self, edge: Lit) -> int:
        """Return the assignments that make an edge true."""
        value = self.values[edge >> 1]
        return self.everything & ~value if edge & 1 else value


class Prover:
    """Proves facts about edges of one network."""

    def __init__(self, network: Network, knowledge: Implications) -> None:
        """Keep the network and index the groups."""
        self._network = network
        self._knowledge = knowledge
        self._groups_of: dict[int, list[tuple[frozenset[int], bool]]] = {}
        for group in knowledge.groups:
            nodes = frozenset(member >> 1 for member in group.members)
            for node in nodes:
                self._groups_of.setdefault(node, []).append((nodes, group.is_exact))

    def always(self, edges: Sequence[Lit], law: Callable[[list[int], int], int]) -> bool:
        """Return whether a law is proved of some edges.

        Args:
            edges: The edges.
            law: From the values of the edges and all assignments, those that break it; of each
                assignment by its own values.
        """
        for leaves in self._cuts(edges):
            assignments = self._assignments(edges, leaves)
            if assignments is None:
                return False
            # A law looks at each assignment by itself, so that what is known need only be asked of
            # those that break it: few, and mostly none is left soon.
            broken = law([assignments.value(edge) for edge in edges], assignments.everything)
            if not self._possible(broken, assignments):
                return True
        return False

    def _cuts(self, edges: Sequence[Lit]) -> list[set[int]]:
        """Return two cuts: the inputs as far as they are few, and a shallow one."""
        network = self._network
        # The highest node is replaced by its operands as long as the assignments stay few. What is
        # left as a leaf may take any value: that allows more than can happen, so what no assignment
        # breaks is never broken.
        leaves = {edge >> 1 for edge in edges}
        cuts: list[set[int]] = []
        gates = 0
        while True:
            top = max(leaves, default=0)
            if top <= network.inputs:
                break
            gates += 1
            wider = (leaves - {top}) | {edge >> 1 for edge in network.operands[top]}
            if gates > _MOST_GATES or self._is_too_wide(wider):
                break
            leaves = wider
        cuts.append(leaves)
        return cuts

    def _variables(self, leaves: set[int]) -> list[Variable]:
        """Return the leaves by variable: members of one group, and whether none may hold."""
        left = set(leaves)
        grouped: list[Variable] = []
        for node in sorted(leaves):
            if node not in left:
                continue
            best: Variable = ([node], True)
            for nodes, is_exact in self._groups_of.get(node, ()):
                members = left & nodes
                if len(members) > len(best[0]) or (len(members) == 1 and is_exact):
                    best = sorted(members), len(members) < len(nodes) or not is_exact
            left.difference_update(best[0])
            grouped.append(best)
        return grouped

    def _is_too_wide(self, leaves: set[int]) -> bool:
        # Members of one variable have at most as many assignments as if they were free, so that
        # few leaves need not be sorted into variables to know it.
        if len(leaves) <= _MOST_LEAVES:
            return False
        return _size(self._variables(leaves)) > _MOST_ASSIGNMENTS

    def _assignments(self, edges: Sequence[Lit], leaves: set[int]) -> Assignments | None:
        variables = self._variables(leaves)
        size = _size(variables)
        if size > _MOST_ASSIGNMENTS:
            return None
        # An assignment is a number in mixed radix, a digit a variable; it is one bit of all values.
        values = {0: 0}
        period = 1
        for members, may_be_none in variables:
            choices = len(members) + may_be_none
            for index, node in enumerate(members):
                values[node] = _column(index, choices, period, size)
            period *= choices
        everything = (1 << size) - 1
        network = self._network
        network.fill(network.cone(edges, values), values, everything)
        return Assignments(values, variables, everything)

    def _possible(self, wanted: int, assignments: Assignments) -> int:
        """Return which of some assignments agree with what inputs and their inversions imply."""
        inputs = self._network.inputs
        values, variables = assignments.values, assignments.variables
        there = sum(3 << 2 * node for members, _ in variables for node in members if node <= inputs)
        for members, _ in variables:
            # Members of one variable exclude each other by construction.
            others = there & ~sum(3 << 2 * node for node in members)
            for node in members:
                if node > inputs:
                    continue
                for edge in (2 * node, 2 * node + 1):
                    meant = wanted & (~values[node] if edge & 1 else values[node])
                    if not meant:
                        continue
                    agree = meant
                    for other in edges_of(self._knowledge.implied[edge] & others):
                        implied = values[other >> 1]
                        agree &= ~implied if other & 1 else implied
                        if not agree:
                            break
                    wanted ^= meant ^ agree
                    if not wanted:
                        return 0
        return wanted


def _size(variables: Sequence[Variable]) -> int:
    """Return how many assignments some variables have; where it is too many, that it is."""
    size = 1
    for members, may_be_none in variables:
        size *= len(members) + may_be_none
        if size > _MOST_ASSIGNMENTS:
            break
    return size


def _column(index: int, choices: int, period: int, size: int) -> int:
    """Return the assignments in which a variable has one of its choices."""
    run = (1 << period) - 1 << (index * period)
    length = choices * period
    while length < size:
        run |= run << length
        length *= 2
    return run & ((1 << size) - 1)


def two_hold(values: list[int], everything: int) -> int:
    """Break "at most one": the assignments in which two edges hold."""
    some = several = 0
    for value in values:
        several |= some & value
        some |= value
    return several & everything


def not_one_holds(values: list[int], everything: int) -> int:
    """Break "exactly one": the assignments in which two edges hold, or none."""
    some = several = 0
    for value in values:
        several |= some & value
        some |= value
    return (several | ~some) & everything
