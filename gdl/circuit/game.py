"""The circuit of a game: a graph with the names of what goes in and what comes out."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from gdl.circuit.aig import Aig, Lit
from gdl.language.terms import Term


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
