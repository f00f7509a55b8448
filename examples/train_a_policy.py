"""Teach a tiny policy to play a game by playing a thousand games at once, with numpy alone.

The policy is linear: a score for each move is a weighted sum of what is seen. It learns by
REINFORCE (Williams, 1992): moves of games that were won become more likely. It plays both
sides, and chance plays the other one. Needs the extra ``native``; it takes some seconds.

    python examples/train_a_policy.py [RULESET OR FILE.kif] [SECONDS]
"""

import sys
import time

import numpy as np
from numpy.typing import NDArray

from gdl.adapters import vector

GAMES = 1024
RATE = 0.5
"""How far the weights go for an average game."""
JUDGED = 2000
"""Games that are played to judge a policy."""

Floats = NDArray[np.float32]


def probabilities(weights: Floats, seen: Floats, masks: NDArray[np.bool_]) -> Floats:
    """Return how likely each move is: a softmax over the legal ones."""
    scores = np.where(masks, seen @ weights, -1e9)
    shares = np.exp(scores - scores.max(axis=1, keepdims=True))
    return np.asarray(shares / shares.sum(axis=1, keepdims=True), np.float32)


def draw(shares: Floats, rng: np.random.Generator) -> NDArray[np.int64]:
    """Draw a move of each row."""
    below = shares.cumsum(axis=1) < rng.random((len(shares), 1))
    return np.asarray(np.minimum(below.sum(axis=1), shares.shape[1] - 1), np.int64)


def play(game: str, weights: Floats, *, seconds: float, games: float, learns: bool) -> float:
    """Play until the time or the games are over; return the learner's share of the points."""
    rng = np.random.default_rng(0)
    env = vector.env(game, GAMES, seed=1)
    seats = np.arange(GAMES) % len(env.players)  # the learner plays each side in its share of rows
    rows = np.arange(GAMES)
    traces = np.zeros((GAMES, *weights.shape), np.float32)
    points, ended, baseline = 0.0, 0, 0.0
    start = time.process_time()
    while time.process_time() - start < seconds and ended < games:
        seen = env.observations.reshape(GAMES, -1).astype(np.float32)
        masks = env.masks
        actions = env.sample()
        mine = np.flatnonzero(env.movers == seats)
        shares = probabilities(weights, seen[mine], masks[mine])
        actions[mine] = draw(shares, rng)
        if learns:  # the gradient of the logarithm of the move's probability
            surprise = -shares
            surprise[np.arange(len(mine)), actions[mine]] += 1
            traces[mine] += seen[mine, :, None] * surprise[:, None, :]
        outcome = env.step(actions)
        over = np.flatnonzero(outcome.ended)
        rewards = outcome.rewards[rows, seats][over]
        if learns and len(over):
            weights += RATE * np.tensordot(rewards - baseline, traces[over], 1) / len(over)
            baseline += 0.05 * (float(rewards.mean()) - baseline)
            traces[over] = 0
        points += float((rewards + 1).sum() / 2) if len(env.players) > 1 else float(rewards.sum())
        ended += len(over)
    return points / max(1, ended)


def main(game: str = "tictactoe", seconds: str = "3") -> None:
    """Judge a policy, teach it, and judge it again."""
    env = vector.env(game, 1)
    weights = np.zeros((int(np.prod(env.shape)), env.moves), np.float32)
    before = play(game, weights, seconds=60, games=JUDGED, learns=False)
    print(f"before: {before:.1%} of the points against chance")
    play(game, weights, seconds=float(seconds), games=np.inf, learns=True)
    after = play(game, weights, seconds=60, games=JUDGED, learns=False)
    print(f"after:  {after:.1%} of the points against chance")
    if after < before + 0.1:
        sys.exit("it has learned nothing")


if __name__ == "__main__":
    main(*sys.argv[1:])
