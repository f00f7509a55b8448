"""A table of values: in memory, or a file that is mapped and not loaded.

In: sorted keys and what they are worth. Out: a `Table` that is asked by state. A file begins with
a line and a header in JSON (the digest of the rules among it), then the arrays lie as they are,
each at a multiple of 64 bytes; asking for a state reads a few pages.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from numpy.typing import NDArray

from gdl._files import replaced
from gdl.language.diagnostics import GdlError
from gdl.language.terms import Term
from gdl.solve.names import ENDLESS, UNDECIDED

if TYPE_CHECKING:
    from gdl.game import Game
    from gdl.state import State

MAGIC: Final = b"gdl-table-1\n"
"""First bytes of a file; changes with the format."""
ALIGNMENT: Final = 64


class TableError(GdlError):
    """A file is no table, or one of other rules; or a state is not in a table."""


@dataclass(frozen=True, slots=True)
class Value:
    """What a state is worth under best play of all.

    Attributes:
        goals: The goal of each role by its name, a mean where nature draws or roles mix their
            moves; None for a role alone that can reach no end.
        distance: Moves to the end: the winner hurries, the loser delays; where nature draws or
            several choose at once, of the longest play; None where play never ends.
        is_endless: Whether play never ends when the value is kept.
        is_tied: Whether a mover had moves as good for itself that give others other goals.
    """

    goals: dict[str, float | None]
    distance: int | None
    is_endless: bool = False
    is_tied: bool = False

    def __str__(self) -> str:
        """Return it as words: ``white 100, black 0, in 7 moves``."""
        goals = ", ".join(f"{role} {_number(goal)}" for role, goal in self.goals.items())
        if self.is_endless:
            return f"{goals}, play never ends"
        moves = "move" if self.distance == 1 else "moves"
        how = "over" if self.distance == 0 else f"in {self.distance} {moves}"
        return f"{goals}, {how}" + (", ties" if self.is_tied else "")


def _number(goal: float | None) -> str:
    return "none" if goal is None else f"{goal:g}"


@dataclass(frozen=True, slots=True)
class Head:
    """What a file says before its arrays.

    Attributes:
        game: Id of the game, or path of its file.
        digest: Of its rules.
        roles: The roles in order.
        goals: Goal values of each role, rising.
        total: Sum of the goals, where two roles share it and values are places of the first
            role's goals; None for one role, and where means are kept.
        fields: How a state is written: lowest bit, whether one of the members always holds, and
            the members as KIF text.
        derived: Facts that follow from those of the fields, and are in no key.
        words: Words of a key.
        layers: First row of each layer, and the end; rows of a layer are sorted.
    """

    game: str
    digest: str
    roles: tuple[str, ...]
    goals: tuple[tuple[int, ...], ...]
    total: int | None
    fields: tuple[tuple[int, bool, tuple[str, ...]], ...]
    derived: frozenset[str]
    words: int
    layers: tuple[int, ...]


class Table:
    """Values of all positions of a game.

    Attributes:
        head: What it is of.
        keys: The positions, ``uint64[N, words]``, sorted within each layer.
        values: Places of the first role's goal, ``uint8[N]``, or goals, ``float64[N, roles]``.
        distances: Moves to the end, ``int16[N]``; -1 where play never ends.
        tied: Where ties were, ``bool[N]``; no rows where values are places.
    """

    def __init__(
        self,
        head: Head,
        keys: NDArray[np.uint64],
        values: NDArray[Any],
        distances: NDArray[np.int16],
        tied: NDArray[np.bool_],
    ) -> None:
        """Keep the arrays."""
        self.head = head
        self.keys, self.values, self.distances, self.tied = keys, values, distances, tied
        self._texts: dict[Term | str, str] = {}
        self._game: Game | None = None

    def __len__(self) -> int:
        """Return how many positions there are."""
        return len(self.keys)

    @cached_property
    def _places(self) -> dict[str, tuple[int, int]]:
        """For each fact its field, and what it adds to the key."""
        return {
            fact: (number, (place + (not is_exact)) << start)
            for number, (start, is_exact, members) in enumerate(self.head.fields)
            for place, fact in enumerate(members)
        }

    def check(self, game: Game) -> None:
        """Refuse a game that is not the one of this table.

        Raises:
            TableError: The rules are others.
        """
        if game is self._game:
            return
        if game.ruleset.digest() != self.head.digest:
            raise TableError(
                f"this table is of other rules than {game.id}",
                expected=f"the rules of {self.head.game}, digest {self.head.digest[:16]}",
                help=f"solve the game as it is now: gdl solve {game.id} -o FILE",
            )
        self._game = game

    def find(self, facts: Iterable[Term | str]) -> int:
        """Return the row of the state in which exactly these facts hold, -1 where there is none.

        Cost O(facts), and O(log N) in each layer.
        """
        total = 0
        filled: set[int] = set()
        known = self._texts
        texts = {known.get(fact) or known.setdefault(fact, str(fact)) for fact in facts}
        for text in texts:
            place = self._places.get(text)
            if place is None and text in self.head.derived:
                continue
            if place is None or place[0] in filled:
                return -1
            filled.add(place[0])
            total |= place[1]
        if any(is_exact and i not in filled for i, (_, is_exact, _) in enumerate(self.head.fields)):
            return -1
        key = [total >> 64 * i & (1 << 64) - 1 for i in range(self.head.words)]
        layers = self.head.layers
        for start, stop in pairwise(layers):
            row = start + row_of(self.keys[start:stop], key)
            if row < stop and all(int(a) == b for a, b in zip(self.keys[row], key, strict=True)):
                return row
        return -1

    def value(self, state: State) -> Value:
        """Return what a state is worth.

        Raises:
            TableError: It is of other rules, or play does not lead to it.
        """
        self.check(state.game)
        row = self.find(state.facts)
        if row < 0:
            raise TableError(
                "this state is not in the table",
                expected="a state that play from the beginning leads to",
            )
        return self.at(row)

    def at(self, row: int) -> Value:
        """Return what the position of a row is worth."""
        roles, distance = self.head.roles, int(self.distances[row])
        if self.values.ndim > 1:
            goals: list[float | None] = [_whole(goal) for goal in self.values[row].tolist()]
            tied = bool(self.tied[row])
            return Value(dict(zip(roles, goals, strict=True)), distance, is_tied=tied)
        place, total = int(self.values[row]), self.head.total
        if place == UNDECIDED:
            half = None if total is None else _whole(total / 2)
            return Value(dict.fromkeys(roles, half), None, is_endless=True)
        first = self.head.goals[0][place]
        goals = [first] if total is None else [first, total - first]
        assert distance != ENDLESS
        return Value(dict(zip(roles, goals, strict=True)), distance)

    def save(self, file: str | os.PathLike[str]) -> None:
        """Write the table; whoever looks sees the old file or the whole new one.

        Raises:
            OSError: The file cannot be written.
        """
        arrays = (
            ("keys", self.keys),
            ("values", self.values),
            ("distances", self.distances),
            ("tied", self.tied),
        )
        write_table(file, self.head, [(name, a.dtype, a.shape, [a]) for name, a in arrays])


def write_table(
    file: str | os.PathLike[str],
    head: Head,
    arrays: Sequence[tuple[str, np.dtype[Any], tuple[int, ...], Iterable[NDArray[Any]]]],
) -> None:
    """Write a table of arrays, each given by name, type, shape and its parts in order.

    Raises:
        OSError: The file cannot be written.
    """
    said = {
        **asdict(head),
        "derived": sorted(head.derived),
        "arrays": [[name, kind.str, shape] for name, kind, shape, _ in arrays],
    }
    text = json.dumps(said).encode()
    with replaced(Path(file)) as out:
        out.write(MAGIC + len(text).to_bytes(8, "little") + text)
        for _, _, _, parts in arrays:
            out.write(b"\0" * (-out.tell() % ALIGNMENT))
            for part in parts:
                np.ascontiguousarray(part).tofile(out)
                out.seek(0, os.SEEK_END)


def open_table(file: str | os.PathLike[str]) -> Table:
    """Map a table; nothing is read but its head.

    Raises:
        OSError: The file cannot be read.
        TableError: It is no table, or not a whole one.
    """
    path = Path(file)
    size = path.stat().st_size
    try:
        with path.open("rb") as stream:
            if stream.read(len(MAGIC)) != MAGIC:
                raise ValueError  # noqa: TRY301  # all that is wrong is said in one way
            length = int.from_bytes(stream.read(8), "little")
            if length > size:
                raise ValueError  # noqa: TRY301
            said = json.loads(stream.read(length))
            at = stream.tell()
        arrays: dict[str, NDArray[Any]] = {}
        for name, kind, shape in said["arrays"]:
            at += -at % ALIGNMENT
            dtype, bytes_ = np.dtype(kind), int(np.prod(shape)) * np.dtype(kind).itemsize
            if at + bytes_ > size:
                raise ValueError  # noqa: TRY301
            arrays[name] = (
                np.memmap(path, dtype, "r", at, tuple(shape))
                if bytes_
                else np.zeros(tuple(shape), dtype)
            )
            at += bytes_
        head = Head(
            said["game"],
            said["digest"],
            tuple(said["roles"]),
            tuple(map(tuple, said["goals"])),
            said["total"],
            tuple((start, exact, tuple(members)) for start, exact, members in said["fields"]),
            frozenset(said["derived"]),
            said["words"],
            tuple(said["layers"]),
        )
        return Table(head, arrays["keys"], arrays["values"], arrays["distances"], arrays["tied"])
    except (ValueError, KeyError, TypeError) as error:
        raise TableError(
            f"{path} is no table of values, or a part of one",
            expected="a file that gdl solve -o wrote",
        ) from error


def _whole(goal: float) -> float:
    return int(goal) if float(goal).is_integer() else goal


def row_of(keys: NDArray[np.uint64], key: Sequence[int]) -> int:
    """Return the first row of sorted keys that is not below a key. Cost O(log N)."""
    if len(key) == 1:
        return int(np.searchsorted(keys[:, 0], np.uint64(key[0])))
    low, high = 0, len(keys)
    wanted = list(key)[::-1]
    while low < high:
        middle = (low + high) // 2
        if keys[middle].tolist()[::-1] < wanted:
            low = middle + 1
        else:
            high = middle
    return low
