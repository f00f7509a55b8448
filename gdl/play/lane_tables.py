"""A compiled game as search wants it: addresses and arrays in a tuple that numba can read.

In: a `NativeGame`. Out: `LaneTables`: addresses of the kernel (observe a vector of states, move on)
and of the lanes (play all of them to the end), memory for one vector of each, and the places of
facts, moves and goals in it. Each search has tables of its own: the memory is not shared.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gdl.native.game import NARROW, NativeGame
from gdl.native.kernel.kernel import Kernel
from gdl.native.lanes.playouts import LaneCode
from gdl.native.memory_views import KernelMemory, LaneMemory
from gdl.play.final_position_amaf import lasting_facts
from gdl.play.look_ahead import Replies, make_replies
from gdl.play.value_network import NetworkTables, no_network

Ints = NDArray[np.int64]
Words = NDArray[np.uint64]


class LaneTables(NamedTuple):
    """A game for search; arrays are of words of 64 lanes.

    Attributes:
        kernel_at: Address of the memory of the kernel.
        observe: Address: derive what holds in each lane.
        advance: Address: play the moves set in each lane.
        facts: What holds, ``uint64[facts, words]``.
        moves: The move chosen of each role, ``uint64[moves, words]``.
        legal: Likewise, whether it is legal.
        first: First row of each role in these two, and the end.
        counts: Moves of each role.
        terminal: Whether the game is over, ``uint64[words]``.
        hold: Lanes that are not to move, likewise.
        goals: Goal values of each role that are given, ``uint64[values, words]``.
        first_goal: First row of each role in it, and the end.
        values: Goal value of each of these rows.
        lanes_at: Address of the memory of the lanes.
        run: Address: so many cycles; 1 when all lanes have ended.
        plies: Address of each phase's ply.
        stored: Facts that lanes store, in their order.
        lane_facts: Whether they hold, ``uint64[stored, words]``.
        live: Lanes that play, ``uint64[words]``.
        progress: What is to be zero before lanes begin.
        planes: Index of each role's goal in lanes that have ended, ``uint64[planes, words]``.
        widths: Planes of each role.
        indexed: Value of each goal index of each role, -1 for none, ``int64[roles, indices]``.
        clock: Facts that tell the phase.
        phases: Which of them hold in each phase, ``uint8[phases, facts]``.
        best: Highest goal of each role.
        worst: Lowest goal of each role (`worst_goal`).
        halt: Not 0 where whoever searches should stop at once, ``int64[1]``; set by another thread.
        network: What says how much a state that is not over looks worth; without weights for none.
        network_weight: Weight of what it says beside playouts, 0 to 1; 1 for it alone.
        lasting: Facts that a move may bring about and nothing ever takes away, ``uint64[W]``; none
            where final positions are not looked at.
        place: Row of each fact in ``lane_facts``, -1 for none.
        final_weight: Playouts of its own that final positions count for with a move, at most.
        replies: Memory for looks at all replies to all moves.
    """

    kernel_at: int
    observe: int
    advance: int
    facts: Words
    moves: Words
    legal: Words
    first: Ints
    counts: Ints
    terminal: Words
    hold: Words
    goals: Words
    first_goal: Ints
    values: Ints
    lanes_at: int
    run: int
    plies: Ints
    stored: Ints
    lane_facts: Words
    live: Words
    progress: tuple[Words, Words, Words, Words, Words]
    planes: Words
    widths: Ints
    indexed: Ints
    clock: Ints
    phases: NDArray[np.uint8]
    best: NDArray[np.float64]
    worst: NDArray[np.float64]
    halt: Ints
    network: NetworkTables
    network_weight: float
    lasting: Words
    place: Ints
    final_weight: float
    replies: Replies


class LaneGame:
    """Keeps alive what a `LaneTables` points to.

    Attributes:
        tables: For numba.
        stepping: The same for stepping states alone: where no state has more moves than one word
            has lanes its vector is that narrow, for all that is not asked for costs as much; the
            memory is its own.
        native: The compiled game.
    """

    def __init__(  # noqa: PLR0913  # what a game may be searched with
        self,
        native: NativeGame,
        *,
        seed: int = 0,
        is_narrow: bool | None = None,
        network: NetworkTables | None = None,
        network_weight: float = 1.0,
        final_weight: float = 0.0,
    ) -> None:
        """Load code and memory.

        Args:
            native: The compiled game.
            seed: Of the playouts.
            is_narrow: Whether states are stepped in one word of lanes; by default where no role
                has more moves than that.
            network: What judges states, if anything does.
            network_weight: Weight of what it says beside playouts, 0 to 1; 1 for it alone.
            final_weight: Playouts that final positions count for with a move, at most; 0 for not
                looking at them.

        Raises:
            GoalTableError: The goals of all roles have too many combinations.
        """
        self.native = native
        self._kernel, self._lanes = native.kernel, native.lanes
        self._states = KernelMemory(self._kernel)
        self._playing = LaneMemory(self._lanes)
        self.tables = self._tables(network or no_network(), network_weight, final_weight)
        if is_narrow is None:
            is_narrow = max(self.tables.counts) <= NARROW
        self.stepping = self._stepping(is_narrow=bool(is_narrow))
        self.seed(seed)

    def _stepping(self, *, is_narrow: bool) -> LaneTables:
        """Return tables with memory of their own: `gdl.play.children` leaves no move set there."""
        kernel = self._kernel
        if is_narrow:
            kernel = self._narrow_kernel = Kernel(self.native.machine.compiled)
        states = self._stepping_states = KernelMemory(kernel)
        return self.tables._replace(
            kernel_at=states.at,
            observe=kernel.address("observe"),
            advance=kernel.address("advance"),
            facts=states.facts,
            moves=states.moves,
            legal=states.legal,
            terminal=states.terminal,
            hold=states.hold,
            goals=states.goals,
        )

    def seed(self, seed: int) -> None:
        """Begin the random numbers of the playouts anew."""
        self._playing.seed(seed)

    def pack(self, state: bytes) -> Words:
        """Return a state of the native machine as words."""
        return pack_state(state, len(self.tables.facts))

    def unpack(self, words: Words) -> bytes:
        """Return words as a state of the native machine."""
        bits = np.unpackbits(words.view(np.uint8), bitorder="little")[: len(self.tables.facts)]
        return np.packbits(bits).tobytes()

    def _lasting(self, *, is_wanted: bool) -> tuple[Words, Ints]:
        """Return the facts that last, as words of a state, and the rows of facts in lanes."""
        lanes, count = self._lanes.compiled, len(self._kernel.compiled.facts)
        stored = np.array(lanes.stored, np.int64)
        place = np.full(count, -1, np.int64)
        place[stored] = np.arange(len(stored))
        bits = np.zeros(-(-count // 64) * 64, np.uint8)
        if is_wanted:
            self.seed(0)
            bits[stored[lasting_facts(self._playing, lanes.period)]] = 1
        return np.packbits(bits, bitorder="little").view(np.uint64), place

    def _tables(
        self, network: NetworkTables, network_weight: float, final_weight: float
    ) -> LaneTables:
        states, playing = self._states, self._playing
        compiled, lanes = self._kernel.compiled, self._lanes.compiled
        find = self._lanes.address
        lasting, place = self._lasting(is_wanted=final_weight > 0)
        every = compiled.goals
        return LaneTables(
            kernel_at=states.at,
            observe=self._kernel.address("observe"),
            advance=self._kernel.address("advance"),
            facts=states.facts,
            moves=states.moves,
            legal=states.legal,
            first=states.first,
            counts=np.diff(states.first),
            terminal=states.terminal,
            hold=states.hold,
            goals=states.goals,
            first_goal=states.first_goal,
            values=np.array([value for values in every for value in values], np.int64),
            lanes_at=playing.at,
            run=find("run"),
            plies=np.array([find(f"ply_{p}") for p in range(lanes.period)], np.int64),
            stored=np.array(lanes.stored, np.int64),
            lane_facts=playing.facts,
            live=playing.live,
            progress=playing.progress,
            planes=playing.goals,
            widths=np.array(lanes.goal_widths, np.int64),
            indexed=_goals_by_index(lanes),
            clock=np.array(lanes.clock, np.int64),
            phases=_clock_by_phase(lanes),
            best=np.array([max(values, default=0) for values in every], np.float64),
            worst=np.array([worst_goal(values) for values in every], np.float64),
            halt=np.zeros(1, np.int64),
            network=network,
            network_weight=float(network_weight),
            lasting=lasting,
            place=place,
            final_weight=float(final_weight),
            replies=make_replies(
                -(-len(compiled.facts) // 64),
                int(np.diff(states.first).max()),
                64 * states.facts.shape[1],
            ),
        )


def _goals_by_index(lanes: LaneCode) -> Ints:
    """Return the goal that each index of a role stands for.

    Lanes keep an index in a few planes, where the goal itself would take seven. Index 0 is for play
    that has not ended, or ended without a single goal: it stands for -1, as do those not in use.
    """
    widest = max(map(len, lanes.goal_values), default=0) + 1
    indexed = np.full((len(lanes.roles), widest), -1, np.int64)
    for row, values in zip(indexed, lanes.goal_values, strict=True):
        row[1 : len(values) + 1] = values
    return indexed


def _clock_by_phase(lanes: LaneCode) -> NDArray[np.uint8]:
    """Return which facts of the clock hold in each phase.

    Lanes do not store these: code is made for each phase, in which they are known. So whoever puts
    a state into lanes looks here for the phase that it is in, to begin with the code of that.
    """
    held = [[fact in phase for fact in lanes.clock] for phase in lanes.phases]
    return np.array(held, np.uint8).reshape(lanes.period, len(lanes.clock))


def pack_state(state: bytes, count: int) -> Words:
    """Return a state of the native machine, of so many facts, as words."""
    bits = np.unpackbits(np.frombuffer(state, np.uint8), count=count)
    padded = np.zeros(-(-count // 64) * 64, np.uint8)
    padded[:count] = bits
    return np.packbits(padded, bitorder="little").view(np.uint64)


def worst_goal(values: Sequence[int]) -> int:
    """Return the least that a role may get: the lowest of its goals, 0 where there is but one.

    A role with a single goal has it only if the game comes to an end in which the rules give it.
    """
    return min(values) if len(set(values)) > 1 else 0
