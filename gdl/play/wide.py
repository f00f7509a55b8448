"""A compiled game as search wants it: what stands where, in a tuple that numba can read.

In: a `NativeGame`. Out: a `Wide`: addresses of the kernel (look at a vector of states, move on) and
of the lanes (play all of them to the end), memory for one vector of each, and the places of facts,
moves and goals in it. Each search has a `Wide` of its own: the memory is not shared.

Source: ours; see `gdl.native.kernel` and `gdl.native.lanes`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from gdl.circuit.clock import find_clock
from gdl.native.game import NativeGame
from gdl.native.lanes import seeds
from gdl.native.memory import aligned
from gdl.native.step import needed_facts

Ints = NDArray[np.int64]
Words = NDArray[np.uint64]


class Wide(NamedTuple):
    """A game for search; arrays are of words of 64 lanes.

    Attributes:
        slots: Kernel memory, ``uint64[slots, words]``.
        slots_at: Its address.
        observe: Address: derive what holds in each lane.
        advance: Address: play the moves set in each lane.
        facts: First slot of the facts.
        fact_count: How many there are.
        moves: First slot of the moves of each role.
        legal: Likewise, whether they are legal.
        counts: Moves of each role.
        terminal: Slot.
        hold: Slot.
        goals: First slot of the goals of each role, and the end.
        values: Goal value of each of these slots.
        lanes: Lanes memory, ``uint64[slots, words]``.
        lanes_at: Its address.
        run: Address: so many cycles; 1 when all lanes have ended.
        plies: Address of each phase's ply.
        stored: Kernel facts that lanes store, in their order.
        lane_facts: First slot of them.
        live: Slot.
        waits: First of a slot a phase.
        cleared: First slot and number of slots of counts of turns, of kept ends.
        planes: First slot of goal indices.
        widths: Planes of each role.
        indexed: Value of each goal index of each role, -1 for none, ``int64[roles, indices]``.
        clock: Facts that tell the phase.
        phases: Which of them hold in each phase, ``uint8[phases, facts]``.
        best: Highest goal of each role.
        worst: Lowest goal of each role (`worst_goal`).
        halt: Not 0 where whoever searches should stop at once, ``int64[1]``; set by another thread.
    """

    slots: Words
    slots_at: int
    observe: int
    advance: int
    facts: int
    fact_count: int
    moves: Ints
    legal: Ints
    counts: Ints
    terminal: int
    hold: int
    goals: Ints
    values: Ints
    lanes: Words
    lanes_at: int
    run: int
    plies: Ints
    stored: Ints
    lane_facts: int
    live: int
    waits: int
    cleared: Ints
    planes: int
    widths: Ints
    indexed: Ints
    clock: Ints
    phases: NDArray[np.uint8]
    best: NDArray[np.float64]
    worst: NDArray[np.float64]
    halt: Ints


class WideGame:
    """Keeps alive what a `Wide` points to.

    Attributes:
        wide: For numba.
        native: The compiled game.
    """

    def __init__(self, native: NativeGame, *, seed: int = 0) -> None:
        """Load code and memory.

        Args:
            native: The compiled game.
            seed: Of the playouts.

        Raises:
            GoalTableError: The goals of all roles have too many combinations.
        """
        self.native = native
        self._kernel = native.kernel
        self._lanes = native.lanes
        self.wide = self._tables()
        self.seed(seed)

    def seed(self, seed: int) -> None:
        """Begin the random numbers of the playouts anew."""
        layout = self._lanes.compiled.layout
        self.wide.lanes[layout.seed : layout.seed + 2] = seeds(seed, 0, self.wide.lanes.shape[1])

    def pack(self, state: bytes) -> Words:
        """Return a state of the native machine as words."""
        count = self.wide.fact_count
        bits = np.unpackbits(np.frombuffer(state, np.uint8), count=count)
        padded = np.zeros(-(-count // 64) * 64, np.uint8)
        padded[:count] = bits
        return np.packbits(padded, bitorder="little").view(np.uint64)

    def unpack(self, words: Words) -> bytes:
        """Return words as a state of the native machine."""
        bits = np.unpackbits(words.view(np.uint8), bitorder="little")[: self.wide.fact_count]
        return np.packbits(bits).tobytes()

    def _tables(self) -> Wide:
        kernel, lanes = self._kernel, self._lanes.compiled
        layout, places = kernel.layout, lanes.layout
        compiled = kernel.compiled
        circuit = self.native.circuit
        clock = find_clock(circuit)
        stored = [f for f in needed_facts(circuit) if f not in clock.facts]
        self._memory = aligned(lanes.size)
        here = self._memory[: lanes.slots * lanes.width // 8].view(np.uint64)
        slots = kernel.memory(1)[0]
        widest = max(map(len, lanes.goal_values), default=0) + 1
        indexed = np.full((len(lanes.roles), widest), -1, np.int64)
        for row, values in zip(indexed, lanes.goal_values, strict=True):
            row[1 : len(values) + 1] = values
        find = self._lanes.address
        code: Any = kernel.address
        every = compiled.goals
        return Wide(
            slots=slots,
            slots_at=slots.ctypes.data,
            observe=code("observe"),
            advance=code("advance"),
            facts=layout.facts,
            fact_count=len(compiled.facts),
            moves=np.array(layout.moves, np.int64),
            legal=np.array(layout.legal, np.int64),
            counts=np.array([len(moves) for moves in compiled.moves], np.int64),
            terminal=layout.terminal,
            hold=layout.hold,
            goals=layout.goals + np.cumsum([0, *map(len, every)]).astype(np.int64),
            values=np.array([value for values in every for value in values], np.int64),
            lanes=here.reshape(lanes.slots, -1),
            lanes_at=self._memory.ctypes.data,
            run=find("run"),
            plies=np.array([find(f"ply_{p}") for p in range(lanes.period)], np.int64),
            stored=np.array(stored, np.int64),
            lane_facts=places.facts,
            live=places.live,
            waits=places.waits,
            cleared=np.array(
                [
                    [places.waits, lanes.period],
                    [places.turns, places.turn_bits],
                    [places.kept, places.planes - places.kept],
                    [places.quota, 1],
                    [places.pending, 1],
                ],
                np.int64,
            ),
            planes=places.planes,
            widths=np.array(lanes.goal_widths, np.int64),
            indexed=indexed,
            clock=np.array(clock.facts, np.int64),
            phases=np.array(
                [[fact in held for fact in clock.facts] for held in clock.phases], np.uint8
            ).reshape(lanes.period, len(clock.facts)),
            best=np.array([max(values, default=0) for values in every], np.float64),
            worst=np.array([worst_goal(values) for values in every], np.float64),
            halt=np.zeros(1, np.int64),
        )


def worst_goal(values: Sequence[int]) -> int:
    """Return the least that a role may get: the lowest of its goals, 0 where there is but one.

    A role with a single goal has it only if the game comes to an end in which the rules give it.
    """
    return min(values) if len(set(values)) > 1 else 0
