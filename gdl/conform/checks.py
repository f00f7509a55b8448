"""The checks that a comparison is made of, in the order in which they are run.

In: how deep, how many games, which seed. Out: `Check`s; running one gives a `Report`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from gdl.conform.choosers import STYLES, Chooser
from gdl.conform.lockstep import Lockstep
from gdl.conform.runs import OnReport, Report, every_state, random_games
from gdl.language.words import counted


@dataclass(frozen=True, slots=True)
class Check:
    """One part of a comparison.

    Attributes:
        name: What it compares, for people.
        games: Games it plays; 0 for all positions up to ``depth``.
        depth: Greatest number of moves, where it plays no games.
        seed: Makes it repeatable.
        choose: How moves are chosen, None where all are made.
    """

    name: str
    games: int
    depth: int
    seed: int
    choose: Chooser[Any, Any] | None

    def run(self, lockstep: Lockstep[Any, Any], *, on_state: OnReport | None = None) -> Report:
        """Compare; stops at the first difference."""
        if self.choose is None:
            return every_state(lockstep, self.depth, on_state=on_state)
        return random_games(
            lockstep, self.games, seed=self.seed, choose=self.choose, on_state=on_state
        )


def suite(*, depth: int, games: int, seed: int = 0) -> tuple[Check, ...]:
    """Return every position to a depth, and games shared out among the ways to play."""
    checks = [Check(f"all positions to {counted(depth, 'move')}", 0, depth, seed, None)]
    for number, (style, choose) in enumerate(STYLES.items()):
        share = (games + len(STYLES) - 1 - number) // len(STYLES)
        if share:
            checks.append(Check(f"games {style}", share, 0, seed, choose))
    return tuple(checks)
