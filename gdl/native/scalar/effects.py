"""What each move does to the facts, worked out beforehand, phase by phase.

In goes a `GameCircuit` in which one role at a time has a choice; out comes a `Phase` for
each phase of its clock. A move's effects are found by putting it into the circuit as a
constant.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from gdl.circuit.aig import FALSE, TRUE, Aig, Lit
from gdl.circuit.cone import cone
from gdl.circuit.copy import Copier
from gdl.circuit.game import GameCircuit
from gdl.circuit.phases import PhaseCycle
from gdl.machine import choosing

MOST_NODES: Final = 1_000_000
"""Nodes of the graph of a game and of what its moves do, at most."""
MOST_VISITS: Final = 10_000_000
"""Gates that the moves of a phase reach, at most, all moves added up: some ten seconds."""


class NoTablesError(ValueError):
    """A game cannot be driven by what changes; the kernel plays it, one vector at a time."""


@dataclass(frozen=True, slots=True)
class Phase:
    """One phase of a game as edges of one graph over the stored facts.

    Attributes:
        mover: The role that chooses, as an index.
        moves: The moves it may choose from; those that are legal together side by side.
        legal: Whether each of them is, and every other role has its move; without that nobody
            can go on.
        terminal: Whether the game is over.
        goals: The goals of each role.
        effects: For each move the facts that it changes, and what they become.
    """

    mover: int
    moves: tuple[int, ...]
    legal: tuple[Lit, ...]
    terminal: Lit
    goals: tuple[tuple[Lit, ...], ...]
    effects: tuple[tuple[tuple[int, Lit], ...], ...]


def make_phase(
    aig: Aig, circuit: GameCircuit, clock: PhaseCycle, inputs: dict[int, Lit], number: int
) -> Phase:
    """Return one phase, its logic added to a graph. Cost O(moves * gates that a move reaches).

    Raises:
        NoTablesError: More than one role may have a choice in it, or its moves reach too many
            gates.
    """
    values = {circuit.fact_inputs[fact] >> 1: edge for fact, edge in inputs.items()}
    held = clock.phases[number]
    values |= {circuit.fact_inputs[f] >> 1: TRUE if f in held else FALSE for f in clock.facts}
    copier = Copier(aig, circuit.aig, values)
    legal = [copier.edges(edges) for edges in circuit.legal]
    possible = [[i for i, edge in enumerate(edges) if edge != FALSE] for edges in legal]
    choosers = choosing(possible)
    if len(choosers) > 1:
        raise NoTablesError(
            f"{' and '.join(str(circuit.roles[r]) for r in choosers)} may choose at the same time"
        )
    mover = choosers[0] if choosers else 0
    forced = {
        circuit.move_inputs[r][moves[0]] >> 1
        for r, moves in enumerate(possible)
        if r != mover and moves
    }
    others = TRUE
    for r, some in enumerate(possible):
        if r != mover:
            others = aig.conj(others, legal[r][some[0]] if some else FALSE)
    moves = tuple(sorted(possible[mover], key=lambda i: (legal[mover][i], i)))
    effects = _Effects(aig, circuit, values, inputs, forced)
    return Phase(
        mover,
        moves,
        tuple(aig.conj(others, legal[mover][i]) for i in moves),
        copier.edge(circuit.terminal),
        tuple(copier.edges([edge for _, edge in pairs]) for pairs in circuit.goals),
        tuple(effects.of(circuit.move_inputs[mover][i]) for i in moves),
    )


class _Effects:
    """Works out what moves do: facts and the edges, over the state, that they become.

    First everything is copied with no move made; then, move by move, the gates that it
    reaches, with that move alone.
    """

    def __init__(
        self,
        aig: Aig,
        circuit: GameCircuit,
        values: dict[int, Lit],
        inputs: dict[int, Lit],
        forced: set[int],
    ) -> None:
        """Copy the game of one phase, in which the forced moves are made, with no other move."""
        self.aig, self.circuit, self.inputs = aig, circuit, inputs
        # Invariant: `base` has every node as it is when the forced moves are made and no other.
        self.base = {0: FALSE, **values}
        for edges in circuit.move_inputs:
            for edge in edges:
                self.base[edge >> 1] = TRUE if edge >> 1 in forced else FALSE
        self.visits = 0
        self.users: dict[int, list[int]] = {}
        self.readers: dict[int, list[int]] = {}
        for node in cone(circuit.aig, [circuit.next[fact] for fact in inputs]):
            self.base[node] = self._copy(node, {})
            for edge in (circuit.aig.left[node], circuit.aig.right[node]):
                self.users.setdefault(edge >> 1, []).append(node)
        for fact in inputs:
            self.readers.setdefault(circuit.next[fact] >> 1, []).append(fact)
        self.always = {
            fact: self.base[circuit.next[fact] >> 1] ^ (circuit.next[fact] & 1) for fact in inputs
        }

    def of(self, move: Lit) -> tuple[tuple[int, Lit], ...]:
        """Return the effects of one move."""
        # Only gates that the move reaches can differ from `base`; in the order of their numbers,
        # operands come before users. What folds to the same as before stops spreading.
        changed = {move >> 1: TRUE}
        reached = _reached(self.users, move >> 1)
        self.visits += len(reached)
        if self.visits > MOST_VISITS or len(self.aig) > MOST_NODES:
            raise NoTablesError(
                f"what the moves do takes more than {MOST_NODES:,} gates"
                if len(self.aig) > MOST_NODES
                else f"the moves reach more than {MOST_VISITS:,} gates"
            )
        for node in reached:
            edge = self._copy(node, changed)
            if edge != self.base[node]:
                changed[node] = edge
        edges = dict(self.always)
        for node, edge in changed.items():
            for fact in self.readers.get(node, ()):
                edges[fact] = edge ^ (self.circuit.next[fact] & 1)
        return tuple((f, e) for f, e in edges.items() if e != self.inputs[f])

    def _copy(self, node: int, changed: dict[int, Lit]) -> Lit:
        left, right = self.circuit.aig.left[node], self.circuit.aig.right[node]
        a = changed.get(left >> 1, self.base.get(left >> 1, FALSE)) ^ (left & 1)
        b = changed.get(right >> 1, self.base.get(right >> 1, FALSE)) ^ (right & 1)
        return self.aig.conj(a, b)


def _reached(users: dict[int, list[int]], start: int) -> list[int]:
    seen: set[int] = set()
    stack = list(users.get(start, ()))
    while stack:
        node = stack.pop()
        if node not in seen:
            seen.add(node)
            stack += users.get(node, ())
    return sorted(seen)
