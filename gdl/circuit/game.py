"""The circuit of a game: a graph with the names of what goes in and what comes out."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass

from gdl.circuit.aig import Aig, Lit
from gdl.language.terms import Term


@dataclass(frozen=True, slots=True)
class GameCircuit:
    """A game as logic: what holds next, what is legal, and how it ends.

    The inputs of the graph are the base propositions, in the order of ``facts``, then the
    moves of each role in role order, in the order of ``moves``. A joint move sets exactly one
    move input of each role. Outputs for states that cannot be reached, and for joint moves
    that are not legal, are unspecified. `allows` tells of other states.

    Attributes:
        roles: The roles in order.
        facts: Base propositions that some reachable state may hold, in canonical order.
        initial: Facts of the initial state, as indices into ``facts``.
        moves: For each role the moves that may ever be legal, in canonical order.
        aig: The graph.
        fact_inputs: Edge of each fact: an input of the graph, as it stands.
        move_inputs: Edges of the moves of each role.
        legal: For each role the edge that says whether each move is legal; facts only.
        next: Edge of each fact after the joint move; facts and moves.
        terminal: Whether the game is over; facts only.
        goals: For each role pairs of goal value and edge, by rising value; facts only.
        sees: For each role pairs of percept and edge (GDL-II); facts and moves.
        assumed: What the graph takes for granted of states, and each step keeps: groups of facts,
            by index, of which at most one holds, and whether one must. None if nobody knows.
        fixed: Facts that hold exactly if they held initially, likewise.
        is_cut: Whether ``next`` may lack facts where the game is over: ``base`` leaves them out.
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
    assumed: tuple[tuple[tuple[int, ...], bool], ...] | None = None
    fixed: frozenset[int] = frozenset()
    is_cut: bool = False

    def allows(self, facts: Collection[int]) -> bool:
        """Return whether outputs are right in a state and all after it, reachable or not.

        Each step keeps what is assumed, if all of it holds before: an induction over plies
        proved that, beginning in the initial state, and so it may begin here.

        Args:
            facts: What holds, as indices into ``facts``.
        """
        held = frozenset(facts)
        if self.assumed is None or held & self.fixed != self.initial & self.fixed:
            return False
        counts = ((len(held.intersection(members)), exact) for members, exact in self.assumed)
        return all(count == 1 or (count == 0 and not exact) for count, exact in counts)

    def outputs(self) -> Iterable[Lit]:
        """Yield every edge that is looked at from outside."""
        for edges in self.legal:
            yield from edges
        yield from self.next
        yield self.terminal
        for pairs in (*self.goals, *self.sees):
            yield from (edge for _, edge in pairs)
