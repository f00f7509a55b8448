"""The player that draws a legal move, each as likely as the others."""

from __future__ import annotations

import random
from typing import Final

from gdl.game import Game
from gdl.language.syntax import Term
from gdl.play.budget import Budget
from gdl.play.player import Position
from gdl.play.registry import Kind


class RandomPlayer:
    """Draws a legal move; the seed decides which."""

    def __init__(self, *, role: Term | None = None, seed: int = 0) -> None:
        """Prepare.

        Args:
            role: Whom it plays; None for the only one that can move.
            seed: Makes the draws repeatable.
        """
        self.role = role
        self._rng = random.Random(seed)  # noqa: S311  # play, not secrets

    def __call__(self, game: Game, state: Position, budget: Budget) -> Term:
        """Return a legal move."""
        del game, budget
        return self._rng.choice(state.legal(self.role))


RANDOM_PLAYER: Final = Kind("random", "draws a legal move, each as likely", RandomPlayer)
