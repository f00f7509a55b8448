"""And-inverter graphs.

An edge (`Lit`) is an integer: twice the number of a node, plus one when it is
inverted, as in AIGER. Node 0 is constant false, so edge 0 is false and edge 1 is
true. Nodes are inputs or two-input ands, numbered so that operands come first.
Structural hashing makes equal logic one node.

Source: Biere, "The AIGER And-Inverter Graph (AIG) Format", 2007; Kuehlmann et al.,
"Robust Boolean Reasoning for Equivalence Checking", TCAD 2002 (structural hashing).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final, TypeAlias

Lit: TypeAlias = int
"""An edge: ``2 * node + inverted``."""

FALSE: Final[Lit] = 0
TRUE: Final[Lit] = 1


def negate(lit: Lit) -> Lit:
    """Return the inverted edge."""
    return lit ^ 1


@dataclass(slots=True)
class Aig:
    """A graph under construction: it only grows.

    Attributes:
        left: First operand of each node; -1 for inputs and for node 0.
        right: Second operand, likewise.
        inputs: Nodes that are inputs, in order of creation.
    """

    left: list[Lit] = field(default_factory=lambda: [-1])
    right: list[Lit] = field(default_factory=lambda: [-1])
    inputs: list[int] = field(default_factory=list)
    _hash: dict[int, Lit] = field(default_factory=dict)

    def __len__(self) -> int:
        """Return the number of nodes, the constant and the inputs included."""
        return len(self.left)

    def add_input(self) -> Lit:
        """Add an input and return its plain edge."""
        node = len(self.left)
        self.left.append(-1)
        self.right.append(-1)
        self.inputs.append(node)
        return 2 * node

    def is_and(self, node: int) -> bool:
        """Return whether a node is an and (neither the constant nor an input)."""
        return self.left[node] >= 0

    def conj(self, a: Lit, b: Lit) -> Lit:
        """Return an edge for ``a and b``, reusing a node where one is there. Cost O(1)."""
        # Sorted operands: constants, of the lowest numbers, can only be the first, and the two
        # orders of a gate are one key. What is left after the three identities is a gate of two
        # different nodes, whose number is higher than theirs: operands come first.
        if a > b:
            a, b = b, a
        if a <= TRUE:
            return b if a else FALSE
        if a ^ b <= 1:
            return b if a == b else FALSE
        key = a << 32 | b  # one number is found sooner than a pair, in a table of millions
        gate = self._hash.get(key)
        if gate is None:
            gate = self._hash[key] = 2 * len(self.left)
            self.left.append(a)
            self.right.append(b)
        return gate

    def disj(self, a: Lit, b: Lit) -> Lit:
        """Return an edge for ``a or b``."""
        return self.conj(a ^ 1, b ^ 1) ^ 1

    def ands(self) -> Iterator[int]:
        """Yield the and nodes, operands before users."""
        return (node for node in range(len(self.left)) if self.left[node] >= 0)
