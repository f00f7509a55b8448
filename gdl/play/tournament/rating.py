"""How strong players are, from who scored what against whom.

In: points of each player against each other. Out: ratings on the Elo scale with 95% intervals.
The model is that of Bradley and Terry: a player scores against another with probability
``1 / (1 + 10 ** (-difference / 400))``; a draw counts as half a win. Every player has drawn
one game against an average one beforehand, which keeps the rating of who won all its games
finite. The interval follows from the curvature of the likelihood (Fisher information) and is
that of the difference to the mean of all players, which is 0. As draws are taken for half
wins it is, if anything, too wide.

Source: Bradley and Terry, "Rank Analysis of Incomplete Block Designs", Biometrika 39, 1952;
Hunter, "MM Algorithms for Generalized Bradley-Terry Models", Annals of Statistics 32, 2004;
Coulom, "Bayesian Elo Rating" (the virtual draws), 2005.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from gdl.playouts import Z_95

SCALE: Final = 400 / math.log(10)
"""Elo points of one unit of the logistic scale."""
PRIOR_DRAWS: Final = 1.0
"""Games that every player has drawn against an average one beforehand."""
PRECISION: Final = 1e-9
MAX_STEPS: Final = 200
LONGEST_STEP: Final = 2.0
"""Most that a rating changes in one step, in units of the logistic scale."""


@dataclass(frozen=True, slots=True)
class Rating:
    """The strength of one player.

    Attributes:
        elo: Elo points above the mean of all players.
        margin: Half of the width of the 95% interval, in Elo points.
    """

    elo: float
    margin: float


def ratings(n: int, points: Mapping[tuple[int, int], float]) -> tuple[Rating, ...]:
    """Return the rating of each player.

    Args:
        n: Number of players.
        points: Points of the first against the second player of a pair, all games together;
            both orders of a pair are needed.

    Example:
        >>> stronger, weaker = ratings(2, {(0, 1): 75.0, (1, 0): 25.0})
        >>> round(stronger.elo - weaker.elo)
        190
    """
    games = {
        (i, j): points.get((i, j), 0.0) + points.get((j, i), 0.0)
        for i in range(n)
        for j in range(n)
        if i != j
    }
    scores = [
        sum(points.get((i, j), 0.0) for j in range(n) if j != i) + PRIOR_DRAWS / 2 for i in range(n)
    ]
    # Newton's method: the log likelihood is concave, and with the virtual draws strictly, so its
    # one stationary point is its maximum. Far from it a whole step may overshoot: it is shortened.
    strengths = [0.0] * n
    for _ in range(MAX_STEPS):
        slope = [
            scores[i]
            - PRIOR_DRAWS * _chance(strengths[i])
            - sum(games[i, j] * _chance(strengths[i] - strengths[j]) for j in range(n) if j != i)
            for i in range(n)
        ]
        steps = _solve(_information(strengths, games), slope)
        longest = max(map(abs, steps), default=0.0)
        shorten = min(1.0, LONGEST_STEP / longest) if longest else 1.0
        strengths = [
            strength + shorten * step for strength, step in zip(strengths, steps, strict=True)
        ]
        if longest < PRECISION:
            break
    return _rated(strengths, games)


def _rated(strengths: list[float], games: Mapping[tuple[int, int], float]) -> tuple[Rating, ...]:
    n = len(strengths)
    information = _information(strengths, games)
    columns = [_solve(information, [float(i == k) for i in range(n)]) for k in range(n)]
    # The inverse of the information is the covariance. Of the difference to the mean of all the
    # variance is var(i) - 2 cov(i, mean) + var(mean).
    mean = sum(strengths) / n
    rows = [sum(columns[k][i] for k in range(n)) / n for i in range(n)]
    overall = sum(rows) / n
    rated = []
    for i in range(n):
        variance = columns[i][i] - 2 * rows[i] + overall
        margin = Z_95 * math.sqrt(max(0.0, variance))
        rated.append(Rating(SCALE * (strengths[i] - mean), SCALE * margin))
    return tuple(rated)


def _chance(difference: float) -> float:
    """Return the probability of a win, from a difference on the logistic scale."""
    if difference < 0:
        grown = math.exp(difference)
        return grown / (1 + grown)
    return 1 / (1 + math.exp(-difference))


def _information(
    strengths: list[float], games: Mapping[tuple[int, int], float]
) -> list[list[float]]:
    """Return the Fisher information: minus the second derivative of the log likelihood."""
    n = len(strengths)
    matrix = [[0.0] * n for _ in range(n)]
    for i in range(n):
        chance = _chance(strengths[i])
        matrix[i][i] += PRIOR_DRAWS * chance * (1 - chance)
        for j in range(n):
            if i != j:
                chance = _chance(strengths[i] - strengths[j])
                weight = games[i, j] * chance * (1 - chance)
                matrix[i][i] += weight
                matrix[i][j] -= weight
    return matrix


def _solve(matrix: list[list[float]], right: list[float]) -> list[float]:
    """Return the solution of linear equations (Cholesky; the matrix is positive definite)."""
    n = len(right)
    lower = [[0.0] * n for _ in range(n)]
    for i in range(n):
        for j in range(i + 1):
            remainder = matrix[i][j] - sum(lower[i][k] * lower[j][k] for k in range(j))
            lower[i][j] = math.sqrt(max(remainder, 1e-300)) if i == j else remainder / lower[j][j]
    forward = [0.0] * n
    for i in range(n):
        forward[i] = (right[i] - sum(lower[i][k] * forward[k] for k in range(i))) / lower[i][i]
    solution = [0.0] * n
    for i in reversed(range(n)):
        later = sum(lower[k][i] * solution[k] for k in range(i + 1, n))
        solution[i] = (forward[i] - later) / lower[i][i]
    return solution
