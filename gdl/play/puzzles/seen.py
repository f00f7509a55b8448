"""A table of states that were met, each with the move that led there.

States are told apart byte by byte, or by those bits alone that a mask leaves.
"""

# numba finds the types
from __future__ import annotations

from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from gdl.native.jit import compiled, entry
from gdl.play.puzzles.lanes import Rows

NOWHERE: Final = -1
ONE = np.uint64(1)


@compiled
def hash_of(words: Any, row: int, mask: Any) -> Any:
    """Return 64 bits for the masked words of a row (the finaliser of MurmurHash3 a word)."""
    value = np.uint64(0x9E3779B97F4A7C15)
    for i in range(words.shape[1]):
        value ^= words[row, i] & mask[i]
        value ^= value >> np.uint64(33)
        value *= np.uint64(0xFF51AFD7ED558CCD)
        value ^= value >> np.uint64(33)
        value *= np.uint64(0xC4CEB9FE1A85EC53)
        value ^= value >> np.uint64(33)
    return value


@entry
@compiled
def insert(table: Any, store: Any, used: int, words: Any, mask: Any, place: Any) -> int:
    """Keep the rows that are not in a table yet; return how many are kept now.

    Args:
        table: Rows of the store by hash, `NOWHERE` for none; a power of two, never full.
        store: The rows kept, ``uint64[room, W]``; there is room for all.
        used: How many are kept.
        words: The rows that come, ``uint64[n, W]``.
        mask: Bits that tell rows apart, ``uint64[W]``.
        place: Written: where each row was put, `NOWHERE` for one that was there.
    """
    last = np.uint64(len(table) - 1)
    for row in range(len(words)):
        at = hash_of(words, row, mask) & last
        is_new = True
        while table[at] != NOWHERE:
            other = table[at]
            is_same = True
            for i in range(words.shape[1]):
                if (store[other, i] ^ words[row, i]) & mask[i]:
                    is_same = False
                    break
            if is_same:
                is_new = False
                break
            at = (at + ONE) & last
        place[row] = NOWHERE
        if is_new:
            table[at] = used
            place[row] = used
            store[used] = words[row]
            used += 1
    return used


@entry
@compiled
def refill(table: Any, store: Any, used: int, mask: Any) -> None:
    """Put all rows of a store into an empty table; no two of them are the same."""
    last = np.uint64(len(table) - 1)
    for row in range(used):
        at = hash_of(store, row, mask) & last
        while table[at] != NOWHERE:
            at = (at + ONE) & last
        table[at] = row


class Seen:
    """States met, each with its parent and the move from there.

    Attributes:
        used: How many there are.
    """

    def __init__(self, root: bytes, mask: Rows, *, megabytes: int) -> None:
        """Begin with the root, which is state 0; ``mask`` is ``uint8[bytes]``."""
        self._bytes = len(root)
        self._words = max(1, -(-len(root) // 8))
        self._mask = self._pack(mask[None])[0]
        row = 8 * self._words + 8 + 16
        self.most = (megabytes << 20) // row
        self.used = 0
        self._store: NDArray[np.uint64]
        self._parent: NDArray[np.int32]
        self._move: NDArray[np.int32]
        self._reserve(1 << 10)
        self.add(np.frombuffer(root, np.uint8)[None], np.zeros(1, np.int32), np.zeros(1, np.int32))

    def _pack(self, rows: Rows) -> NDArray[np.uint64]:
        padded = np.zeros((len(rows), 8 * self._words), np.uint8)
        padded[:, : self._bytes] = rows
        return padded.view(np.uint64)

    def _reserve(self, room: int) -> None:
        used = self.used
        store = np.empty((room, self._words), np.uint64)
        parent, move = np.empty(room, np.int32), np.empty(room, np.int32)
        if used:
            store[:used], parent[:used] = self._store[:used], self._parent[:used]
            move[:used] = self._move[:used]
        self._store, self._parent, self._move = store, parent, move
        self._table = np.full(2 * room, NOWHERE, np.int32)
        refill(self._table, store, used, self._mask)

    def add(
        self, states: Rows, parent: NDArray[np.int32], move: NDArray[np.int32]
    ) -> NDArray[np.int32]:
        """Return the number of each state, `NOWHERE` for one that was met before.

        Raises:
            MemoryError: There is no room for so many.
        """
        while self.used + len(states) > len(self._store):
            if self.used + len(states) > self.most:
                raise MemoryError
            self._reserve(2 * len(self._store))
        place = np.empty(len(states), np.int32)
        self.used = int(
            insert(self._table, self._store, self.used, self._pack(states), self._mask, place)
        )
        new = place >= 0
        self._parent[place[new]] = parent[new]
        self._move[place[new]] = move[new]
        return place

    def states(self, numbers: NDArray[np.int32]) -> Rows:
        """Return the states of some numbers."""
        rows: Rows = self._store[numbers].view(np.uint8)[:, : self._bytes]
        return rows

    def moves_to(self, number: int) -> list[int]:
        """Return the moves from the root to a state."""
        moves = []
        while number:
            moves.append(int(self._move[number]))
            number = int(self._parent[number])
        return moves[::-1]
