"""Layers on disk: for games whose positions are more than memory holds.

In: `Positions` of a game that is played layer by layer, and a folder. Out: a table in that folder.
All work is cut into tasks, each of which writes one file beside its place and renames it: a run of
sorted keys, a range of a layer merged from its runs, a part of the values. A file that is there is
done; so a process that was killed at any moment begins again where it was and loses one task at
most, and what comes out is the same to the last byte, whoever did which task
(`gdl.solve.task_workers`).

What lies in the folder: ``head.json`` (of which rules, and how states are written),
``NNNN.run-FROM-TO`` (what follows from these rows of a layer), ``NNNN.range-I-OF`` (a part of all
that follows), ``NNNN.keys-z`` (a layer), ``NNNN.part-FROM-TO`` (values and distances of these
rows), ``NNNN.values``, ``NNNN.distances``, ``table``. Keys are sorted everywhere, and written as
differences (`gdl.solve.compression`); the frames of the ranges, one behind the other, are those of
the layer. Rows of such a file can be read without the rest (`gdl.solve.key_file`), but to find a
state in it all of it is needed: so the one layer in which states that follow are looked for is
unpacked as ``NNNN.keys``, for so long. Values are written as they are while they are looked at,
and then until the table is made in fewer bytes, as ``NNNN.values-z``. All of these begin with
``NNNN-GUESS``, a name for how states are written: whoever guesses otherwise, has found other
symmetries in the time that there is, or still works by an earlier guess, writes where nobody reads.

Several processes may lead the work by mistake, and one of them be further on. So nobody believes
that all parts of a layer are there because he waited for them: before they are put together it is
asked that they are of all its rows.

Source: external sorting with runs as in Korf, "Linear-time Disk-Based Implicit Graph Search",
JACM 2008; Edelkamp, Sanders, Simecek, "Semi-External LTL Model Checking", CAV 2008.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, NamedTuple
from uuid import uuid4
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from gdl.solve.compression import grow, grow_keys, rows_in, shrink, shrink_keys
from gdl.solve.key_file import KeyFile, rows_between
from gdl.solve.layers import Ends, next_run, value_layer
from gdl.solve.positions import Positions
from gdl.solve.sorting import Keys, in_order
from gdl.solve.table import Head, Room, write_table

PART: Final = 1 << 20
"""States whose values are one task."""
ROWS: Final = 1 << 20
"""States from which one task goes on."""

TABLE: Final = "table"
FOLDED: Final = "-z"
"""Ends the name of a file in fewer bytes."""
KINDS: Final = {"values": np.uint8, "distances": np.int16}
"""What is folded, and what it is made of."""
GATHERED: Final = 1 << 20
"""Bytes that are written at a time, about."""

OUTCOMES: Final[dict[str, Callable[[int], tuple[int, str]]]] = {
    "run": lambda depth: (depth + 1, "keys"),
    "range": lambda depth: (depth, "keys"),
    "part": lambda depth: (depth, "distances"),
}
"""What of which layer is there once all tasks of a kind are done and put together."""


class Task(NamedTuple):
    """What one process does at a time; done twice, it writes the same files.

    Attributes:
        what: ``run`` (what follows from some rows), ``range`` (a part of a layer, merged from its
            runs) or ``part`` (values of some rows).
        depth: The layer of the rows; of a range, the layer that comes of it.
        start: The first row; of a range, its number.
        stop: The row after the last; how many ranges there are.
        filled: See ``depth`` of `Positions.following`; of a range, what its bounds add up to.
    """

    what: str
    depth: int
    start: int
    stop: int
    filled: int = -1


@dataclass(frozen=True, slots=True)
class Tools:
    """What tasks are done with.

    Attributes:
        positions: The game.
        ends: See `gdl.solve.layers`.
        sides: For each value whom it wins for.
        held: States of a run, about; memory is some times as many keys.
    """

    positions: Positions
    ends: Ends
    sides: NDArray[np.int8]
    held: int


Crew = Callable[[list[Task]], None]
"""Does tasks, in any order and anywhere; returns when all are done."""


@dataclass(frozen=True, slots=True)
class Folder:
    """Where the files are.

    Attributes:
        path: The folder.
        words: Words of a key.
        room: Asked before each file.
        guess: A name for how states are written; files of another one are not looked at.
    """

    path: Path
    words: int
    room: Room
    guess: str = ""

    def keys(self, depth: int) -> Keys:
        """Map the sorted keys of a layer, which must be unpacked."""
        return self._map(self._file(depth, "keys"), np.uint64).reshape(-1, self.words)

    def values(self, depth: int) -> tuple[NDArray[np.uint8], NDArray[np.int16]]:
        """Map the values and distances of a layer; of the one after the last, nothing."""
        if not len(self.keys(depth)):
            return np.zeros(0, np.uint8), np.zeros(0, np.int16)
        return (
            self._map(self._file(depth, "values"), np.uint8),
            self._map(self._file(depth, "distances"), np.int16),
        )

    def rows(self, depth: int) -> int:
        """Return how many states a layer has."""
        return rows_in(self._packed(depth))

    def begin(self, initial: Keys) -> None:
        """Write the first layer."""
        if not self._packed(0).exists():
            self._write(self._packed(0), shrink_keys(initial))

    def grow(self, crew: Crew, depth: int, count: int, ranges: Callable[[int], int]) -> int:
        """Write the layer after one; return how many states it has.

        Args:
            crew: Does tasks.
            depth: The layer that is there.
            count: See `Positions.following`.
            ranges: In how many parts so many keys are merged.
        """
        whole, after = self._packed(depth + 1), depth + 1
        if not whole.exists():
            rows = self.rows(depth)
            starts = range(0, rows, ROWS)
            crew([Task("run", depth, a, min(a + ROWS, rows), count) for a in starts])
            merging = self._merging(after, ranges)
            crew(merging)
            # Frames are read by themselves, so those of a layer are those of its ranges.
            self._write(whole, (self._map(self._of(task), np.uint8) for task in merging))
        for what in ("run", "range"):
            for _, _, file in self._done(after, what):
                file.unlink(missing_ok=True)
        return self.rows(after)

    def left(self, tasks: Iterable[Task]) -> list[Task]:
        """Return those of some tasks that are not done."""
        over = {
            (task.what, task.depth): self._is_there(*OUTCOMES[task.what](task.depth))
            for task in tasks
        }
        runs = {
            task.depth: [(start, stop) for start, stop, _ in self._done(task.depth + 1, "run")]
            for task in tasks
            if task.what == "run"
        }
        return [
            task
            for task in tasks
            if not over[task.what, task.depth]
            and not (
                covers(runs[task.depth], task.start, task.stop)
                if task.what == "run"
                else self._of(task).exists()
            )
        ]

    def _of(self, task: Task) -> Path:
        """Return the file of a range or of a part."""
        cut = f"-{task.filled:08x}" if task.what == "range" else ""
        return self._file(task.depth, f"{task.what}{cut}-{task.start:012}-{task.stop:012}")

    def do(self, task: Task, tools: Tools) -> None:
        """Do a task, if it is not done; whoever else does it writes the same.

        Raises:
            FileNotFoundError: Somebody else is further on already, and has folded what it needs.
        """
        if task.what == "run":
            self._expand(task, tools)
        elif task.what == "range":
            if not self._of(task).exists():
                self._write(self._of(task), shrink_keys(self._merged(task)))
        else:
            self._value_part(task, tools)

    def _expand(self, task: Task, tools: Tools) -> None:
        """Write runs of what follows from some rows, as long as memory allows."""
        begin = task.start
        for first, last, _ in self._done(task.depth + 1, "run"):
            if first == begin < task.stop:
                begin = last
        layer, done = self._slice(task.depth, begin, task.stop), 0
        while done < len(layer):
            end, keys = next_run(tools.positions, layer, done, task.filled, tools.held)
            rows = f"{begin + done:012}-{begin + end:012}"
            self._write(self._file(task.depth + 1, f"run-{rows}"), shrink_keys(keys))
            done = end

    def _merging(self, depth: int, ranges: Callable[[int], int]) -> list[Task]:
        """Return the tasks that merge the runs of a layer."""
        runs = self._runs(depth)
        parts = ranges(sum(map(rows_in, runs)) * 8 * self.words)
        cut = crc32(self._bounds(runs, parts).tobytes())
        return [Task("range", depth, i, parts, cut) for i in range(parts)]

    def _merged(self, task: Task) -> Keys:
        """Return a range of the keys of all runs of a layer, sorted and each once."""
        runs = self._runs(task.depth)
        bounds = self._bounds(runs, task.stop)
        if crc32(bounds.tobytes()) != task.filled:
            raise self._gone(task.depth, "run")
        marks = [None, *bounds.tolist(), None]
        parts = list(rows_between(runs, self.words, marks[task.start], marks[task.start + 1]))
        return in_order(np.concatenate(parts)) if parts else np.zeros((0, self.words), np.uint64)

    def _bounds(self, runs: list[Path], parts: int) -> Keys:
        """Return where the ranges begin that runs are merged in, but for the first.

        Every so many keys of the longest run begin one: what is below a bound in each run is found
        by halving, so no more than a range is in memory. Ranges fit together by the same bounds
        alone, so whoever makes one must find those that the others have (`Task.filled`): a process
        that somebody took for dead may have written a run meanwhile.
        """
        if not runs or parts == 1:
            return np.zeros((0, self.words), np.uint64)
        with KeyFile(max(runs, key=rows_in), self.words) as longest:
            return longest.at([longest.rows * i // parts for i in range(1, parts)])

    def value(self, crew: Crew, depth: int) -> None:
        """Write values and distances of a layer, those of the next being there."""
        if not self._is_there(depth, "distances"):
            self._unpack(depth + 1)
            self._value(crew, depth)
        for what in KINDS:
            self._fold(depth + 1, what)
        self._file(depth + 1, "keys").unlink(missing_ok=True)

    def _value(self, crew: Crew, depth: int) -> None:
        rows = self.rows(depth)
        crew([Task("part", depth, a, min(a + PART, rows)) for a in range(0, rows, PART)])
        parts = self._done(depth, "part")
        if [row for start, stop, _ in parts for row in (start, stop)] != [
            row for start in range(0, rows, PART) for row in (start, min(start + PART, rows))
        ]:
            raise self._gone(depth, "part")
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
            file.unlink(missing_ok=True)

    def _value_part(self, task: Task, tools: Tools) -> None:
        depth, start, stop = task.depth, task.start, task.stop
        if not self._of(task).exists():
            some = value_layer(
                tools.positions,
                self._slice(depth, start, stop),
                self.keys(depth + 1),
                self.values(depth + 1),
                tools.ends,
                tools.sides,
                _go_on,
            )
            self._write(self._of(task), [some[0], some[1]])

    def save(self, head: Head, layers: int) -> Path:
        """Write the table of so many layers; return its file."""
        table = self.path / TABLE
        if not table.exists():
            total = head.layers[-1]
            key, value = np.dtype(np.uint64), np.dtype(np.uint8)
            distance, tie = np.dtype(np.int16), np.dtype(np.bool_)
            depths = range(layers)
            write_table(
                table,
                head,
                [
                    ("keys", key, (total, self.words), self._all(depths, "keys", key)),
                    ("values", value, (total,), self._all(depths, "values", value)),
                    ("distances", distance, (total,), self._all(depths, "distances", distance)),
                    ("tied", tie, (0,), ()),
                ],
                room=self.room,
            )
        return table

    def _is_there(self, depth: int, what: str) -> bool:
        """Return whether a part of a layer is done, folded or not."""
        return any(self._file(depth, what + form).exists() for form in ("", FOLDED))

    def _fold(self, depth: int, what: str) -> None:
        """Write a part of a layer in fewer bytes, in the place of what was there."""
        plain, folded = self._file(depth, what), self._file(depth, what + FOLDED)
        if not plain.exists():
            return
        if not folded.exists():
            self._write(folded, shrink(self._map(plain, KINDS[what])))
        plain.unlink(missing_ok=True)

    def _unpack(self, depth: int) -> None:
        """Write the keys of a layer as they are looked at; what takes fewer bytes stays beside."""
        plain = self._file(depth, "keys")
        if not plain.exists():
            self._write(plain, grow_keys(self._packed(depth), self.words))

    def _slice(self, depth: int, start: int, stop: int) -> Keys:
        """Return the keys of some rows of a layer."""
        with KeyFile(self._packed(depth), self.words) as keys:
            return keys.slice(start, stop)

    def _all(self, depths: Iterable[int], what: str, kind: np.dtype[Any]) -> Iterator[NDArray[Any]]:
        """Yield a part of all layers, one after the other."""
        for depth in depths:
            folded = self._file(depth, what + FOLDED)
            if not folded.exists():
                yield self._map(self._file(depth, what), kind)
            elif what == "keys":
                yield from grow_keys(folded, self.words)
            else:
                yield from grow(folded, kind)

    def tidy(self) -> None:
        """Remove files that a killed process left half written; while nobody else is at work."""
        for file in self.path.glob(".[0-9]*.*"):
            file.unlink(missing_ok=True)

    def clear(self) -> None:
        """Remove what was written by this guess, which was wrong."""
        for file in self.path.glob(f"[0-9]*{self._suffix}.*"):
            file.unlink(missing_ok=True)

    def _packed(self, depth: int) -> Path:
        """Return the file of the keys of a layer."""
        return self._file(depth, "keys" + FOLDED)

    def _file(self, depth: int, what: str) -> Path:
        return self.path / f"{depth:04}{self._suffix}.{what}"

    @property
    def _suffix(self) -> str:
        """What stands behind the number of a layer."""
        return f"-{self.guess}" if self.guess else ""

    def _runs(self, depth: int) -> list[Path]:
        """Return the runs that a layer is merged from: of all rows of the one before.

        Raises:
            FileNotFoundError: Some are not there any more.
        """
        runs = self._done(depth, "run")
        if not covers([(start, stop) for start, stop, _ in runs], 0, self.rows(depth - 1)):
            raise self._gone(depth, "run")
        return [file for _, _, file in runs]

    def _gone(self, depth: int, what: str) -> FileNotFoundError:
        return FileNotFoundError(
            f"{self._file(depth, what)}-*: some are gone: another process is further on"
        )

    def _done(self, depth: int, what: str) -> list[tuple[int, int, Path]]:
        """Return the runs or parts of a layer that are there, in order."""
        parts = []
        for file in sorted(self.path.glob(f"{depth:04}{self._suffix}.{what}-*")):
            _, start, stop = file.name.rsplit("-", 2)
            parts.append((int(start), int(stop), file))
        return parts

    def _map(self, file: Path, kind: Any) -> NDArray[Any]:  # noqa: ANN401  # a type of numpy
        """Map a file; pages that loops would write to are copies of their own."""
        if file.stat().st_size == 0:
            return np.zeros(0, kind)
        return np.asarray(np.memmap(file, kind, "c"))

    def _write(self, file: Path, arrays: Iterable[NDArray[Any]]) -> None:
        """Write arrays one after the other; the file is there when it is whole."""
        beside = file.with_name(f".{file.name}.{uuid4().hex}")  # of this machine or another
        try:
            with beside.open("wb") as out:
                for some in _gathered(arrays):
                    self.room(sum(array.nbytes for array in some))
                    for array in some:
                        # tofile may not say of a full disk
                        out.write(np.ascontiguousarray(array).data)
                    out.flush()  # whoever asks for room counts what is written
                os.fsync(out.fileno())
            beside.replace(file)
        except BaseException:
            beside.unlink(missing_ok=True)
            raise


def covers(parts: Iterable[tuple[int, int]], start: int, stop: int) -> bool:
    """Return whether parts, from a row to before another, are of all rows of a range."""
    for first, last in sorted(parts):
        if first <= start:
            start = max(start, last)
    return start >= stop


def _gathered(arrays: Iterable[NDArray[Any]]) -> Iterator[list[NDArray[Any]]]:
    """Yield arrays together that are small; what they come to is asked for once."""
    some: list[NDArray[Any]] = []
    for array in arrays:
        some.append(array)
        if sum(each.nbytes for each in some) >= GATHERED:
            yield some
            some = []
    yield some


def _go_on(done: int) -> None:
    del done
