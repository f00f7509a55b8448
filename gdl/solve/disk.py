"""Layers on disk: for games whose positions are more than memory holds.

In: `Positions` of a game that is played layer by layer, and a folder. Out: a table in that folder.
All work is cut into tasks, each of which writes one file beside its place and renames it: a run of
sorted keys, a layer merged from its runs, a part of the values. A file that is there is done; so a
process that was killed at any moment begins again where it was and loses one task at most, and what
comes out is the same to the last byte.

What lies in the folder: ``head.json`` (of which rules, and how states are written),
``NNNN.run-FROM-TO`` (what follows from these rows of a layer), ``NNNN.keys``, ``NNNN.part-FROM-TO``
(values and distances of these rows), ``NNNN.values``, ``NNNN.distances``, ``table``.

Source: external sorting with runs as in Korf, "Linear-time Disk-Based Implicit Graph Search",
JACM 2008; Edelkamp, Sanders, Simecek, "Semi-External LTL Model Checking", CAV 2008.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from gdl.solve.layers import Ends, next_run, value_layer
from gdl.solve.positions import Positions
from gdl.solve.sorting import Keys, in_order
from gdl.solve.table import Head, row_of, write_table

PART: Final = 1 << 22
"""States whose values are one task."""

Room = Callable[[int], None]
"""Told how many bytes are to be written; raises where the disk may not hold them."""


@dataclass(frozen=True, slots=True)
class Folder:
    """Where the files are.

    Attributes:
        path: The folder.
        words: Words of a key.
        room: Asked before each file.
    """

    path: Path
    words: int
    room: Room

    def keys(self, depth: int) -> Keys:
        """Map the sorted keys of a layer."""
        return self._map(self._file(depth, "keys"), np.uint64).reshape(-1, self.words)

    def values(self, depth: int) -> tuple[NDArray[np.uint8], NDArray[np.int16]]:
        """Map the values and distances of a layer; of the one after the last, nothing."""
        return (
            self._map(self._file(depth, "values"), np.uint8),
            self._map(self._file(depth, "distances"), np.int16),
        )

    def begin(self, initial: Keys) -> None:
        """Write the first layer."""
        if not self._file(0, "keys").exists():
            self._write(self._file(0, "keys"), [initial])

    def grow(self, positions: Positions, depth: int, count: int, held: int) -> int:
        """Write the layer after one; return how many states it has.

        Args:
            positions: The game.
            depth: The layer that is there.
            count: See `Positions.following`.
            held: States of a run, about; memory is some times as many keys.
        """
        whole = self._file(depth + 1, "keys")
        if not whole.exists():
            layer = self.keys(depth)
            runs = self._done(depth + 1, "run")
            start = runs[-1][1] if runs else 0
            while start < len(layer):
                stop, keys = next_run(positions, layer, start, count, held)
                self._write(self._file(depth + 1, f"run-{start:012}-{stop:012}"), [keys])
                start = stop
            self._write(whole, self._merged(depth + 1, held))
        for _, _, file in self._done(depth + 1, "run"):
            file.unlink()
        return len(self.keys(depth + 1))

    def _merged(self, depth: int, held: int) -> Iterator[Keys]:
        """Yield all keys of the runs of a layer, sorted and each once, range by range."""
        runs = [
            self._map(file, np.uint64).reshape(-1, self.words)
            for _, _, file in self._done(depth, "run")
        ]
        longest = max(runs, key=len, default=np.zeros((0, self.words), np.uint64))
        ranges = max(1, -(-sum(map(len, runs)) // held))
        # Every so many keys of the longest run begin a range: what is below a bound in each run is
        # found by halving, so no more than a range is in memory.
        bounds = [longest[len(longest) * i // ranges] for i in range(1, ranges)]
        starts = [0] * len(runs)
        for bound in [*bounds, None]:
            stops = [len(run) if bound is None else row_of(run, bound.tolist()) for run in runs]
            parts = [run[a:b] for run, a, b in zip(runs, starts, stops, strict=True)]
            yield in_order(np.concatenate(parts)) if parts else longest
            starts = stops

    def value(self, positions: Positions, depth: int, ends: Ends, sides: NDArray[np.int8]) -> None:
        """Write values and distances of a layer, those of the next being there."""
        if self._file(depth, "distances").exists():
            return
        layer, following, known = self.keys(depth), self.keys(depth + 1), self.values(depth + 1)
        for start in range(0, len(layer), PART):
            stop = min(start + PART, len(layer))
            part = self._file(depth, f"part-{start:012}-{stop:012}")
            if not part.exists():
                some = value_layer(
                    positions, layer[start:stop], following, known, ends, sides, _go_on
                )
                self._write(part, [some[0], some[1]])
        parts = self._done(depth, "part")
        self._write(
            self._file(depth, "values"),
            (self._map(file, np.uint8)[: stop - start] for start, stop, file in parts),
        )
        # The file of distances is the last: once it is there, so are the values.
        self._write(
            self._file(depth, "distances"),
            (self._map(file, np.uint8)[stop - start :] for start, stop, file in parts),
        )
        for _, _, file in parts:
            file.unlink()

    def save(self, head: Head, layers: int) -> Path:
        """Write the table of so many layers; return its file."""
        table = self.path / "table"
        if not table.exists():
            total = head.layers[-1]
            key, value = np.dtype(np.uint64), np.dtype(np.uint8)
            distance, tie = np.dtype(np.int16), np.dtype(np.bool_)
            depths = range(layers)
            self.room(total * (8 * self.words + 3))
            write_table(
                table,
                head,
                [
                    ("keys", key, (total, self.words), (self.keys(d) for d in depths)),
                    ("values", value, (total,), (self.values(d)[0] for d in depths)),
                    ("distances", distance, (total,), (self.values(d)[1] for d in depths)),
                    ("tied", tie, (0,), ()),
                ],
            )
        return table

    def clear(self) -> None:
        """Remove what was written under a guess that was wrong."""
        for file in self.path.glob("[0-9]*.*"):
            file.unlink()

    def _file(self, depth: int, what: str) -> Path:
        return self.path / f"{depth:04}.{what}"

    def _done(self, depth: int, what: str) -> list[tuple[int, int, Path]]:
        """Return the runs or parts of a layer that are there, in order."""
        found = []
        for file in sorted(self.path.glob(f"{depth:04}.{what}-*")):
            _, start, stop = file.name.rsplit("-", 2)
            found.append((int(start), int(stop), file))
        return found

    def _map(self, file: Path, kind: Any) -> NDArray[Any]:  # noqa: ANN401  # a type of numpy
        """Map a file; pages that loops would write to are copies of their own."""
        if not file.exists() or file.stat().st_size == 0:
            return np.zeros(0, kind)
        return np.asarray(np.memmap(file, kind, "c"))

    def _write(self, file: Path, arrays: Iterable[NDArray[Any]]) -> None:
        """Write arrays one after the other; the file is there when it is whole."""
        beside = file.with_name(f".{file.name}")
        with beside.open("wb") as out:
            for array in arrays:
                self.room(array.nbytes)
                np.ascontiguousarray(array).tofile(out)
            out.flush()
            os.fsync(out.fileno())
        beside.replace(file)


def _go_on(done: int) -> None:
    del done
