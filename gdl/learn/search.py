"""Trees for many games at once, judged by any function of arrays: for learners of their own.

In: positions, as `Batch.save` gives them, and a function that takes what holds in n positions and
returns priors of moves and values for roles. Out: how often each move of each root was looked at,
and what the roots are worth. A simulation walks down in all games at once, makes the new positions
in one batch, asks the function once about those that are not over, and backs up; ends count with
their goals. Each role maximises its own share, so that one role and many need nothing special.

Arrays: B games, N nodes a tree, M the most moves of a role, R roles, F facts.

Source: Silver et al., "A general reinforcement learning algorithm that masters chess, shogi, and Go
through self-play", 2018 (PUCT, noise at the root); the form over arrays after Danihelka et al.,
mctx.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from gdl.game import Game
from gdl.language.arguments import require_whole
from gdl.language.diagnostics import GdlError
from gdl.language.keywords import RANDOM
from gdl.native.kernel.batch import Batch

Floats: TypeAlias = NDArray[np.float32]
Judge: TypeAlias = Callable[
    [NDArray[np.bool_], NDArray[np.bool_], NDArray[np.int64]], tuple[Floats, Floats]
]
"""A function of facts ``bool[n, F]``, legal moves ``bool[n, M]`` and the role that chooses
``int64[n]`` to priors ``float[n, M]``, of any scale and not below 0, and what each role may hope
for ``float[n, R]``, a goal of 100 being 1. Columns of moves are those of the role that chooses."""
HIGHEST: Final = 100.0
"""The goal that counts as 1."""
NOTHING: Final = -1
"""In place of a node."""


def null_judge(
    facts: NDArray[np.bool_], legal: NDArray[np.bool_], movers: NDArray[np.int64], *, roles: int = 2
) -> tuple[Floats, Floats]:
    """Judge without knowing anything: all moves alike, half of the points for everybody."""
    del facts, movers
    return legal.astype(np.float32), np.full((len(legal), roles), 0.5, np.float32)


@dataclass(frozen=True, slots=True)
class Found:
    """What a search found at its roots.

    Attributes:
        visits: How often each move was looked at, ``int32[B, M]``.
        values: What each role may hope for, ``float32[B, R]``.
        movers: Whose moves these are, ``int64[B]``.
    """

    visits: NDArray[np.int32]
    values: Floats
    movers: NDArray[np.int64]

    def policy(self, temperature: float = 1.0) -> Floats:
        """Return how likely each move is to be chosen, ``float32[B, M]``; 0 takes the most visited.

        Raises:
            GdlError: The temperature is below 0.
        """
        if temperature < 0:
            raise GdlError(f"temperature is {temperature}", expected="0 or more")
        if temperature == 0:
            weight = self.visits == self.visits.max(axis=1, keepdims=True)
            weight &= weight.cumsum(axis=1) == 1
            return np.asarray(weight, np.float32)
        # Shares before powers: of large counts no power is too large.
        share = self.visits / self.visits.max(axis=1, keepdims=True)
        weight = share ** (1.0 / temperature)
        return np.asarray(weight / weight.sum(axis=1, keepdims=True), np.float32)

    def draw(self, rng: np.random.Generator, temperature: float = 1.0) -> NDArray[np.int64]:
        """Return a move for each game, drawn by `policy`: ``int64[B]``."""
        policy = self.policy(temperature)
        chance = rng.random((len(policy), 1)) * policy.sum(axis=1, keepdims=True)
        return np.asarray((policy.cumsum(axis=1) > chance).argmax(axis=1), np.int64)


class Search:
    """Searches many positions of one game at once.

    Attributes:
        simulations: How many new positions each tree looks at.
        c: Weight of exploration.
        noise: Share of the priors at the root that is drawn; 0 for none.
        alpha: How even the noise is: the parameter of the Dirichlet distribution.
    """

    def __init__(  # noqa: PLR0913  # its options
        self,
        game: Game,
        judge: Judge,
        *,
        simulations: int = 100,
        c: float = 1.5,
        noise: float = 0.0,
        alpha: float = 0.3,
    ) -> None:
        """Prepare.

        Args:
            game: The game, compiled; one role at a time has a choice, and nature none.
            judge: See `Judge`.
            simulations: How many new positions each tree looks at.
            c: Weight of exploration.
            noise: Share of the priors at the root that is drawn.
            alpha: How even the noise is.

        Raises:
            GdlError: The game is no such.
        """
        if RANDOM in game.roles or game.hides_facts:
            why = "nature draws moves" if RANDOM in game.roles else "it hides facts"
            raise GdlError(
                f"{game.id} cannot be searched by batches: {why}",
                expected="a game in which one role at a time chooses, and all is seen",
            )
        self._game, self._judge = game, judge
        self.simulations = require_whole("simulations", simulations, 1)
        self.c, self.noise, self.alpha = c, noise, alpha
        self._batch = game.batch(1)

    def run(self, saved: NDArray[np.uint8], rng: np.random.Generator) -> Found:
        """Search positions.

        Args:
            saved: Positions that are not over, ``uint8[B, bytes]``, as `Batch.save` gives them.
            rng: Of the noise.

        Raises:
            GdlError: The game is over in one, or several roles have a choice; names the row.
        """
        size = len(saved)
        if self._batch.size != size:
            self._batch = self._game.batch(size)
        trees = _Trees(size, self.simulations + 1, saved.shape[1], self._batch)
        self._batch.restore(saved)
        if self._batch.terminal.any():
            raise GdlError(f"the game is over in row {int(self._batch.terminal.argmax())}")
        self._open(trees, np.zeros(size, np.int64), saved)
        if self.noise:
            self._disturb(trees, rng)
        for simulation in range(1, self.simulations + 1):
            self._simulate(trees, simulation)
        root = trees.totals[:, 0].copy()
        visits = trees.visits[:, 0]
        count = visits.sum(axis=1, keepdims=True)
        return Found(visits.copy(), (root / count).astype(np.float32), trees.movers[:, 0])

    def _simulate(self, trees: _Trees, fresh: int) -> None:
        """Walk down, make the new positions as nodes of number ``fresh``, judge them, back up."""
        rows, batch = trees.rows, self._batch
        node = np.zeros(len(rows), np.int64)
        is_inside = np.ones(len(rows), np.bool_)
        path: list[tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]] = []
        last, taken = node, node
        while True:
            where = np.flatnonzero(is_inside)
            move = trees.select(where, node[where], self.c)
            path.append((where, node[where], move))
            last, taken = last.copy(), taken.copy()
            last[where], taken[where] = node[where], move
            child = trees.children[where, node[where], move]
            goes_on = (child != NOTHING) & ~trees.is_over[where, child]
            is_inside[where[~goes_on]] = False
            if not goes_on.any():
                break
            node[where[goes_on]] = child[goes_on]
        # A child that is over is made again and not kept: every row makes a legal move.
        batch.restore(trees.states[rows, last])
        batch.step(taken)
        known = trees.children[rows, last, taken]
        number = np.where(known == NOTHING, fresh, known)
        trees.children[rows, last, taken] = number
        values = self._open(trees, number, batch.save())
        for where, nodes, moves in path:
            trees.visits[where, nodes, moves] += 1
            mine = values[where, trees.movers[where, nodes]]
            trees.sums[where, nodes, moves] += mine
            trees.counts[where, nodes] += 1
        trees.totals[:, 0] += values

    def _open(
        self, trees: _Trees, number: NDArray[np.int64], saved: NDArray[np.uint8]
    ) -> NDArray[np.float64]:
        """Make nodes of what stands in the batch; return what they are worth, ``float64[B, R]``."""
        rows, batch = trees.rows, self._batch
        over = batch.terminal
        values = np.zeros((len(rows), len(batch.roles)))
        trees.states[rows, number] = saved
        trees.is_over[rows, number] = over
        if over.any():
            values[over] = np.maximum(batch.goals[over], 0) / HIGHEST
        on = np.flatnonzero(~over)
        if len(on):
            movers, legal = trees.choices(batch, on)
            trees.movers[on, number[on]] = movers
            priors, judged = self._judge(batch.observations[on], legal, movers)
            priors = np.where(legal, priors, 0.0) + legal * np.float32(1e-9)
            trees.priors[on, number[on]] = priors / priors.sum(axis=1, keepdims=True)
            values[on] = judged
            trees.own[on, number[on]] = values[on, movers]
        return values

    def _disturb(self, trees: _Trees, rng: np.random.Generator) -> None:
        priors = trees.priors[:, 0]
        drawn = rng.gamma(self.alpha, size=priors.shape) * (priors > 0) + (priors > 0) * 1e-12
        drawn /= drawn.sum(axis=1, keepdims=True)
        trees.priors[:, 0] = (1 - self.noise) * priors + self.noise * drawn


class _Trees:
    """B trees of N nodes; node 0 is the root.

    Attributes:
        rows: 0 to B - 1.
        states: The position of each node, ``uint8[B, N, bytes]``.
        is_over: Whether the game is over there, ``bool[B, N]``.
        movers: Who chooses, ``int64[B, N]``.
        priors: Of each move, adding up to 1, ``float32[B, N, M]``; 0 where it is not legal.
        children: The node behind each move, ``int64[B, N, M]``.
        visits: How often it was gone, ``int32[B, N, M]``.
        sums: What it brought the mover in all, ``float64[B, N, M]``.
        counts: How often each node was left, ``int64[B, N]``.
        own: What the judge says a node is worth to its mover, ``float64[B, N]``.
        totals: What the root brought each role in all, ``float64[B, 1, R]``.
    """

    def __init__(self, size: int, nodes: int, count: int, batch: Batch) -> None:
        moves = max(map(len, batch.moves))
        self.rows = np.arange(size)
        self.states = np.zeros((size, nodes, count), np.uint8)
        self.is_over = np.zeros((size, nodes), np.bool_)
        self.movers = np.zeros((size, nodes), np.int64)
        self.priors = np.zeros((size, nodes, moves), np.float32)
        self.children = np.full((size, nodes, moves), NOTHING, np.int64)
        self.visits = np.zeros((size, nodes, moves), np.int32)
        self.sums = np.zeros((size, nodes, moves))
        self.counts = np.zeros((size, nodes), np.int64)
        self.own = np.zeros((size, nodes))
        self.totals = np.zeros((size, 1, len(batch.roles)))

    def select(
        self, rows: NDArray[np.int64], nodes: NDArray[np.int64], c: float
    ) -> NDArray[np.int64]:
        """Return the move with the highest upper bound in a node of each of some trees.

        A move that was never made is taken to be worth what the node was found to be.
        """
        visits, priors = self.visits[rows, nodes], self.priors[rows, nodes]
        sums, count = self.sums[rows, nodes], self.counts[rows, nodes]
        mean = (sums.sum(axis=1) + self.own[rows, nodes]) / (count + 1)
        worth = np.where(visits > 0, sums / np.maximum(visits, 1), mean[:, None])
        score = worth + c * priors * np.sqrt(count + 1)[:, None] / (1 + visits)
        return np.asarray(np.where(priors > 0, score, -np.inf).argmax(axis=1), np.int64)

    def choices(
        self, batch: Batch, rows: NDArray[np.int64]
    ) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
        """Return who chooses in some rows of a batch, and the moves that are legal for it.

        Raises:
            GdlError: Several roles have a choice, or one has no move; names the row.
        """
        masks = [mask[rows] for mask in batch.legal]
        counts = np.stack([mask.sum(axis=1) for mask in masks])
        wrong = ((counts > 1).sum(axis=0) > 1) | (counts == 0).any(axis=0)
        if wrong.any():
            raise GdlError(
                "a search by batches came to a position in which several roles have a choice, or "
                "one has no move",
                notes=[f"it is below row {int(rows[wrong.argmax()])}"],
                expected="a game in which one role at a time chooses",
            )
        movers = (counts > 1).argmax(axis=0)
        legal = np.zeros((len(rows), self.priors.shape[2]), np.bool_)
        for role, mask in enumerate(masks):
            mine = movers == role
            legal[mine, : mask.shape[1]] = mask[mine]
        return movers, legal
