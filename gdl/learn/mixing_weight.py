"""The weight of a network mixed with playouts: how far it is believed, and whether it helps.

In: a game, a file of a network, seconds. Out: a `Weighing`. Three questions are asked.

Which mixture of playouts and network foretells best how games end? `mcts` plays itself from drawn
openings, and in each position both are asked what it is worth. In the tree only differences between
values count, so outcomes are fitted by a linear function of both, with a constant; the ratio of the
coefficients is the weight. This has a closed form; games, not positions, are independent, so the
interval is that of a bootstrap over games.

Is the network alone better than that mixture? Who foretells how games end from positions far apart
need not be who tells the moves of one position apart, and playouts take time. Is a search by the
better of the two better than `mcts`? Both only play can tell: matches at equal processor time.
Where the last does not show it, the weight is 0, and the file plays as `mcts` does.

Source: Efron and Tibshirani, "An Introduction to the Bootstrap", 1993.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from pathlib import Path
from time import thread_time
from typing import TYPE_CHECKING, Final

import numpy as np
from numpy.typing import NDArray

from gdl.game import Game
from gdl.play.budget import Budget
from gdl.play.compiled_search import CompiledSearch
from gdl.play.lane_tables import worst_goal
from gdl.play.mcts import MctsPlayer
from gdl.playouts import wilson_interval
from gdl.state import State

if TYPE_CHECKING:
    from gdl.play.workspace import Workspace

SIMULATIONS: Final = 64
"""Of each move in the games whose ends are foretold."""
MOST_GAMES: Final = 600
"""Games of that kind."""
SECONDS: Final = 0.02
"""Processor seconds of a move in the match."""
MOST_MATCHES: Final = 200
"""Games of the match."""
LEAST_MATCHES: Final = 20
"""Games before it may end early."""
OPENING: Final = 4
"""Drawn plies at the beginning of its games."""
FITTED: Final = 1 / 4
"""Part of the seconds for the fit; matches share the rest."""
LEAST: Final = 0.05
"""Weight of a mixture, and end of an interval, below which the network is not worth asking."""
DOUBT: Final = 1.28
"""Standard errors by which the share of points must be above one half: wrong once in ten times."""
CLEAR: Final = 2.5
"""Standard errors off one half from which on no more games are needed."""
RESAMPLES: Final = 500
LONGEST: Final = 1024
"""Plies after which a game is drawn."""
MEGABYTES: Final = 64
FEW: Final = 1e-9


@dataclass(frozen=True, slots=True)
class Fit:
    """Which mixture foretells outcomes best.

    Attributes:
        weight: The network's part, 0 to 1.
        low: Lower end of its 95% interval; ``high`` the upper end.
        high: See there.
        positions: From so many positions.
        games: Of so many games.
    """

    weight: float
    low: float
    high: float
    positions: int
    games: int


@dataclass(frozen=True, slots=True)
class Score:
    """What a player got in a match at equal processor time.

    Attributes:
        points: So many.
        games: Of so many games.
    """

    points: float
    games: int

    def __str__(self) -> str:
        """Return it in words."""
        low, high = wilson_interval(self.points, self.games)
        return f"{self.points:g} points of {self.games} (95% {low:.1%} to {high:.1%})"


@dataclass(frozen=True, slots=True)
class Weighing:
    """How far a network is to be believed.

    Attributes:
        weight: What goes into the file: the one that was tried, or 0 where it does not help.
        fit: What foretells outcomes best.
        tried: The weight that met `mcts`, that of the fit or 1; 0 where none did.
        alone: What the network alone got against the mixture of the fit; None where one of them
            was not tried.
        match: What it got with that weight against `mcts`; None where there was no match.
        loss: Mean squared error of the network in the positions of the fit, of shares from 0 to 1;
            None where there was none.
    """

    weight: float
    fit: Fit
    tried: float = 0.0
    alone: Score | None = None
    match: Score | None = None
    loss: float | None = None

    def __str__(self) -> str:
        """Return it in words."""
        fit = self.fit
        said = (
            f"weight {fit.weight:.2f} (95% {fit.low:.2f} to {fit.high:.2f}, how {fit.games} games "
            f"end from {fit.positions:,} positions)"
        )
        if self.alone is not None:
            said += f"; without playouts {self.alone} against that"
        if self.match is not None:
            said += (
                f"; with {self.tried:.2f} {self.match} against mcts, at {SECONDS:g} s of processor "
                "a move"
            )
        if self.weight > 0:
            return said
        return f"{said}: of no use to mcts yet, so the file says 0 and plays as mcts does"


def weigh(game: Game, path: Path, *, seconds: float, plies: float, seed: int = 0) -> Weighing:
    """Measure how far a network is to be believed.

    What is found depends on the speed of the machine, too: a network that takes longer helps less.

    Args:
        game: The game, compiled.
        path: The file of the network.
        seconds: Processor time, about.
        plies: How long games are.
        seed: What all chance comes from.

    Raises:
        NetworkError: The file is none of this game.
    """
    plain, alone = (_workspace(game, path, weight) for weight in (0.0, 1.0))
    if plain is None or alone is None:  # then mcts searches without machine code and network
        return Weighing(0.0, Fit(0.0, 0.0, 1.0, 0, 0))
    rng = np.random.default_rng(seed)
    rows: list[tuple[float, ...]] = []
    began = thread_time()
    for number in range(MOST_GAMES):
        if thread_time() - began > FITTED * seconds:
            break
        state = _opened(game, int(rng.random() * plies), rng)
        rows += [(number, *row) for row in _foretold(state, plain, alone, number)]
    said = np.array(rows).reshape(-1, 4)
    fit, loss = fit_weight(said, rng), _loss(game, said)
    if fit.high < LEAST:
        return Weighing(0.0, fit, loss=loss)
    # Who meets `mcts`? The network alone, unless a mixture that has playouts to speak of holds out
    # against it. Where there are two matches, each has half of the time.
    tried, better, duel, left = 1.0, alone, None, (1 - FITTED) * seconds
    if LEAST <= fit.weight < 1:
        mixed = _workspace(game, path, fit.weight)
        assert mixed is not None
        left /= 2
        duel = _match(game, alone, mixed, rng, left)
        if duel.points <= duel.games / 2:
            tried, better = fit.weight, mixed
    match = _match(game, better, plain, rng, left)
    # The mean and the error as if one game more had been won, and one lost.
    share = (match.points + 1) / (match.games + 2)
    error = math.sqrt(share * (1 - share) / (match.games + 2))
    helps = share - DOUBT * error > 1 / 2
    return Weighing(tried if helps else 0.0, fit, tried, duel, match, loss)


def fit_weight(rows: NDArray[np.float64], rng: np.random.Generator) -> Fit:
    """Fit ``outcome = a + b played + c said`` and return ``c / (b + c)``.

    Coefficients are none below 0.

    Args:
        rows: Number of the game, what playouts said, what the network said, how it ended,
            ``float64[positions, 4]``.
        rng: For the bootstrap.
    """
    if not len(rows):
        return Fit(0.0, 0.0, 1.0, 0, 0)
    names, place = np.unique(rows[:, 0], return_inverse=True)
    terms = np.column_stack([np.ones(len(rows)), rows[:, 1:]])
    # All that least squares need of a game is the sum of the products of its terms.
    products = np.zeros((len(names), 4, 4))
    np.add.at(products, place, terms[:, :, None] * terms[:, None, :])
    times = rng.multinomial(len(names), np.full(len(names), 1 / len(names)), RESAMPLES)
    drawn = _ratios(np.einsum("sg,gij->sij", times.astype(np.float64), products))
    low, high = np.quantile(drawn, (0.025, 0.975))
    (weight,) = _ratios(products.sum(0)[None])
    return Fit(float(weight), float(low), float(high), len(rows), len(names))


def _loss(game: Game, rows: NDArray[np.float64]) -> float | None:
    """Return the mean squared error of what the network said; for the rows see `fit_weight`."""
    if not len(rows):
        return None
    worst, best = _goal_range(game)
    return float(np.mean(((rows[:, 2] - worst) / (best - worst) - rows[:, 3]) ** 2))


def _ratios(sums: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the weight for each matrix of sums of products, ``float64[samples, 4, 4]``."""
    mean = sums[:, 0, :] / sums[:, :1, 0]
    spread = sums / sums[:, :1, :1] - mean[:, :, None] * mean[:, None, :]
    pp, pn, nn = spread[:, 1, 1], spread[:, 1, 2], spread[:, 2, 2]
    pz, nz = spread[:, 1, 3], spread[:, 2, 3]
    # By Cramer's rule; where one coefficient is below 0, or one opinion always the same, the other
    # stands alone.
    played, said = nn * pz - pn * nz, pp * nz - pn * pz
    is_all = (pp < FEW) | (pz <= 0) | (played <= 0)
    is_none = (nn < FEW) | (nz <= 0) | (~is_all & (said <= 0))
    ratio = said / np.where(is_none | is_all, 1.0, played + said)
    return np.where(is_none, 0.0, np.where(is_all, 1.0, ratio))


def _workspace(game: Game, path: Path, weight: float) -> Workspace | None:
    """Return code and memory of `mcts` with this weight, as a player has them."""
    player = MctsPlayer(value=str(path), weight=weight, memory=MEGABYTES)
    player.prepare(game, Budget())
    return player.workspace_for(game.initial())


def _think(space: Workspace, state: State, role: int, *, simulations: int | None = None) -> State:
    """Return the state after the move that a search chooses, of simulations or of `SECONDS`."""
    search = CompiledSearch(space, state.inner, role, simulations=simulations)
    began = thread_time()
    while search.go_on() and (simulations is not None or thread_time() - began < SECONDS):
        pass
    thoughts = search.thoughts()
    assert thoughts is not None
    return state.play({state.game.roles[role]: thoughts.best.move})


def _share(state: State) -> float:
    """Return the points of the first role, as a tournament counts; half where play did not end."""
    if not state.is_terminal:
        return 0.5
    mine, other = (state.goal(role) for role in state.game.roles)
    return 0.5 + 0.5 * ((mine > other) - (mine < other))


def _goal_share(state: State) -> float:
    """Return which part of its goal the first role got: values foretell that, not who has won."""
    if not state.is_terminal:
        return 0.5
    worst, best = _goal_range(state.game)
    return (state.goal(state.game.roles[0]) - worst) / (best - worst)


def _goal_range(game: Game) -> tuple[int, int]:
    """Return the least and the most that the first role may get."""
    native = game.back_end.native
    assert native is not None
    goals = native.kernel.compiled.goals[0]
    return worst_goal(goals), max(goals)


def _opened(game: Game, plies: int, rng: np.random.Generator) -> State:
    """Return a state after drawn moves, none of which ends the game or leaves somebody stuck."""
    state = game.initial()
    for _ in range(plies):
        after = state.apply([ids[int(rng.integers(len(ids)))] for ids in _legal(state)])
        if after.is_terminal or not all(_legal(after)):
            break
        state = after
    return state


def _legal(state: State) -> list[tuple[int, ...]]:
    """Return the legal moves of each role, by number."""
    return [state.legal_ids(role) for role in state.game.roles]


def _mover(legal: list[tuple[int, ...]]) -> int:
    """Return the role that has a choice; -1 where none has."""
    return next((r for r, ids in enumerate(legal) if len(ids) > 1), -1)


def _foretold(
    state: State, plain: Workspace, alone: Workspace, seed: int
) -> list[tuple[float, float, float]]:
    """Play a game on; return what was said in each position that is not decided, and how it ended.

    What the first role may hope for is told as a goal by both, and the outcome as its share.
    """
    plain.clear()
    alone.clear()
    plain.seed(seed)
    said: list[tuple[float, float]] = []
    while not state.is_terminal and state.ply < LONGEST:
        legal = _legal(state)
        if not all(legal):  # somebody is stuck: no end that is worth anything
            break
        mover = _mover(legal)
        if mover < 0:
            state = state.apply([ids[0] for ids in legal])
            continue
        first, second = plain.root(state.inner), alone.root(state.inner)
        if plain.tree.lower[first, 0] < plain.tree.upper[first, 0]:
            values = plain.tree.raw_value[first, 0], alone.tree.raw_value[second, 0]
            said.append((float(values[0]), float(values[1])))
        state = _think(plain, state, mover, simulations=SIMULATIONS)
    return [(*pair, _goal_share(state)) for pair in said]


def _match(
    game: Game, one: Workspace, other: Workspace, rng: np.random.Generator, seconds: float
) -> Score:
    """Play both against each other, colours swapped; return what the first got.

    It ends when it is clear who is better, or with the seconds.
    """
    points, began = 0.0, thread_time()
    for number in range(0, MOST_MATCHES, 2):
        opened = _opened(game, OPENING, rng)
        for seat in range(2):
            spaces = (one, other) if seat == 0 else (other, one)
            for space in spaces:
                space.clear()
                space.seed(number)
            state = opened
            while not state.is_terminal and state.ply < LONGEST:
                legal = _legal(state)
                if not all(legal):
                    break
                mover = _mover(legal)
                if mover < 0:
                    state = state.apply([ids[0] for ids in legal])
                else:
                    state = _think(spaces[mover], state, mover)
            points += _share(state) if seat == 0 else 1 - _share(state)
        games = number + 2
        is_clear = abs(points / games - 1 / 2) > CLEAR / (2 * math.sqrt(games))
        if (games >= LEAST_MATCHES and is_clear) or thread_time() - began > seconds:
            return Score(points, games)
    return Score(points, MOST_MATCHES)
