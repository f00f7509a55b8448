"""And-inverter graphs, and the circuit of a game.

An edge (`Lit`) is an integer: twice the number of a node, plus one when it is
inverted, as in AIGER. Node 0 is constant false, so edge 0 is false and edge 1 is
true. Nodes are inputs or two-input ands, numbered so that operands come first.
Structural hashing makes equal logic one node.

Source: Biere, "The AIGER And-Inverter Graph (AIG) Format", 2007; Kuehlmann et al.,
"Robust Boolean Reasoning for Equivalence Checking", TCAD 2002 (structural hashing).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Final, TypeAlias

from gdl.language.terms import Term

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
    _hash: dict[tuple[Lit, Lit], Lit] = field(default_factory=dict)

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
        if a > b:
            a, b = b, a
        if a == FALSE or a == negate(b):
            return FALSE
        if a in (TRUE, b):
            return b
        found = self._hash.get((a, b))
        if found is None:
            found = 2 * len(self.left)
            self.left.append(a)
            self.right.append(b)
            self._hash[a, b] = found
        return found

    def disj(self, a: Lit, b: Lit) -> Lit:
        """Return an edge for ``a or b``."""
        return negate(self.conj(negate(a), negate(b)))

    def ands(self) -> Iterator[int]:
        """Yield the and nodes, operands before users."""
        return (node for node in range(len(self.left)) if self.left[node] >= 0)


@dataclass(frozen=True, slots=True)
class GameCircuit:
    """A game as logic: what holds next, what is legal, and how it ends.

    The inputs of the graph are the base propositions, in the order of ``facts``, then the
    moves of each role in role order, in the order of ``moves``. A joint move sets exactly one
    move input of each role. Outputs for states that cannot be reached, and for joint moves
    that are not legal, are unspecified.

    Attributes:
        roles: The roles in order.
        facts: Base propositions that some reachable state may hold, in canonical order.
        initial: Facts of the initial state, as indices into ``facts``.
        moves: For each role the moves that may ever be legal, in canonical order.
        aig: The graph.
        fact_inputs: Edge of each fact.
        move_inputs: Edges of the moves of each role.
        legal: For each role the edge that says whether each move is legal; facts only.
        next: Edge of each fact after the joint move; facts and moves.
        terminal: Whether the game is over; facts only.
        goals: For each role pairs of goal value and edge, by rising value; facts only.
        sees: For each role pairs of percept and edge (GDL-II); facts and moves.
    """

    roles: tuple[Term, ...]
    facts: tuple[Term, ...]
    initial: frozenset[int]
    moves: tuple[tuple[Term, ...], ...]
    aig: Aig
    fact_inputs: tuple[Lit, ...]
    move_inputs: tuple[tuple[Lit, ...], ...]
    legal: tuple[tuple[Lit, ...], ...]
    next: tuple[Lit, ...]
    terminal: Lit
    goals: tuple[tuple[tuple[int, Lit], ...], ...]
    sees: tuple[tuple[tuple[Term, Lit], ...], ...] = ()

    def outputs(self) -> Iterable[Lit]:
        """Yield every edge that is looked at from outside."""
        for edges in self.legal:
            yield from edges
        yield from self.next
        yield self.terminal
        for pairs in (*self.goals, *self.sees):
            yield from (edge for _, edge in pairs)
