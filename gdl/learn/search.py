"""Trees for many games at once, judged by any function of arrays: for learners of their own.

In: positions, as `Batch.save` gives them, and a function that takes what holds in n positions and
returns priors of moves and values for roles. Out: how often each move of each root was looked at,
and what the roots are worth. A simulation walks down in all games at once, makes the new positions
in one batch, asks the function once about those that are not over, and backs up; ends count with
their goals. Each role maximises its own share, so that one role and many need nothing special.

Arrays: B games, N nodes a tree, M the most moves of a role, R roles, F facts.

Source: Silver et al., "A general reinforcement learning algorithm that masters chess, shogi, and Go
through self-play", 2018 (PUCT, noise at the root); Danihelka et al., "Policy Improvement by
Planning with Gumbel", 2022 (at the root, where it is asked for; below it is PUCT as ever), with
sequential halving by Karnin et al., 2013; the form over arrays after mctx.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, Final, TypeAlias

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
VISITS_SCALE: Final = 50
"""How much values count beside priors at the root, as if so many visits more had been made."""


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
        improved: What a search by Gumbel makes of the priors, ``float32[B, M]``; else None.
        chosen: The move that it chose, ``int64[B]``; its noise was the draw.
    """

    visits: NDArray[np.int32]
    values: Floats
    movers: NDArray[np.int64]
    improved: Floats | None = None
    chosen: NDArray[np.int64] | None = None

    def policy(self, temperature: float = 1.0) -> Floats:
        """Return how likely each move is to be chosen, ``float32[B, M]``; 0 takes the most visited.

        Of a search by Gumbel at temperature 1 it is the improved policy, which is to be learned.

        Raises:
            GdlError: The temperature is below 0.
        """
        if temperature < 0:
            raise GdlError(f"temperature is {temperature}", expected="0 or more")
        if temperature == 0:
            weight = self.visits == self.visits.max(axis=1, keepdims=True)
            weight &= weight.cumsum(axis=1) == 1
            return np.asarray(weight, np.float32)
        if self.improved is not None and temperature == 1:
            return self.improved
        # Shares before powers: of large counts no power is too large.
        share = self.visits / self.visits.max(axis=1, keepdims=True)
        weight = share ** (1.0 / temperature)
        return np.asarray(weight / weight.sum(axis=1, keepdims=True), np.float32)

    def draw(self, rng: np.random.Generator, temperature: float = 1.0) -> NDArray[np.int64]:
        """Return a move for each game, drawn by `policy`: ``int64[B]``.

        A search by Gumbel has drawn already: at temperature 1 these are the moves it chose.
        """
        if self.chosen is not None and temperature == 1:
            return self.chosen
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
        gumbel: Of how many moves at the root the best is sought by sequential halving; 0 for PUCT.
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
        gumbel: int = 0,
    ) -> None:
        """Prepare.

        Args:
            game: The game, compiled; one role at a time has a choice, and nature none.
            judge: See `Judge`.
            simulations: How many new positions each tree looks at.
            c: Weight of exploration.
            noise: Share of the priors at the root that is drawn.
            alpha: How even the noise is.
            gumbel: How many moves are drawn at the root, without return, by their priors, to find
                the best of them by sequential halving: for few simulations. 0 for PUCT.

        Raises:
            GdlError: The game is no such, or noise of both kinds is asked for.
        """
        if noise and gumbel:
            raise GdlError("a search by Gumbel has its own noise", expected="noise=0, or gumbel=0")
        if RANDOM in game.roles or game.hides_facts:
            why = "nature draws moves" if RANDOM in game.roles else "it hides facts"
            raise GdlError(
                f"{game.id} cannot be searched by batches: {why}",
                expected="a game in which one role at a time chooses, and all is seen",
            )
        self._game, self._judge = game, judge
        self.simulations = require_whole("simulations", simulations, 1)
        self.c, self.noise, self.alpha = c, noise, alpha
        self.gumbel = require_whole("gumbel", gumbel, 0)
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
        halving = _Halving(trees, self.gumbel, self.simulations, rng) if self.gumbel else None
        for simulation in range(1, self.simulations + 1):
            self._simulate(trees, simulation, halving)
        root = trees.totals[:, 0].copy()
        visits = trees.visits[:, 0]
        count = visits.sum(axis=1, keepdims=True)
        values = (root / count).astype(np.float32)
        found = Found(visits.copy(), values, trees.movers[:, 0])
        if halving is None:
            return found
        return replace(found, improved=halving.improved(), chosen=halving.best(visits.max(axis=1)))

    def _simulate(self, trees: _Trees, fresh: int, halving: _Halving | None) -> None:
        """Walk down, make the new positions as nodes of number ``fresh``, judge them, back up."""
        rows, batch = trees.rows, self._batch
        node = np.zeros(len(rows), np.int64)
        is_inside = np.ones(len(rows), np.bool_)
        path: list[tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]] = []
        last, taken = node, node
        while True:
            where = np.flatnonzero(is_inside)
            if halving is not None and not path:
                move = halving.next(fresh)
            else:
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


def halving_visits(most: int, simulations: int) -> list[int]:
    """Return how often the move of each simulation was looked at before, by sequential halving.

    Each of so many moves is looked at as often as the others, then each of the better half, and so
    on down to two; every round has about the same number of simulations.
    """
    rounds = max(1, (most - 1).bit_length())
    before: list[int] = []
    seen, left = 0, most
    while len(before) < simulations:
        for _ in range(max(1, simulations // (rounds * left))):
            before += [seen] * left
            seen += 1
        left = max(min(2, most), left // 2)
    return before[:simulations]


class _Halving:
    """Who is looked at next at the roots of some trees, by noise, priors and values."""

    def __init__(
        self, trees: _Trees, most: int, simulations: int, rng: np.random.Generator
    ) -> None:
        self._trees = trees
        priors = trees.priors[:, 0].astype(np.float64)
        self._is_legal = priors > 0
        self._logits = np.log(np.where(self._is_legal, priors, 1.0))
        # The most likely of logits with Gumbel noise are a draw without return by the priors.
        self._noise = rng.gumbel(size=priors.shape)
        counts = np.minimum(self._is_legal.sum(axis=1), most)
        table = [halving_visits(max(1, n), simulations) for n in range(int(counts.max()) + 1)]
        self._before = np.array(table)[counts]

    def next(self, simulation: int) -> NDArray[np.int64]:
        """Return the move for a simulation, counted from 1, ``int64[B]``."""
        return self.best(self._before[:, simulation - 1])

    def best(self, visits: NDArray[Any]) -> NDArray[np.int64]:
        """Return the best of the moves that were looked at so often, ``int64[B]``."""
        is_meant = self._is_legal & (self._trees.visits[:, 0] == visits[:, None])
        score = self._noise + self._logits + self._weighed()
        return np.asarray(np.where(is_meant, score, -np.inf).argmax(axis=1), np.int64)

    def improved(self) -> Floats:
        """Return the policy that priors and values make, ``float32[B, M]``."""
        score = np.where(self._is_legal, self._logits + self._weighed(), -np.inf)
        share = np.exp(score - score.max(axis=1, keepdims=True))
        return np.asarray(share / share.sum(axis=1, keepdims=True), np.float32)

    def _weighed(self) -> NDArray[np.float64]:
        """Return what values add to the logits, ``float64[B, M]``.

        A move that was not looked at is worth what the root is: what the judge said of it, and what
        was found of its moves, each by its prior.
        """
        trees = self._trees
        visits, priors = trees.visits[:, 0], trees.priors[:, 0]
        found = trees.sums[:, 0] / np.maximum(visits, 1)
        known = np.where(visits > 0, priors, 0.0)
        mean = (known * found).sum(axis=1) / np.maximum(known.sum(axis=1), 1e-12)
        count = visits.sum(axis=1)
        root = (trees.own[:, 0] + count * mean) / (1 + count)
        worth = np.where(visits > 0, found, root[:, None])
        return np.asarray((VISITS_SCALE + visits.max(axis=1))[:, None] * worth, np.float64)
