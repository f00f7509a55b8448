"""Trees for many games at once, judged by any function of arrays: for learners of their own.

In: positions, as `Batch.save` gives them, and a function that takes what holds in n positions and
returns priors of moves and values for roles. Out: how often each move of each root was looked at,
and what the roots are worth. A simulation walks down in all games at once, makes the new positions
in one batch, asks the function once about those that are not over, and backs up; ends count with
their goals. Each role maximises its own share, so that one role and many need nothing special.
Nature draws evenly; roles that choose at once each have a strategy that is drawn from. What was
found below the moves that were then made can be gone on from.

Arrays: B games, N nodes a tree, M the most moves of a role, R roles, F facts.

Source: Silver et al., "A general reinforcement learning algorithm that masters chess, shogi, and Go
through self-play", 2018 (PUCT, noise at the root); Danihelka et al., "Policy Improvement by
Planning with Gumbel", 2022 (at the root, where it is asked for; below it is PUCT as ever), with
sequential halving by Karnin et al., 2013; the form over arrays after mctx. Moves at once: Lisy et
al., "Convergence of Monte Carlo Tree Search in Simultaneous Move Games", 2013 (regret matching);
Schmid et al., "Variance Reduction in Monte Carlo Counterfactual Regret Minimization", 2019 (its
baselines).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, Final, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

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
for ``float[n, R]``, a goal of 100 being 1. Columns of moves are those of the role that chooses.
Where several choose at once it is asked for each, and what it says of values is averaged; where
nature draws it is asked for nature, whose priors are not looked at."""
HIGHEST: Final = 100.0
"""The goal that counts as 1."""
NOTHING: Final = -1
"""In place of a node."""
VISITS_SCALE: Final = 50
"""How much values count beside priors at the root, as if so many visits more had been made."""
EXPLORE: Final = 0.2
"""How often a role that chooses beside others tries any of its moves."""


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
        improved: What is likelier to be right than shares of visits, ``float32[B, M]``: what a
            search by Gumbel makes of the priors, the mean strategy where several roles choose at
            once, even shares where nature draws; None where none of these is.
        chosen: The move that a search by Gumbel chose, ``int64[B]``; its noise was the draw.
            `NOTHING` where nature or several roles choose.
        is_drawn: Where nature draws, ``bool[B]``; no temperature changes what it does.
        also: Where several roles choose at once, what was found of the moves of the second of
            them, of the third and so on; the mover is `NOTHING` where there are fewer.
        only: The first legal move of each role, ``int64[B, R]``, where several choose at once.
    """

    visits: NDArray[np.int32]
    values: Floats
    movers: NDArray[np.int64]
    improved: Floats | None = None
    chosen: NDArray[np.int64] | None = None
    is_drawn: NDArray[np.bool_] | None = None
    also: tuple[Found, ...] = ()
    only: NDArray[np.int64] | None = None

    def policy(self, temperature: float = 1.0) -> Floats:
        """Return how likely each move is to be chosen, ``float32[B, M]``; 0 takes the likeliest.

        At temperature 1 it is `improved` where there is such, which is to be learned, else the
        share of visits.

        Raises:
            GdlError: The temperature is below 0.
        """
        if temperature < 0:
            raise GdlError(f"temperature is {temperature}", expected="0 or more")
        if self.improved is not None and temperature == 1:
            return self.improved
        # A search by Gumbel chose among the most visited; strategies are no counts of visits.
        counted = (
            self.improved if self.improved is not None and self.chosen is None else self.visits
        )
        most = counted.max(axis=1, keepdims=True)
        if temperature == 0:
            weight = counted == most
            weight &= weight.cumsum(axis=1) == 1
            weight = np.asarray(weight, np.float32)
        else:
            # Shares before powers: of large counts no power is too large.
            weight = (counted / np.maximum(most, 1e-12)) ** (1.0 / temperature)
            weight /= np.maximum(weight.sum(axis=1, keepdims=True), 1e-12)
        if self.is_drawn is not None and self.improved is not None:
            weight = np.where(self.is_drawn[:, None], self.improved, weight)
        return np.asarray(weight, np.float32)

    def draw(self, rng: np.random.Generator, temperature: float = 1.0) -> NDArray[np.int64]:
        """Return moves drawn by `policy`, as `Batch.step` takes them.

        A search by Gumbel has drawn already: at temperature 1 these are the moves it chose.

        Returns:
            The move of the role that chooses, ``int64[B]``; where in some game several do, the
            moves of all roles, ``int64[B, R]``.
        """
        policy = self.policy(temperature)
        chance = rng.random((len(policy), 1)) * policy.sum(axis=1, keepdims=True)
        drawn = np.asarray((policy.cumsum(axis=1) > chance).argmax(axis=1), np.int64)
        if self.chosen is not None and temperature == 1:
            drawn = np.where(self.chosen == NOTHING, drawn, self.chosen)
        if not self.also or self.only is None:
            return drawn
        joint, rows = self.only.copy(), np.arange(len(drawn))
        joint[rows, self.movers] = drawn
        for other in self.also:
            chooses = other.movers != NOTHING
            joint[rows[chooses], other.movers[chooses]] = other.draw(rng, temperature)[chooses]
        return joint


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
            game: The game, compiled.
            judge: See `Judge`.
            simulations: How many new positions each tree looks at.
            c: Weight of exploration.
            noise: Share of the priors at the root that is drawn.
            alpha: How even the noise is.
            gumbel: How many moves are drawn at the root, without return, by their priors, to find
                the best of them by sequential halving: for few simulations. 0 for PUCT. Roots
                at which nature or several roles choose are searched as ever.

        Raises:
            GdlError: The game hides facts, or noise of both kinds is asked for.
        """
        if noise and gumbel:
            raise GdlError("a search by Gumbel has its own noise", expected="noise=0, or gumbel=0")
        if game.hides_facts:
            raise GdlError(
                f"{game.id} cannot be searched by batches: it hides facts",
                expected="a game in which all is seen",
            )
        self._game, self._judge = game, judge
        self.simulations = require_whole("simulations", simulations, 1)
        self.c, self.noise, self.alpha = c, noise, alpha
        self.gumbel = require_whole("gumbel", gumbel, 0)
        self._batch = game.batch(1)
        self._nature = game.roles.index(RANDOM) if RANDOM in game.roles else NOTHING
        self._last: _Trees | None = None
        self._kept: _Trees | None = None

    def run(self, saved: NDArray[np.uint8], rng: np.random.Generator) -> Found:
        """Search positions, on from what `follow` kept if it was called since the last search.

        Args:
            saved: Positions that are not over, ``uint8[B, bytes]``, as `Batch.save` gives them.
            rng: Of the noise, of nature and of moves at once.

        Raises:
            GdlError: The game is over in one, a role has no move, a position is not the one that
                was followed to, or the judge answers in another shape.
        """
        size, kept = len(saved), self._kept
        self._kept = self._last = None
        if self._batch.size != size:
            self._batch = self._game.batch(size)
        self._batch.restore(saved)
        if self._batch.terminal.any():
            raise GdlError(f"the game is over in row {int(self._batch.terminal.argmax())}")
        if kept is None:
            trees = _Trees(size, self.simulations + 1, saved.shape[1], self._batch, self._nature)
        else:
            _require_followed(kept, saved)
            trees = kept.grown(self.simulations + 1)
        fresh = np.flatnonzero(trees.used == 0)
        if len(fresh):
            self._open(trees, fresh, np.zeros(len(fresh), np.int64), saved[fresh])
            trees.used[fresh] = 1
        if self.noise:
            self._disturb(trees, rng)
        halving = _Halving(trees, self.gumbel, self.simulations, rng) if self.gumbel else None
        for simulation in range(1, self.simulations + 1):
            self._simulate(trees, simulation, halving, rng)
        self._last = trees
        self._batch.restore(saved)
        return trees.found(self._batch, halving)

    def follow(self, moves: ArrayLike, rows: ArrayLike | None = None) -> None:
        """Keep what the last search found below the moves that were made, for the next one.

        The next search adds as many positions as ever to what is kept, and answers as one would
        that had looked at all of them from there. A game whose move was not looked at begins anew.

        Args:
            moves: Those made in each game, as `Batch.step` takes them.
            rows: Which games go on, as in `Batch.save`, and in which order; by default all. The
                next search is of these.

        Raises:
            GdlError: There was no search, or moves or rows are not of its shape.
        """
        trees = self._last if self._kept is None else self._kept
        if trees is None:
            raise GdlError("there is no search to follow moves from", help="call run before follow")
        size, roles = len(trees.rows), len(self._batch.roles)
        made = np.asarray(moves)
        if made.shape not in {(size,), (size, roles)}:
            raise GdlError(
                f"moves has the shape {made.shape}",
                expected=f"({size}, {roles}), or ({size},), as they were given to step",
            )
        at = trees.behind(made)
        on = trees.rows if rows is None else _row_numbers(rows, size)
        self._kept, self._last = trees.below(at, on), None

    def _simulate(
        self, trees: _Trees, simulation: int, halving: _Halving | None, rng: np.random.Generator
    ) -> None:
        """Walk down, make the new positions, judge them, back up."""
        rows, batch = trees.rows, self._batch
        node = np.zeros(len(rows), np.int64)
        where = rows
        path: list[tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]] = []
        number, last = np.zeros_like(node), np.zeros_like(node)
        taken = np.zeros((len(trees.slots), len(rows)), np.int64)
        while True:
            moves = trees.select(where, node[where], self.c, rng)
            if halving is not None and not path:
                meant = halving.next(simulation)
                moves[0] = np.where(halving.is_halved, meant, moves[0])
            path.append((where, node[where], moves))
            last[where] = node[where]
            taken[:, where] = moves
            child = trees.child(where, path[-1][1], moves)
            number[where] = child
            goes_on = (child != NOTHING) & ~trees.is_over[where, child]
            if not goes_on.any():
                break
            where = where[goes_on]
            node[where] = child[goes_on]
        # A child that is over is made again and not kept: every row makes a legal move.
        batch.restore(trees.states[rows, last])
        batch.step(trees.joint(batch, last, taken))
        is_new = number == NOTHING
        number[is_new] = trees.used[is_new]
        trees.used[is_new] += 1
        trees.link(rows[is_new], last[is_new], taken[:, is_new], number[is_new])
        values = self._open(trees, rows, number, batch.save())
        trees.ends[rows, number] += 1
        for where, nodes, moves in path:
            trees.back_up(where, nodes, moves, values)

    def _open(
        self,
        trees: _Trees,
        rows: NDArray[np.int64],
        number: NDArray[np.int64],
        saved: NDArray[np.uint8],
    ) -> NDArray[np.float64]:
        """Make nodes of what stands in rows of the batch; return their worth, ``float64[n, R]``."""
        batch = self._batch
        over = batch.terminal[rows]
        values = np.zeros((len(rows), len(batch.roles)))
        trees.states[rows, number] = saved
        trees.is_over[rows, number] = over
        if over.any():
            values[over] = np.maximum(batch.goals[rows[over]], 0) / HIGHEST
        on = np.flatnonzero(~over)
        if len(on):
            facts, asked = batch.observations[rows[on]], np.zeros(len(on))
            for slot, movers, legal in trees.choices(batch, rows[on]):
                chooses = movers != NOTHING
                who = slice(None) if chooses.all() else np.flatnonzero(chooses)
                priors, judged = self._judge(facts[who], legal[who], movers[who])
                _require_answer(priors, judged, legal[who].shape, len(batch.roles))
                priors = np.where(legal[who], priors, 0.0) + legal[who] * np.float32(1e-9)
                if self._nature != NOTHING:
                    drawn = movers[who] == self._nature
                    priors[drawn] = legal[who][drawn]
                priors /= priors.sum(axis=1, keepdims=True)
                row, node = rows[on[who]], number[on[who]]
                slot.movers[row, node] = movers[who]
                slot.priors[row, node] = priors
                values[on[who]] += judged
                asked[who] += 1
            if len(trees.slots) > 1:
                values[on] /= asked[:, None]
                trees.mark_mixed(rows[on], number[on])
        trees.values[rows, number] = values
        return values

    def _disturb(self, trees: _Trees, rng: np.random.Generator) -> None:
        for slot in trees.slots:
            priors = slot.priors[:, 0]
            drawn = rng.gamma(self.alpha, size=priors.shape) * (priors > 0) + (priors > 0) * 1e-12
            drawn /= np.maximum(drawn.sum(axis=1, keepdims=True), 1e-300)
            mixed = (1 - self.noise) * priors + self.noise * drawn
            chooses = slot.movers[:, 0] != trees.nature
            slot.priors[chooses, 0] = mixed[chooses]


def _row_numbers(rows: ArrayLike, size: int) -> NDArray[np.int64]:
    """Return the numbers of some games.

    Raises:
        GdlError: They are none, or there is no such game.
    """
    given = np.asarray(rows)
    if given.dtype == np.bool_ and given.shape == (size,):
        return np.flatnonzero(given)
    is_list = given.ndim == 1 and (given.dtype.kind in "iu" or not given.size)
    if not is_list or (given.size and not (given.min() >= 0 and given.max() < size)):
        raise GdlError(
            f"rows are none of the {size} games that were searched",
            expected=f"numbers from 0 to {size - 1}, int[n], or which, bool[{size}]",
        )
    return given.astype(np.int64)


def _require_followed(kept: _Trees, saved: NDArray[np.uint8]) -> None:
    """Refuse positions that are not those at the roots of kept trees.

    Raises:
        GdlError: They are others; names the row.
    """
    if len(kept.rows) != len(saved):
        raise GdlError(
            f"{len(saved)} positions are to be searched, and {len(kept.rows)} games were followed",
            expected="the games that follow was told go on",
        )
    other = ((kept.states[:, 0] != saved).any(axis=1)) & (kept.used > 0)
    if other.any():
        raise GdlError(
            f"row {int(other.argmax())} is not the position that the followed moves lead to",
            expected="the positions behind the moves given to follow, in the same order",
        )


def _require_answer(
    priors: NDArray[Any], judged: NDArray[Any], shape: tuple[int, ...], roles: int
) -> None:
    """Refuse what is no answer of a judge.

    Raises:
        GdlError: Of another shape.
    """
    if np.shape(priors) != shape or np.shape(judged) != (shape[0], roles):
        raise GdlError(
            f"the judge returned the shapes {np.shape(priors)} and {np.shape(judged)}",
            expected=f"priors {shape} and values {shape[0], roles}",
        )


class _Slot:
    """What is known of the choices of one role in each node.

    Attributes:
        movers: Who chooses, ``int64[B, N]``; `NOTHING` for nobody.
        priors: Of each move, adding up to 1, ``float32[B, N, M]``; 0 where it is not legal.
        visits: How often it was gone, ``int32[B, N, M]``.
        sums: What it brought the mover in all, ``float64[B, N, M]``.
        into: Its move that led into a node, ``int64[B, N]``; of the first that chooses it is not
            kept, for `_Trees.children` tells.
        regrets: How much more it would have brought in all, beside others' choices.
        strategies: How likely it was in all, likewise.
    """

    PARTS: Final = ("movers", "priors", "visits", "sums", "into", "regrets", "strategies")

    def __init__(self, size: int, nodes: int, moves: int) -> None:
        self.movers = np.full((size, nodes), NOTHING, np.int64)
        self.priors = np.zeros((size, nodes, moves), np.float32)
        self.visits = np.zeros((size, nodes, moves), np.int32)
        self.sums = np.zeros((size, nodes, moves))
        self.into = np.full((size, nodes), NOTHING, np.int64)
        # Where one role at a time chooses these are never touched, and take no memory.
        self.regrets = np.zeros((size, nodes, moves))
        self.strategies = np.zeros((size, nodes, moves))


class _Trees:
    """B trees of N nodes; node 0 is the root, and parents have lower numbers than children.

    Attributes:
        rows: 0 to B - 1.
        nature: The number of nature's role; `NOTHING` for none.
        used: How many nodes each tree has, ``int64[B]``.
        states: The position of each node, ``uint8[B, N, bytes]``.
        is_over: Whether the game is over there, ``bool[B, N]``.
        is_mixed: Whether several players choose there at once, ``bool[B, N]``.
        parents: The node before, ``int64[B, N]``.
        children: The newest node behind each move of the first that chooses, ``int64[B, N, M]``.
        siblings: The next older one behind the same move, ``int64[B, N]``: others chose otherwise.
        counts: How often each node was left, ``int64[B, N]``.
        values: What the judge or the end says of a node for each role, ``float64[B, N, R]``.
        ends: How often a walk ended there, ``int64[B, N]``: once, or often where the game is over.
        slots: Choices of the first that chooses in each node, of the second beside it, and so on;
            as many as were needed so far.
    """

    PARTS: Final = (
        "states",
        "is_over",
        "is_mixed",
        "parents",
        "siblings",
        "counts",
        "values",
        "ends",
    )

    def __init__(  # noqa: PLR0913, PLR0917  # its sizes
        self, size: int, nodes: int, count: int, batch: Batch, nature: int, slots: int = 1
    ) -> None:
        moves = max(map(len, batch.moves))
        self.rows, self.nature, self._batch = np.arange(size), nature, batch
        self.used = np.zeros(size, np.int64)
        self.states = np.zeros((size, nodes, count), np.uint8)
        self.is_over = np.zeros((size, nodes), np.bool_)
        self.is_mixed = np.zeros((size, nodes), np.bool_)
        self.parents = np.zeros((size, nodes), np.int64)
        self.children = np.full((size, nodes, moves), NOTHING, np.int64)
        self.siblings = np.full((size, nodes), NOTHING, np.int64)
        self.counts = np.zeros((size, nodes), np.int64)
        self.values = np.zeros((size, nodes, len(batch.roles)))
        self.ends = np.zeros((size, nodes), np.int64)
        self.slots = [_Slot(size, nodes, moves) for _ in range(slots)]

    def found(self, batch: Batch, halving: _Halving | None) -> Found:
        """Return what is known at the roots, at which the batch stands."""
        # What the root itself was judged to be is not counted.
        inner = self.ends.copy()
        inner[:, 0] = 0
        worth = (self.values * inner[:, :, None]).sum(axis=1)
        values = (worth / inner.sum(axis=1, keepdims=True)).astype(np.float32)
        first, *others = (self._found_of(slot, values) for slot in self.slots)
        if halving is not None:
            chosen = halving.best(halving.seen().max(axis=1))
            improved = halving.improved()
            is_halved = halving.is_halved
            first = replace(
                first,
                improved=np.where(is_halved[:, None], improved, first.policy()),
                chosen=np.where(is_halved, chosen, NOTHING),
            )
        also = tuple(other for other in others if (other.movers != NOTHING).any())
        if not also:
            return first
        only = np.stack([mask.argmax(axis=1) for mask in batch.legal], axis=1)
        return replace(first, also=also, only=only)

    def _found_of(self, slot: _Slot, values: Floats) -> Found:
        visits, movers, priors = (
            slot.visits[:, 0].copy(),
            slot.movers[:, 0].copy(),
            slot.priors[:, 0],
        )
        is_mixed, is_drawn = self.is_mixed[:, 0], movers == self.nature
        is_drawn &= movers != NOTHING
        if not (is_mixed.any() or is_drawn.any()):
            return Found(visits, values, movers)
        policy = visits / np.maximum(visits.sum(axis=1, keepdims=True), 1)
        total = slot.strategies[:, 0]
        whole = total.sum(axis=1, keepdims=True)
        mean = np.where(whole > 0, total / np.maximum(whole, 1e-12), priors)
        policy = np.where(is_mixed[:, None], mean, policy)
        policy = np.where(is_drawn[:, None], priors, policy).astype(np.float32)
        return Found(visits, values, movers, improved=policy, is_drawn=is_drawn)

    def select(
        self,
        rows: NDArray[np.int64],
        nodes: NDArray[np.int64],
        c: float,
        rng: np.random.Generator,
    ) -> NDArray[np.int64]:
        """Return a move of each that chooses in a node of each of some trees, ``int64[slots, n]``.

        One that chooses alone takes the highest upper bound, a move that was never made being
        worth what the node was found to be; nature draws; players at once draw by their regrets.
        """
        if self.nature == NOTHING and len(self.slots) == 1:
            return self._highest(self.slots[0], rows, nodes, c)[None]
        moves = np.zeros((len(self.slots), len(rows)), np.int64)
        is_mixed = self.is_mixed[rows, nodes]
        for s, slot in enumerate(self.slots):
            mover = slot.movers[rows, nodes]
            is_drawn = (mover == self.nature) & (mover != NOTHING)
            by_bound = ~is_mixed & ~is_drawn & (mover != NOTHING)
            if by_bound.all():
                moves[s] = self._highest(slot, rows, nodes, c)
                continue
            if by_bound.any():
                moves[s, by_bound] = self._highest(slot, rows[by_bound], nodes[by_bound], c)
            if is_drawn.any():
                moves[s, is_drawn] = self._drawn(s, rows[is_drawn], nodes[is_drawn], rng)
            at_once = is_mixed & ~is_drawn & (mover != NOTHING)
            if at_once.any():
                _, chance = slot_strategy(slot, rows[at_once], nodes[at_once])
                moves[s, at_once] = _draw_rows(chance, rng)
        return moves

    def _highest(
        self, slot: _Slot, rows: NDArray[np.int64], nodes: NDArray[np.int64], c: float
    ) -> NDArray[np.int64]:
        visits, priors = slot.visits[rows, nodes], slot.priors[rows, nodes]
        sums, count = slot.sums[rows, nodes], self.counts[rows, nodes]
        own = self.values[rows, nodes, slot.movers[rows, nodes]]
        mean = (sums.sum(axis=1) + own) / (count + 1)
        worth = np.where(visits > 0, sums / np.maximum(visits, 1), mean[:, None])
        score = worth + c * priors * np.sqrt(count + 1)[:, None] / (1 + visits)
        return np.asarray(np.where(priors > 0, score, -np.inf).argmax(axis=1), np.int64)

    def _drawn(
        self, s: int, rows: NDArray[np.int64], nodes: NDArray[np.int64], rng: np.random.Generator
    ) -> NDArray[np.int64]:
        """Draw for nature, all outcomes being equally likely.

        Where it draws alone all outcomes come round before one comes again, in any order, so each
        has its weight but for one visit. Beside a player that would let the player's move depend
        on what is still to come, so there each draw is new.
        """
        slot = self.slots[s]
        legal = slot.priors[rows, nodes] > 0
        visits = slot.visits[rows, nodes].astype(np.float64)
        if len(self.slots) > 1:
            is_alone = (s == 0) & (self.slots[1].movers[rows, nodes] == NOTHING)
            visits *= is_alone[:, None]
        order = np.where(legal, visits + rng.random(visits.shape), np.inf)
        return np.asarray(order.argmin(axis=1), np.int64)

    def child(
        self, rows: NDArray[np.int64], nodes: NDArray[np.int64], moves: NDArray[np.int64]
    ) -> NDArray[np.int64]:
        """Return the node behind moves of those that choose, ``int64[n]``; `NOTHING` for none."""
        child: NDArray[np.int64] = self.children[rows, nodes, moves[0]]
        if len(self.slots) == 1:
            return child
        while True:
            other = np.zeros(len(rows), np.bool_)
            for s, slot in enumerate(self.slots[1:], 1):
                chooses = slot.movers[rows, nodes] != NOTHING
                other |= chooses & (slot.into[rows, child] != moves[s])
            other &= child != NOTHING
            if not other.any():
                return child
            child[other] = self.siblings[rows[other], child[other]]

    def link(
        self,
        rows: NDArray[np.int64],
        nodes: NDArray[np.int64],
        moves: NDArray[np.int64],
        numbers: NDArray[np.int64],
    ) -> None:
        """Let nodes of some numbers stand behind moves."""
        self.parents[rows, numbers] = nodes
        if len(self.slots) > 1:
            self.siblings[rows, numbers] = self.children[rows, nodes, moves[0]]
        self.children[rows, nodes, moves[0]] = numbers
        for slot, move in zip(self.slots[1:], moves[1:], strict=True):
            slot.into[rows, numbers] = move

    def joint(
        self, batch: Batch, nodes: NDArray[np.int64], moves: NDArray[np.int64]
    ) -> NDArray[np.int64]:
        """Return what `Batch.step` takes for moves of those that choose in a node of each tree."""
        if len(self.slots) == 1:
            return np.asarray(moves[0])
        joint = np.stack([mask.argmax(axis=1) for mask in batch.legal], axis=1).astype(np.int64)
        for slot, move in zip(self.slots, moves, strict=True):
            mover = slot.movers[self.rows, nodes]
            chooses = mover != NOTHING
            joint[self.rows[chooses], mover[chooses]] = move[chooses]
        return joint

    def back_up(
        self,
        rows: NDArray[np.int64],
        nodes: NDArray[np.int64],
        moves: NDArray[np.int64],
        values: NDArray[np.float64],
    ) -> None:
        """Count moves and what they brought each role, ``values`` being ``float64[B, R]``."""
        for slot, move in zip(self.slots, moves, strict=False):
            mover = slot.movers[rows, nodes]
            if len(self.slots) == 1:
                mine = values[rows, mover]
                slot.visits[rows, nodes, move] += 1
                slot.sums[rows, nodes, move] += mine
                continue
            at = np.flatnonzero(mover != NOTHING)
            mine = values[rows[at], mover[at]]
            mixed = self.is_mixed[rows[at], nodes[at]] & (mover[at] != self.nature)
            if mixed.any():
                self._regret(slot, rows[at[mixed]], nodes[at[mixed]], move[at[mixed]], mine[mixed])
            slot.visits[rows[at], nodes[at], move[at]] += 1
            slot.sums[rows[at], nodes[at], move[at]] += mine
        self.counts[rows, nodes] += 1

    def _regret(
        self,
        slot: _Slot,
        rows: NDArray[np.int64],
        nodes: NDArray[np.int64],
        moves: NDArray[np.int64],
        mine: NDArray[np.float64],
    ) -> None:
        """Regret what was not chosen beside others' choices.

        Only the chosen move's worth is seen. Each move is taken to be worth its mean so far, and
        the chosen one is set right by how far the mean was off, over how likely it was: that is
        right in expectation whatever the means are, and varies the less the better they are.
        """
        strategy, chance = slot_strategy(slot, rows, nodes)
        visits, each = slot.visits[rows, nodes], np.arange(len(rows))
        own = self.values[rows, nodes, slot.movers[rows, nodes]]
        worth = np.where(visits > 0, slot.sums[rows, nodes] / np.maximum(visits, 1), own[:, None])
        worth[each, moves] += (mine - worth[each, moves]) / chance[each, moves]
        legal = slot.priors[rows, nodes] > 0
        gain = worth - (strategy * worth).sum(axis=1, keepdims=True)
        slot.regrets[rows, nodes] += np.where(legal, gain, 0.0)
        slot.strategies[rows, nodes] += strategy

    def choices(
        self, batch: Batch, rows: NDArray[np.int64]
    ) -> list[tuple[_Slot, NDArray[np.int64], NDArray[np.bool_]]]:
        """Return who chooses in some rows of a batch, and the moves that are legal for each.

        A slot for each that chooses at once, with the role, `NOTHING` for nobody, and its moves.
        Where nobody has more than one move the first role has the first slot.

        Raises:
            GdlError: A role has no move; names the row.
        """
        masks = [mask[rows] for mask in batch.legal]
        counts = np.stack([mask.sum(axis=1) for mask in masks])
        if (counts == 0).any():
            row = int(rows[(counts == 0).any(axis=0).argmax()])
            raise GdlError(
                "a search by batches came to a position in which a role has no move",
                notes=[f"it is below row {row}"],
                expected="a game in which every role has a move until it is over",
            )
        has_choice = counts > 1
        many = has_choice.sum(axis=0)
        nodes, moves = self.children.shape[1:]
        while len(self.slots) < many.max():
            self.slots.append(_Slot(len(self.rows), nodes, moves))
        # Those that choose come first, in the order of roles.
        order = has_choice.argmax(axis=0)[None]
        if many.max() > 1:
            order = np.argsort(~has_choice, axis=0, kind="stable")
        result = []
        for s in range(max(1, int(many.max()))):
            movers = np.where(many > s, order[s], NOTHING) if s else order[0]
            legal = np.zeros((len(rows), moves), np.bool_)
            for role, mask in enumerate(masks):
                mine = movers == role
                legal[mine, : mask.shape[1]] = mask[mine]
            result.append((self.slots[s], movers, legal))
        return result

    def mark_mixed(self, rows: NDArray[np.int64], nodes: NDArray[np.int64]) -> None:
        """Note in which nodes more than one player chooses."""
        movers = np.stack([slot.movers[rows, nodes] for slot in self.slots])
        players = (movers != NOTHING) & (movers != self.nature)
        self.is_mixed[rows, nodes] = players.sum(axis=0) > 1

    def behind(self, made: NDArray[Any]) -> NDArray[np.int64]:
        """Return the node behind moves as `Batch.step` takes them, ``int64[B]``, or `NOTHING`."""
        moves = np.zeros((len(self.slots), len(self.rows)), np.int64)
        for s, slot in enumerate(self.slots):
            mover = slot.movers[:, 0]
            moves[s] = made if made.ndim == 1 else made[self.rows, mover]
        is_known = (self.used > 0) & ((moves >= 0) & (moves < self.children.shape[2])).all(axis=0)
        root = np.zeros(len(self.rows), np.int64)
        child = self.child(self.rows, root, np.where(is_known, moves, 0))
        return np.where(is_known, child, NOTHING)

    def below(self, roots: NDArray[np.int64], rows: NDArray[np.int64]) -> _Trees:
        """Return the parts of some trees below nodes, as trees of their own without room."""
        keep = np.zeros(self.parents.shape, np.bool_)
        has_root = roots != NOTHING
        keep[self.rows[has_root], roots[has_root]] = True
        for node in range(1, keep.shape[1]):
            is_used = node < self.used
            keep[:, node] |= is_used & keep[self.rows, self.parents[:, node]]
        keep = keep[rows]
        used = keep.sum(axis=1)
        # What is kept moves to the front in its order, so parents stay before children.
        source = np.argsort(~keep, axis=1, kind="stable")[:, : max(1, int(used.max(initial=0)))]
        number = keep.cumsum(axis=1) - 1
        result = self._like(len(rows), source.shape[1])
        result.used = used
        at = rows[:, None]
        is_kept = np.arange(source.shape[1]) < used[:, None]
        for name in _Trees.PARTS:
            _fill(getattr(result, name), getattr(self, name)[at, source], is_kept)
        _fill(result.children, self.children[at, source], is_kept)
        each = np.arange(len(rows))
        for table in (result.parents, result.siblings, result.children):
            tree = each.reshape(-1, *[1] * (table.ndim - 1))
            table[:] = np.where(table == NOTHING, NOTHING, number[tree, table])
        result.siblings[:, 0], result.parents[:, 0] = NOTHING, 0
        for new_slot, slot in zip(result.slots, self.slots, strict=True):
            for name in _Slot.PARTS[: None if len(self.slots) > 1 else -2]:
                _fill(getattr(new_slot, name), getattr(slot, name)[at, source], is_kept)
        return result

    def grown(self, nodes: int) -> _Trees:
        """Return the same trees with room for so many nodes more."""
        count = self.parents.shape[1]
        result = self._like(len(self.rows), count + nodes)
        result.used = self.used.copy()
        for name in (*_Trees.PARTS, "children"):
            getattr(result, name)[:, :count] = getattr(self, name)
        for new_slot, slot in zip(result.slots, self.slots, strict=True):
            for name in _Slot.PARTS[: None if len(self.slots) > 1 else -2]:
                getattr(new_slot, name)[:, :count] = getattr(slot, name)
        return result

    def _like(self, size: int, nodes: int) -> _Trees:
        return _Trees(size, nodes, self.states.shape[2], self._batch, self.nature, len(self.slots))


def _fill(to: NDArray[Any], values: NDArray[Any], is_kept: NDArray[np.bool_]) -> None:
    to[is_kept] = values[is_kept]


def slot_strategy(
    slot: _Slot, rows: NDArray[np.int64], nodes: NDArray[np.int64]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return how likely moves are by their regrets, and how likely they are drawn.

    In proportion to regrets above 0; where there are none, by the priors. Drawn is now and then
    any move, half by the priors, half evenly. Both ``float64[n, M]``.
    """
    priors = slot.priors[rows, nodes].astype(np.float64)
    priors /= priors.sum(axis=1, keepdims=True)
    regrets = np.maximum(slot.regrets[rows, nodes], 0.0)
    whole = regrets.sum(axis=1, keepdims=True)
    strategy = np.where(whole > 0, regrets / np.maximum(whole, 1e-300), priors)
    legal = priors > 0
    even = legal / legal.sum(axis=1, keepdims=True)
    return strategy, (1 - EXPLORE) * strategy + EXPLORE * (priors + even) / 2


def _draw_rows(chance: NDArray[np.float64], rng: np.random.Generator) -> NDArray[np.int64]:
    """Draw a column of each row by its shares, ``int64[n]``."""
    total = chance.cumsum(axis=1)
    drawn = rng.random((len(chance), 1)) * total[:, -1:]
    return np.asarray((total > drawn).argmax(axis=1), np.int64)


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
        self._trees, self._slot = trees, trees.slots[0]
        others = trees.slots[1].movers[:, 0] if len(trees.slots) > 1 else NOTHING
        self.is_halved = (self._slot.movers[:, 0] != trees.nature) & (others == NOTHING)
        # What was found before, in a tree that goes on, is no part of the halving.
        self._begun = self._slot.visits[:, 0].copy()
        priors = self._slot.priors[:, 0].astype(np.float64)
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

    def seen(self) -> NDArray[np.int32]:
        """Return how often each move was looked at by this search, ``int32[B, M]``."""
        return self._slot.visits[:, 0] - self._begun

    def best(self, visits: NDArray[Any]) -> NDArray[np.int64]:
        """Return the best of the moves that were looked at so often, ``int64[B]``."""
        is_meant = self._is_legal & (self.seen() == visits[:, None])
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
        trees, slot = self._trees, self._slot
        visits, priors = slot.visits[:, 0], slot.priors[:, 0]
        found = slot.sums[:, 0] / np.maximum(visits, 1)
        known = np.where(visits > 0, priors, 0.0)
        mean = (known * found).sum(axis=1) / np.maximum(known.sum(axis=1), 1e-12)
        count = visits.sum(axis=1)
        own = trees.values[trees.rows, 0, slot.movers[:, 0]]
        root = (own + count * mean) / (1 + count)
        worth = np.where(visits > 0, found, root[:, None])
        return np.asarray((VISITS_SCALE + visits.max(axis=1))[:, None] * worth, np.float64)
