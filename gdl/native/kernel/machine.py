"""A native state machine: one state at a time, through the kernel.

In goes `KernelCode`, out comes a `gdl.machine.StateMachine`. A state is the bits
of its facts, packed into bytes: small, immutable, hashable.
"""

from __future__ import annotations

import ctypes
import threading
from collections.abc import Collection
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate, compress
from typing import TypeAlias, TypeVar

from gdl.language.diagnostics import GdlError
from gdl.language.terms import Term, kif_text
from gdl.machine import Fact, JointMove, Move, Role, illegal_move
from gdl.native.code.memory import Memory
from gdl.native.kernel.kernel import WORD, Kernel, KernelCode

T = TypeVar("T")
State: TypeAlias = bytes


class UnknownFactError(GdlError):
    """A fact that no reachable state holds."""


@dataclass(slots=True)
class _Observed:
    """What is known of the state in a thread's memory.

    Attributes:
        memory: One vector of the kernel; games lie in its first lane.
        words: The same as words.
        bytes: Room for what is read from it.
        state: The state that has been looked at.
    """

    memory: Memory
    words: ctypes.Array[ctypes.c_uint64]
    bytes: ctypes.Array[ctypes.c_char]
    state: State | None = None


class NativeMachine:
    """A compiled game. Obeys `gdl.machine.StateMachine`; safe to share between threads."""

    def __init__(self, compiled: KernelCode) -> None:
        """Load the code of a kernel, best made for the narrowest vectors."""
        self.compiled = compiled
        self._kernel = Kernel(compiled)
        self._role_index = {role: r for r, role in enumerate(compiled.roles)}
        self._goal_start = [0, *accumulate(map(len, compiled.goals))]
        self._sees_start = [0, *accumulate(map(len, compiled.sees))]
        self._local = threading.local()

    @cached_property
    def _fact_index(self) -> dict[Term, int]:
        return {fact: i for i, fact in enumerate(self.compiled.facts)}

    @cached_property
    def _move_index(self) -> list[dict[Term, int]]:
        return [{move: i for i, move in enumerate(moves)} for moves in self.compiled.moves]

    @property
    def roles(self) -> tuple[Role, ...]:
        """The players, in the order in which the rules name them."""
        return self.compiled.roles

    def initial(self) -> State:
        """Return the state in which the game begins."""
        return self._pack(self.compiled.initial)

    def state(self, facts: Collection[Fact]) -> State:
        """Return the state in which exactly ``facts`` are true.

        Raises:
            UnknownFactError: No reachable state holds one of them.
        """
        held: list[int] = []
        for fact in facts:
            index = self._fact_index.get(fact)
            if index is None:
                raise UnknownFactError(
                    f"{kif_text(fact)} is true in no reachable state of this game",
                    help='the reasoner takes any facts: gdl.load(..., backend="reason")',
                )
            held.append(index)
        return self._pack(held)

    def facts(self, state: State) -> frozenset[Fact]:
        """Return what is true in a state."""
        layout = self._kernel.layout
        return frozenset(self._held(self._observe(state), layout.facts, self.compiled.facts))

    def legal(self, state: State, role: Role) -> tuple[Move, ...]:
        """Return the legal moves of a role in canonical order, also in terminal states."""
        r = self._role_index[role]
        view = self._observe(state)
        return self._held(view, self._kernel.layout.legal[r], self.compiled.moves[r])

    def successor(self, state: State, joint_move: JointMove) -> State:
        """Return the state after a joint move.

        Raises:
            IllegalMoveError: When a role's move is not legal; names role, move and nearest ones.
        """
        view = self._observe(state)
        self._choose(view, state, joint_move)
        view.state = None
        self._kernel.advance(view.memory.address)
        count = len(self.compiled.facts)
        self._kernel.pack(view.memory.address, self._kernel.layout.facts, count, view.bytes)
        return view.bytes.raw[: -(-count // 8)]

    def is_terminal(self, state: State) -> bool:
        """Return whether the game is over."""
        return bool(self._word(self._observe(state), self._kernel.layout.terminal) & 1)

    def goals(self, state: State, role: Role) -> tuple[int, ...]:
        """Return every goal value that the rules give a role; one in well-formed games."""
        r = self._role_index[role]
        start = self._kernel.layout.goals + self._goal_start[r]
        return self._held(self._observe(state), start, self.compiled.goals[r])

    def percepts(self, state: State, joint_move: JointMove, role: Role) -> frozenset[Term]:
        """Return what a role sees of a joint move (GDL-II), nothing where no rule says so."""
        r = self._role_index[role]
        view = self._observe(state)
        self._choose(view, state, joint_move)
        view.state = None
        self._kernel.advance(view.memory.address)
        start = self._kernel.layout.sees + self._sees_start[r]
        return frozenset(self._held(view, start, self.compiled.sees[r]))

    def _observe(self, state: State) -> _Observed:
        """Return this thread's memory with the state in it, looked at."""
        view: _Observed | None = getattr(self._local, "view", None)
        if view is None:
            view = self._local.view = self._view()
        if view.state != state:
            view.state = None
            layout, count = self._kernel.layout, len(self.compiled.facts)
            self._kernel.put(view.memory.address, layout.facts, count, state)
            self._kernel.observe(view.memory.address)
            view.state = state
        return view

    def _view(self) -> _Observed:
        kernel, compiled = self._kernel, self.compiled
        slots = kernel.layout.slots
        memory = Memory(slots * kernel.width // 8)
        rows = (compiled.facts, *compiled.moves, *compiled.goals, *compiled.sees)
        room = (ctypes.c_char * max(1, *map(len, rows)))()
        return _Observed(memory, memory.words(0, slots * kernel.width // WORD), room)

    def _choose(self, view: _Observed, state: State, joint_move: JointMove) -> None:
        layout, words = self._kernel.layout, self._kernel.words
        chosen: list[int] = []
        for r, move in zip(range(len(self.roles)), joint_move, strict=True):
            i = self._move_index[r].get(move)
            if i is None or not self._word(view, layout.legal[r] + i) & 1:
                role = self.roles[r]
                raise illegal_move(role, move, self.legal(state, role))
            chosen.append(layout.moves[r] + i)
        for r, moves in enumerate(self.compiled.moves):
            at = view.memory.address + layout.moves[r] * self._kernel.width // 8
            ctypes.memset(at, 0, len(moves) * self._kernel.width // 8)
        for slot in chosen:
            view.words[slot * words] = 1
        view.words[layout.hold * words] = 0

    def _word(self, view: _Observed, slot: int) -> int:
        return view.words[slot * self._kernel.words]

    def _held(self, view: _Observed, start: int, names: tuple[T, ...]) -> tuple[T, ...]:
        """Return those of some names whose slots are set."""
        self._kernel.take(view.memory.address, start, len(names), view.bytes)
        return tuple(compress(names, view.bytes.raw[: len(names)]))

    def _pack(self, held: Collection[int]) -> State:
        packed = bytearray(-(-len(self.compiled.facts) // 8))
        for i in held:
            packed[i >> 3] |= 0x80 >> (i & 7)
        return bytes(packed)
