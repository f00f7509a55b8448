"""Proofs over cuts of the graph, by trying all: that some edges can never hold together.

In: edges of a network and what is known of its inputs. Out: whether it is proved that no
assignment that the knowledge allows makes all of them true. All assignments of the inputs
near the edges are tried at once, as bits of integers; what lies deeper is taken for free,
so a proof is a proof and no proof says nothing.

Source: Kuehlmann, Krohm, "Equivalence Checking Using Cuts and Heaps", DAC 1997 (cuts);
ours.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import lru_cache
from heapq import heapify, heappop, heappush
from typing import Final, NamedTuple, TypeAlias

from gdl.circuit.aig import Lit
from gdl.compile.gates.implications import Implications, edges_of
from gdl.compile.gates.network import Network

_MOST_LEAVES: Final = 14
"""Leaves that never have too many assignments, whatever is known of them."""
_MOST_ASSIGNMENTS: Final = 1 << _MOST_LEAVES
_MOST_GATES: Final = 3_000

Variable: TypeAlias = tuple[list[int], bool]
"""Nodes of which at most one holds, and whether none may hold."""


class Assignments(NamedTuple):
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
    """Proves facts about edges of one network.

    Attributes:
        is_at_inputs: Whether the last proof looked at assignments of inputs alone: a law that it
            did not prove is not proved either of those edges that break it.
    """

    def __init__(self, network: Network, knowledge: Implications) -> None:
        """Keep the network and index the groups."""
        self._network = network
        self._knowledge = knowledge
        self._groups_of: dict[int, list[tuple[frozenset[int], bool]]] = {}
        for group in knowledge.groups:
            nodes = frozenset(member >> 1 for member in group.members)
            for node in nodes:
                self._groups_of.setdefault(node, []).append((nodes, group.is_exact))
        self.is_at_inputs = False
        self._grouped = set(self._groups_of)
        self._last: tuple[set[int], Assignments | None] | None = None

    def always(self, edges: Sequence[Lit], law: Callable[[list[int], int], int]) -> bool:
        """Return whether a law is proved of some edges.

        Args:
            edges: The edges.
            law: From the values of the edges and all assignments, those that break it; of each
                assignment by its own values.
        """
        assignments = self._assignments(edges)
        if assignments is None:
            return False
        # A law looks at each assignment by itself, so that what is known need only be asked of
        # those that break it: few, and mostly none is left soon.
        broken = law([assignments.value(edge) for edge in edges], assignments.everything)
        return not self._possible(broken, assignments)

    def _cut(self, edges: Sequence[Lit]) -> tuple[set[int], list[int]]:
        """Return leaves, as near to inputs as they stay few, and all gates above, users first."""
        network = self._network
        # The highest node is replaced by its operands as long as the assignments stay few. What is
        # left as a leaf may take any value: that allows more than can happen, so what no assignment
        # breaks is never broken.
        leaves = {edge >> 1 for edge in edges}
        leaves.discard(0)  # the constant
        waiting = [-node for node in leaves if node > network.inputs]
        heapify(waiting)
        gates: list[int] = []
        while waiting and len(gates) < _MOST_GATES:
            top = -heappop(waiting)
            new = {edge >> 1 for edge in network.operands[top]} - leaves
            wider = leaves | new
            wider.remove(top)
            if self._is_too_wide(wider):
                break
            gates.append(top)
            leaves = wider
            for node in new:
                if node > network.inputs:
                    heappush(waiting, -node)
        return leaves, gates

    def _variables(self, leaves: set[int]) -> Iterator[Variable]:
        """Yield the leaves by variable: members of one group, and whether none may hold."""
        left = leaves & self._grouped
        for node in leaves - left:
            yield [node], True
        for node in sorted(left):
            if node not in left:
                continue
            best: Variable = ([node], True)
            for nodes, is_exact in self._groups_of[node]:
                members = left & nodes
                if len(members) > len(best[0]) or (len(members) == 1 and is_exact):
                    best = sorted(members), len(members) < len(nodes) or not is_exact
            left.difference_update(best[0])
            yield best

    def _is_too_wide(self, leaves: set[int]) -> bool:
        # Members of one variable have at most as many assignments as if they were free, so that
        # few leaves need not be sorted into variables to know it.
        return len(leaves) > _MOST_LEAVES and _size(self._variables(leaves)) > _MOST_ASSIGNMENTS

    def _assignments(self, edges: Sequence[Lit]) -> Assignments | None:
        """Return all assignments near some edges, None where they are too many."""
        nodes = {edge >> 1 for edge in edges}
        if self._last is None or self._last[0] != nodes:  # the same edges are asked for two laws
            leaves, gates = self._cut(edges)
            assignments = self._all_assignments(leaves, gates)
            are_inputs = max(leaves, default=0) <= self._network.inputs
            self.is_at_inputs = assignments is not None and are_inputs
            self._last = nodes, assignments
        return self._last[1]

    def _all_assignments(self, leaves: set[int], gates: list[int]) -> Assignments | None:
        variables = list(self._variables(leaves))
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
        self._network.fill(reversed(gates), values, everything)
        return Assignments(values, variables, everything)

    def _possible(self, wanted: int, assignments: Assignments) -> int:
        """Return which of some assignments agree with what inputs and their inversions imply."""
        if not wanted:
            return 0
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
                    told = self._knowledge.implied[edge] & others
                    meant = told and wanted & (~values[node] if edge & 1 else values[node])
                    if not meant:
                        continue
                    agree = meant
                    for other in edges_of(told):
                        implied = values[other >> 1]
                        agree &= ~implied if other & 1 else implied
                        if not agree:
                            break
                    wanted ^= meant ^ agree
                    if not wanted:
                        return 0
        return wanted


def _size(variables: Iterable[Variable]) -> int:
    """Return how many assignments some variables have; where it is too many, that it is."""
    size = 1
    for members, may_be_none in variables:
        size *= len(members) + may_be_none
        if size > _MOST_ASSIGNMENTS:
            break
    return size


@lru_cache(4096)
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
