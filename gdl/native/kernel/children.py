"""What follows from several moves of one role, looked at in the lanes of one vector.

In: a state of machine code, whose turn it is, and moves by number. Out: which of the states that
follow are over, in which of them one role is asked alone, and how many moves it has there. A state
of its own costs as much as all of these together.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np

from gdl.native.kernel.kernel import WORD, Kernel, KernelCode

ALL: Final = (1 << WORD) - 1


class Children:
    """One vector of states that follow from another one.

    Attributes:
        over: A bit for each move, the first one lowest: whether play is over behind it.
        alone: Whether, behind it, all roles but one have a single legal move.
    """

    def __init__(self, compiled: KernelCode) -> None:
        """Load the code of a machine, which has one word a vector."""
        assert compiled.width == WORD
        self._kernel = Kernel(compiled)
        slots = self._kernel.memory(1)[0, :, 0]
        self._slots = memoryview(slots)  # type: ignore[arg-type]  # an array is a buffer
        self._at = slots.ctypes.data
        layout = compiled.layout
        self._layout, self._roles = layout, range(len(compiled.roles))
        count = len(compiled.facts)
        self._facts, self._count = slots[layout.facts : layout.facts + count], count
        self._planes = np.array([0, ALL], np.uint64)
        rows = zip(layout.legal, compiled.moves, strict=True)
        self._legal = [slots[start : start + len(moves)] for start, moves in rows]
        every = slots[layout.legal[0] : layout.single]
        self._bytes = every.view(np.uint8).reshape(len(every), WORD // 8)
        self.over = self.alone = 0
        self._asked = 0

    def look(self, inner: bytes, turn: tuple[int, tuple[int, ...]], ids: Sequence[int]) -> None:
        """Look at what follows from moves, at most 64, of the role whose turn it is.

        Args:
            inner: The state.
            turn: The role, and the moves of all others; its own is not looked at.
            ids: Its moves.
        """
        slots, layout, kernel = self._slots, self._layout, self._kernel
        bits = np.unpackbits(np.frombuffer(inner, np.uint8), count=self._count)
        np.take(self._planes, bits, out=self._facts)
        chosen = [layout.moves[place] + n for place, n in enumerate(turn[1]) if place != turn[0]]
        for slot in chosen:
            slots[slot] = ALL
        first = layout.moves[turn[0]]
        for lane, n in enumerate(ids):
            slots[first + n] = 1 << lane
        slots[layout.hold] = 0
        kernel.advance(self._at)
        for slot in chosen:
            slots[slot] = 0
        for n in ids:
            slots[first + n] = 0
        kernel.observe(self._at)
        self._asked = len(ids)
        self.over = slots[layout.terminal]
        none, alone = ALL, 0  # lanes in which no role so far has a choice, and in which one has
        for role in self._roles:
            single = slots[layout.single + role]
            alone = alone & single | none & ~single & int(np.bitwise_or.reduce(self._legal[role]))
            none &= single
        self.alone = alone

    def counts(self) -> list[int]:
        """Return how many moves the role that is asked alone has behind each move."""
        width = -(-self._asked // 8)
        bits = np.unpackbits(self._bytes[:, :width], axis=1, bitorder="little")
        others = len(self._roles) - 1
        counts: list[int] = (bits.sum(axis=0, dtype=np.int64) - others).tolist()
        return counts
