"""Files of sorted keys in few bytes, of which any rows are read without unpacking the rest.

In: a file of the frames that `gdl.solve.compression` writes. Out: rows by number, or all between
two keys. Only the heads of frames are walked; a frame that nothing is asked of is skipped.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Self

import numpy as np

from gdl.solve.compression import BYTES, HEAD, decode
from gdl.solve.sorting import Keys
from gdl.solve.table import row_of


class KeyFile:
    """Sorted keys in a file that is held open: what was opened is read, whoever replaces it.

    Attributes:
        rows: How many keys there are.
    """

    def __init__(self, file: Path, words: int) -> None:
        """Walk over the heads of all frames.

        Args:
            file: The file.
            words: Words of a key.

        Raises:
            FileNotFoundError: There is no such file.
        """
        self._words = words
        self._stream = file.open("rb")
        starts, places, sizes, rows = [], [], [], 0
        while head := self._stream.read(8 * HEAD):
            count, size = np.frombuffer(head, np.uint64).tolist()
            starts.append(rows)
            places.append(self._stream.tell())
            sizes.append(size)
            rows += count
            self._stream.seek(size, 1)
        self.rows: int = rows
        self._starts = np.array([*starts, rows], np.int64)
        self._places, self._sizes = places, sizes

    def __enter__(self) -> Self:
        """Return the file, which is closed in the end."""
        return self

    def __exit__(self, *_: object) -> None:
        """Close the file."""
        self._stream.close()

    def slice(self, start: int, stop: int) -> Keys:
        """Return the keys of some rows. Cost that of unpacking the frames that they lie in."""
        if start >= stop:
            return np.zeros((0, self._words), np.uint64)
        first = int(np.searchsorted(self._starts, start, "right")) - 1
        end = int(np.searchsorted(self._starts, stop, "left"))
        before = int(self._starts[first])
        return self._frames(first, end)[start - before : stop - before]

    def at(self, rows: Sequence[int]) -> Keys:
        """Return the keys of single rows, in ascending order. Cost a frame for each."""
        keys = [self.slice(row, row + 1) for row in rows]
        return np.concatenate([np.zeros((0, self._words), np.uint64), *keys])

    def between(self, low: Sequence[int] | None, high: Sequence[int] | None) -> Keys:
        """Return all keys from one on and below another; None stands for no bound."""
        # A frame ends where the next one begins, so the first keys say which may hold any.
        firsts = self._firsts()
        begin = 0 if low is None else max(row_of(firsts, low) - 1, 0)
        end = len(firsts) if high is None else row_of(firsts, high)
        keys = self._frames(begin, max(begin, end))
        start = 0 if low is None else row_of(keys, low)
        stop = len(keys) if high is None else row_of(keys, high)
        return keys[start : max(start, stop)]

    def _firsts(self) -> Keys:
        """Return the first key of each frame."""
        firsts = np.zeros((len(self._sizes), self._words), np.uint64)
        for i, (place, size) in enumerate(zip(self._places, self._sizes, strict=True)):
            decode(self._read(place, min(size, BYTES * self._words)), firsts[i : i + 1])
        return firsts

    def _frames(self, first: int, end: int) -> Keys:
        """Return all keys of some frames."""
        starts = self._starts[first : end + 1] - self._starts[first]
        keys = np.empty((int(starts[-1]), self._words), np.uint64)
        for i in range(first, end):
            part = keys[starts[i - first] : starts[i - first + 1]]
            decode(self._read(self._places[i], self._sizes[i]), part)
        return keys

    def _read(self, place: int, size: int) -> np.ndarray[tuple[int], np.dtype[np.uint8]]:
        self._stream.seek(place)
        return np.frombuffer(self._stream.read(size), np.uint8)


def rows_between(
    files: Iterable[Path], words: int, low: Sequence[int] | None, high: Sequence[int] | None
) -> Iterator[Keys]:
    """Yield what lies between two keys in each of some files; see `KeyFile.between`."""
    for file in files:
        with KeyFile(file, words) as keys:
            yield keys.between(low, high)
