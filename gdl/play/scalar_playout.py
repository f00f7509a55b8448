"""Random games one at a time, which tell the moves that were made: for RAVE and GRAVE.

In: the game for search of `gdl.native.scalar.game`, the state in which a search begins, and the
moves down its tree. Out: the goals of one random game from there, and its moves. All functions
work on the tables of a `ScalarTables` (s) and are made into machine code.

Source: random numbers by Marsaglia, "Xorshift RNGs", Journal of Statistical Software, 2003.
"""

# numba finds the types
from __future__ import annotations

from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from gdl.language.syntax import Term
from gdl.native.game import NativeGame
from gdl.native.jit import call_goals, call_move, compiled, entry
from gdl.native.scalar.gate_blocks import BLOCK
from gdl.play.lanes import ONE, ZERO
from gdl.playouts import MAX_PLIES
from gdl.state import State

Ints = NDArray[np.int64]
NO_GAME: Final = -1
"""What `play_scalar` returns where there is no end, or no move."""
ODD: Final = 0x9E3779B97F4A7C15
"""Spreads the bits of a seed; never zero after it."""


class ScalarTables(NamedTuple):
    """One game at a time for search; R roles, at most M moves a role, P phases of the clock.

    A place is where a move stands among all moves of its phase, legal or not. An edge is one of the
    circuit: twice the number of a node, and 1 more where it is negated.

    Attributes:
        at: Address of the tables, 0 where there is no such game.
        play: Address: play a move.
        goals: Address: derive the goals.
        work: Counts of the position, then its truths; what code reads and writes.
        truths: The truths of all nodes, a bit each, in the same memory.
        start: Content of the position in which the search begins.
        start_phase: Its phase.
        movers: Who chooses in each phase.
        legal_blocks: First block of the legal moves of each phase, and how many blocks.
        move_at: Number of the move at each place of a phase, among those of its mover; -1 for none.
        place_of: The other way round.
        terminal: Edge of terminal in each phase.
        values: What `goals` writes, a byte a node.
        goal_edges: Edge of each goal, -1 for none; G goals a role at most.
        goal_values: Its value, 0 to 100.
        random: State of the random numbers.
        legal: Room for the places of the legal moves.
        played: Room for the moves of one playout: role and number.
    """

    at: int
    play: int
    goals: int
    work: NDArray[np.uint8]  # [bytes]
    truths: NDArray[np.uint64]  # [nodes / 64]
    start: NDArray[np.uint8]  # [bytes]
    start_phase: Ints  # [1]
    movers: Ints  # [P]
    legal_blocks: Ints  # [P, 2]
    move_at: Ints  # [P, places]
    place_of: Ints  # [P, M]
    terminal: Ints  # [P]
    values: NDArray[np.uint8]  # [nodes]
    goal_edges: Ints  # [P, R, G]
    goal_values: Ints  # [P, R, G]
    random: NDArray[np.uint64]  # [1]
    legal: Ints  # [places]
    played: Ints  # [plies, 2]


def no_scalar_tables() -> ScalarTables:
    """Return what stands for no such game."""
    bytes_, words, flat = np.zeros(1, np.uint8), np.zeros(1, np.uint64), np.zeros(1, np.int64)
    table, cube = np.zeros((1, 2), np.int64), np.zeros((1, 1, 1), np.int64)
    return ScalarTables(
        at=0,
        play=0,
        goals=0,
        work=bytes_,
        truths=words,
        start=bytes_,
        start_phase=flat,
        movers=flat,
        legal_blocks=table,
        move_at=table,
        place_of=table,
        terminal=flat,
        values=bytes_,
        goal_edges=cube,
        goal_values=cube,
        random=words,
        legal=flat,
        played=table,
    )


class ScalarGame:
    """Keeps alive what `ScalarTables` point to, and says where searches begin.

    Attributes:
        tables: For numba.
    """

    def __init__(self, native: NativeGame) -> None:
        """Make the tables and the code, or read them.

        Raises:
            NoTablesError: No clock shows that one role at a time chooses, or moves do too much.
            ValueError: The goals of all roles have too many combinations.
        """
        self._native = native
        self._scalar = native.scalar()
        every = native.kernel.compiled.moves
        self._numbers: list[dict[Term, int]] = [
            {move: i for i, move in enumerate(moves)} for moves in every
        ]
        self.tables = self._make_tables(max(map(len, every)))

    def _make_tables(self, widest: int) -> ScalarTables:
        scalar = self._scalar
        tables = scalar.tables
        phases = len(tables.movers)
        move_at = np.full((phases, max(map(len, tables.moves))), -1, np.int64)
        place_of = np.full((phases, widest), -1, np.int64)
        most = max(map(len, tables.values))
        shape = (phases, len(tables.roles), most)
        goal_edges, goal_values = np.full(shape, -1, np.int64), np.zeros(shape, np.int64)
        for phase in range(phases):
            move_at[phase, : len(tables.moves[phase])] = tables.moves[phase]
            place_of[phase, list(tables.moves[phase])] = range(len(tables.moves[phase]))
            for r, row in enumerate(tables.tapes[phase].goals):
                goal_edges[phase, r, : len(row)] = row
                goal_values[phase, r, : len(row)] = tables.values[r]
        return ScalarTables(
            at=scalar.tables_at,
            play=scalar.address("play"),
            goals=scalar.address("goals"),
            work=scalar.work,
            truths=scalar.truths,
            start=np.frombuffer(scalar.initial().content, np.uint8).copy(),
            start_phase=np.zeros(1, np.int64),
            movers=np.array(tables.movers, np.int64),
            legal_blocks=tables.legal.astype(np.int64),
            move_at=move_at,
            place_of=place_of,
            terminal=tables.terminal.astype(np.int64),
            values=scalar.values,
            goal_edges=goal_edges,
            goal_values=goal_values,
            random=np.full(1, ODD, np.uint64),
            legal=np.zeros(int(tables.legal[:, 1].max()) * BLOCK, np.int64),
            played=np.zeros((MAX_PLIES, 2), np.int64),
        )

    def seed(self, seed: int) -> None:
        """Begin the random numbers anew."""
        self.tables.random[0] = ((2 * seed + 1) * ODD) % (1 << 64)

    def set_start(self, state: State) -> bool:
        """Begin at a state; False where it was not reached from the start of the game.

        The position of the scalar engine holds more than facts (counts of true inputs of gates), so
        it is not made of a state but played up to it.
        """
        machine, scalar = self._native.machine, self._scalar
        first, *later = state.history
        if first.inner != machine.initial():
            return False
        position = scalar.initial()
        for after in later:
            mover = scalar.mover(position)
            assert after.last_move is not None
            number = self._numbers[mover][after.last_move[mover]]
            position = scalar.play(position, int(self.tables.place_of[position.phase, number]))
        self.tables.start[:] = np.frombuffer(position.content, np.uint8)
        self.tables.start_phase[0] = position.phase
        return True


@compiled
def is_true(s: ScalarTables, edge: Any) -> Any:
    """Return whether an edge is true in the position."""
    node = edge >> 1
    bit = (s.truths[node >> 6] >> np.uint64(node & 63)) & ONE
    return (bit != ZERO) != (edge & 1 != 0)


@compiled
def find_legal(s: ScalarTables, phase: Any) -> Any:
    """Write the places of the legal moves of a phase; return how many there are.

    A move is legal where its gate waits for none of its operands: a count of 0.
    """
    first = s.legal_blocks[phase, 0] * BLOCK
    n = 0
    for i in range(s.legal_blocks[phase, 1] * BLOCK):
        if s.work[first + i] == 0:
            s.legal[n] = i
            n += 1
    return n


@compiled
def random_below(s: ScalarTables, n: Any) -> Any:
    """Return a random number below n: the upper half of a word, scaled and not taken modulo n."""
    x = s.random[0]
    x ^= x << np.uint64(13)
    x ^= x >> np.uint64(7)
    x ^= x << np.uint64(17)
    s.random[0] = x
    return np.int64(((x >> np.uint64(32)) * np.uint64(n)) >> np.uint64(32))


@entry
@compiled
def play_scalar(s: ScalarTables, path: Any, length: Any, goals: Any) -> Any:
    """Play the moves of a path (role and number each), then at random; write each role's goal.

    Returns how many random moves were made, or `NO_GAME`. A goal that is not one value is -1.
    """
    for i in range(len(s.start)):
        s.work[i] = s.start[i]
    phase = s.start_phase[0]
    for i in range(length):
        place = np.int64(-1)
        if path[i, 0] == s.movers[phase]:
            place = s.place_of[phase, path[i, 1]]
        elif find_legal(s, phase):  # nobody had a choice, and the tree took the first role for it
            place = s.legal[0]
        if place < 0:
            return NO_GAME
        call_move(s.play, s.at, phase, place)
        phase = (phase + 1) % len(s.movers)
    plies = 0
    while not is_true(s, s.terminal[phase]):
        n = find_legal(s, phase)
        if n == 0 or plies >= len(s.played):
            return NO_GAME
        place = s.legal[random_below(s, n)]
        s.played[plies, 0] = s.movers[phase]
        s.played[plies, 1] = s.move_at[phase, place]
        plies += 1
        call_move(s.play, s.at, phase, place)
        phase = (phase + 1) % len(s.movers)
    call_goals(s.goals, s.at, phase)
    for r in range(len(goals)):
        goals[r] = -1.0
        for i in range(s.goal_edges.shape[2]):
            edge = s.goal_edges[phase, r, i]
            if edge >= 0 and (s.values[edge >> 1] != 0) != (edge & 1 != 0):
                goals[r] = -1.0 if goals[r] >= 0.0 else float(s.goal_values[phase, r, i])
    return plies
