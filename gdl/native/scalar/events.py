"""Event-driven evaluation of one game at a time: the tables by which a move changes a position.

A move of Gomoku touches one square, and of the 572 lines only those through it can
change. So nothing is evaluated anew: each gate counts its operands that are not
satisfied, a change of a fact goes to the gates that read it, and on from those whose
count reaches or leaves zero. Counts are bytes, 64 of them a vector, so that all readers
in a block are counted at once. What each move does to the facts is worked out beforehand
(`gdl.native.scalar.effects`); goals are looked at when a game ends, from a tape of their own.

In goes a `GameCircuit` in which one role at a time has a choice, as a clock shows
(`gdl.circuit.phases`); out come tables (`Tables`), which ``events.ll`` runs.

Source: event-driven logic simulation; counting operands after Dowling and Gallier,
"Linear-Time Algorithms for Testing the Satisfiability of Propositional Horn Formulae", 1984.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

import numpy as np
from numpy.typing import NDArray

from gdl.circuit.aig import Aig, Lit, negate
from gdl.circuit.cone import cone, frontier
from gdl.circuit.game import GameCircuit
from gdl.circuit.phases import PhaseCycle
from gdl.language.terms import Term
from gdl.native.lanes.ply import needed_facts
from gdl.native.scalar.abi import LEGAL, READER
from gdl.native.scalar.effects import (
    Phase,
    make_phase,
)
from gdl.native.scalar.gate_blocks import BLOCK, WIDEST, Blocks, place
from gdl.native.scalar.two_level import write_out

ASSIGN: Final = 0b0110
CLEAR: Final = 0b0010
SET: Final = 0b0100
"""Tables of effects: bit ``2 e + f`` says whether a fact that is f turns when the edge is e."""
PAIR: Final = 2
"""Readers that ``events.ll`` goes through at a time; an odd one has a partner without gates."""
COPIES: Final = 16
"""Operands that may be read more often so that an and between them and its readers goes."""
IDLE: Final = 1
"""Count of places without a gate: never zero, since nothing turns them."""


@dataclass(frozen=True, slots=True)
class Tape:
    """The goals of one phase as a straight line of ands.

    Attributes:
        reads: Edges of the nodes that it begins with.
        gates: Pairs of edges over the tape; value 0 is false, then come reads, then gates.
        goals: Edges over the tape: for each role those of its goal values.
    """

    reads: tuple[int, ...]
    gates: tuple[tuple[int, int], ...]
    goals: tuple[tuple[int, ...], ...]


@dataclass(frozen=True, slots=True)
class Tables:
    """A game for ``events.ll``; see the comments there.

    Nodes are facts, then gates, each at its place in a block (`gdl.native.scalar.gate_blocks`).

    Attributes:
        roles: The roles.
        movers: The role that chooses in each phase, as an index.
        moves: For each phase, the moves it may choose from.
        fact_index: Which fact of the game each of the first nodes is.
        fact_blocks: Blocks without counts; those of the gates follow.
        coarse: A bit of the summary stands for two to this many blocks of gates.
        counts: Initial counts, ``int8[gate blocks + legal blocks, 64]``.
        truths: Initial truths, ``uint64[fact blocks + gate blocks]``, and one word more: bits of
            the summary for blocks that were touched and not asked for since.
        legal: First block of the legal moves of each phase and their number,
            ``int64[phases, 2]``; phases in which the same is legal share them.
        nodes: Of each node, its slice of ``readers``, ``int32[nodes, 2]``.
        readers: Gates of one block that read it, as `READER` says.
        effects: First effect of each phase and move; facts with tables beside edges.
        terminal: Edge of terminal in each phase.
        summary: Bits of the summary whose blocks are asked for in each phase, ``uint64[phases]``.
        tapes: The goals in each phase.
        values: Goal values of each role.
    """

    roles: tuple[Term, ...]
    movers: tuple[int, ...]
    moves: tuple[tuple[int, ...], ...]
    fact_index: tuple[int, ...]
    fact_blocks: int
    coarse: int
    counts: NDArray[np.int8]
    truths: NDArray[np.uint64]
    legal: NDArray[np.int64]
    nodes: NDArray[np.int32]
    readers: NDArray[np.void]
    effects: tuple[NDArray[np.int32], NDArray[np.int32]]
    terminal: NDArray[np.int32]
    summary: NDArray[np.uint64]
    tapes: tuple[Tape, ...]
    values: tuple[tuple[int, ...], ...]


def make_tables(circuit: GameCircuit, clock: PhaseCycle) -> Tables:
    """Return the tables of a game. Cost O(moves * gates that a move reaches).

    Raises:
        NoTablesError: More than one role may have a choice in a phase, or the moves reach too
            many gates.
    """
    stored = tuple(f for f in needed_facts(circuit) if f not in clock.facts)
    aig = Aig()
    inputs = {fact: aig.add_input() for fact in stored}
    phases = tuple(make_phase(aig, circuit, clock, inputs, n) for n in range(clock.period))
    phases = tuple(_written_out(aig, phase) for phase in phases)
    return _Writer(aig, circuit, inputs, phases).tables()


def _written_out(aig: Aig, phase: Phase) -> Phase:
    goals = [edge for edges in phase.goals for edge in edges]
    terminal, written = write_out(aig, phase.terminal, goals)
    goal_edge = iter(written)
    return replace(
        phase,
        terminal=terminal,
        goals=tuple(tuple(next(goal_edge) for _ in e) for e in phase.goals),
    )


class _Writer:
    """Gives each node its place and writes the tables."""

    def __init__(
        self, aig: Aig, circuit: GameCircuit, inputs: dict[int, Lit], phases: Sequence[Phase]
    ) -> None:
        self.aig, self.circuit, self.inputs, self.phases = aig, circuit, inputs, phases
        sources = [*(edge >> 1 for edge in inputs.values()), 0]
        gates, self.legal = self._gates()
        self.asked = self._asked()
        self.blocks: Blocks = place(gates, self.asked, sources, len(aig))
        self.truth = self._initial_truth()

    def tables(self) -> Tables:
        circuit, blocks = self.circuit, self.blocks
        truths = np.zeros(blocks.count * BLOCK, np.bool_)
        for node, number in blocks.place.items():
            truths[number] = self.truth[node]
        legal, places = self._places()
        gate_blocks = blocks.count - blocks.first
        nowhere = int(legal.sum(axis=1).max())
        counts = np.full((nowhere + 1) * BLOCK, IDLE, np.int8)
        readers: list[dict[int, int]] = [{} for _ in truths]
        for number, edges in places:
            # Invariant of ``events.ll``: a count is the number of operands that do not hold.
            counts[number] = sum(not self._holds(edge) for edge in edges)
            for edge in edges:
                row = readers[blocks.place[edge >> 1]]
                where = 2 * (number // BLOCK) + (edge & 1)
                row[where] = row.get(where, 0) | 1 << number % BLOCK
        for row in readers:
            if len(row) % PAIR:
                row[2 * nowhere] = 0
        starts, places_read = _rows([sorted(row) for row in readers])
        rows = np.zeros(len(places_read), READER)
        block = places_read >> 1
        summary = np.where(block < gate_blocks, block >> blocks.coarse, LEGAL)
        rows["gates"] = [row[w] for row in readers for w in sorted(row)]
        rows["counts"] = block * BLOCK
        rows["summary"] = summary + (places_read & 1) * BLOCK
        return Tables(
            roles=circuit.roles,
            movers=tuple(phase.mover for phase in self.phases),
            moves=tuple(phase.moves for phase in self.phases),
            fact_index=tuple(self.inputs),
            fact_blocks=blocks.first,
            coarse=blocks.coarse,
            counts=counts.reshape(-1, BLOCK),
            truths=np.append(np.packbits(truths, bitorder="little").view(np.uint64), np.uint64(0)),
            legal=legal,
            nodes=np.stack([starts[:-1], starts[1:]], axis=1),
            readers=rows,
            effects=self._effect_rows(),
            terminal=np.array([self._edge(phase.terminal) for phase in self.phases], np.int32),
            summary=np.array([blocks.summary(n) for n in range(len(self.phases))], np.uint64),
            tapes=tuple(self._tape(number) for number in range(len(self.phases))),
            values=tuple(tuple(value for value, _ in pairs) for pairs in circuit.goals),
        )

    def _places(self) -> tuple[NDArray[np.int64], list[tuple[int, Sequence[Lit]]]]:
        """Return the legal blocks of each phase, and all gates by place, those of moves last."""
        blocks = self.blocks
        first = blocks.first * BLOCK
        placed: list[tuple[int, Sequence[Lit]]] = [
            (blocks.place[node] - first, edges) for node, edges in blocks.operands.items()
        ]
        at = blocks.count - blocks.first
        starts: dict[tuple[Lit, ...], tuple[int, int]] = {}
        for phase in self.phases:
            if phase.legal not in starts:
                count = max(1, -(-len(phase.legal) // BLOCK))
                starts[phase.legal] = (at, count)
                placed += [(at * BLOCK + i, self.legal[e]) for i, e in enumerate(phase.legal)]
                at += count
        return np.array([starts[phase.legal] for phase in self.phases], np.int64), placed

    def _effect(self, fact: int, edge: Lit) -> tuple[int, Lit]:
        """Return when a fact turns, as a table, and on which edge that depends.

        For ``fact or e`` and ``fact and e`` it is ``e``, which changes less often.
        """
        # fact and e: turns where it holds and e does not. fact or e, an inverted and of inverses:
        # turns where it does not hold and e does. What else: where it differs from the edge.
        own = self.inputs[fact]
        node = edge >> 1
        if not self.aig.is_and(node):
            return ASSIGN, edge
        left, right = self.aig.left[node], self.aig.right[node]
        for same, other in ((left, right), (right, left)):
            if same == own and not edge & 1:
                return CLEAR, other
            if same == negate(own) and edge & 1:
                return SET, negate(other)
        return ASSIGN, edge

    def _gates(self) -> tuple[dict[int, list[Lit]], dict[Lit, list[Lit]]]:
        """Return the operands of each gate, and of whether each move is legal.

        Small ands that others read are part of those. Goals are not kept up to date.
        """
        legal = {edge for phase in self.phases for edge in phase.legal}
        roots = [phase.terminal for phase in self.phases]
        roots += [
            self._effect(*e)[1] for p in self.phases for effects in p.effects for e in effects
        ]
        nodes = cone(self.aig, [*roots, *legal])
        reads = [edge for n in nodes for edge in (self.aig.left[n], self.aig.right[n])]
        reads += [edge for phase in self.phases for edge in phase.legal]
        count = Counter(edge >> 1 for edge in reads)
        kept = {root >> 1 for root in roots} | {edge >> 1 for edge in reads if edge & 1}
        kept.update(*(self._read_by_goals(phase) for phase in self.phases))
        # An and that is only read plainly is the same as its operands in the place of it (ands are
        # associative). That saves events on the way through it, at the price of copies, one a
        # reader: so it is done where these are few. `kept` are read otherwise too.
        operands: dict[int, set[Lit]] = {}
        inner: set[int] = set()
        for node in nodes:
            reads_of: set[Lit] = set()
            for edge in (self.aig.left[node], self.aig.right[node]):
                reads_of |= operands[edge >> 1] if edge >> 1 in inner else {edge}
            operands[node] = reads_of
            copies = (len(reads_of) - 1) * (count[node] - 1)
            if node not in kept and copies <= COPIES and len(reads_of) <= WIDEST:
                inner.add(node)
        moves = Counter[Lit]()
        for phase in self.phases:
            moves |= Counter(phase.legal)

        def is_near(edge: Lit) -> bool:
            """Return whether moves read the operands of a gate, even where others read the gate."""
            width = len(operands.get(edge >> 1, ()))
            return not edge & 1 and width > 0 and (width - 1) * moves[edge] <= COPIES

        of_moves = {
            e: sorted(operands[e >> 1]) if e >> 1 in inner or is_near(e) else [e] for e in legal
        }
        read = {edge >> 1 for edges in ([*roots], *of_moves.values()) for edge in edges}
        # From users to operands: only what somebody still reads is a gate.
        gates: dict[int, list[Lit]] = {}
        for node in reversed(operands):
            if node in read and node not in inner:
                gates[node] = sorted(operands[node])
                read.update(edge >> 1 for edge in operands[node])
        return {node: gates[node] for node in reversed(gates)}, of_moves

    def _read_by_goals(self, phase: Phase) -> tuple[int, ...]:
        """Return what tells why a game is over (who has a line), where goals begin."""
        goals = [edge for edges in phase.goals for edge in edges]
        return frontier(self.aig, goals, set(cone(self.aig, [phase.terminal])))

    def _asked(self) -> dict[int, frozenset[int]]:
        """Return the phases in which each gate is asked for: by moves, by the end of the game."""
        phases_of: dict[int, set[int]] = {}
        for number, phase in enumerate(self.phases):
            effects = [self._effect(*e)[1] for effects in phase.effects for e in effects]
            for node in cone(self.aig, [phase.terminal, *phase.legal, *effects]):
                phases_of.setdefault(node, set()).add(number)
        return {node: frozenset(phases) for node, phases in phases_of.items()}

    def _edge(self, edge: Lit) -> int:
        return 2 * self.blocks.place[edge >> 1] + (edge & 1)

    def _holds(self, edge: Lit) -> bool:
        return self.truth[edge >> 1] ^ bool(edge & 1)

    def _effect_rows(self) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
        number = {fact: i for i, fact in enumerate(self.inputs)}
        most = max(len(phase.moves) for phase in self.phases)
        rows: list[tuple[tuple[int, Lit], ...]] = []
        for phase in self.phases:
            rows += [*phase.effects, *[()] * (most - len(phase.moves))]
        starts, facts = _rows(
            [[16 * number[f] + self._effect(f, e)[0] for f, e in row] for row in rows]
        )
        edges = [self._edge(self._effect(fact, edge)[1]) for row in rows for fact, edge in row]
        return starts, np.stack([facts, np.array(edges, np.int32)], axis=1)

    def _tape(self, number: int) -> Tape:
        """Return the goals of a phase over nodes that are up to date in it."""
        phase = self.phases[number]
        roots = [edge for edges in phase.goals for edge in edges]
        ready = {n for n in self.blocks.place if number in self.asked.get(n, ())}
        gates = cone(self.aig, roots, ready)
        reads = frontier(self.aig, roots, ready)
        at = {node: i for i, node in enumerate([0, *reads, *gates])}

        def edge(old: Lit) -> int:
            return 2 * at[old >> 1] + (old & 1)

        return Tape(
            tuple(self._edge(2 * node) for node in reads),
            tuple((edge(self.aig.left[node]), edge(self.aig.right[node])) for node in gates),
            tuple(tuple(edge(old) for old in edges) for edges in phase.goals),
        )

    def _initial_truth(self) -> dict[int, bool]:
        truth = {0: False}
        for fact, edge in self.inputs.items():
            truth[edge >> 1] = fact in self.circuit.initial
        for node, edges in self.blocks.operands.items():
            truth[node] = all(truth[edge >> 1] ^ bool(edge & 1) for edge in edges)
        return truth


def _rows(rows: Sequence[Sequence[int]]) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """Return where each row starts, one more than rows, and all rows in one."""
    starts = np.cumsum([0, *map(len, rows)]).astype(np.int32)
    return starts, np.array([entry for row in rows for entry in row], np.int32)
