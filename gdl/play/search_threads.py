"""Threads that search one tree together, and what each of them has for itself.

In: a `NativeGame`, the tables of the first thread, a tree. Out: more simulations in the tree, and
how they ended (`gdl.play.shared_search`). Each thread has its own lanes and random numbers. With
one thread there is none of this, and the tree is searched as ever.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from threading import Thread
from typing import Final

import numpy as np

from gdl.play.lane_tables import LaneGame, LaneTables
from gdl.play.scalar_playout import ScalarGame, ScalarTables, no_scalar_tables
from gdl.play.shared_search import search_shared
from gdl.play.tree import Tree, make_tree
from gdl.play.tree_search import DONE, SearchParams
from gdl.state import State

UNCOUNTED: Final = 1 << 60
"""Simulations of a search that is told when to end."""
SEED_STEP: Final = 0x9E3779B9
"""Between the seeds of two threads."""


@dataclass(slots=True)
class Seat:
    """What one thread has for itself.

    Attributes:
        lanes: Code and memory of playouts in lanes; None in the first seat, which has those of the
            workspace.
        scalar_game: The same for playouts one at a time, if any.
        tables: The lanes for numba; the halt is that of all.
        own: A tree of one node.
        scalar: The other playouts for numba.
    """

    lanes: LaneGame | None
    scalar_game: ScalarGame | None
    tables: LaneTables
    own: Tree
    scalar: ScalarTables = field(default_factory=no_scalar_tables)


class SearchThreads:
    """Threads that search one tree; a call returns when all of them have ended."""

    def __init__(self, tree: Tree, first: LaneTables, others: Sequence[LaneGame]) -> None:
        """Begin; there is one thread more than others."""
        self._left, self._lock = np.zeros(1, np.int64), np.zeros(1, np.int64)
        self._seats = [Seat(None, None, first, _own_tree(tree, first))]
        for lanes in others:
            tables = lanes.tables._replace(halt=first.halt)
            self._seats.append(Seat(lanes, None, tables, _own_tree(tree, first)))

    def take_scalar_games(self, games: Sequence[ScalarGame]) -> None:
        """Give each seat but the first its game to be played one at a time."""
        for seat, game in zip(self._seats[1:], games, strict=True):
            seat.scalar_game = game

    def set_start(self, state: State, first: ScalarTables) -> None:
        """Let playouts one at a time begin at a state, where the first thread's do."""
        self._seats[0].scalar = first
        for seat in self._seats[1:]:
            game = seat.scalar_game
            has_start = first.at != 0 and game is not None and game.set_start(state)
            seat.scalar = game.tables if game is not None and has_start else no_scalar_tables()

    def seed(self, seed: int) -> None:
        """Begin the random numbers of all seats but the first anew."""
        for i, seat in enumerate(self._seats[1:], 1):
            if seat.lanes is not None:
                seat.lanes.seed(seed + i * SEED_STEP)
            if seat.scalar_game is not None:
                seat.scalar_game.seed(seed + i * SEED_STEP)

    def grow(self, tree: Tree, params: SearchParams, root: int, simulations: int) -> int:
        """Run so many simulations in all, by all threads. Return how it ended."""
        self._left[0] = simulations
        codes = [DONE] * len(self._seats)
        threads = self._start(self._seats[1:], tree, params, root, codes)
        codes[0] = self._search(self._seats[0], tree, params, root)
        for thread in threads:
            thread.join()
        return max(codes)

    @contextmanager
    def beside(self, tree: Tree, params: SearchParams, root: int) -> Iterator[None]:
        """Let all threads but the first search while the caller does something else.

        How they ended is not told: who searches next finds it as well.
        """
        self._left[0] = UNCOUNTED
        threads = self._start(self._seats[1:], tree, params, root, [DONE] * len(self._seats))
        try:
            yield
        finally:
            self._left[0] = 0
            for thread in threads:
                thread.join()

    def _start(
        self, seats: list[Seat], tree: Tree, params: SearchParams, root: int, codes: list[int]
    ) -> list[Thread]:
        def work(i: int, seat: Seat) -> None:
            codes[i] = self._search(seat, tree, params, root)

        threads = [
            Thread(target=work, args=(i, seat), daemon=True) for i, seat in enumerate(seats, 1)
        ]
        for thread in threads:
            thread.start()
        return threads

    def _search(self, seat: Seat, tree: Tree, params: SearchParams, root: int) -> int:
        return search_shared(
            tree, seat.own, seat.tables, seat.scalar, params, root, self._left, self._lock
        )


def _own_tree(tree: Tree, tables: LaneTables) -> Tree:
    most = int(max(tables.counts))
    return make_tree(
        tree.state.shape[1],
        tree.lower.shape[1],
        nodes=most + 2,
        edges=most + 2,
        has_amaf=len(tree.amaf_visits) > 1,
    )
