"""One game at a time, driven by what changes: for search.

A move of Gomoku touches one square, and of the 572 lines only those through it can
change. So nothing is evaluated anew: each gate counts its operands that are not
satisfied, a change of a fact goes to the gates that read it, and on from those whose
count reaches or leaves zero. What each move does to the facts is worked out
beforehand, with the move put into the circuit as a constant.

In goes a `GameCircuit` in which one role at a time has a choice, as a clock shows
(`gdl.native.phases`); out come tables (`Tables`), which ``events.ll`` runs.

Source: event-driven logic simulation; counting operands after Dowling and Gallier,
"Linear-Time Algorithms for Testing the Satisfiability of Propositional Horn Formulae", 1984.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from gdl.compile.circuit import FALSE, TRUE, Aig, GameCircuit, Lit, negate
from gdl.language.syntax import Term
from gdl.native.logic import Copier, cone
from gdl.native.phases import Clock
from gdl.native.step import needed_facts

ASSIGN: Final = 0b0110
CLEAR: Final = 0b0010
SET: Final = 0b0100
"""Tables of effects: bit ``2 e + f`` says whether a fact that is f turns when the edge is e."""
GROUP: Final = 4
"""Readers that ``events.ll`` goes through at a time."""
IDLE: Final = 1 << 14
"""First count of the gate that fills up lists of readers; nothing happens when it reaches zero."""


class NotSequentialError(ValueError):
    """More than one role may have a choice at the same time, or nothing tells whose turn it is."""


@dataclass(frozen=True, slots=True)
class Tables:
    """A game for ``events.ll``; see the comments there. Nodes 0, 1, ... are facts, then gates.

    Attributes:
        roles: The roles.
        movers: The role that chooses in each phase, as an index.
        moves: For each phase, the moves it may choose from.
        facts: Nodes below this are facts.
        fact_index: Which fact of the game each of them is.
        counts: Initial counts, ``int16[nodes]``.
        legal: Initial legal words, ``uint64[phases * words]``.
        words: Legal words of a phase.
        nodes: Of each node, its slices of ``readers`` and of ``turns``, ``int32[nodes, 4]``.
        readers: Twice the gate that reads, plus one when it reads the inverse.
        turns: Legal words that turn with a node, and which bits of them.
        effects: First effect of each phase and move; facts with tables beside edges.
        terminal: Edge of terminal in each phase.
        goals: First goal edge of each phase and role, and edges.
        values: Goal values of each role.
    """

    roles: tuple[Term, ...]
    movers: tuple[int, ...]
    moves: tuple[tuple[int, ...], ...]
    facts: int
    fact_index: tuple[int, ...]
    counts: NDArray[np.int16]
    legal: NDArray[np.uint64]
    words: int
    nodes: NDArray[np.int32]
    readers: NDArray[np.int32]
    turns: tuple[NDArray[np.int32], NDArray[np.uint64]]
    effects: tuple[NDArray[np.int32], NDArray[np.int32]]
    terminal: NDArray[np.int32]
    goals: tuple[NDArray[np.int32], NDArray[np.int32]]
    values: tuple[tuple[int, ...], ...]


@dataclass(frozen=True, slots=True)
class _Phase:
    mover: int
    moves: tuple[int, ...]
    legal: tuple[Lit, ...]
    terminal: Lit
    goals: tuple[tuple[Lit, ...], ...]
    effects: tuple[tuple[tuple[int, Lit], ...], ...]


def make_tables(circuit: GameCircuit, clock: Clock) -> Tables:
    """Return the tables of a game. Cost O(moves * gates that a move reaches).

    Raises:
        NotSequentialError: More than one role may have a choice in a phase.
    """
    stored = tuple(f for f in needed_facts(circuit) if f not in clock.facts)
    aig = Aig()
    inputs = {fact: aig.add_input() for fact in stored}
    phases = tuple(_phase(aig, circuit, clock, inputs, number) for number in range(clock.period))
    return _Writer(aig, circuit, stored, inputs, phases).tables()


def _phase(
    aig: Aig, circuit: GameCircuit, clock: Clock, inputs: dict[int, Lit], number: int
) -> _Phase:
    values = {circuit.fact_inputs[fact] >> 1: edge for fact, edge in inputs.items()}
    held = clock.phases[number]
    values |= {circuit.fact_inputs[f] >> 1: TRUE if f in held else FALSE for f in clock.facts}
    copier = Copier(aig, circuit.aig, values)
    legal = [copier.edges(edges) for edges in circuit.legal]
    possible = [[i for i, edge in enumerate(edges) if edge != FALSE] for edges in legal]
    choosing = [r for r, moves in enumerate(possible) if len(moves) > 1]
    if len(choosing) > 1:
        raise NotSequentialError(
            f"{' and '.join(str(circuit.roles[r]) for r in choosing)} may choose at the same time"
        )
    mover = choosing[0] if choosing else 0
    forced = {
        circuit.move_inputs[r][moves[0]] >> 1
        for r, moves in enumerate(possible)
        if r != mover and moves
    }
    moves = tuple(possible[mover])
    effects = _Effects(aig, circuit, values, inputs, forced)
    return _Phase(
        mover,
        moves,
        tuple(legal[mover][i] for i in moves),
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
        self.base = {0: FALSE, **values}
        for edges in circuit.move_inputs:
            for edge in edges:
                self.base[edge >> 1] = TRUE if edge >> 1 in forced else FALSE
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
        found = {move >> 1: TRUE}
        for node in _reached(self.users, move >> 1):
            made = self._copy(node, found)
            if made != self.base[node]:
                found[node] = made
        edges = dict(self.always)
        for node, edge in found.items():
            for fact in self.readers.get(node, ()):
                edges[fact] = edge ^ (self.circuit.next[fact] & 1)
        return tuple((f, e) for f, e in edges.items() if e != self.inputs[f])

    def _copy(self, node: int, found: dict[int, Lit]) -> Lit:
        left, right = self.circuit.aig.left[node], self.circuit.aig.right[node]
        a = found.get(left >> 1, self.base.get(left >> 1, FALSE)) ^ (left & 1)
        b = found.get(right >> 1, self.base.get(right >> 1, FALSE)) ^ (right & 1)
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


class _Writer:
    """Numbers the nodes and writes the tables."""

    def __init__(
        self,
        aig: Aig,
        circuit: GameCircuit,
        stored: Sequence[int],
        inputs: dict[int, Lit],
        phases: Sequence[_Phase],
    ) -> None:
        self.aig, self.circuit, self.stored, self.phases = aig, circuit, stored, phases
        self.inputs = inputs
        self.roots = self._roots()
        self.number = {inputs[fact] >> 1: i for i, fact in enumerate(stored)}
        self.operands = self._gates()
        self.number[0] = len(self.number)

    def _effect(self, fact: int, edge: Lit) -> tuple[int, Lit]:
        """Return when a fact turns, as a table, and on which edge that depends.

        For ``fact or e`` and ``fact and e`` it is ``e``, which changes less often.
        """
        own = self.inputs[fact]
        node = edge >> 1
        if not self.aig.is_and(node):
            return ASSIGN, edge
        left, right = self.aig.left[node], self.aig.right[node]
        for one, other in ((left, right), (right, left)):
            if one == own and not edge & 1:
                return CLEAR, other
            if one == negate(own) and edge & 1:
                return SET, negate(other)
        return ASSIGN, edge

    def _roots(self) -> list[Lit]:
        roots: list[Lit] = []
        for phase in self.phases:
            roots += phase.legal
            roots.append(phase.terminal)
            roots += [edge for edges in phase.goals for edge in edges]
            roots += [self._effect(*e)[1] for effects in phase.effects for e in effects]
        return roots

    def _gates(self) -> dict[int, list[Lit]]:
        """Return the operands of each gate; ands that only one and reads are part of that one."""
        nodes = cone(self.aig, self.roots)
        readers: dict[int, int] = {}
        for node in nodes:
            for edge in (self.aig.left[node], self.aig.right[node]):
                readers[edge >> 1] = readers.get(edge >> 1, 0) + (2 if edge & 1 else 1)
        wanted = {root >> 1 for root in self.roots}
        inner = {n for n in nodes if readers.get(n, 0) == 1 and n not in wanted}
        operands: dict[int, list[Lit]] = {}
        for node in nodes:
            if node in inner:
                continue
            found: set[Lit] = set()
            stack = [self.aig.left[node], self.aig.right[node]]
            while stack:
                edge = stack.pop()
                if edge >> 1 in inner:
                    stack += (self.aig.left[edge >> 1], self.aig.right[edge >> 1])
                else:
                    found.add(edge)
            operands[node] = sorted(found)
            self.number[node] = len(self.number)
        return operands

    def _edge(self, edge: Lit) -> int:
        return 2 * self.number[edge >> 1] + (edge & 1)

    def tables(self) -> Tables:
        circuit = self.circuit
        true = self._initial_truth()
        nodes = len(self.number)
        counts = np.zeros(nodes + 1, np.int16)
        counts[nodes] = IDLE
        counts[: len(self.stored)] = [fact not in circuit.initial for fact in self.stored]
        counts[self.number[0]] = 1
        readers: list[list[int]] = [[] for _ in range(nodes)]
        for node, edges in self.operands.items():
            counts[self.number[node]] = sum(not true[e >> 1] ^ bool(e & 1) for e in edges)
            for edge in edges:
                readers[self.number[edge >> 1]].append(2 * self.number[node] + (edge & 1))
        words = max(1, *(-(-len(phase.moves) // 64) for phase in self.phases))
        legal = np.zeros(words * len(self.phases), np.uint64)
        turns: list[dict[int, int]] = [{} for _ in range(nodes)]
        for p, phase in enumerate(self.phases):
            for i, edge in enumerate(phase.legal):
                word, bit = p * words + i // 64, 1 << i % 64
                row = turns[self.number[edge >> 1]]
                row[word] = row.get(word, 0) | bit
                if true[edge >> 1] ^ bool(edge & 1):
                    legal[word] |= np.uint64(bit)
        starts, reader_rows = _rows([*(self._padded(row, nodes) for row in readers), []])
        words_at, turn_words = _rows([*(list(row) for row in turns), []])
        return Tables(
            circuit.roles,
            tuple(phase.mover for phase in self.phases),
            tuple(phase.moves for phase in self.phases),
            len(self.stored),
            tuple(self.stored),
            counts,
            legal,
            words,
            np.stack([starts[:-1], starts[1:], words_at[:-1], words_at[1:]], axis=1),
            reader_rows,
            (turn_words, np.array([b for row in turns for b in row.values()], np.uint64)),
            self._effect_rows(),
            np.array([self._edge(phase.terminal) for phase in self.phases], np.int32),
            _rows(
                [[self._edge(e) for e in edges] for phase in self.phases for edges in phase.goals]
            ),
            tuple(tuple(value for value, _ in pairs) for pairs in circuit.goals),
        )

    @staticmethod
    def _padded(row: list[int], idle: int) -> list[int]:
        """Return readers in whole groups; the gate that fills up is moved there and back."""
        return row + [2 * idle] * (-len(row) % GROUP)

    def _effect_rows(self) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
        number = {fact: i for i, fact in enumerate(self.stored)}
        most = max(len(phase.moves) for phase in self.phases)
        rows: list[tuple[tuple[int, Lit], ...]] = []
        for phase in self.phases:
            rows += [*phase.effects, *[()] * (most - len(phase.moves))]
        starts, facts = _rows(
            [[16 * number[f] + self._effect(f, e)[0] for f, e in row] for row in rows]
        )
        edges = [self._edge(self._effect(fact, edge)[1]) for row in rows for fact, edge in row]
        return starts, np.stack([facts, np.array(edges, np.int32)], axis=1)

    def _initial_truth(self) -> dict[int, bool]:
        truth = {0: False}
        for fact in self.stored:
            truth[self.inputs[fact] >> 1] = fact in self.circuit.initial
        for node in cone(self.aig, self.roots):
            left, right = self.aig.left[node], self.aig.right[node]
            truth[node] = truth[left >> 1] ^ bool(left & 1) and truth[right >> 1] ^ bool(right & 1)
        return truth


def _rows(rows: Sequence[Sequence[int]]) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """Return where each row starts, one more than rows, and all rows in one."""
    starts = np.cumsum([0, *map(len, rows)]).astype(np.int32)
    return starts, np.array([entry for row in rows for entry in row], np.int32)
