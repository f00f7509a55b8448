"""The time of one player for a whole match, dealt out move by move.

In: seconds for all moves, and how many moves there may be. Out: a `Budget` for each move. What a
move leaves unspent is there for those that follow. However long a match takes, some time is left:
a move never gets more than a fixed part of what there is.

Source: even shares of the moves that are expected to remain, with a least number of them, as in
Hyatt, "Using Time Wisely", ICCA Journal 1984.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Event
from typing import TYPE_CHECKING, Final, Self

from gdl.play.budget import Budget

if TYPE_CHECKING:
    from gdl.game import Game
    from gdl.play.thoughts import Thoughts

MOVES: Final = 40
"""Moves of a match, where nothing else is known."""
LEAST_LEFT: Final = 8
"""Moves that are always reckoned with, so that no move gets more than an eighth."""
LEAST: Final = 0.001
"""Seconds of a move when all time is gone."""
SAMPLE: Final = 64
"""Random plays that tell how long a match is."""
INCREMENT_SHARE: Final = 0.9
"""Part of the increment that each move gets beside its share."""


class MatchBudget:
    """How long a player may think in a whole match.

    Attributes:
        left: Seconds that are left, below 0 when more was spent than there was.
        played: Moves so far.

    Example:
        >>> from gdl.play.match_budget import MatchBudget
        >>> match = MatchBudget(60, moves=30)
        >>> with match.move() as budget:
        ...     round(budget.seconds, 1)
        2.0
    """

    def __init__(self, seconds: float, *, increment: float = 0.0, moves: float = MOVES) -> None:
        """Begin a match.

        Args:
            seconds: For all moves.
            increment: Seconds that come with each move.
            moves: How many moves the player is expected to make.

        Raises:
            ValueError: Time or moves that are not more than nothing, or an increment below it.
        """
        if not 0 < seconds < math.inf or not 0 <= increment < math.inf or not moves > 0:
            raise ValueError(
                f"seconds and moves must be more than 0 and the increment not less, not {seconds}, "
                f"{moves} and {increment}"
            )
        self.left, self.played = seconds, 0
        self._increment, self._moves = increment, moves

    @classmethod
    def of(cls, game: Game, seconds: float, *, increment: float = 0.0) -> Self:
        """Return that of a game, which random plays tell the length of; roles take turns."""
        played = game.playouts(SAMPLE, seed=0)
        plies = sum(length * n for length, n in played.lengths.items())
        mean = plies / played.finished if played.finished else float(MOVES * len(game.roles))
        return cls(seconds, increment=increment, moves=max(1.0, mean / len(game.roles)))

    @contextmanager
    def move(
        self, *, stop: Event | None = None, watch: Callable[[Thoughts], None] | None = None
    ) -> Iterator[Budget]:
        """Give the budget of the next move; it runs from now on, and what is spent is gone."""
        share = max(self.left, 0.0) / max(self._moves - self.played, LEAST_LEFT)
        seconds = share + INCREMENT_SHARE * self._increment
        budget = Budget(seconds if seconds > 0 else LEAST, stop=stop, watch=watch)
        try:
            yield budget
        finally:
            self.left += self._increment - budget.spent
            self.played += 1
