"""A native state machine: one state at a time, through the kernel.

In goes `KernelCode`, out comes a `gdl.machine.StateMachine`. A state is the bits
of its facts, packed into bytes: small, immutable, hashable.
"""

from __future__ import annotations

import ctypes
import threading
from collections.abc import Collection, Sequence
from functools import cached_property
from itertools import accumulate, compress, count
from typing import Final, TypeAlias

from gdl.language.diagnostics import GdlError
from gdl.language.terms import Term, kif_text
from gdl.machine import (
    Fact,
    JointMove,
    Move,
    Role,
    illegal_move,
    state_key,
    wrong_number_of_moves,
)
from gdl.native.code.memory import Memory
from gdl.native.kernel.kernel import Kernel, KernelCode
from gdl.native.kernel.layout import DeskLayout, desk_layout

State: TypeAlias = bytes


SPARSE: Final = 16
"""Moves to a legal one, from which the legal ones are searched for one by one."""


class UnknownFactError(GdlError):
    """A fact that no reachable state holds."""


class _Desk:
    """What a thread plays on: the memory of the kernel, and room for what goes in and out.

    Attributes:
        address: Of one vector of the kernel; a state lies in its first lane.
        room: Address of the desk; see `gdl.native.kernel.layout.desk_layout`.
        chosen: Numbers of the moves chosen, on the desk.
        following: The state that follows, on the desk.
        seen: What is seen of a state, on the desk.
        state: The state that lies in the memory, None where that is not known.
        looked: What was seen of it; None where nobody has looked.
    """

    __slots__ = (
        *("_memory", "_room", "address", "chosen", "following"),
        *("looked", "room", "seen", "state"),
    )

    def __init__(self, size: int, layout: DeskLayout) -> None:
        self._memory = Memory(size)
        self.address = self._memory.address
        self._room = (ctypes.c_char * layout.end)()
        self.room = ctypes.addressof(self._room)
        self.chosen = (ctypes.c_int64 * (layout.state // 8)).from_buffer(self._room)
        lengths = layout.seen - layout.state, layout.end - layout.seen
        self.following = (ctypes.c_char * lengths[0]).from_buffer(self._room, layout.state)
        self.seen = (ctypes.c_char * lengths[1]).from_buffer(self._room, layout.seen)
        self.state: State | None = None
        self.looked: bytes | None = None


class NativeMachine:
    """A compiled game. Obeys `gdl.machine.NumberedMachine`; safe to share between threads.

    Attributes:
        compiled: The code.
        moves: For each role its moves; the number of a move is its index here, as in a batch.
    """

    def __init__(self, compiled: KernelCode) -> None:
        """Load the code of a kernel, best made for the narrowest vectors."""
        self.compiled = compiled
        self.moves = compiled.moves
        self._kernel = Kernel(compiled)
        self._role_index = {role: r for r, role in enumerate(compiled.roles)}
        layout = compiled.layout
        first, _ = layout.seen
        self._desk_layout = desk_layout(layout, len(compiled.facts))
        self._legal_rows = tuple(
            (start - first, start - first + len(moves))
            for start, moves in zip(layout.legal, compiled.moves, strict=True)
        )
        self._single = layout.single - first
        self._terminal = layout.terminal - first
        goal_starts = accumulate(map(len, compiled.goals), initial=layout.goals - first)
        self._goal_starts = tuple(goal_starts)
        self._sees_starts = tuple(accumulate(map(len, compiled.sees), initial=layout.sees))
        self._all_ids = tuple(range(max(map(len, compiled.moves), default=0)))
        self._byte_keys: dict[tuple[int, int], int] = {}
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
        return frozenset(compress(self.compiled.facts, _bits(state)))

    def held(self, state: State) -> list[int]:
        """Return what is true in a state, as indices into the facts of the game."""
        return list(compress(count(), _bits(state)))

    def legal(self, state: State, role: Role) -> tuple[Move, ...]:
        """Return the legal moves of a role in canonical order, also in terminal states."""
        return self.legal_moves(self.look(state), self._role_index[role])

    def legal_moves(self, seen: bytes, r: int) -> tuple[Move, ...]:
        """Return the legal moves of role ``r``, in canonical order."""
        start, stop = self._legal_rows[r]
        if seen[self._single + r]:  # who waits is asked as often as who moves
            return (self.compiled.moves[r][seen.index(1, start, stop) - start],)
        moves = self.compiled.moves[r]
        if seen.count(1, start, stop) * SPARSE < stop - start:
            return tuple([moves[i] for i in self.legal_ids(seen, r)])
        return tuple(compress(moves, seen[start:stop]))

    def successor(self, state: State, joint_move: JointMove) -> State:
        """Return the state after a joint move.

        Raises:
            IllegalMoveError: When a role's move is not legal; names role, move and nearest ones.
            GdlError: There is not one move for each role; or the game is over, and ``base`` leaves
                out what may follow.
        """
        seen = self.look(state)
        move_ids = self.move_ids(seen, joint_move)
        if self.compiled.is_cut and self.is_over(seen):
            raise GdlError(
                "the game is over, and base does not have all that the rules let follow",
                help='the reasoner does not ask base: gdl.load(..., backend="reason")',
            )
        return self.after(state, move_ids)

    def is_terminal(self, state: State) -> bool:
        """Return whether the game is over."""
        return self.is_over(self.look(state))

    def goals(self, state: State, role: Role) -> tuple[int, ...]:
        """Return every goal value that the rules give a role; one in well-formed games."""
        return self.goal_values(self.look(state), self._role_index[role])

    def goal_values(self, seen: bytes, r: int) -> tuple[int, ...]:
        """Return every goal value that the rules give role ``r``, rising."""
        row = seen[self._goal_starts[r] : self._goal_starts[r + 1]]
        return tuple(compress(self.compiled.goals[r], row))

    def percepts(self, state: State, joint_move: JointMove, role: Role) -> frozenset[Term]:
        """Return what a role sees of a joint move (GDL-II), nothing where no rule says so."""
        self.after(state, self.move_ids(self.look(state), joint_move))
        r = self._role_index[role]
        seen = self.compiled.sees[r]
        room = (ctypes.c_char * max(1, len(seen)))()
        self._kernel.take(self._desk().address, self._sees_starts[r], len(seen), room)
        return frozenset(compress(seen, room.raw[: len(seen)]))

    def look(self, state: State) -> bytes:
        """Return what is seen of a state, for the functions below that take it; keep it."""
        desk = self._desk()
        is_there = desk.state == state
        if is_there and desk.looked is not None:
            return desk.looked
        desk.state = None  # an interrupt must not leave the one's look with the other's name
        self._kernel.look(desk.address, desk.room, None if is_there else state)
        desk.looked = seen = desk.seen.raw
        desk.state = state
        return seen

    def after(self, state: State, move_ids: Sequence[int]) -> State:
        """Return the state after a joint move, legal or not.

        Args:
            state: The state before.
            move_ids: The number of the move of each role.
        """
        desk = self._desk()
        desk.chosen[:] = move_ids  # type: ignore[call-overload]  # any sequence will do
        before = None if desk.state == state else state
        desk.state = desk.looked = None
        self._kernel.ply(desk.address, desk.room, before)
        desk.state = following = desk.following.raw
        return following

    def move_ids(self, seen: bytes, joint_move: JointMove) -> list[int]:
        """Return the numbers of the moves of a joint move.

        Raises:
            IllegalMoveError: When a role's move is not legal; names role, move and nearest ones.
            GdlError: There is not one move for each role.
        """
        if len(joint_move) != len(self.roles):
            raise wrong_number_of_moves(joint_move, self.roles)
        numbers: list[int] = []
        for r, move in enumerate(joint_move):
            i = self._move_index[r].get(move)
            if i is None or not seen[self._legal_rows[r][0] + i]:
                raise illegal_move(self.roles[r], move, self.legal_moves(seen, r))
            numbers.append(i)
        return numbers

    def legal_ids(self, seen: bytes, r: int) -> tuple[int, ...]:
        """Return the numbers of the legal moves of role ``r``, rising."""
        start, stop = self._legal_rows[r]
        count = seen.count(1, start, stop)
        if count * SPARSE >= stop - start:
            return tuple(compress(self._all_ids, seen[start:stop]))
        places, at = [], start - 1
        for _ in range(count):  # a search for the next one passes thousands at once
            at = seen.find(1, at + 1, stop)
            places.append(at - start)
        return tuple(places)

    def legal_row(self, seen: bytes, r: int) -> bytes:
        """Return a byte for each move of role ``r``: 1 where it is legal, else 0."""
        start, stop = self._legal_rows[r]
        return seen[start:stop]

    def is_legal(self, seen: bytes, r: int, move_id: int) -> bool:
        """Return whether the move of a number is legal for role ``r``; any number is understood."""
        start, stop = self._legal_rows[r]
        return 0 <= move_id < stop - start and bool(seen[start + move_id])

    def are_legal(self, seen: bytes, move_ids: Sequence[int]) -> bool:
        """Return whether the move of each role is legal, given by numbers that moves have."""
        rows = zip(self._legal_rows, move_ids)  # noqa: B905  # one of each role
        for (start, _), move_id in rows:  # noqa: SIM110  # a generator takes twice as long
            if not seen[start + move_id]:
                return False
        return True

    def is_over(self, seen: bytes) -> bool:
        """Return whether the game is over."""
        return seen[self._terminal] != 0

    def turn(self, seen: bytes) -> tuple[int, tuple[int, ...]] | None:
        """Return the one role that has a choice, and the only moves of all others, by number.

        None where several roles have a choice, or none has, or a role has no move at all. In place
        of the one's own move stands its first legal one.
        """
        first = self._single
        single = seen[first : first + len(self._legal_rows)]
        if single.count(0) != 1:
            return None
        r = single.index(0)
        ids = tuple([seen.find(1, start, stop) - start for start, stop in self._legal_rows])
        return None if ids[r] < 0 else (r, ids)

    def only_id(self, seen: bytes, r: int) -> int | None:
        """Return the number of the only legal move of role ``r``, None if it has none or more."""
        start, stop = self._legal_rows[r]
        return seen.index(1, start, stop) - start if seen[self._single + r] else None

    def key(self, state: State) -> int:
        """Return `gdl.machine.state_key` of the facts of a state."""
        key = 0
        for place, byte in enumerate(state):
            if byte:
                part = self._byte_keys.get((place, byte))
                if part is None:
                    part = self._byte_keys[place, byte] = self._byte_key(place, byte)
                key ^= part
        return key

    def _byte_key(self, place: int, byte: int) -> int:
        """Return the key of the facts of one byte; of few bytes each value ever occurs."""
        facts = self.compiled.facts[8 * place : 8 * place + 8]
        return state_key(fact for i, fact in enumerate(facts) if byte & 0x80 >> i)

    def _desk(self) -> _Desk:
        """Return this thread's memory."""
        try:
            return self._local.desk  # type: ignore[no-any-return]  # threading.local has no types
        except AttributeError:
            size = self._kernel.layout.slots * self._kernel.width // 8
            self._local.desk = _Desk(size, self._desk_layout)
            return self._local.desk  # type: ignore[no-any-return]

    def _pack(self, held: Collection[int]) -> State:
        packed = bytearray(self._desk_layout.seen - self._desk_layout.state)
        for i in held:
            packed[i >> 3] |= 0x80 >> (i & 7)
        return bytes(packed)


def _bits(state: State) -> map[bool]:
    """Return the bits of a state, the highest of each byte first."""
    digits = f"{int.from_bytes(state):0{8 * len(state)}b}" if state else ""
    return map("1".__eq__, digits)
