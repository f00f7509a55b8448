"""AlphaZero in some hundred lines of numpy, for any game of two roles that take turns.

    python examples/zero.py connectfour --iterations 40

Games are played in batches by trees that a small network judges (gdl.learn.search); the network
learns the policies of the trees and the ends of the games. Another library takes the place of
`Net`: what is asked of it is a function of arrays (`zero_jax.py`, `zero_torch.py`).
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

import gdl
from gdl.learn.search import Judge, Search, null_judge

Array = NDArray[np.float32]
KEPT = 8
"""Iterations that are learned from."""
STEPS = 80
"""Steps of the network in each."""


class Net:
    """Two layers: facts and who moves in, priors of moves and the first role's share out."""

    def __init__(self, facts: int, moves: int, rng: np.random.Generator, hidden: int = 128) -> None:
        """Draw weights."""
        sizes = [(facts + 3, hidden), (hidden + 1, moves + 1)]
        self.layers = [(rng.normal(size=s) / np.sqrt(s[0])).astype(np.float32) for s in sizes]
        self.squares = [np.zeros_like(layer) for layer in self.layers]

    def forward(self, facts: NDArray[np.bool_], movers: NDArray[np.int64]) -> tuple[Array, ...]:
        """Return what goes in, the hidden layer and what comes out."""
        ones = np.ones((len(facts), 1), np.float32)
        seen = np.hstack([facts.astype(np.float32), np.eye(2, dtype=np.float32)[movers], ones])
        hidden = np.hstack([np.maximum(seen @ self.layers[0], 0), ones])
        return seen, hidden, hidden @ self.layers[1]

    def __call__(
        self, facts: NDArray[np.bool_], legal: NDArray[np.bool_], movers: NDArray[np.int64]
    ) -> tuple[Array, Array]:
        """Return priors of moves and both roles' shares, as a search asks for them."""
        out = self.forward(facts, movers)[2]
        first = 1 / (1 + np.exp(-out[:, -1]))
        return softmax(np.where(legal, out[:, :-1], -1e9)), np.stack([first, 1 - first], axis=1)

    def learn(  # noqa: PLR0913, PLR0917  # a column each
        self,
        facts: NDArray[np.bool_],
        movers: NDArray[np.int64],
        legal: NDArray[np.bool_],
        policy: Array,
        share: Array,
        rate: float = 3e-3,
    ) -> None:
        """Make a step against the gradient of both cross entropies."""
        seen, hidden, out = self.forward(facts, movers)
        move_error = softmax(np.where(legal, out[:, :-1], -1e9)) - policy
        share_error = 1 / (1 + np.exp(-out[:, -1:])) - share[:, None]
        error = np.hstack([move_error, share_error]).astype(np.float32) / len(facts)
        below = (error @ self.layers[1].T)[:, :-1] * (hidden[:, :-1] > 0)
        for i, slope in enumerate((seen.T @ below, hidden.T @ error)):
            self.squares[i] = 0.99 * self.squares[i] + 0.01 * slope**2  # RMSprop
            self.layers[i] -= rate * slope / (np.sqrt(self.squares[i]) + 1e-6)


def softmax(x: Array) -> Array:
    """Return positive rows that add up to 1."""
    power = np.exp(x - x.max(axis=1, keepdims=True))
    return np.asarray(power / power.sum(axis=1, keepdims=True), np.float32)


def self_play(
    game: gdl.Game, search: Search, size: int, rng: np.random.Generator
) -> Iterator[tuple[NDArray[Any], ...]]:
    """Yield facts, movers, legal moves, policies and ends of all positions of some games."""
    batch, rows = game.batch(size), np.arange(size)
    kept: list[tuple[NDArray[Any], ...]] = []
    while len(rows):
        found = search.run(batch.save(), rng)
        legal = np.zeros(found.visits.shape, np.bool_)
        for role, mask in enumerate(batch.legal):
            mine = found.movers == role
            legal[mine, : mask.shape[1]] = mask[mine]
        kept.append((rows, batch.observations, found.movers, legal, found.policy()))
        batch.step(found.sample(rng))
        over = batch.terminal.copy()
        ends = dict(zip(rows[over], batch.goals[over, 0] / 100, strict=True))
        for number, end in ends.items():
            for which, *others in kept:
                at = np.flatnonzero(which == number)
                if len(at):
                    yield (*(each[at[0]] for each in others), end)
        rows = rows[~over]
        if len(rows):
            batch = batch.fork(np.flatnonzero(~over))


def learn(net: Any, kept: list[list[NDArray[Any]]], rng: np.random.Generator) -> None:  # noqa: ANN401  # any with `learn`
    """Learn from positions of the last games, columns of each iteration, drawn with return."""
    columns = [np.concatenate(column) for column in zip(*kept[-KEPT:], strict=True)]
    for _ in range(STEPS):
        rows = rng.integers(len(columns[0]), size=256)
        net.learn(*(column[rows] for column in columns))


def main(make: Callable[[int, int, np.random.Generator], Any] = Net) -> None:
    """Learn, and play against trees that know nothing."""
    parser = argparse.ArgumentParser(description=sys.modules["__main__"].__doc__)
    parser.add_argument("game", nargs="?", default="tictactoe")
    parser.add_argument("--iterations", type=int, default=8)
    parser.add_argument("--games", type=int, default=64)
    parser.add_argument("--simulations", type=int, default=32)
    parser.add_argument("--gumbel", type=int, default=0, help="moves to halve; 0 for PUCT")
    options = parser.parse_args()
    rng = np.random.default_rng(0)
    game = gdl.load(options.game, backend="native")
    batch = game.batch(1)
    net = make(len(batch.facts), max(map(len, batch.moves)), rng)
    root = {"gumbel": options.gumbel} if options.gumbel else {"noise": 0.25}
    search = Search(game, net, simulations=options.simulations, **root)
    kept: list[list[NDArray[Any]]] = []
    for iteration in range(options.iterations):
        plays = zip(*self_play(game, search, options.games, rng), strict=True)
        kept.append([np.array(each) for each in plays])
        learn(net, kept, rng)
        points = match(game, net, rng)
        print(f"{iteration + 1}: {len(kept[-1][0])} positions, {points:.0%} of points")


def match(game: gdl.Game, net: Judge, rng: np.random.Generator, size: int = 64) -> float:
    """Return the share of points against the same search with a judge that knows nothing."""
    points = 0.0
    for mine in (0, 1):
        batch = game.batch(size)
        while not batch.terminal.all():
            batch = batch.fork(np.flatnonzero(~batch.terminal))
            one = Search(game, net, simulations=16).run(batch.save(), rng)
            other = Search(game, null_judge, simulations=16).run(batch.save(), rng)
            moves = np.where(one.movers == mine, one.sample(rng, 0.3), other.sample(rng, 0.3))
            batch.step(moves)
            points += float(batch.goals[batch.terminal, mine].sum()) / 100
    return points / (2 * size)


if __name__ == "__main__":
    main()
