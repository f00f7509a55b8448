"""Patterns: all states of some parts together, with the least moves from each to a goal.

In: `Likes` of a phase. Out: tables of states, met breadth-first from the goals. What some parts
need all parts need, so the greatest distance of a pattern is a bound for the search.
"""

# numba finds the types
from __future__ import annotations

from itertools import combinations
from math import comb
from typing import Any, Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from gdl.native.jit import compiled, entry
from gdl.play.anytime import UnsuitedError
from gdl.play.puzzles.subgroups.likes import Likes
from gdl.play.puzzles.subgroups.parts import Ints

ROOM: Final = 1 << 20
"""States of a pattern."""
DIRECT: Final = 1 << 26
"""Pairs of states of which patterns are made, at most."""
MOST_VALUES: Final = 63
"""Values of a part, at most."""
FARTHEST: Final = 255
"""Moves to a goal that a table can tell; what is farther is at least so far, which still bounds."""
NONE: Final = -1


class Masks:
    """The states of parts that are not told apart: which values some of them have.

    Attributes:
        after: The state after each move, ``int32[states, moves]``.
        distance: The least moves to a goal, ``uint8[states]``.
    """

    after: Ints
    distance: NDArray[np.uint8]

    def __init__(self, likes: Likes) -> None:
        """Meet all states breadth-first from the goals.

        Raises:
            UnsuitedError: They are too many.
        """
        self._likes = likes
        count, table = len(likes.members), likes.after
        if len(table) > MOST_VALUES or comb(len(likes.target), count) > ROOM:
            raise UnsuitedError
        # A state is a word: bit v says that some part has the value v. Levels are sorted lists, and
        # a state is new if it is not among those that were met.
        some = np.array(list(combinations(sorted(likes.target), count)), np.uint64)
        level = np.bitwise_or.reduce(np.uint64(1) << some, axis=1)
        levels, seen = [level], np.sort(level)
        while len(level):
            then = np.concatenate([_moved(level, column) for column in table.T])
            place = np.minimum(np.searchsorted(seen, then), len(seen) - 1)
            then = np.sort(then[seen[place] != then])
            level = then[np.append(True, then[1:] != then[:-1])[: len(then)]]
            levels.append(level)
            seen = np.sort(np.concatenate([seen, level]))
            if len(seen) > ROOM:
                raise UnsuitedError
        self._seen = seen
        self.distance = np.empty(len(seen), np.uint8)
        for depth, level in enumerate(levels):
            self.distance[np.searchsorted(seen, level)] = min(depth, FARTHEST)
        self.after = np.stack(
            [np.searchsorted(seen, _moved(seen, column)) for column in table.T], axis=1
        ).astype(np.int32)

    def find(self, values: list[int]) -> int:
        """Return the number of the state in which parts have some values, `NONE` for none."""
        mask = 0
        for part, names in self._likes.members:
            if values[part] not in names:
                return NONE
            mask |= 1 << names[values[part]]
        return _place(self._seen, np.uint64(mask))


class Pair:
    """The states of two patterns together.

    Attributes:
        after: The state after each move, ``int32[states, moves]``.
        distance: The least moves to a goal, ``uint8[states]``.
    """

    after: Ints
    distance: NDArray[np.uint8]

    def __init__(self, first: Pattern, second: Pattern) -> None:
        """Meet all states breadth-first from the goals.

        Raises:
            UnsuitedError: They are too many.
        """
        # What both need together is at least what each needs, and mostly more: the better bound. A
        # state is the number of a pair, and ``index`` finds its row; it is as long as all pairs
        # that could be, of which only those that moves lead to get a row.
        self._first, self._second = first, second
        size = len(first.distance) * len(second.distance)
        if size > DIRECT:
            raise UnsuitedError
        index, room = np.full(size, NONE, np.int32), min(size, ROOM)
        keys, after = np.empty(room, np.int64), np.empty((room, first.after.shape[1]), np.int32)
        distance = np.empty(room, np.uint8)
        n = int(
            meet(
                first.after, second.after, first.distance, second.distance,
                index, keys, after, distance,
            )
        )  # fmt: skip
        if n < 0:
            raise UnsuitedError
        self.after, self.distance = after[:n].copy(), distance[:n].copy()
        self._order = np.argsort(keys[:n])
        self._keys = keys[:n][self._order]

    def find(self, values: list[int]) -> int:
        """Return the number of the state in which parts have some values, `NONE` for none."""
        at, other = self._first.find(values), self._second.find(values)
        if at < 0 or other < 0:
            return NONE
        place = _place(self._keys, np.int64(at * len(self._second.distance) + other))
        return NONE if place < 0 else int(self._order[place])


Pattern: TypeAlias = Masks | Pair


def _place(rows: NDArray[Any], wanted: Any) -> int:  # a number of numpy
    """Return where a number is in sorted ones, `NONE` where it is not."""
    at = int(np.searchsorted(rows, wanted))
    return at if at < len(rows) and rows[at] == wanted else NONE


def _moved(masks: NDArray[np.uint64], then: Ints) -> NDArray[np.uint64]:
    """Return which values are had after a move where some were before."""
    out = np.zeros_like(masks)
    for value, to in enumerate(then.tolist()):
        out |= ((masks >> np.uint64(value)) & np.uint64(1)) << np.uint64(to)
    return out


@entry
@compiled
def meet(
    first: Any,
    second: Any,
    near_first: Any,
    near_second: Any,
    index: Any,
    keys: Any,
    after: Any,
    distance: Any,
) -> int:
    """Meet pairs of states breadth-first from the goals; return how many, `NONE` for too many.

    Args:
        first: States of the first after each move.
        second: Likewise of the second.
        near_first: Distances of the first; goals have 0.
        near_second: Likewise of the second.
        index: Written: the number of each pair; `NONE` before.
        keys: Written: each pair.
        after: Written: the numbers after each move.
        distance: Written: moves to a goal, `FARTHEST` at most; as all moves can be taken back, also
            from there.
    """
    n, width = 0, len(second)
    for i in range(len(first)):
        for j in range(width):
            if near_first[i] == 0 and near_second[j] == 0:
                if n == len(keys):
                    return NONE
                index[i * width + j] = n
                keys[n] = i * width + j
                distance[n] = 0
                n += 1
    at = 0
    while at < n:
        i, j = keys[at] // width, keys[at] % width
        for move in range(first.shape[1]):
            to = np.int64(first[i, move]) * width + second[j, move]
            if index[to] < 0:
                if n == len(keys):
                    return NONE
                index[to] = n
                keys[n] = to
                distance[n] = min(distance[at] + 1, FARTHEST)
                n += 1
            after[at, move] = index[to]
        at += 1
    return n
