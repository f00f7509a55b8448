"""The positions of a game as the solver walks through them: blocks of keys in, what follows out.

In: a compiled game and a `Guess`. Out: `Positions`, which expands blocks of states, says who moves
and who has won, and refuses in words what no solver may go on with: a state in which a role has
no move, or an end without a goal.
"""

from __future__ import annotations

from collections.abc import Iterator
from collections.abc import Set as AbstractSet
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from gdl.language.diagnostics import GdlError
from gdl.language.keywords import RANDOM
from gdl.native.game import NativeGame
from gdl.native.kernel.packed import PackedCode, PackedMemory, Packing
from gdl.perft import joint_moves
from gdl.solve.expand import (
    CHILDREN,
    FAULT,
    FAULT_ROW,
    FINGERS,
    ROWS,
    STUCK,
    UNCOUNTED,
    UNFIT,
    count_of,
    expand,
    locate,
    look,
    make_expander,
)
from gdl.solve.group import Action
from gdl.solve.orbits import make_least
from gdl.solve.packing import Guess
from gdl.solve.sorting import Keys

ROOM: Final = 1 << 20
"""Children that a block has room for."""

MIXER: Final = np.int32(1021)
"""Spreads the fingers of children by the renaming that made them least; a prime."""

Ints = NDArray[np.int64]


class UnsolvableError(GdlError):
    """The game has no value that this solver could find."""


class RefutedError(Exception):
    """A guess was wrong; the solver begins again with another.

    Attributes:
        states: States that break a group, as facts by index; none where the count was wrong.
    """

    def __init__(self, states: tuple[frozenset[int], ...]) -> None:
        """Keep what was wrong."""
        super().__init__(states)
        self.states = states


class Edges(NamedTuple):
    """Joint moves from a block of states.

    Attributes:
        start: First row of the block.
        stop: Row after the last.
        parents: Row of each move's state less ``start``, ``int32[E]``.
        children: Where the state that follows stands, ``int64[E]``.
        rows: The move of each role, by its row, ``int32[E, roles]``; no rows unless asked for.
    """

    start: int
    stop: int
    parents: NDArray[np.int32]
    children: Ints
    rows: NDArray[np.int32]


class Positions:
    """Walks through the states of one game; not to be shared between threads.

    Attributes:
        native: The game.
        guess: How its states are written.
        roles: How many roles there are.
        initial: The first state, ``uint64[1, words]``.
        action: Symmetries; what follows from a state is the least of its orbit. None for none.
    """

    def __init__(
        self,
        native: NativeGame,
        guess: Guess,
        code: PackedCode,
        initial: AbstractSet[int],
        action: Action | None = None,
    ) -> None:
        """Take memory for a vector and a block; ``initial`` are the facts of the first state."""
        self.native, self.guess, self.action = native, guess, action
        self._memory = PackedMemory(code)
        self.roles = len(native.circuit.roles)
        self._is_player = np.array([str(role) != RANDOM for role in native.circuit.roles])
        self._expander = make_expander(self._memory, (guess.low, guess.high))
        self.initial: Keys = np.array([guess.packing.key(initial)], np.uint64)
        self._first_count = int(count_of(self._expander, self.initial, 0))
        self._report = np.zeros(4, np.int64)
        words = self.initial.shape[1]
        self._children = np.zeros((ROOM, words), np.uint64)
        self._parents = np.zeros(ROOM, np.int32)
        self._slots = np.zeros(ROOM, np.int32)
        self._rows = np.zeros((ROOM, self.roles), np.int32)
        self._places = np.zeros(ROOM, np.int64)
        self._used = np.zeros(ROOM if action else 0, np.int32)
        self._none = np.zeros(0, np.int32)
        self._no_rows = np.zeros((0, self.roles), np.int32)

    def following(
        self, keys: Keys, start: int, stop: int, depth: int
    ) -> Iterator[tuple[int, Keys]]:
        """Yield how many rows are done, and the states that follow from the last of them.

        They are unsorted views that are written over.

        Args:
            keys: States.
            start: The first row.
            stop: The row after the last.
            depth: Moves to these states, where the fields that are filled are to count them; -1
                where they need not.

        Raises:
            RefutedError: A guess was wrong.
            UnsolvableError: A role has no move.
        """
        count = -1 if depth < 0 else self._first_count + depth + 1
        while start < stop:
            self._expand(keys, start, stop, count, self._none, self._none, self._no_rows)
            start = int(self._report[ROWS])
            yield start, self._children[: self._report[CHILDREN]]

    def edges(
        self, keys: Keys, start: int, stop: int, next_keys: Keys, *, wants_moves: bool = False
    ) -> Iterator[Edges]:
        """Yield all moves from some rows, with where they lead to among known sorted states."""
        rows = self._rows if wants_moves else self._no_rows
        while start < stop:
            self._expand(keys, start, stop, -1, self._parents, self._slots, rows)
            n, end = int(self._report[CHILDREN]), int(self._report[ROWS])
            missing = locate(
                self._expander, next_keys, self._children, self._slots, n, self._places
            )
            assert missing < 0, "a state that follows was not found before"
            yield Edges(start, end, self._parents[:n], self._places[:n], rows[:n])
            start = end

    def look(self, keys: Keys, start: int, stop: int) -> tuple[NDArray[np.int8], NDArray[np.int16]]:
        """Return who moves in the states of some rows, and the goals of those that are over.

        Returns:
            The mover of each, ``int8[rows]``: see `gdl.solve.expand.look`; and the place of each
            role's goal among its goal values, ``int16[rows, roles]``.

        Raises:
            UnsolvableError: The game is over, and a role has no single goal; nature needs none.
        """
        movers = np.zeros(stop - start, np.int8)
        goals = np.zeros((stop - start, self.roles), np.int16)
        look(self._expander, keys, start, stop, movers, goals)
        lacking = (goals < 0) & self._is_player
        if lacking.any():
            row = int(lacking.any(axis=1).argmax())
            role = self.native.circuit.roles[int(lacking[row].argmax())]
            raise UnsolvableError(
                f"the rules give {role} no single goal where play can end",
                notes=[f"for instance in {self.words(keys[start + row])}"],
                help="gdl verify says more of such ends",
            )
        return movers, goals

    def facts(self, key: NDArray[np.uint64]) -> list[str]:
        """Return the facts of a state as text."""
        names = self.native.circuit.facts
        return [str(names[fact]) for fact in sorted(self.guess.packing.facts(key.tolist()))]

    def words(self, key: NDArray[np.uint64]) -> str:
        """Return a state as text for a message."""
        return " ".join(self.facts(key)) or "the state without facts"

    def _expand(  # noqa: PLR0913, PLR0917  # what the loop takes
        self,
        keys: Keys,
        start: int,
        stop: int,
        count: int,
        parents: NDArray[np.int32],
        slots: NDArray[np.int32],
        rows: NDArray[np.int32],
    ) -> None:
        report = self._report
        expand(
            self._expander, keys, start, stop, count, self._children, parents, slots, rows, report
        )
        if report[FAULT] == STUCK:
            raise UnsolvableError(
                "play comes to a state that is not over and in which a role has no move",
                notes=[f"it is {self.words(keys[report[FAULT_ROW]])}"],
                help="gdl verify finds a play that leads there",
            )
        if report[FAULT] == UNFIT:
            raise RefutedError(self._broken(keys[report[FAULT_ROW]]))
        if report[FAULT] == UNCOUNTED:
            raise RefutedError(())
        if report[ROWS] == start:  # one vector has more children than there is room for
            grown = 2 * len(self._children)
            self._children = np.zeros((grown, keys.shape[1]), np.uint64)
            self._parents, self._slots = np.zeros(grown, np.int32), np.zeros(grown, np.int32)
            self._rows = np.zeros((grown, self.roles), np.int32)
            self._places = np.zeros(grown, np.int64)
            self._used = np.zeros(grown if self.action else 0, np.int32)
            self._expand(
                keys,
                start,
                stop,
                count,
                self._parents if len(parents) else parents,
                self._slots if len(slots) else slots,
                self._rows if len(rows) else rows,
            )
        elif self.action is not None:
            self._make_least(int(report[CHILDREN]), slots)

    def _make_least(self, n: int, slots: NDArray[np.int32]) -> None:
        """Put the least key of its orbit in the place of each child."""
        assert self.action is not None
        used = self._used[:n] if len(slots) else self._none
        make_least(self._children[:n], self.action.chunks, self.action.tables, used)
        # Children of one move that the same renaming made least lie near each other again.
        if len(slots):
            slots[:n] = (slots[:n] + used * MIXER) & (FINGERS - 1)

    def _broken(self, key: NDArray[np.uint64]) -> tuple[frozenset[int], ...]:
        """Return what follows from a state and breaks a group."""
        packing = self.guess.packing
        return broken_after(self.native, packing, packing.facts(key.tolist()))


def broken_after(
    native: NativeGame, packing: Packing, held: AbstractSet[int]
) -> tuple[frozenset[int], ...]:
    """Return what follows from a state, facts by index, and breaks a group of a packing."""
    machine, facts = native.machine, native.circuit.facts
    names = {fact: i for i, fact in enumerate(facts)}
    state = machine.state([facts[i] for i in held])
    following = {
        frozenset(names[fact] for fact in machine.facts(machine.successor(state, joint)))
        for joint in joint_moves(machine, state)
    }
    broken = tuple(after for after in following if not packing.fits(after))
    assert broken, "no state that follows breaks a group"
    return broken
