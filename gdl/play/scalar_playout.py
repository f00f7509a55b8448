"""Random games one at a time, which tell the moves that were made: for RAVE and GRAVE.

In: the game for search of `gdl.native.scalar`, the state in which a search begins, and the moves
down its tree. Out: the goals of one random game from there, and its moves. All functions work on
the memory of a `Single` and are made into machine code.

Source: ours; random numbers by Marsaglia, "Xorshift RNGs", Journal of Statistical Software, 2003.
"""

# numba finds the types
from __future__ import annotations

from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from gdl.language.syntax import Term
from gdl.native.blocks import BLOCK
from gdl.native.game import NativeGame
from gdl.play.jit import call_goals, call_move, compiled
from gdl.play.lanes import ONE, ZERO
from gdl.playouts import MAX_PLIES
from gdl.state import State

Ints = NDArray[np.int64]
NO_GAME: Final = -1
"""What `play_single` returns where there is no end, or no move."""
ODD: Final = 0x9E3779B97F4A7C15
"""Spreads the bits of a seed; never zero after it."""


class Single(NamedTuple):
    """One game at a time for search.

    Attributes:
        at: Address of the tables, 0 where there is no such game.
        play: Address: play a move.
        goals: Address: derive the goals.
        work: Counts of the position, then its truths; what code reads and writes.
        truths: The truths, ``uint64[blocks]``, in the same memory.
        start: Content of the position in which the search begins.
        begin: Its phase, ``int64[1]``.
        movers: Who chooses in each phase.
        legal: First block of the legal moves of each phase, and how many blocks.
        moves: Number of each move of a phase among those of its mover, ``int64[phases, moves]``.
        places: The other way round, -1 for none.
        terminal: Edge of terminal in each phase.
        values: What `goals` writes, a byte an edge.
        edges: Edge of each goal, -1 for none, ``int64[phases, roles, goals]``.
        points: Its value.
        chance: Random state, ``uint64[1]``.
        choice: Room for the legal moves.
        made: Room for the moves of one game: role and number, ``int64[plies, 2]``.
    """

    at: int
    play: int
    goals: int
    work: NDArray[np.uint8]
    truths: NDArray[np.uint64]
    start: NDArray[np.uint8]
    begin: Ints
    movers: Ints
    legal: Ints
    moves: Ints
    places: Ints
    terminal: Ints
    values: NDArray[np.uint8]
    edges: Ints
    points: Ints
    chance: NDArray[np.uint64]
    choice: Ints
    made: Ints


def no_single() -> Single:
    """Return what stands for no such game."""
    bytes_, words, flat = np.zeros(1, np.uint8), np.zeros(1, np.uint64), np.zeros(1, np.int64)
    table, cube = np.zeros((1, 2), np.int64), np.zeros((1, 1, 1), np.int64)
    return Single(
        at=0,
        play=0,
        goals=0,
        work=bytes_,
        truths=words,
        start=bytes_,
        begin=flat,
        movers=flat,
        legal=table,
        moves=table,
        places=table,
        terminal=flat,
        values=bytes_,
        edges=cube,
        points=cube,
        chance=words,
        choice=flat,
        made=table,
    )


class SingleGame:
    """Keeps alive what a `Single` points to, and says where searches begin.

    Attributes:
        single: For numba.
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
        self.single = self._tables(max(map(len, every)))

    def _tables(self, widest: int) -> Single:
        scalar = self._scalar
        tables = scalar.tables
        phases = len(tables.movers)
        moves = np.full((phases, max(map(len, tables.moves))), -1, np.int64)
        places = np.full((phases, widest), -1, np.int64)
        most = max(map(len, tables.values))
        shape = (phases, len(tables.roles), most)
        edges, points = np.full(shape, -1, np.int64), np.zeros(shape, np.int64)
        for phase in range(phases):
            moves[phase, : len(tables.moves[phase])] = tables.moves[phase]
            places[phase, list(tables.moves[phase])] = range(len(tables.moves[phase]))
            for r, row in enumerate(tables.tapes[phase].goals):
                edges[phase, r, : len(row)] = row
                points[phase, r, : len(row)] = tables.values[r]
        return Single(
            at=scalar.tables_at,
            play=scalar.address("play"),
            goals=scalar.address("goals"),
            work=scalar.work,
            truths=scalar.truths,
            start=np.frombuffer(scalar.initial().content, np.uint8).copy(),
            begin=np.zeros(1, np.int64),
            movers=np.array(tables.movers, np.int64),
            legal=tables.legal.astype(np.int64),
            moves=moves,
            places=places,
            terminal=tables.terminal.astype(np.int64),
            values=scalar.values,
            edges=edges,
            points=points,
            chance=np.full(1, ODD, np.uint64),
            choice=np.zeros(int(tables.legal[:, 1].max()) * BLOCK, np.int64),
            made=np.zeros((MAX_PLIES, 2), np.int64),
        )

    def seed(self, seed: int) -> None:
        """Begin the random numbers anew."""
        self.single.chance[0] = ((2 * seed + 1) * ODD) % (1 << 64)

    def look(self, state: State) -> bool:
        """Begin at a state; False where it was not reached from the start of the game."""
        machine, scalar = self._native.machine, self._scalar
        first, *rest = state.history
        if first.inner != machine.initial():
            return False
        position = scalar.initial()
        for after in rest:
            mover = scalar.mover(position)
            assert after.last_move is not None
            number = self._numbers[mover][after.last_move[mover]]
            position = scalar.play(position, int(self.single.places[position.phase, number]))
        self.single.start[:] = np.frombuffer(position.content, np.uint8)
        self.single.begin[0] = position.phase
        return True


@compiled
def holds(s: Single, edge: Any) -> Any:
    """Return whether an edge is true in the position."""
    node = edge >> 1
    bit = (s.truths[node >> 6] >> np.uint64(node & 63)) & ONE
    return (bit != ZERO) != (edge & 1 != 0)


@compiled
def choices(s: Single, phase: Any) -> Any:
    """Write the places of the legal moves of a phase; return how many there are."""
    first = s.legal[phase, 0] * BLOCK
    n = 0
    for i in range(s.legal[phase, 1] * BLOCK):
        if s.work[first + i] == 0:
            s.choice[n] = i
            n += 1
    return n


@compiled
def drawn(s: Single, n: Any) -> Any:
    """Return a random number below n."""
    x = s.chance[0]
    x ^= x << np.uint64(13)
    x ^= x >> np.uint64(7)
    x ^= x << np.uint64(17)
    s.chance[0] = x
    return np.int64(((x >> np.uint64(32)) * np.uint64(n)) >> np.uint64(32))


@compiled
def play_single(s: Single, path: Any, length: Any, goals: Any) -> Any:
    """Play the moves of a path (role and number each), then at random; write each role's goal.

    Returns how many random moves were made, or `NO_GAME`. A goal that is not one value is -1.
    """
    s.work[:] = s.start
    phase = s.begin[0]
    for i in range(length):
        place = np.int64(-1)
        if path[i, 0] == s.movers[phase]:
            place = s.places[phase, path[i, 1]]
        elif choices(s, phase):  # nobody had a choice, and the tree took the first role for it
            place = s.choice[0]
        if place < 0:
            return NO_GAME
        call_move(s.play, s.at, phase, place)
        phase = (phase + 1) % len(s.movers)
    plies = 0
    while not holds(s, s.terminal[phase]):
        n = choices(s, phase)
        if n == 0 or plies >= len(s.made):
            return NO_GAME
        place = s.choice[drawn(s, n)]
        s.made[plies, 0] = s.movers[phase]
        s.made[plies, 1] = s.moves[phase, place]
        plies += 1
        call_move(s.play, s.at, phase, place)
        phase = (phase + 1) % len(s.movers)
    call_goals(s.goals, s.at, phase)
    for r in range(len(goals)):
        goals[r] = -1.0
        for i in range(s.edges.shape[2]):
            edge = s.edges[phase, r, i]
            if edge >= 0 and (s.values[edge >> 1] != 0) != (edge & 1 != 0):
                goals[r] = -1.0 if goals[r] >= 0.0 else float(s.points[phase, r, i])
    return plies
