"""What a role can force, whatever all others do, where play may come round again.

In: a `Graph` of all states that play leads to. Out: an `Arena`, which answers two questions of a
role and a goal in every state:

- Can it *force* the goal: does it see to it that play ends, and ends with at least so much? These
  states are the least set that holds the ends with the goal, and of all others those in which the
  role has a move into the set, or in which another one moves and has none out of it.
- Can it *hold* the goal: does it see to it that play never ends with less, and perhaps never ends?
  These are the greatest set that holds no end below the goal, and in which the role always has a
  move that stays inside and the others have none that leaves it. What is outside of it is just what
  the others force together: the least set, by the same construction, around the ends below the
  goal. So one loop does for both.

What is forced is held. The two differ only where play may go on for ever. The sum of the goals and
the number of roles do not matter: the others play as one.

Source: McNaughton, "Infinite Games Played on Finite Graphs", 1993; Grädel, Thomas and Wilke (eds.),
"Automata, Logics, and Infinite Games", 2002, chapter 2 (reachability and safety, attractors).
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gdl.language.syntax import Term
from gdl.solve.expand import SEVERAL
from gdl.solve.graph import Graph, attract, sources_of
from gdl.solve.positions import UnsolvableError
from gdl.solve.sentinels import ENDLESS, UNDECIDED
from gdl.solve.table import Head, Table

MINE, THEIRS, OVER = 0, 1, 2
"""Who moves, as one role sees it: itself (and whoever has no choice), another one, nobody more."""
REACHED = 0
"""The value of ends that are wanted."""


class Answer(NamedTuple):
    """What a role can do about one goal, in every state.

    Attributes:
        plies: Joint moves until the end where the goal is forced, the role hurrying and the others
            delaying, ``int32[N]``; `ENDLESS` where it is not forced.
        is_held: Whether the role can keep play from ever ending below the goal, ``bool[N]``.
    """

    plies: NDArray[np.int32]
    is_held: NDArray[np.bool_]


class Arena:
    """All states of a game and the moves between them, to be asked what can be forced."""

    def __init__(self, graph: Graph, head: Head) -> None:
        """Keep the states; refuse those that are no states of one role choosing at a time.

        Raises:
            UnsolvableError: Several roles choose at once.
        """
        if (graph.movers == SEVERAL).any():
            raise UnsolvableError(
                "several roles choose at once: what one can force depends on what it may foresee",
                expected="a game in which one role at a time chooses",
            )
        n = len(graph.keys)
        self._graph, self._head = graph, head
        self._starts, self._sources = sources_of(graph.children, graph.parents, n)
        self._degrees = np.bincount(graph.parents, minlength=n).astype(np.int32)
        nothing, untied = np.zeros(n, np.uint8), np.zeros(0, np.bool_)
        self._rows = Table(head, graph.keys, nothing, np.zeros(n, np.int16), untied)

    def __len__(self) -> int:
        """Return how many states there are."""
        return len(self._graph.keys)

    def row(self, facts: Iterable[Term | str]) -> int:
        """Return the row of the state in which exactly these facts hold, -1 for none."""
        return self._rows.find(facts)

    def ask(self, role: int, goal: int) -> Answer:
        """Return what a role can do about a goal. Cost linear in the moves."""
        graph = self._graph
        movers = np.full(len(self), THEIRS, np.int8)
        movers[(graph.movers == role) | (graph.movers < 0)] = MINE
        over = graph.movers == len(self._head.roles)
        movers[over] = OVER
        goals = np.array(self._head.goals[role], np.int64)
        is_good = np.zeros(len(self), np.bool_)
        is_good[over] = goals[graph.goals[over, role]] >= goal
        plies = self._forced(movers, over & is_good, MINE)
        lost = self._forced(movers, over & ~is_good, THEIRS)
        return Answer(plies, lost == ENDLESS)

    def _forced(
        self, movers: NDArray[np.int8], ends: NDArray[np.bool_], side: int
    ) -> NDArray[np.int32]:
        """Return how far a side, `MINE` or `THEIRS`, is from some ends that it forces."""
        n = len(self)
        values = np.full(n, UNDECIDED, np.uint8)
        distances = np.full(n, ENDLESS, np.int32)
        places = np.where(ends, REACHED, REACHED + 1).astype(np.int16).reshape(-1, 1)
        queue = np.zeros(n, np.int32)
        arrays = (self._starts, self._sources, self._degrees.copy(), values, distances, queue)
        attract(REACHED, side, movers, places, OVER, *arrays)
        return distances
