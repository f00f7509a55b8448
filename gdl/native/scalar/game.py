"""One game at a time for search: positions, moves, and rollouts from any position.

In go `Tables`, out comes a `Scalar`. A `Position` is all that is known of a state (the
counts of its gates too), so that a child costs a copy and the few gates that change.
"""

from __future__ import annotations

import ctypes
from collections import Counter
from dataclasses import dataclass
from importlib.resources import files
from math import prod
from typing import Final

import numpy as np
from numpy.typing import NDArray

from gdl.native.code import llvm as engine
from gdl.native.code.memory import ALIGNMENT, aligned
from gdl.native.lanes.layout import GoalTableError
from gdl.native.scalar.abi import READER, Record, completed, in_memory
from gdl.native.scalar.events import Tables, Tape
from gdl.native.scalar.gate_blocks import BLOCK
from gdl.playouts import MAX_PLIES, Playouts

MAX_GOAL_VECTORS: Final = 1 << 20
PDEP: Final = """
declare i64 @llvm.x86.bmi.pdep.64(i64, i64)
define internal i64 @select_bit(i64 %word, i64 %rank) alwaysinline {
  %one = shl i64 1, %rank
  %bit = call i64 @llvm.x86.bmi.pdep.64(i64 %one, i64 %word)
  %place = call i64 @llvm.cttz.i64(i64 %bit, i1 true)
  ret i64 %place
}
"""
CLEARING: Final = """
define internal i64 @select_bit(i64 %word, i64 %rank) {
entry:
  br label %test
test:
  %left = phi i64 [ %word, %entry ], [ %less, %clear ]
  %r = phi i64 [ %rank, %entry ], [ %r1, %clear ]
  %here = icmp eq i64 %r, 0
  br i1 %here, label %found, label %clear
clear:
  %minus = add i64 %left, -1
  %less = and i64 %left, %minus
  %r1 = add i64 %r, -1
  br label %test
found:
  %place = call i64 @llvm.cttz.i64(i64 %left, i1 true)
  ret i64 %place
}
"""


FEW: Final = """
define internal i64 @find_changes(ptr %t, i64 %start, i64 %stop) alwaysinline {
  %count = call i64 @find_few(ptr %t, i64 %start, i64 %stop)
  ret i64 %count
}
"""
AT_ONCE: Final = 16
"""Effects that are looked at together where the processor has AVX-512."""


def scalar_code(*, is_plain: bool = False) -> bytes:
    """Return the object code that runs any tables.

    Args:
        is_plain: Leave out what only some processors have; for comparisons.
    """
    cpu = engine.host()
    folder = files("gdl.native.scalar")
    sources = [folder.joinpath("events.ll").read_text(), CLEARING, FEW]
    if cpu.is_x86 and not is_plain:
        if cpu.has("bmi2"):
            sources[1] = PDEP
        if cpu.has("avx512f"):
            sources[2] = folder.joinpath("events_avx512.ll").read_text()
    return engine.assemble(completed("".join(sources), Record, READER), optimize=True)


@dataclass(frozen=True, slots=True)
class Position:
    """A state with all that is known of it; a value, hashable.

    Attributes:
        content: Counts and legal words.
        phase: Whose turn it is, as an index into the phases.
    """

    content: bytes
    phase: int


class Scalar:
    """A compiled game for search. Not to be shared between threads; make one for each."""

    def __init__(self, tables: Tables, code: bytes) -> None:
        """Load the tables and the code of `scalar_code`.

        Raises:
            GoalTableError: The goals of all roles have too many combinations.
        """
        self.tables = tables
        self._code = engine.Code(code)
        pointer, number = ctypes.c_void_p, ctypes.c_int64
        self._play = ctypes.CFUNCTYPE(None, pointer, number, number)(self._code.address("play"))
        self._goals = ctypes.CFUNCTYPE(None, pointer, number)(self._code.address("goals"))
        self._rollouts = ctypes.CFUNCTYPE(None, pointer, number, number, number)(
            self._code.address("rollouts")
        )
        self._truths_at = tables.counts.nbytes
        size = self._truths_at + tables.truths.nbytes
        self._work = aligned(size + 2 * ALIGNMENT)[:size]  # two vectors may reach over the end
        self._start = aligned(size)
        self._start[: self._truths_at] = tables.counts.reshape(-1).view(np.uint8)
        self._start[self._truths_at :] = tables.truths.view(np.uint8)
        self._initial = Position(self._start.tobytes(), 0)
        self._widths = [len(values) + 1 for values in tables.values]
        if prod(self._widths) > MAX_GOAL_VECTORS:
            raise GoalTableError(f"{prod(self._widths)} goal vectors, at most {MAX_GOAL_VECTORS}")
        self._ends = np.zeros(prod(self._widths), np.uint64)
        self._lengths = np.zeros(MAX_PLIES + 1, np.uint64)
        self._random = np.zeros(2, np.uint64)
        self._stuck, self._cut = np.zeros(1, np.uint64), np.zeros(1, np.uint64)
        self._values = np.zeros(max(map(_length, tables.tapes)), np.uint8)
        self._record = self._filled(size)
        self._tables = in_memory(self._record)
        self._at = self._tables.ctypes.data

    def _filled(self, size: int) -> Record:
        tables, work = self.tables, self._work
        tapes, reads, gates, first_goals, goals = _tape_rows(tables)
        return Record(
            work=work,
            start=self._start,
            state_bytes=size,
            nodes=tables.nodes,
            readers=tables.readers,
            effect_rows=tables.effects[0],
            effect_facts=_padded(tables.effects[1][:, 0]),
            effect_edges=_padded(tables.effects[1][:, 1]),
            truths=work[self._truths_at :],
            gate_truths=work[self._truths_at + 8 * tables.fact_blocks :],
            truth_words=len(tables.truths) - 1,
            coarse=tables.coarse,
            changed=np.zeros(len(tables.fact_index) + AT_ONCE, np.int32),
            first_gate=tables.fact_blocks * BLOCK,
            legal_blocks=tables.legal,
            legal_words=np.zeros(int(tables.legal[:, 1].max()), np.uint64),
            moves=(len(tables.effects[0]) - 1) // len(tables.movers),
            phases=len(tables.movers),
            terminal=tables.terminal,
            summary=tables.summary,
            pending=work[-8:],
            tapes=tapes,
            tape_reads=reads,
            tape_gates=gates,
            tape_values=self._values,
            goal_rows=first_goals,
            goal_edges=goals,
            roles=len(tables.roles),
            goal_factors=np.cumprod([1, *self._widths[:-1]]).astype(np.uint64),
            ends=self._ends,
            lengths=self._lengths,
            random=self._random,
            stuck=self._stuck,
            cut=self._cut,
        )

    def address(self, name: str) -> int:
        """Return the address of a function of the code: ``play`` or ``goals``.

        They take `tables_at`, a phase, and ``play`` a move; they work in `work`.
        """
        return self._code.address(name)

    @property
    def tables_at(self) -> int:
        """Address of the tables that the code takes."""
        return self._at

    @property
    def work(self) -> NDArray[np.uint8]:
        """Content of the position that the code works on: counts, then truths."""
        return self._work

    @property
    def truths(self) -> NDArray[np.uint64]:
        """Truths in it: bit ``n`` of these words is node ``n``; of facts and gates."""
        return self._work[self._truths_at :].view(np.uint64)

    @property
    def values(self) -> NDArray[np.uint8]:
        """What ``goals`` writes: the values of a tape."""
        return self._values

    def initial(self) -> Position:
        """Return the position in which the game begins."""
        return self._initial

    def mover(self, position: Position) -> int:
        """Return the index of the role that chooses."""
        return self.tables.movers[position.phase]

    def legal(self, position: Position) -> NDArray[np.intp]:
        """Return the numbers of the legal moves of the mover, as `play` takes them.

        They count within ``tables.moves[position.phase]``.
        """
        first, count = map(int, self.tables.legal[position.phase])
        counts = np.frombuffer(position.content, np.uint8)
        return np.flatnonzero(counts[first * BLOCK : (first + count) * BLOCK] == 0)

    def play(self, position: Position, move: int) -> Position:
        """Return the position after a legal move; that it is legal is not checked."""
        self._work[:] = np.frombuffer(position.content, np.uint8)
        self._play(self._at, position.phase, move)
        return Position(self._work.tobytes(), (position.phase + 1) % len(self.tables.movers))

    def is_terminal(self, position: Position) -> bool:
        """Return whether the game is over."""
        return self._holds(position, int(self.tables.terminal[position.phase]))

    def goals(self, position: Position) -> tuple[tuple[int, ...], ...]:
        """Return every goal value of each role."""
        self._work[:] = np.frombuffer(position.content, np.uint8)
        self._goals(self._at, position.phase)
        edges = self.tables.tapes[position.phase].goals
        return tuple(
            tuple(v for v, edge in zip(values, row, strict=True) if self._value(edge))
            for values, row in zip(self.tables.values, edges, strict=True)
        )

    def facts(self, position: Position) -> frozenset[int]:
        """Return the stored facts that hold, as indices into the facts of the game."""
        words = np.frombuffer(position.content, np.uint8)[self._truths_at :]
        indices = self.tables.fact_index
        truths = np.unpackbits(words, count=len(indices), bitorder="little")
        return frozenset(indices[i] for i in np.flatnonzero(truths))

    def rollouts(self, position: Position, n: int, *, seed: int = 0) -> Playouts:
        """Play ``n`` times uniformly at random from a position to the end.

        Returns:
            Counts; lengths are from the position on.
        """
        self._start[:] = np.frombuffer(position.content, np.uint8)
        self._random[:] = np.random.SeedSequence(seed).generate_state(2, np.uint64)
        for counted in (self._ends, self._lengths, self._stuck, self._cut):
            counted[:] = 0
        self._rollouts(self._at, position.phase, n, MAX_PLIES)
        result = Playouts(tuple(str(role) for role in self.tables.roles))
        result.stuck, result.cut = int(self._stuck[0]), int(self._cut[0])
        result.lengths = Counter(
            {int(i): int(self._lengths[i]) for i in np.flatnonzero(self._lengths)}
        )
        result.goals = Counter(
            {self._goal_vector(int(i)): int(self._ends[i]) for i in np.flatnonzero(self._ends)}
        )
        return result

    def _goal_vector(self, key: int) -> tuple[int | None, ...]:
        vector: list[int | None] = []
        for width, values in zip(self._widths, self.tables.values, strict=True):
            key, index = divmod(key, width)
            vector.append(values[index - 1] if index else None)
        return tuple(vector)

    def _holds(self, position: Position, edge: int) -> bool:
        byte, bit = divmod(edge >> 1, 8)
        return position.content[self._truths_at + byte] >> bit & 1 != edge & 1

    def _value(self, edge: int) -> bool:
        return bool(self._values[edge >> 1] != edge & 1)


def _padded(column: NDArray[np.int32]) -> NDArray[np.int32]:
    """Return a column in a piece, and room after it for a whole vector."""
    return np.append(column, np.zeros(AT_ONCE, np.int32))


def _length(tape: Tape) -> int:
    return 1 + len(tape.reads) + len(tape.gates)


def _tape_rows(tables: Tables) -> tuple[NDArray[np.int32], ...]:
    """Return slices of all tapes, their reads and gates, and slices of goals and goals."""
    slices: list[tuple[int, int, int, int]] = []
    reads: list[int] = []
    gates: list[tuple[int, int]] = []
    first_goals = [0]
    goals: list[int] = []
    for tape in tables.tapes:
        slices.append(
            (len(reads), len(reads) + len(tape.reads), len(gates), len(gates) + len(tape.gates))
        )
        reads += tape.reads
        gates += tape.gates
        for edges in tape.goals:
            goals += edges
            first_goals.append(len(goals))
    columns = (slices, reads, gates, first_goals, goals)
    return tuple(np.array(rows or [0], np.int32) for rows in columns)
