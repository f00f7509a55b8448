"""Positions that a deep network learns from: rows of arrays, and the window of the last ones.

In: rows of games that have ended. Out: the window with these, which never changes what it was: who
still has it as it was before has it unchanged, so that a turn of learning that was broken off is as
if it had not begun.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

MOST_BYTES: Final = 1 << 25
"""Memory of the positions of a window, at most."""
MOST: Final = 1 << 16
"""Positions of a window, at most."""
LEAST: Final = 1 << 12
"""Positions from which on the window forgets; later it keeps a half of all."""
SHARES: Final = 128
"""Moves of a policy that are kept, the likeliest."""


@dataclass(frozen=True, slots=True, eq=False)
class Rows:
    """Positions, a row each; a row for each role that chooses at once with others.

    Attributes:
        held: What holds, ``uint8[n, bytes]``, a bit a fact.
        movers: Who chooses, ``int16[n]``.
        legal: Legal moves of that role, ``uint8[n, bytes]``, a bit a move.
        moves: The likeliest moves of the policy, ``int16[n, k]``.
        shares: How likely they are, ``float16[n, k]``; all 0 where no policy is to be learned.
        values: What came of it for each role, shares of its goals, ``float32[n, roles]``; not a
            number as long as nothing is known.
    """

    held: NDArray[np.uint8]
    movers: NDArray[np.int16]
    legal: NDArray[np.uint8]
    moves: NDArray[np.int16]
    shares: NDArray[np.float16]
    values: NDArray[np.float32]

    @property
    def columns(self) -> dict[str, NDArray[Any]]:
        """The arrays by name."""
        return {each.name: getattr(self, each.name) for each in fields(self)}

    @property
    def count(self) -> int:
        """How many there are."""
        return len(self.movers)

    def at(self, which: NDArray[np.intp] | NDArray[np.bool_] | slice) -> Rows:
        """Return some of them."""
        return Rows(**{name: column[which] for name, column in self.columns.items()})

    def is_like(self, other: Rows) -> bool:
        """Return whether these are as many numbers of the same kinds in each row as in another."""
        mine, theirs = (
            {name: (column.dtype, column.shape[1:]) for name, column in rows.columns.items()}
            for rows in (self, other)
        )
        return mine == theirs and {len(column) for column in self.columns.values()} == {self.count}


def no_rows(count: int, facts: int, moves: int, roles: int) -> Rows:
    """Return so many rows of zeros, of a game with so many facts, moves of a role, and roles."""
    kept = min(moves, SHARES)
    return Rows(
        np.zeros((count, -(-facts // 8)), np.uint8),
        np.zeros(count, np.int16),
        np.zeros((count, -(-moves // 8)), np.uint8),
        np.zeros((count, kept), np.int16),
        np.zeros((count, kept), np.float16),
        np.zeros((count, roles), np.float32),
    )


def joined(parts: list[Rows]) -> Rows:
    """Return rows one after the other; one part at least."""
    names = parts[0].columns
    return Rows(**{name: np.concatenate([part.columns[name] for part in parts]) for name in names})


@dataclass(frozen=True, slots=True, eq=False)
class Window:
    """The last positions.

    Attributes:
        rows: Room for twice as many as are kept.
        start: The first that counts.
        end: The first that does not any more; what stands from there on is nothing yet.
    """

    rows: Rows
    start: int = 0
    end: int = 0

    def __len__(self) -> int:
        """Return how many there are."""
        return self.end - self.start

    @property
    def known(self) -> Rows:
        """The positions."""
        return self.rows.at(slice(self.start, self.end))

    def with_rows(self, more: Rows, wanted: int) -> Window:
        """Return the window after more rows, cut to so many at most."""
        more = more.at(slice(max(0, more.count - wanted), None))
        rows, start, end = self.rows, self.start, self.end
        if end + more.count > rows.count:
            # Into new room: the old one stays as it is for who has it.
            kept = self.known.at(slice(max(0, len(self) - wanted), None))
            rows = Rows(**{name: np.zeros_like(column) for name, column in rows.columns.items()})
            _write(rows, 0, kept)
            start, end = 0, kept.count
        _write(rows, end, more)
        end += more.count
        return Window(rows, max(start, end - wanted), end)


def _write(rows: Rows, first: int, more: Rows) -> None:
    """Write rows over others from one on."""
    for name, part in more.columns.items():
        rows.columns[name][first : first + len(part)] = part


def capacity(facts: int, moves: int, roles: int) -> int:
    """Return how many positions of a game a window keeps at most."""
    size = sum(column.nbytes for column in no_rows(1, facts, moves, roles).columns.values())
    return max(LEAST, min(MOST, MOST_BYTES // size))
