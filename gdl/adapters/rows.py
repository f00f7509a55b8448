"""What goes with each row of a vector environment: its chance, and all of it as a value.

Every row has a random sequence of its own, one 64-bit counter, so what happens in a row depends on
its seed and its moves and on no other row; and a row can be saved, forked and sent elsewhere with
the chance that lies before it.

Source: Steele, Lea and Flood, "Fast Splittable Pseudorandom Number Generators", OOPSLA 2014.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import ArrayLike, NDArray

from gdl.language.diagnostics import GdlError

STEP: Final = np.uint64(0x9E3779B97F4A7C15)
FIRST: Final = np.uint64(0xBF58476D1CE4E5B9)
SECOND: Final = np.uint64(0x94D049BB133111EB)


@dataclass(frozen=True, slots=True, eq=False)
class SavedRows:
    """Rows of a vector environment, as a value: four arrays, to be kept, pickled or indexed.

    Attributes:
        positions: What holds in each, a bit a fact, ``uint8[n, bytes]``.
        lengths: Joint moves of the episode so far, ``int32[n]``.
        random: Where the random sequence of each stands, ``uint64[n]``.
        moves: The digest of the moves and facts: of which game they are.
    """

    positions: NDArray[np.uint8]
    lengths: NDArray[np.int32]
    random: NDArray[np.uint64]
    moves: str

    def __len__(self) -> int:
        """Return how many rows there are."""
        return len(self.lengths)

    def __iter__(self) -> Iterator[SavedRows]:
        """Go through the rows, one by one."""
        return (self[row] for row in range(len(self)))

    def __getitem__(self, rows: int | slice | ArrayLike) -> SavedRows:
        """Return some of them, chosen as rows of an array are; a number gives one row.

        Raises:
            IndexError: There are no such rows.
        """
        at = rows
        if not isinstance(at, slice):
            at = np.atleast_1d(at)
            at = at if at.size else at.astype(np.intp)
        return SavedRows(self.positions[at], self.lengths[at], self.random[at], self.moves)

    def __eq__(self, other: object) -> bool:
        """Compare all arrays."""
        if not isinstance(other, SavedRows):
            return NotImplemented
        return self.moves == other.moves and all(
            np.array_equal(getattr(self, name), getattr(other, name))
            for name in ("positions", "lengths", "random")
        )

    __hash__ = None  # type: ignore[assignment]  # arrays can be written to


def mixed(numbers: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Return numbers that look drawn, one of each number (the last steps of SplitMix64)."""
    x = numbers ^ (numbers >> np.uint64(30))
    x *= FIRST
    x ^= x >> np.uint64(27)
    x *= SECOND
    x ^= x >> np.uint64(31)
    return x


def row_seeds(seed: ArrayLike, size: int) -> NDArray[np.uint64]:
    """Return where the random sequence of each row begins.

    Args:
        seed: One number, from which each row gets another; or one for each row, ``int[size]``:
            rows of the same seed go through the same chance.
        size: The number of rows.

    Raises:
        GdlError: It is neither, or below zero.
    """
    given = np.asarray(seed)
    if given.dtype.kind not in "iu" or given.shape not in {(), (size,)}:
        raise GdlError(
            f"seed has the shape {given.shape} and the type {given.dtype}",
            expected=f"a whole number, or one for each row, int[{size}]",
        )
    if bool((given < 0).any()):
        raise GdlError(f"{given.min()} is no seed", expected="whole numbers from 0 on")
    begun: NDArray[np.uint64] = given.reshape(-1).astype(np.uint64)
    if not given.shape:
        begun = np.arange(size, dtype=np.uint64) + mixed(begun + STEP)
    return mixed(begun * STEP + FIRST)


def chances(states: NDArray[np.uint64], stream: ArrayLike) -> NDArray[np.float64]:
    """Return a number from 0 to below 1 for each row.

    Args:
        states: Where the sequences stand; who calls moves them on by `STEP`.
        stream: Which of several draws at the same place this is: role or player, of all rows or
            of each.
    """
    drawn = mixed(states + FIRST * np.atleast_1d(stream).astype(np.uint64))
    drawn >>= np.uint64(11)
    return np.multiply(drawn, 2.0**-53, dtype=np.float64)
