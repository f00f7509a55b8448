"""Memory of lanes and kernels by name: for who plays a vector at a time and looks at it.

What stands where is known in this package alone. In go compiled lanes or a kernel; out come
arrays that look into the memory of one vector, and the calls that play it. A word has 64 lanes;
W is the number of words in a vector.
"""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from typing import TYPE_CHECKING, Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from gdl.native.code.memory import aligned
from gdl.native.lanes.playouts import WORD, seeds

if TYPE_CHECKING:
    from gdl.native.kernel.kernel import Kernel
    from gdl.native.lanes.playouts import Lanes

Words: TypeAlias = NDArray[np.uint64]


class LaneMemory:
    """One vector of lanes.

    Attributes:
        words: Words of the vector.
        at: Address of the memory, which functions of the code take.
        live: Lanes in the middle of a playout, ``uint64[W]``.
        moved: Lanes that moved in the last ply, likewise.
        over: Lanes whose game is over after it, likewise.
        facts: The stored facts, ``uint64[facts, W]``.
        goals: What the goals of ended lanes are, over planes, ``uint64[planes, W]``.
        progress: What lanes know of their playouts; all zero before any is begun.
        lengths: Plays that were counted, by the code of their length.
        ends: Plays that were counted, by the index of their goal vector.
    """

    def __init__(self, lanes: Lanes) -> None:
        """Take the memory: no lane plays, none is to begin."""
        compiled = self._compiled = lanes.compiled
        layout = compiled.layout
        self._memory = aligned(compiled.size)
        counters, lengths, ends = compiled.tables
        self.words: Final = compiled.width // WORD
        self.at: Final = self._memory.ctypes.data
        slots = self._memory[:counters].view(np.uint64).reshape(-1, self.words)

        def at(first: int, count: int) -> Words:
            return slots[first : first + count]

        self.live: Final = slots[layout.live]
        self.moved: Final = slots[layout.go]
        self.over: Final = slots[layout.terminal]
        self.facts: Final = at(layout.facts, len(compiled.stored))
        self.goals: Final = at(layout.planes, sum(compiled.goal_widths))
        self.progress: Final = (
            at(layout.waits, compiled.period),
            at(layout.turns, layout.turn_bits),
            at(layout.kept, layout.planes - layout.kept),
            at(layout.quota, 1),
            at(layout.pending, 1),
        )
        self.lengths: Final = self._memory[lengths:ends].view(np.uint64)
        self.ends: Final = self._memory[ends:].view(np.uint64)
        self._seed = at(layout.seed, 2)
        self._quota = slots[layout.quota]
        pointer, number = ctypes.c_void_p, ctypes.c_int64
        self._run = ctypes.CFUNCTYPE(number, pointer, number)(lanes.address("run"))
        self._start = ctypes.CFUNCTYPE(None, pointer)(lanes.address("start"))
        self._plies = [
            ctypes.CFUNCTYPE(None, pointer)(lanes.address(f"ply_{phase}"))
            for phase in range(compiled.period)
        ]

    def seed(self, seed: int) -> None:
        """Begin the random numbers anew."""
        self.set_random(np.array(seeds(seed, 0, self.words), np.uint64))

    def set_random(self, state: Words) -> None:
        """Set the state of the random numbers: two words each, ``uint64[2, W]``."""
        self._seed[:] = state

    def deal(self, plays: int | Sequence[int]) -> None:
        """Say how many plays the lanes of each word are still to begin."""
        self._quota[:] = plays

    def start(self) -> None:
        """Set the lanes that have a play to begin to the first state."""
        self._start(self.at)

    def ply(self, phase: int) -> None:
        """Make a move in every lane that is going on and in this phase."""
        self._plies[phase](self.at)

    def run(self, cycles: int) -> bool:
        """Play on for so many cycles of all phases; return whether all plays have ended."""
        return bool(self._run(self.at, cycles))

    def positions(self) -> int:
        """Return how many states the plays that were counted came through."""
        keys = np.flatnonzero(self.lengths)
        counts = self.lengths[keys].astype(np.int64)
        return int(((self._compiled.plies(keys) + 1) * counts).sum())


class KernelMemory:
    """One vector of states for a kernel; rows of roles stand one after the other.

    Attributes:
        at: Address of the memory, which functions of the code take.
        facts: All facts, ``uint64[facts, W]``.
        moves: The move chosen of each role, ``uint64[moves, W]``.
        legal: Likewise, whether it is legal.
        first: First row of each role in these two, and the end.
        terminal: Whether the game is over, ``uint64[W]``.
        hold: Lanes that stay as they are when all others go on, likewise.
        goals: Goal values of each role, ``uint64[values, W]``.
        first_goal: First row of each role in it, and the end.
    """

    def __init__(self, kernel: Kernel) -> None:
        """Take the memory: all lanes in the initial state, nothing observed yet."""
        layout, compiled = kernel.layout, kernel.compiled
        self._slots = slots = kernel.memory(1)[0]
        self.at: Final = slots.ctypes.data
        self.first: Final = _starts(compiled.moves)
        self.first_goal: Final = _starts(compiled.goals)
        facts, moves, values = len(compiled.facts), self.first[-1], self.first_goal[-1]
        self.facts: Final = slots[layout.facts : layout.facts + facts]
        self.moves: Final = slots[layout.moves[0] : layout.moves[0] + moves]
        self.legal: Final = slots[layout.legal[0] : layout.legal[0] + moves]
        self.terminal: Final = slots[layout.terminal]
        self.hold: Final = slots[layout.hold]
        self.goals: Final = slots[layout.goals : layout.goals + values]


def _starts(rows: Sequence[Sequence[object]]) -> NDArray[np.int64]:
    return np.cumsum([0, *map(len, rows)]).astype(np.int64)
