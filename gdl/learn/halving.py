"""The choice at the roots of trees by Gumbel: some moves are drawn, and the best is sought of them.

Source: Danihelka et al., "Policy Improvement by Planning with Gumbel", 2022, with sequential
halving by Karnin et al., 2013.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from gdl.learn.found import NOTHING, Floats, Found
from gdl.learn.trees import Trees

VISITS_SCALE: Final = 50
"""How much values count beside priors at the root, as if so many visits more had been made."""


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


class Halving:
    """Who is looked at next at the roots of some trees, by noise, priors and values."""

    def __init__(self, trees: Trees, most: int, simulations: int, rng: np.random.Generator) -> None:
        """Draw the moves that are looked at, ``most`` of each root at most."""
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

    def _improved(self) -> Floats:
        """Return the policy that priors and values make, ``float32[B, M]``."""
        score = np.where(self._is_legal, self._logits + self._weighed(), -np.inf)
        share = np.exp(score - score.max(axis=1, keepdims=True))
        return np.asarray(share / share.sum(axis=1, keepdims=True), np.float32)

    def told(self, outcome: Found) -> Found:
        """Return what was found, and of the roots that were halved the choice and what it means."""
        chosen = self.best(self.seen().max(axis=1))
        return replace(
            outcome,
            improved=np.where(self.is_halved[:, None], self._improved(), outcome.policy()),
            chosen=np.where(self.is_halved, chosen, NOTHING),
        )

    def _weighed(self) -> NDArray[np.float64]:
        """Return what values add to the logits, ``float64[B, M]``.

        A move that was not looked at is worth what the root is: what the judge said of it, and what
        was found of its moves, each by its prior.
        """
        trees, slot = self._trees, self._slot
        visits, priors = slot.visits[:, 0], slot.priors[:, 0]
        means = slot.sums[:, 0] / np.maximum(visits, 1)
        weights = np.where(visits > 0, priors, 0.0)
        mean = (weights * means).sum(axis=1) / np.maximum(weights.sum(axis=1), 1e-12)
        count = visits.sum(axis=1)
        own = trees.values[trees.rows, 0, slot.movers[:, 0]]
        root = (own + count * mean) / (1 + count)
        worth = np.where(visits > 0, means, root[:, None])
        return np.asarray((VISITS_SCALE + visits.max(axis=1))[:, None] * worth, np.float64)
