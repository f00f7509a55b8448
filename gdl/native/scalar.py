"""One game at a time for search: positions, moves, and rollouts from any position.

In go `Tables`, out comes a `Scalar`. A `Position` is all that is known of a state (the
counts of its gates too), so that a child costs a copy and the few gates that change.

Source: ours; see `gdl.native.events`.
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

from gdl.native import engine
from gdl.native.events import Tables
from gdl.native.ir import WORD
from gdl.native.memory import aligned
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


def scalar_code() -> bytes:
    """Return the object code that runs any tables."""
    text = files("gdl.native").joinpath("events.ll").read_text()
    select = PDEP if engine.host().is_x86 and engine.host().has("bmi2") else CLEARING
    return engine.assemble(text + select, optimize=True)


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
        """Load the tables and the code of `scalar_code`."""
        self.tables = tables
        self._code = engine.Code(code)
        pointer, number = ctypes.c_void_p, ctypes.c_int64
        self._play = ctypes.CFUNCTYPE(None, pointer, number, number)(self._code.address("play"))
        self._rollouts = ctypes.CFUNCTYPE(None, pointer, number, number, number)(
            self._code.address("rollouts")
        )
        nodes = len(tables.counts)
        self._truths_at = nodes * 2
        self._legal_at = -(-nodes * 3 // 8) * 8
        size = self._legal_at + tables.legal.nbytes
        self._work = aligned(size)
        self._start = aligned(size)
        self._start[: nodes * 2].view(np.int16)[:] = tables.counts
        self._start[self._truths_at : nodes * 3] = tables.counts == 0
        self._start[self._legal_at :].view(np.uint64)[:] = tables.legal
        self._initial = Position(self._start.tobytes(), 0)
        words = -(-nodes // WORD)
        coarse = max(0, (words - 1).bit_length() - WORD.bit_length() + 1)
        marks = np.zeros((-(-words >> coarse) + 1) << coarse, np.uint64)
        widths = [len(values) + 1 for values in tables.values]
        if prod(widths) > MAX_GOAL_VECTORS:
            raise ValueError(f"{prod(widths)} goal vectors, at most {MAX_GOAL_VECTORS}")
        self._widths = widths
        self._ends = np.zeros(prod(widths), np.uint64)
        self._lengths = np.zeros(MAX_PLIES + 1, np.uint64)
        self._random = np.zeros(4, np.uint64)
        factors = np.cumprod([1, *widths[:-1]]).astype(np.uint64)
        most = (len(tables.effects[0]) - 1) // len(tables.movers)
        entries: list[NDArray[np.generic] | int] = [
            self._work,
            self._start,
            size,
            tables.nodes,
            tables.readers,
            0,
            *tables.turns,
            *tables.effects,
            0,
            marks,
            coarse,
            np.zeros(tables.facts + 1, np.int32),
            self._work[self._truths_at :],
            self._work[self._legal_at :],
            tables.words,
            most,
            len(tables.movers),
            tables.terminal,
            *tables.goals,
            len(tables.roles),
            factors,
            self._ends,
            self._lengths,
            self._random,
        ]
        self._kept = entries
        self._tables = np.array(
            [e if isinstance(e, int) else e.ctypes.data for e in entries], np.uint64
        )
        self._at = self._tables.ctypes.data

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
        words = np.frombuffer(position.content, np.uint8)[self._legal_at :]
        size = self.tables.words * 8
        row = words[position.phase * size : (position.phase + 1) * size]
        return np.flatnonzero(np.unpackbits(row, bitorder="little"))

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
        starts, edges = self.tables.goals
        rows = range(position.phase * len(self._widths), (position.phase + 1) * len(self._widths))
        return tuple(
            tuple(
                value
                for value, edge in zip(values, edges[starts[row] : starts[row + 1]], strict=True)
                if self._holds(position, int(edge))
            )
            for row, values in zip(rows, self.tables.values, strict=True)
        )

    def facts(self, position: Position) -> frozenset[int]:
        """Return the stored facts that hold, as indices into the facts of the game."""
        truths = np.frombuffer(position.content, np.uint8)[self._truths_at :][: self.tables.facts]
        return frozenset(self.tables.fact_index[i] for i in np.flatnonzero(truths))

    def rollouts(self, position: Position, n: int, *, seed: int = 0) -> Playouts:
        """Play ``n`` times uniformly at random from a position to the end.

        Returns:
            Counts; lengths are from the position on.
        """
        self._start[:] = np.frombuffer(position.content, np.uint8)
        self._random[:2] = np.random.SeedSequence(seed).generate_state(2, np.uint64)
        self._random[2:] = 0
        self._ends[:] = 0
        self._lengths[:] = 0
        self._rollouts(self._at, position.phase, n, MAX_PLIES)
        result = Playouts(tuple(str(role) for role in self.tables.roles))
        result.stuck, result.cut = int(self._random[2]), int(self._random[3])
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
        return position.content[self._truths_at + edge // 2] != edge & 1
