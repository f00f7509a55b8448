"""The states of a game of one role, many at once: all that follow them, and random plays.

In: a compiled game. Out: rows of bytes, one a state, as the state machine of the game has them.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from gdl.native.game import NativeGame
from gdl.native.kernel.batch import Batch

Rows = NDArray[np.uint8]
LANES: Final = 2_048
"""States that are stepped at once."""


class Children(NamedTuple):
    """What follows from some states, one row a move.

    Attributes:
        states: The states after the moves, ``uint8[n, bytes]``.
        parent: The row of the state before, ``int32[n]``.
        move: The number of the move, ``int32[n]``.
        is_over: Whether the game is over, ``bool[n]``.
        goal: The goal there, ``int64[n]``; -1 where the rules give no single one.
        mobility: How many moves are legal there, ``int32[n]``.
    """

    states: Rows
    parent: NDArray[np.int32]
    move: NDArray[np.int32]
    is_over: NDArray[np.bool_]
    goal: NDArray[np.int64]
    mobility: NDArray[np.int32]


class Lanes:
    """Steps states of one game."""

    def __init__(self, native: NativeGame) -> None:
        """Take memory for a vector of states."""
        self.native = native
        self._batch = Batch(native.kernel, LANES)
        self.most = max((v for values in native.kernel.compiled.goals for v in values), default=0)
        self.least = min((v for values in native.kernel.compiled.goals for v in values), default=0)

    def _load(self, states: Rows) -> None:
        """Put states into the first lanes, and the first of them into all others."""
        padded = np.empty((LANES, states.shape[1]), np.uint8)
        padded[: len(states)] = states
        padded[len(states) :] = states[0]
        self._batch.restore(padded)

    def expand(self, states: Rows) -> Iterator[Children]:
        """Yield all that follows from states in which play goes on, some thousands at a time."""
        for start in range(0, len(states), LANES):
            part = states[start : start + LANES]
            self._load(part)
            parents, moves = np.nonzero(self._batch.legal[0][: len(part)])
            for begin in range(0, len(parents), LANES):
                parent, move = parents[begin : begin + LANES], moves[begin : begin + LANES]
                yield self._follow(part, parent, move, start)

    def _follow(
        self, states: Rows, parent: NDArray[np.intp], move: NDArray[np.intp], start: int
    ) -> Children:
        n = len(parent)
        self._load(states[parent])
        chosen = np.full(LANES, move[0], np.int32)
        chosen[:n] = move
        batch = self._batch
        batch.step(chosen[:, None])
        return Children(
            batch.save()[:n],
            (parent + start).astype(np.int32),
            chosen[:n],
            batch.terminal[:n].copy(),
            batch.goals[:n, 0].astype(np.int64),
            batch.legal[0][:n].sum(axis=1, dtype=np.int32),
        )

    def play_out(
        self, state: bytes, rng: np.random.Generator, longest: int
    ) -> Iterator[tuple[NDArray[np.int32], NDArray[np.bool_], NDArray[np.int64], Rows]]:
        """Play at random from a state in all lanes; yield each ply's moves, and who has ended.

        A lane that is over stands still; where one has no move and is not over, all end.

        Yields:
            The moves, whether the game is over, the goals and the states of all lanes.
        """
        batch = self._batch
        self._load(np.frombuffer(state, np.uint8)[None])
        for _ in range(longest):
            counts = batch.legal[0].sum(axis=1)
            if batch.terminal.all() or (counts[~batch.terminal] == 0).any():
                return
            moves = batch.sample(rng)
            only = counts == 1
            moves[only] = batch.legal[0][only].argmax(axis=1)
            batch.step(moves[:, None])
            yield moves, batch.terminal.copy(), batch.goals[:, 0].astype(np.int64), batch.save()
