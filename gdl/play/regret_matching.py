"""Mixed strategies where several roles choose at once: regret matching on the matrix of a node.

In: simulations through one node of a search tree, each the joint move that it took and the goals
that it came to. Out: a strategy of each role. The means of the goals are a matrix; the roles play
it against each other in thought, each giving more weight to moves that would have brought more
against the strategies of the others. Where two roles share a constant sum, their mean strategies
come to an equilibrium of the matrix. Upper bounds would settle on moves that can be read.

Source: Hart and Mas-Colell, "A Simple Adaptive Procedure Leading to Correlated Equilibrium",
Econometrica 2000; Lanctot, Lisy and Winands, "Monte Carlo Tree Search in Simultaneous Move Games
with Applications to Goofspiel", CGW 2013; regrets that are cut at 0 and means that weigh the later
more as in Tammelin, "Solving Large Imperfect Information Games Using CFR+", 2014; how much is
tried at random as in Auer et al., "The Nonstochastic Multiarmed Bandit Problem", 2002.
"""

from __future__ import annotations

import math
import random
from collections.abc import Sequence
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

MOST_TRIED: Final = 0.5
"""Part of the simulations that take a move at random, at most."""

Strategy = NDArray[np.float64]
"""The probability of each move of a role."""


class Matrix:
    """What is known of the joint moves at a node, and the strategies that follow from it.

    Attributes:
        roles: The roles that have several moves, by number; each is an axis.
        visits: Simulations by joint move, an axis for each of these roles.
        means: For each of these roles its mean goal by joint move; the later ones count for more,
            since what follows was played worse before.
        regrets: For each of these roles and move how much more the move would have brought than
            the strategy did, from 0.
        sums: The strategies so far, added up, the later ones weighing more.
    """

    __slots__ = ("_is_nature", "_now", "_steps", "_unknown", "means", "regrets", "roles", "sums",
                 "visits")  # fmt: skip

    def __init__(self, counts: Sequence[int], is_nature: Sequence[bool]) -> None:
        """Begin with all moves alike.

        Args:
            counts: How many moves each role has.
            is_nature: Whether the moves of each are drawn, all alike.
        """
        self.roles = [r for r, n in enumerate(counts) if n > 1]
        shape = tuple(counts[r] for r in self.roles)
        self._is_nature = [is_nature[r] for r in self.roles]
        self.visits: NDArray[np.int32] = np.zeros(shape, np.int32)
        self.means: Strategy = np.zeros((len(shape), *shape))
        self.regrets: list[Strategy] = [np.zeros(n) for n in shape]
        self.sums: list[Strategy] = [np.zeros(n) for n in shape]
        self._now: list[Strategy] = [np.full(n, 1.0 / n) for n in shape]
        self._steps = 0
        self._unknown = self.visits.size

    def share(self, other: Matrix, role: int) -> None:
        """Let a role have one strategy here and at another node, which it cannot tell apart."""
        mine, theirs = self.roles.index(role), other.roles.index(role)
        self.regrets[mine], self.sums[mine] = other.regrets[theirs], other.sums[theirs]
        self._now[mine] = other._now[theirs]

    def sample(self, rng: random.Random, chosen: list[int]) -> None:
        """Put the number of a move of each role that has several into ``chosen``.

        Mostly by the strategies; but each role tries each move from time to time, less and less.
        """
        for axis, r in enumerate(self.roles):
            now = self._now[axis]
            n = len(now)
            tried = math.sqrt(n * math.log(n) / (1.7 * (self._steps + 1)))
            if self._is_nature[axis] or rng.random() < min(tried, MOST_TRIED):
                chosen[r] = rng.randrange(n)
            else:
                chosen[r] = pick(now, rng.random())

    def learn(self, chosen: Sequence[int], goals: Sequence[float]) -> None:
        """Take in a simulation, and let each role improve its strategy once. Cost O(entries)."""
        place = tuple(chosen[r] for r in self.roles)
        n = int(self.visits[place]) + 1
        self.visits[place] = n
        self._unknown -= n == 1
        for axis, r in enumerate(self.roles):
            at = (axis, *place)
            self.means[at] += 2.0 / (n + 1) * (goals[r] - self.means[at])
        self._steps += 1
        for axis, is_nature in enumerate(self._is_nature):
            if not is_nature:
                self._improve(axis)

    def _improve(self, axis: int) -> None:
        """Add what each move would have brought more against the others' strategies of now."""
        values: Any = self._filled(axis)
        for other in reversed(range(len(self.roles))):
            if other != axis:  # the axes after the own are the last in turn, then those before it
                now = self._now[other]
                values = values @ now if other > axis else now @ values
        now, regrets = self._now[axis], self.regrets[axis]
        self.sums[axis] += self._steps * now
        regrets += values - now @ values
        np.maximum(regrets, 0.0, out=regrets)
        total = regrets.sum()
        if total > 0.0:
            np.divide(regrets, total, out=now)
        else:
            now.fill(1.0 / len(now))

    def _filled(self, axis: int) -> Strategy:
        """Return the means; what was never played has the mean of its move, or of all."""
        means: Strategy = self.means[axis]
        if not self._unknown:
            return means
        visited = self.visits > 0
        others = tuple(i for i in range(len(self.roles)) if i != axis)
        counts = visited.sum(axis=others, keepdims=True)
        of_move = (means * visited).sum(axis=others, keepdims=True)
        overall = of_move.sum() / max(1, counts.sum())
        guess = np.where(counts > 0, of_move / np.maximum(counts, 1), overall)
        return np.where(visited, means, guess)

    def strategy(self, role: int) -> Strategy:
        """Return the mean strategy of a role that has several moves."""
        sums = self.sums[self.roles.index(role)]
        total = sums.sum()
        return sums / total if total > 0.0 else np.full(len(sums), 1.0 / len(sums))


def pick(strategy: Strategy, chance: float) -> int:
    """Return the move that a number from 0 to 1 stands for."""
    sums = np.cumsum(strategy)
    return min(int(np.searchsorted(sums, chance * sums[-1], "right")), len(sums) - 1)
