"""A play after which two sides part, made as short and plain as it can be.

In: a comparison and a difference. Out: a difference of the same kind after a shorter play. Moves
are left out, one, two or more at a time, as long as what is left can be played and still ends in
a difference; games are played at random that end before the shortest one known; and a move that
could be an earlier one in the list of legal moves becomes that one.

Source: Zeller, Hildebrandt, "Simplifying and Isolating Failure-Inducing Input", 2002.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Final

from gdl.conform.comparison import Choice, Comparison, Parting, Twin
from gdl.conform.source import EngineMove

KEPT: Final = 0.8
"""How often a shorter play is tried of moves of the play alone."""
STEPS: Final = 20_000
"""Moves that are made in all the plays that are tried."""


class _Spent(Exception):  # noqa: N818  # no fault: the steps are used up
    pass


class Minimiser:
    """The shortest play known, and how many more may be tried."""

    def __init__(self, comparison: Comparison, parting: Parting) -> None:
        """Begin with a difference.

        Args:
            comparison: In which it was met.
            parting: The difference.
        """
        self._comparison = comparison
        self.best = parting
        self._steps = STEPS
        self._moves: set[EngineMove] = set()

    def run(self, seed: int) -> Parting:
        """Return the plainest difference of the same kind that was met."""
        if self.best.kind == "observations":  # what was met in another play is part of it
            return self.best
        try:
            self._leave_out()
            self._play_shorter(seed)
            self._leave_out()
            self._make_plain()
        except _Spent:
            pass
        return self.best

    def _try(self, choices: Sequence[Choice], depths: range) -> bool:
        """Play choices on both sides; keep a difference of the same kind at such a depth."""
        self._spend(len(choices))
        found = follow(self._comparison.fresh(), choices)
        if not isinstance(found, Parting) or found.kind != self.best.kind:
            return False
        if found.twin.depth not in depths:
            return False
        self.best = found
        return True

    def _spend(self, steps: int) -> None:
        """Count the moves of a play that is about to be tried."""
        if self._steps <= 0:
            raise _Spent
        self._steps -= steps + 1

    def _leave_out(self) -> None:
        """Leave out moves in a row, the longest rows first."""
        width = max(1, self.best.twin.depth // 2)
        while width:
            place = 0
            while place < self.best.twin.depth:
                choices, sooner = self.best.twin.choices, range(self.best.twin.depth)
                if not self._try((*choices[:place], *choices[place + width :]), sooner):
                    place += 1
            width = width // 2 if width > 4 else width - 1  # noqa: PLR2004  # small ones all

    def _play_shorter(self, seed: int) -> None:
        """Play from each beginning of the play at random, no longer than the shortest known."""
        rng = random.Random(f"{seed}/minimise")  # noqa: S311
        least = self._steps // 2
        while self._steps > least:
            choices = self.best.twin.choices
            if not choices:
                return
            # Few of the moves are enough for most differences; which ones, chance tries.
            every = sorted({move for choice in choices for move in choice.values()}, key=str)
            self._moves = set(rng.sample(every, rng.randrange(1, len(every) + 1)))
            begin = rng.choice((0, rng.randrange(len(choices))))
            self._wander(choices[:begin], rng)

    def _wander(self, choices: Sequence[Choice], rng: random.Random) -> None:
        self._spend(self.best.twin.depth)
        comparison = self._comparison.fresh()
        twin = follow(comparison, choices)
        while not isinstance(twin, Parting) and twin.depth < self.best.twin.depth:
            partners = comparison.compare(twin)
            if isinstance(partners, Parting):
                twin = partners
                break
            if not partners:
                return
            choice = {role: self._chosen(pairs.moves, rng) for role, pairs in partners.items()}
            twin = comparison.step(twin, choice, partners)
        if isinstance(twin, Parting):
            is_shorter = twin.twin.depth < self.best.twin.depth
            if twin.kind == self.best.kind and is_shorter:
                self.best = twin

    def _chosen(self, moves: Sequence[EngineMove], rng: random.Random) -> EngineMove:
        """Return a move, as a rule one of the play that is to be made short: they matter."""
        kept = [move for move in moves if move in self._moves]
        return rng.choice(kept if kept and rng.random() < KEPT else moves)

    def _make_plain(self) -> None:
        """Make each move the first one in the list that still leads to the difference."""
        for place in range(self.best.twin.depth):
            choices = self.best.twin.choices
            twin = self.best.twin.path[place]
            ours = self._comparison.fresh().ours
            for role, move in choices[place].items():
                for other in ours.legal(twin.ours, role):
                    if other == move:
                        break
                    changed = dict(choices[place]) | {role: other}
                    plain = (*choices[:place], changed, *choices[place + 1 :])
                    depth = self.best.twin.depth  # `place` counts on it: no play gets shorter here
                    if self._try(plain, range(depth, depth + 1)):
                        break


def follow(comparison: Comparison, choices: Sequence[Choice]) -> Twin | Parting:
    """Make choices of ours on both sides as far as both allow them.

    Returns:
        The first difference on the way; else the last position, of which nothing more is known.
    """
    twin = comparison.start()
    for choice in choices:
        if isinstance(twin, Parting):
            return twin
        partners = comparison.compare(twin)
        if isinstance(partners, Parting):
            return partners
        if set(partners) != set(choice):
            return twin
        if any(move not in partners[role].moves for role, move in choice.items()):
            return twin
        twin = comparison.step(twin, choice, partners)
    if isinstance(twin, Parting):
        return twin
    answer = comparison.compare(twin)
    return answer if isinstance(answer, Parting) else twin
