"""What searches of many games at once found at their roots.

Arrays: B games, M the most moves of a role, R roles.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Any, Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from gdl.language.preconditions import require, require_number

__all__ = ["Found"]

Floats: TypeAlias = NDArray[np.float32]
NOTHING: Final = -1
"""In place of a node, a role or a move."""


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
        chosen: The move that a search by Gumbel chose, ``int64[B]``; its noise was the chance.
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
            ArgumentError: The temperature is below 0, or not finite.
        """
        require_number("temperature", temperature, is_finite=True)
        if self.improved is not None and temperature == 1:
            return self.improved
        # A search by Gumbel chose among the most visited; strategies are no counts of visits.
        counted: NDArray[Any] = self.visits
        if self.improved is not None:
            is_counted = self.chosen is not None and (self.chosen != NOTHING)[:, None]
            counted = np.where(is_counted, self.visits, self.improved)
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

    def sample(self, rng: np.random.Generator, temperature: float = 1.0) -> NDArray[np.int64]:
        """Return moves chosen by chance, as `policy` has it, as `Batch.step` takes them.

        A search by Gumbel has chosen already: at temperature 1 these are the moves it chose.

        Returns:
            The move of the role that chooses, ``int64[B]``; where in some game several do, the
            moves of all roles, ``int64[B, R]``.

        Raises:
            ArgumentError: See `policy`; or the generator is none.
        """
        require("rng", rng, np.random.Generator, "a numpy.random.Generator")
        sampled = sample_columns(self.policy(temperature), rng)
        if self.chosen is not None and temperature == 1:
            sampled = np.where(self.chosen == NOTHING, sampled, self.chosen)
        if not self.also or self.only is None:
            return sampled
        joint, rows = self.only.copy(), np.arange(len(sampled))
        joint[rows, self.movers] = sampled
        for other in self.also:
            chooses = other.movers != NOTHING
            joint[rows[chooses], other.movers[chooses]] = other.sample(rng, temperature)[chooses]
        return joint

    def draw(self, rng: np.random.Generator, temperature: float = 1.0) -> NDArray[np.int64]:
        """Do what `sample` does, with a warning: its old name, for one release."""
        warnings.warn("draw is called sample now", DeprecationWarning, stacklevel=2)
        return self.sample(rng, temperature)


def sample_columns(shares: NDArray[Any], rng: np.random.Generator) -> NDArray[np.int64]:
    """Choose a column of each row by its shares, which need not add up to 1: ``int64[n]``."""
    total = shares.cumsum(axis=1)
    threshold = rng.random((len(shares), 1)) * total[:, -1:]
    return np.asarray((total > threshold).argmax(axis=1), np.int64)
