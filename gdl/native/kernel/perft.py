"""Perft over whole vectors of states.

In goes a `Kernel`, out come the same counts that `gdl.perft` gives. Each level is
expanded in slices: all joint moves of a slice are played at once, and equal states are joined.

Source: counts and convention as in `gdl.perft`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from gdl.language.preconditions import ArgumentError
from gdl.native.kernel.kernel import Kernel
from gdl.perft import PerftCount
from gdl.playouts import GoalVector

SLICE: Final = 1 << 14
"""Children played at a time; bounds memory."""
PARENTS: Final = 1 << 10
"""States expanded at a time, likewise."""
SAFE: Final = 1 << 62
"""Numbers of ways below this fit 64 bits after one more sum."""


@dataclass(slots=True)
class _Level:
    """Distinct states, and in how many ways each is reached.

    Attributes:
        states: Packed facts, a row a state, ``uint8[states, bytes]``.
        ways: ``int64[states]``, or Python integers where they are too large for that.
    """

    states: NDArray[np.uint8]
    ways: NDArray[np.int64] | NDArray[np.object_]


class Expander:
    """Plays many moves of many states with one kernel."""

    def __init__(self, kernel: Kernel) -> None:
        """Use a kernel, best made for the widest vectors."""
        self.kernel = kernel
        self._facts = len(kernel.compiled.facts)
        self._vectors = SLICE // kernel.width
        self._slots = kernel.memory(self._vectors)

    def observe(
        self, states: NDArray[np.uint8]
    ) -> tuple[list[NDArray[np.bool_]], NDArray[np.bool_]]:
        """Return the legal moves of each role and which states are terminal; at most `SLICE`."""
        self._load(states)
        kernel, layout = self.kernel, self.kernel.layout
        self._in_each_vector(len(states), kernel.observe)
        legal = [
            self._planes(layout.legal[r], len(moves), len(states))
            for r, moves in enumerate(kernel.compiled.moves)
        ]
        return legal, self._planes(layout.terminal, 1, len(states))[:, 0]

    def play(
        self, states: NDArray[np.uint8], moves: list[NDArray[np.intp]]
    ) -> tuple[NDArray[np.uint8], NDArray[np.bool_], NDArray[np.bool_]]:
        """Return the states after a joint move each, which are terminal, and their goal bits."""
        self._load(states)
        kernel, layout = self.kernel, self.kernel.layout
        rows = np.arange(len(states))
        for r, chosen in enumerate(moves):
            count = len(kernel.compiled.moves[r])
            planes = np.zeros((count, self._vectors * kernel.width), np.bool_)
            planes[chosen, rows] = True
            self._store(layout.moves[r], planes)
        self._slots[:, layout.hold] = 0
        self._in_each_vector(len(states), kernel.advance)
        self._in_each_vector(len(states), kernel.observe)
        facts = self._planes(layout.facts, self._facts, len(states))
        goals = self._planes(layout.goals, sum(map(len, kernel.compiled.goals)), len(states))
        terminal = self._planes(layout.terminal, 1, len(states))[:, 0]
        return np.packbits(facts, axis=1), terminal, goals

    def _load(self, states: NDArray[np.uint8]) -> None:
        planes = np.zeros((self._facts, self._vectors * self.kernel.width), np.bool_)
        planes[:, : len(states)] = np.unpackbits(states, axis=1, count=self._facts).T
        self._store(self.kernel.layout.facts, planes)

    def _store(self, slot: int, planes: NDArray[np.bool_]) -> None:
        words = np.packbits(planes, axis=1, bitorder="little").view(np.uint64)
        shape = (len(planes), self._vectors, self.kernel.words)
        self._slots[:, slot : slot + len(planes)] = words.reshape(shape).swapaxes(0, 1)

    def _planes(self, slot: int, count: int, rows: int) -> NDArray[np.bool_]:
        """Return planes as ``bool[rows, count]``."""
        if count == 0:
            return np.zeros((rows, 0), np.bool_)
        words = np.ascontiguousarray(self._slots[:, slot : slot + count].swapaxes(0, 1))
        bits = np.unpackbits(
            words.reshape(count, -1).view(np.uint8), axis=1, count=rows, bitorder="little"
        )
        return bits.T.astype(np.bool_)

    def _in_each_vector(self, rows: int, function: Callable[[int], None]) -> None:
        for v in range(-(-rows // self.kernel.width)):
            function(self._slots[v].ctypes.data)


def perft(
    kernel: Kernel, state: bytes, depth: int, *, on_level: Callable[[int, int], None] | None = None
) -> list[PerftCount]:
    """Count move sequences of every length from 1 to ``depth``.

    Args:
        kernel: The game.
        state: Where to begin: packed facts, as `gdl.native.kernel.state_machine` has them.
        depth: The greatest length, at least 0.
        on_level: Called as (depth, states expanded so far), for progress; may raise to stop.
    """
    if depth < 0:
        raise ArgumentError("depth", depth, "at least 0")
    expander = Expander(kernel)
    level = _Level(np.frombuffer(state, np.uint8)[None, :], np.ones(1, np.int64))
    counts: list[PerftCount] = []
    for d in range(1, depth + 1):
        level, count = _expand(expander, level, d, on_level)
        counts.append(count)
    return counts


def _expand(
    expander: Expander, level: _Level, depth: int, on_level: Callable[[int, int], None] | None
) -> tuple[_Level, PerftCount]:
    goals: Counter[GoalVector] = Counter()
    nodes = 0
    levels: list[_Level] = []
    for start in range(0, len(level.states), PARENTS):
        if on_level is not None:
            on_level(depth, start)
        states = level.states[start : start + PARENTS]
        legal, terminal = expander.observe(states)
        parents, moves = _joint_moves(legal, ~terminal)
        ways = level.ways[start : start + PARENTS][parents]
        nodes += _total(ways)
        for at in range(0, len(parents), SLICE):
            some = slice(at, at + SLICE)
            children, ended, goal_bits = expander.play(
                states[parents[some]], [chosen[some] for chosen in moves]
            )
            _count_goals(expander, goal_bits[ended], ways[some][ended], goals)
            levels.append(_join([_Level(children, ways[some])]))
    following = _join(levels) if levels else _Level(level.states[:0], level.ways[:0])
    return following, PerftCount(depth, nodes, goals.total(), goals)


def _joint_moves(
    legal: list[NDArray[np.bool_]], playing: NDArray[np.bool_]
) -> tuple[NDArray[np.intp], list[NDArray[np.intp]]]:
    """Return every legal joint move: the row it belongs to, and the move of each role."""
    rows = np.flatnonzero(playing)
    moves: list[NDArray[np.intp]] = []
    for mask in legal:
        if mask.shape[1] and (mask.sum(axis=1) == 1)[rows].all():
            moves.append(mask.argmax(axis=1)[rows])
            continue
        at, chosen = np.nonzero(mask[rows])
        moves = [earlier[at] for earlier in moves]
        rows = rows[at]
        moves.append(chosen)
    return rows, moves


def _join(levels: list[_Level]) -> _Level:
    """Return all states of some levels, each once."""
    states = np.concatenate([level.states for level in levels])
    ways = np.concatenate([level.ways for level in levels])
    if len(states) == 0:
        return _Level(states, ways)
    if states.shape[1] == 0:  # a game without facts has one state
        return _Level(states[:1], np.array([_total(ways)], np.object_))
    keys = np.ascontiguousarray(states).view(np.dtype((np.void, states.shape[1])))[:, 0]
    _, first, group = np.unique(keys, return_index=True, return_inverse=True)
    if ways.dtype != np.object_ and _total(ways) >= SAFE:
        ways = ways.astype(np.object_)
    joined = np.zeros(len(first), ways.dtype)
    np.add.at(joined, group, ways)
    return _Level(states[first], joined)


def _total(ways: NDArray[np.int64] | NDArray[np.object_]) -> int:
    """Return the exact sum."""
    if ways.dtype == np.object_ or (len(ways) and int(ways.max()) > SAFE // len(ways)):
        return sum(map(int, ways))
    return int(ways.sum())


def _count_goals(
    expander: Expander,
    bits: NDArray[np.bool_],
    ways: NDArray[np.int64] | NDArray[np.object_],
    goals: Counter[GoalVector],
) -> None:
    if len(bits) == 0:
        return
    rows, group = np.unique(bits, axis=0, return_inverse=True)
    for i, row in enumerate(rows):
        goals[_goal_vector(expander, row)] += _total(ways[group.reshape(-1) == i])


def _goal_vector(expander: Expander, row: NDArray[np.bool_]) -> GoalVector:
    vector: list[int | None] = []
    start = 0
    for values in expander.kernel.compiled.goals:
        held = np.flatnonzero(row[start : start + len(values)])
        start += len(values)
        vector.append(values[held[0]] if len(held) == 1 else None)
    return tuple(vector)
