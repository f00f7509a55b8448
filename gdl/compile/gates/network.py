"""Logic with wide gates: the form in which a game is made smaller.

In: edges. Out: nodes that are inputs or conjunctions of any number of edges, each node
once. Edges are numbered as in `circuit`: twice the node, plus one when inverted; node 0
is constant false. A disjunction is an inverted conjunction of inverted edges.

Source: Mishchenko, Chatterjee, Brayton, "DAG-Aware AIG Rewriting", DAC 2006 (why wide
gates: the choice of two-input trees is put off until the end); ours.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, MutableMapping
from dataclasses import dataclass, field
from itertools import compress

from gdl.circuit.aig import FALSE, TRUE, Lit


@dataclass(slots=True)
class Network:
    """A network of wide conjunctions under construction: it only grows.

    Attributes:
        operands: Operands of each node, sorted; none for inputs and for node 0.
        inputs: Number of inputs; they are the nodes from 1 on.
    """

    operands: list[tuple[Lit, ...]] = field(default_factory=lambda: [()])
    inputs: int = 0
    _hash: dict[tuple[Lit, ...], Lit] = field(default_factory=dict)
    _costed: tuple[int, tuple[Lit, ...], int] = (0, (), 0)

    def __len__(self) -> int:
        """Return the number of nodes, the constant and the inputs included."""
        return len(self.operands)

    def add_input(self) -> Lit:
        """Add an input and return its edge; all inputs come before the first gate."""
        assert len(self.operands) == self.inputs + 1, "inputs come before gates"
        self.operands.append(())
        self.inputs += 1
        return 2 * self.inputs

    def conj_all(self, edges: Iterable[Lit]) -> Lit:
        """Return an edge for the conjunction, folding constants and repetitions."""
        unique = set(edges)
        unique.discard(TRUE)
        if len(unique) <= 1:
            return unique.pop() if unique else TRUE
        if FALSE in unique:
            return FALSE
        for edge in unique:
            if edge ^ 1 in unique:
                return FALSE
        return self.gate(tuple(sorted(unique)))

    def disj_all(self, edges: Iterable[Lit]) -> Lit:
        """Return an edge for the disjunction, folding constants and repetitions."""
        return self.conj_all([edge ^ 1 for edge in edges]) ^ 1

    def gate(self, key: tuple[Lit, ...]) -> Lit:
        """Return the edge of the gate with these operands: two or more, sorted and distinct."""
        edge = self._hash.get(key)
        if edge is None:
            edge = self._hash[key] = 2 * len(self.operands)
            self.operands.append(key)
        return edge

    def find(self, key: tuple[Lit, ...]) -> Lit | None:
        """Return the edge of a gate if it is there."""
        return self._hash.get(key)

    def is_gate(self, node: int) -> bool:
        """Return whether a node is a conjunction."""
        return node > self.inputs

    def cone(self, edges: Iterable[Lit], ready: Container[int] = ()) -> list[int]:
        """Return the gates on which edges depend, operands before users; none that is ready."""
        seen: set[int] = set()
        stack = [edge >> 1 for edge in edges]
        while stack:
            node = stack.pop()
            if node > self.inputs and node not in seen and node not in ready:
                seen.add(node)
                stack += (edge >> 1 for edge in self.operands[node])
        return sorted(seen)

    def fill(self, gates: Iterable[int], values: MutableMapping[int, int], mask: int) -> None:
        """Enter the values of gates, bit by bit; those of all operands outside are there already.

        Args:
            gates: Gates, operands before users.
            values: Value of each node that is known, an integer under ``mask``; grows.
            mask: All bits that are in use.
        """
        for node in gates:
            value = mask
            for edge in self.operands[node]:
                value &= values[edge >> 1] ^ mask if edge & 1 else values[edge >> 1]
                if not value:
                    break
            values[node] = value

    def live(self, outputs: Iterable[Lit]) -> list[int]:
        """Return for each node how many gates and outputs use it, 0 for what is dead."""
        uses = [0] * len(self.operands)
        for edge in outputs:
            uses[edge >> 1] += 1
        for node in range(len(self.operands) - 1, self.inputs, -1):
            if uses[node]:
                for edge in self.operands[node]:
                    uses[edge >> 1] += 1
        return uses

    def cost(self, outputs: Iterable[Lit]) -> int:
        """Return how many two-input gates the live part takes, sharing of pairs not counted.

        Each stage asks for it; of a network that has not grown the last answer is known.
        """
        asked = len(self.operands), tuple(outputs)
        if self._costed[:2] != asked:
            uses = self.live(asked[1])
            gates = compress(self.operands, uses)  # inputs have no operands
            self._costed = (*asked, sum(len(row) - 1 for row in gates if row))
        return self._costed[2]
