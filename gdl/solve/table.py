"""A table of values: in memory, or a file that is mapped and not loaded.

In: sorted keys and what they are worth. Out: a `Table` that is asked by state. A file begins with
a line and a header in JSON (the digest of the rules among it), then the arrays lie as they are,
each at a multiple of 64 bytes; asking for a state reads a few pages.
"""

from __future__ import annotations

import json
import math
import os
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import asdict, dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from numpy.typing import NDArray

from gdl._files import replaced
from gdl.language.diagnostics import GdlError
from gdl.language.keywords import RANDOM
from gdl.language.terms import Term
from gdl.solve.group import Action, Place
from gdl.solve.sentinels import ENDLESS, UNDECIDED

if TYPE_CHECKING:
    from gdl.game import Game
    from gdl.state import State

MAGIC: Final = b"gdl-table-2\n"
"""First bytes of a file; changes with the format."""
ALIGNMENT: Final = 64
WORD: Final = 64
GAP: Final = 32
"""Bits between a key and the marks of its fields: sums of facts do not come so far."""

Room = Callable[[int], None]
"""Told how many bytes are to be written; raises where the disk may not hold them."""


class TableError(GdlError):
    """A file is no table, or one of other rules; or a state is not in a table."""


@dataclass(frozen=True, slots=True)
class Value:
    """What a state is worth under best play of all.

    Attributes:
        goals: The goal of each role but nature by its name, a mean where nature draws or roles
            mix their moves; None for a role alone that can reach no end.
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
        words: Words of a key.
        layers: First row of each layer, and the end; rows of a layer are sorted.
        symmetries: Renamings of facts under which the game is the same, each as pairs of a fact
            and its image where these differ. What they generate takes a position to others that
            are worth the same; the table holds that of the least key.
    """

    game: str
    digest: str
    roles: tuple[str, ...]
    goals: tuple[tuple[int, ...], ...]
    total: int | None
    fields: tuple[tuple[int, bool, tuple[str, ...]], ...]
    words: int
    layers: tuple[int, ...]
    symmetries: tuple[tuple[tuple[str, str], ...], ...] = ()

    @property
    def places(self) -> list[Place]:
        """The fields as a group acts on them."""
        return [Place(start, is_exact, len(members)) for start, is_exact, members in self.fields]

    def action(self) -> Action | None:
        """Return how the symmetries act on keys, None where there are none."""
        if not self.symmetries:
            return None
        facts = [fact for _, _, members in self.fields for fact in members]
        number = {fact: i for i, fact in enumerate(facts)}
        generators = [
            tuple(number[image.get(fact, fact)] for fact in facts)
            for image in map(dict, self.symmetries)
        ]
        return Action(self.places, self.words, generators)


class Table:
    """Values of all positions of a game.

    Attributes:
        head: What it is of.
        keys: The positions, ``uint64[N, words]``, sorted within each layer.
        values: Places of the first role's goal, ``uint8[N]``, or goals, ``float64[N, roles]``.
        distances: Moves to the end, ``int16[N]``, or ``int32[N]`` where one is beyond that;
            -1 where play never ends.
        tied: Where ties were, ``bool[N]``; no rows where values are places.
    """

    def __init__(
        self,
        head: Head,
        keys: NDArray[np.uint64],
        values: NDArray[Any],
        distances: NDArray[np.int16] | NDArray[np.int32],
        tied: NDArray[np.bool_],
    ) -> None:
        """Keep the arrays."""
        self.head = head
        self.keys, self.values, self.distances, self.tied = keys, values, distances, tied
        self._last = 0
        self._game: Game | None = None

    def __len__(self) -> int:
        """Return how many positions are kept: one of each orbit, where there are symmetries."""
        return len(self.keys)

    @cached_property
    def action(self) -> Action | None:
        """How the symmetries act on keys."""
        return self.head.action()

    @cached_property
    def positions(self) -> int:
        """How many positions play leads to, those that symmetries make of others among them.

        Cost O(N * symmetries), once.
        """
        if self.action is None:
            return len(self)
        from gdl.solve.orbits import count_orbits

        return int(count_orbits(self.keys, self.action.chunks, self.action.tables))

    @cached_property
    def _weights(self) -> dict[Term | str, int]:
        """What each fact adds to the key, and far above that a mark for its field.

        Marks of two facts of one field carry, so that there are fewer of them than facts.
        """
        first = WORD * self.head.words + GAP
        weights: dict[Term | str, int] = {}
        for number, (start, is_exact, members) in enumerate(self.head.fields):
            for place, fact in enumerate(members):
                weights[fact] = ((place + (not is_exact)) << start) + (1 << first + number)
        return weights

    @cached_property
    def _musts(self) -> int:
        """The marks of fields of which one member always holds."""
        return sum(1 << i for i, (_, is_exact, _) in enumerate(self.head.fields) if is_exact)

    @cached_property
    def _columns(self) -> list[memoryview]:
        """The words of all keys, the highest first, as what `bisect` reads fastest."""
        return [self.keys[:, i].data for i in reversed(range(self.head.words))]

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
        """Return the row that says what the state is worth in which exactly these facts hold.

        It is that of the state, or of one that a symmetry makes of it; -1 where there is none.
        Cost O(facts), O(symmetries), and O(log N) in each layer: some microseconds.
        """
        key = self.key(facts)
        if key < 0:
            return -1
        return self._row(key if self.action is None else self.action.least(key))

    def key(self, facts: Iterable[Term | str]) -> int:
        """Return the key of the state in which exactly these facts hold, -1 where it has none."""
        weights = self._weights
        distinct = facts if isinstance(facts, AbstractSet) else set(facts)
        total: int = 0
        count = 0
        for fact in distinct:
            weight = weights.get(fact)
            if weight is None:
                # A term is known by its text, and from now on by itself.
                weight = weights.get(str(fact), -1)
                if weight < 0:
                    return -1
                weights[fact] = weight
            total += weight
            count += weight > 0
        marks = total >> WORD * self.head.words + GAP
        if marks.bit_count() != count or marks & self._musts != self._musts:
            return -1
        return total & (1 << WORD * self.head.words) - 1

    def _row(self, key: int) -> int:
        """Return the row of a key, -1 where there is none."""
        words = [key >> WORD * i & (1 << WORD) - 1 for i in reversed(range(self.head.words))]
        layers = self.head.layers
        # Whoever plays asks about one layer after the other, so the last one comes first.
        last = self._last
        for layer in (*range(last, len(layers) - 1), *range(last - 1, -1, -1)):
            low: int = layers[layer]
            high = layers[layer + 1]
            for column, word in zip(self._columns, words, strict=True):
                low = bisect_left(column, word, low, high)
                if low == high or column[low] != word:
                    break
                if column is not self._columns[-1]:
                    high = bisect_right(column, word, low, high)
            else:
                self._last = layer
                return low
        return -1

    def find_keys(self, keys: NDArray[np.uint64]) -> NDArray[np.int64]:
        """Return the row of each of some keys, or of what a symmetry makes of it; -1 for none.

        Cost as that of `find`, at a tenth of a microsecond to some microseconds each.

        Args:
            keys: ``uint64[N, words]``.
        """
        from gdl.solve.orbits import find_rows, make_least

        keys = np.array(keys, np.uint64).reshape(-1, self.head.words)
        if self.action is not None:
            make_least(keys, self.action.chunks, self.action.tables, np.zeros(0, np.int32))
        rows = np.full(len(keys), -1, np.int64)
        find_rows(self.keys, np.array(self.head.layers, np.int64), keys, rows)
        return rows

    def find_states(self, states: NDArray[np.bool_], facts: Sequence[Term]) -> NDArray[np.int64]:
        """Return the row of each of many states, -1 where there is none; see `find`.

        Args:
            states: Which facts hold in each, ``bool[N, facts]``.
            facts: These facts, in order.
        """
        column = {str(fact): i for i, fact in enumerate(facts)}
        keys = np.zeros((len(states), self.head.words), np.uint64)
        is_fit = np.ones(len(states), np.bool_)
        foreign = [i for fact, i in column.items() if fact not in self._weights]
        is_fit &= ~states[:, foreign].any(axis=1)
        for start, is_exact, members in self.head.fields:
            word, shift = divmod(start, WORD)
            held = np.zeros(len(states), np.int64)
            for place, fact in enumerate(members):
                if fact in column:
                    here = states[:, column[fact]]
                    held += here
                    keys[here, word] |= np.uint64((place + (not is_exact)) << shift)
            is_fit &= (held <= 1) & (held >= is_exact)
        return np.where(is_fit, self.find_keys(keys), -1)

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
            mine = {r: g for r, g in zip(roles, goals, strict=True) if r != RANDOM}
            return Value(mine, distance, is_tied=tied)
        place, total = int(self.values[row]), self.head.total
        if place == UNDECIDED:
            half = None if total is None else _whole(total / 2)
            return Value(dict.fromkeys(roles, half), None, is_endless=True)
        first = self.head.goals[0][place]
        goals = [first] if total is None else [first, total - first]
        assert distance != ENDLESS
        return Value(dict(zip(roles, goals, strict=True)), distance)

    def save(self, file: str | os.PathLike[str], *, room: Room | None = None) -> None:
        """Write the table; whoever looks sees the old file or the whole new one.

        Args:
            file: Where to.
            room: See `write_table`.

        Raises:
            OSError: The file cannot be written.
        """
        arrays = (
            ("keys", self.keys),
            ("values", self.values),
            ("distances", self.distances),
            ("tied", self.tied),
        )
        parts = [(name, a.dtype, a.shape, [a]) for name, a in arrays]
        write_table(file, self.head, parts, room=room)


def write_table(
    file: str | os.PathLike[str],
    head: Head,
    arrays: Sequence[tuple[str, np.dtype[Any], tuple[int, ...], Iterable[NDArray[Any]]]],
    *,
    room: Room | None = None,
) -> None:
    """Write a table of arrays, each given by name, type, shape and its parts in order.

    Args:
        file: Where to.
        head: What it says of itself.
        arrays: What is in it.
        room: Told how many bytes the file will have; raises where the disk may not hold them.

    Raises:
        OSError: The file cannot be written.
    """
    said = {
        **asdict(head),
        "arrays": [[name, kind.str, shape] for name, kind, shape, _ in arrays],
    }
    text = json.dumps(said).encode()
    if room is not None:
        size = len(MAGIC) + 8 + len(text)
        for _, kind, shape, _ in arrays:
            size += -size % ALIGNMENT + math.prod(shape) * kind.itemsize
        room(size)
    with replaced(Path(file)) as out:
        out.write(MAGIC + len(text).to_bytes(8, "little") + text)
        for _, _, _, parts in arrays:
            out.write(b"\0" * (-out.tell() % ALIGNMENT))
            for part in parts:
                out.write(np.ascontiguousarray(part).data)  # tofile may not say of a full disk


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
            said["words"],
            tuple(said["layers"]),
            tuple(tuple(map(tuple, moved)) for moved in said["symmetries"]),
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
