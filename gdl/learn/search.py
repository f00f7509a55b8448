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
through self-play", 2018 (noise at the root); the form over arrays after mctx. More in `trees` and
`halving`.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, Final, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from gdl.game import Game
from gdl.language.diagnostics import GdlError
from gdl.language.keywords import RANDOM
from gdl.language.preconditions import (
    ArgumentError,
    ArgumentTypeError,
    require,
    require_number,
    require_whole,
)
from gdl.learn.found import NOTHING, Floats, Found
from gdl.learn.halving import Halving
from gdl.learn.trees import Trees
from gdl.native.kernel.batch import array_of

__all__ = ["Judge", "Search", "null_judge"]

Judge: TypeAlias = Callable[
    [NDArray[np.bool_], NDArray[np.bool_], NDArray[np.int64]], tuple[Floats, Floats]
]
"""A function of facts ``bool[n, F]``, legal moves ``bool[n, M]`` and the role that chooses
``int64[n]`` to priors ``float[n, M]``, of any scale and not below 0, and what each role may hope
for ``float[n, R]``, a goal of 100 being 1 and 0 the least. Columns of moves are those of the role
that chooses.
Where several choose at once it is asked for each, and what it says of values is averaged; where
nature draws it is asked for nature, whose priors are not looked at."""
TWO: Final = 2
HIGHEST: Final = 100.0
"""The goal that counts as 1."""
SLACK: Final = 1e-3
"""How far beyond the least and the most that can be hoped for rounding may lead."""


def null_judge(
    facts: NDArray[np.bool_], legal: NDArray[np.bool_], movers: NDArray[np.int64], *, roles: int = 2
) -> tuple[Floats, Floats]:
    """Judge without knowing anything: all moves alike, half of the points for everybody."""
    del facts, movers
    return legal.astype(np.float32), np.full((len(legal), roles), 0.5, np.float32)


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
            ArgumentError: A number is none, or out of its range.
        """
        if not callable(judge):
            raise ArgumentTypeError("judge", judge, "a function of arrays")
        for name, value in (("c", c), ("noise", noise), ("alpha", alpha)):
            require_number(name, value, is_finite=True)
        if noise > 1:
            raise ArgumentError("noise", noise, "at most 1")
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
        self._most = max(HIGHEST, self._batch.most_goal) / HIGHEST
        self._last: Trees | None = None
        self._kept: Trees | None = None

    def run(self, saved: NDArray[np.uint8], rng: np.random.Generator) -> Found:
        """Search positions, on from what `follow` kept if it was called since the last search.

        Args:
            saved: Positions that are not over, ``uint8[B, bytes]``, as `Batch.save` gives them.
            rng: Of the noise, of nature and of moves at once.

        Raises:
            GdlError: The game is over in one, a role has no move, a position is not the one that
                was followed to, or the judge answers in another shape or with what is no prior or
                no value.
        """
        require("rng", rng, np.random.Generator, "a numpy.random.Generator")
        saved = array_of(saved)
        if saved.ndim != TWO:
            raise GdlError(
                f"saved has the shape {saved.shape}",
                expected="uint8[B, bytes], as batch.save gives it",
            )
        # What was kept is given up first: after an error nothing goes on from a tree half grown.
        size, kept = len(saved), self._kept
        self._kept = self._last = None
        if self._batch.size != size:
            self._batch = self._game.batch(size)
        self._batch.restore(saved)
        if self._batch.terminal.any():
            raise GdlError(f"the game is over in row {int(self._batch.terminal.argmax())}")
        if kept is None:
            trees = Trees(size, self.simulations + 1, saved.shape[1], self._batch, self._nature)
        else:
            _require_followed(kept, saved)
            trees = kept.grown(self.simulations + 1)
        # Trees that were followed to a position have a root already, with what is known below it.
        fresh = np.flatnonzero(trees.used == 0)
        if len(fresh):
            self._open(trees, fresh, np.zeros(len(fresh), np.int64), saved[fresh])
            trees.used[fresh] = 1
        if self.noise:
            self._disturb(trees, rng)
        # Every tree grows by one node a simulation: each judgement is asked of a full batch.
        halving = Halving(trees, self.gumbel, self.simulations, rng) if self.gumbel else None
        for simulation in range(1, self.simulations + 1):
            self._simulate(trees, simulation, halving, rng)
        # The batch went wherever the trees did: which moves are legal is asked at the roots again.
        self._last = trees
        self._batch.restore(saved)
        outcome = trees.outcome(self._batch)
        return outcome if halving is None else halving.told(outcome)

    def follow(self, moves: ArrayLike, rows: ArrayLike | None = None) -> None:
        """Keep what the last search found below the moves that were made, for the next one.

        The next search adds as many positions as ever to what is kept, and answers as one would
        that had looked at all of them from there. A game whose move was not looked at begins anew.

        Args:
            moves: Those made in each game, as `Batch.step` takes them.
            rows: Which games go on, as in `Batch.save`, and in which order; by default all. The
                next search is of these.

        Raises:
            GdlError: There was no search, moves or rows are not of its shape, or a move is not
                legal where it was made.
        """
        trees = self._last if self._kept is None else self._kept
        if trees is None:
            raise GdlError("there is no search to follow moves from", help="call run before follow")
        size, roles = len(trees.rows), len(self._batch.roles)
        chosen = array_of(moves)
        if chosen.dtype.kind not in "iu":
            raise GdlError(f"moves has the type {chosen.dtype}", expected="whole numbers")
        if chosen.shape not in {(size,), (size, roles)}:
            raise GdlError(
                f"moves has the shape {chosen.shape}",
                expected=f"({size}, {roles}), or ({size},), as they were given to step",
            )
        if (stray := trees.stray(chosen)) is not None:
            row, move = stray
            raise GdlError(
                f"move {move} of row {row} is not legal in the position that was searched",
                expected="the moves that were given to step",
            )
        at = trees.behind(chosen)
        on = trees.rows if rows is None else _row_numbers(rows, size)
        self._kept, self._last = trees.below(at, on), None

    def _simulate(
        self, trees: Trees, simulation: int, halving: Halving | None, rng: np.random.Generator
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
        trees: Trees,
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
                answer = self._judge(facts[who], legal[who], movers[who])
                priors, judged = _taken(answer, legal[who], len(batch.roles), self._most)
                # Of any scale: the most likely move is set to 1 before others get a little.
                most = priors.max(axis=1, keepdims=True)
                priors = priors / np.where(most > 0, most, 1) + legal[who] * np.float32(1e-9)
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

    def _disturb(self, trees: Trees, rng: np.random.Generator) -> None:
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


def _require_followed(kept: Trees, saved: NDArray[np.uint8]) -> None:
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


def _taken(
    answer: Any,  # noqa: ANN401  # of a function of others
    legal: NDArray[np.bool_],
    roles: int,
    most: float,
) -> tuple[NDArray[Any], NDArray[Any]]:
    """Return what a judge answered: priors, zeros where a move is not legal, and values.

    Raises:
        GdlError: It is of another shape, or there is a prior that is none or a value that is none.
    """
    if not isinstance(answer, tuple | list) or len(answer) != TWO:
        raise GdlError(
            f"the judge returned a {type(answer).__name__}", expected="a tuple: priors and values"
        )
    priors, judged = map(array_of, answer)
    if priors.shape != legal.shape or judged.shape != (len(legal), roles):
        raise GdlError(
            f"the judge returned the shapes {priors.shape} and {judged.shape}",
            expected=f"priors {legal.shape} and values {len(legal), roles}",
        )
    if {priors.dtype.kind, judged.dtype.kind} & set("OSUMmc"):
        raise GdlError(
            f"the judge returned the types {priors.dtype} and {judged.dtype}", expected="numbers"
        )
    priors = np.where(legal, priors, 0.0)
    if not (priors.min() >= 0 and priors.max() < math.inf):
        row, move = np.argwhere(~((priors >= 0) & (priors < math.inf)))[0]
        raise GdlError(
            f"the judge returned the prior {priors[row, move]:g} in row {row}",
            expected="numbers from 0 on, such as the softmax of logits",
        )
    is_worth = (judged >= -SLACK) & (judged <= most + SLACK)
    if not is_worth.all():
        row, role = np.argwhere(~is_worth)[0]
        raise GdlError(
            f"the judge returned the value {judged[row, role]:g} in row {row}",
            expected=f"what each role may hope for, from 0 to {most:g}: a goal of 100 is 1",
        )
    return priors, judged
