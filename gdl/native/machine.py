"""A native state machine: one state at a time, through the kernel.

In goes `KernelCode`, out comes a `gdl.machine.StateMachine`. A state is the bits
of its facts, packed into bytes: small, immutable, hashable.

Source: ours.
"""

from __future__ import annotations

import threading
from collections.abc import Collection
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from gdl.illegal import illegal_move
from gdl.language.diagnostics import GdlError
from gdl.language.syntax import Term, kif_text
from gdl.machine import Fact, JointMove, Move, Role
from gdl.native.kernel import Kernel, KernelCode

State: TypeAlias = bytes


class UnknownFactError(GdlError):
    """A fact that no reachable state holds."""


@dataclass(slots=True)
class _View:
    """What is known of the state in a thread's memory."""

    memory: NDArray[np.uint64]
    state: State | None = None


class NativeMachine:
    """A compiled game. Obeys `gdl.machine.StateMachine`; safe to share between threads."""

    def __init__(self, compiled: KernelCode) -> None:
        """Load the code of a kernel, best made for the narrowest vectors."""
        self.compiled = compiled
        self._kernel = Kernel(compiled)
        self._fact_index = {fact: i for i, fact in enumerate(compiled.facts)}
        self._role_index = {role: r for r, role in enumerate(compiled.roles)}
        self._move_index = [{move: i for i, move in enumerate(moves)} for moves in compiled.moves]
        self._goal_start = np.cumsum([0, *map(len, compiled.goals)])
        self._sees_start = np.cumsum([0, *map(len, compiled.sees)])
        self._local = threading.local()

    @property
    def roles(self) -> tuple[Role, ...]:
        """The players, in the order in which the rules name them."""
        return self.compiled.roles

    def initial(self) -> State:
        """Return the state in which the game begins."""
        return _pack(self._kernel.initial)

    def state(self, facts: Collection[Fact]) -> State:
        """Return the state in which exactly ``facts`` are true.

        Raises:
            UnknownFactError: No reachable state holds one of them.
        """
        held = np.zeros(len(self.compiled.facts), np.bool_)
        for fact in facts:
            index = self._fact_index.get(fact)
            if index is None:
                raise UnknownFactError(
                    f"{kif_text(fact)} is true in no reachable state of this game\n"
                    f'  help: the reasoner takes any facts: gdl.load(..., backend="reason")'
                )
            held[index] = True
        return _pack(held)

    def facts(self, state: State) -> frozenset[Fact]:
        """Return what is true in a state."""
        facts = self.compiled.facts
        return frozenset(facts[i] for i in np.flatnonzero(self._unpack(state)))

    def legal(self, state: State, role: Role) -> tuple[Move, ...]:
        """Return the legal moves of a role in canonical order, also in terminal states."""
        slots = self._look(state).memory
        r = self._role_index[role]
        moves = self.compiled.moves[r]
        start = self._kernel.layout.legal[r]
        bits = slots[0, start : start + len(moves), 0] & np.uint64(1)
        return tuple([moves[i] for i in np.flatnonzero(bits)])

    def successor(self, state: State, joint_move: JointMove) -> State:
        """Return the state after a joint move.

        Raises:
            IllegalMoveError: When a role's move is not legal; names role, move and nearest ones.
        """
        view = self._look(state)
        self._choose(view, state, joint_move)
        view.state = None
        self._kernel.advance(view.memory.ctypes.data)
        return self._read_facts(view)

    def is_terminal(self, state: State) -> bool:
        """Return whether the game is over."""
        return bool(self._look(state).memory[0, self._kernel.layout.terminal, 0] & np.uint64(1))

    def goals(self, state: State, role: Role) -> tuple[int, ...]:
        """Return every goal value that the rules give a role; one in well-formed games."""
        r = self._role_index[role]
        bits = self._bits(
            self._look(state),
            self._kernel.layout.goals + int(self._goal_start[r]),
            len(self.compiled.goals[r]),
        )
        return tuple(self.compiled.goals[r][i] for i in np.flatnonzero(bits))

    def percepts(self, state: State, joint_move: JointMove, role: Role) -> frozenset[Term]:
        """Return what a role sees of a joint move (GDL-II), nothing where no rule says so."""
        r = self._role_index[role]
        view = self._look(state)
        self._choose(view, state, joint_move)
        view.state = None
        self._kernel.advance(view.memory.ctypes.data)
        start = self._kernel.layout.sees + int(self._sees_start[r])
        bits = self._bits(view, start, len(self.compiled.sees[r]))
        return frozenset(self.compiled.sees[r][i] for i in np.flatnonzero(bits))

    def _look(self, state: State) -> _View:
        """Return this thread's memory with the state in it, looked at."""
        view: _View | None = getattr(self._local, "view", None)
        if view is None:
            view = self._local.view = _View(self._kernel.memory(1))
        if view.state != state:
            view.state = None
            start = self._kernel.layout.facts
            view.memory[0, start : start + len(self.compiled.facts), 0] = self._unpack(state)
            self._kernel.observe(view.memory.ctypes.data)
            view.state = state
        return view

    def _choose(self, view: _View, state: State, joint_move: JointMove) -> None:
        layout = self._kernel.layout
        slots = view.memory[0]
        chosen: list[int] = []
        for r, move in zip(range(len(self.roles)), joint_move, strict=True):
            i = self._move_index[r].get(move)
            if i is None or not slots[layout.legal[r] + i, 0] & np.uint64(1):
                role = self.roles[r]
                raise illegal_move(role, move, self.legal(state, role))
            chosen.append(layout.moves[r] + i)
        for r, moves in enumerate(self.compiled.moves):
            slots[layout.moves[r] : layout.moves[r] + len(moves), 0] = 0
        slots[chosen, 0] = 1
        slots[layout.hold, 0] = 0

    def _bits(self, view: _View, start: int, count: int) -> NDArray[np.uint64]:
        return view.memory[0, start : start + count, 0] & np.uint64(1)

    def _read_facts(self, view: _View) -> State:
        return _pack(self._bits(view, self._kernel.layout.facts, len(self.compiled.facts)))

    def _unpack(self, state: State) -> NDArray[np.uint8]:
        return np.unpackbits(np.frombuffer(state, np.uint8), count=len(self.compiled.facts))


def _pack(held: NDArray[np.bool_] | NDArray[np.uint64]) -> State:
    return np.packbits(held.astype(np.uint8)).tobytes()
