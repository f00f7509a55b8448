"""A play after which two sides part, made as short and plain as it can be.

In: a comparison and a difference. Out: a difference of the same kind after a shorter play. Moves
are left out, one, two or more at a time and two that stand apart, as long as what is left can be
played and still ends in a difference; what lies near the first positions of the play is looked
through; games are played at random that end before the shortest one known; and a move that could
be an earlier one in the list of legal moves becomes that one.

Source: Zeller, Hildebrandt, "Simplifying and Isolating Failure-Inducing Input", 2002.
"""

from __future__ import annotations

import random
import time
from collections.abc import Sequence
from itertools import product
from typing import Final

from gdl.conform.comparison import Comparison
from gdl.conform.source import EngineMove
from gdl.conform.twin import Choice, Parting, Twin

KEPT: Final = 0.8
"""How often a shorter play is tried of moves of the play alone."""
STEPS, PLAYS = 20_000, 150
"""Moves that are made in all the plays that are tried, and how many plays that is at least."""
ODD: Final = 3
"""Moves in a row up to which odd numbers are left out, too, and every place is tried."""
APART: Final = 6
"""Moves by which two that are left out together may stand apart."""
NEAR: Final = 300
"""Positions that are looked at near each position of the play."""
ROUNDS: Final = 4
"""How often everything is tried, as long as it helps."""


class _Spent(Exception):  # noqa: N818  # no fault: the steps are used up
    pass


class Minimiser:
    """The shortest play known, and how many more may be tried."""

    def __init__(
        self, comparison: Comparison, parting: Parting, deadline: float | None = None
    ) -> None:
        """Begin with a difference.

        Args:
            comparison: In which it was met.
            parting: The difference.
            deadline: Of the monotonic clock, after which nothing more is tried.
        """
        self._comparison = comparison
        self.best = parting
        self._deadline = deadline
        self._steps = max(STEPS, PLAYS * parting.twin.depth)
        self._moves: set[EngineMove] = set()

    def run(self, seed: int) -> Parting:
        """Return the plainest difference of the same kind that was met."""
        if self.best.kind == "observations":  # what was met in another play is part of it
            return self.best
        rng = random.Random(f"{seed}/minimise")  # noqa: S311
        try:
            for _ in range(ROUNDS):
                depth = self.best.twin.depth
                self._leave_out()
                self._leave_out_apart()
                self._look_near()
                self._play_shorter(rng, self._steps // 2)
                if self.best.twin.depth == depth:
                    break
            self._make_plain()
        except _Spent:
            pass
        return self.best

    def _try(self, choices: Sequence[Choice], depths: range) -> bool:
        """Play choices on both sides; keep a difference of the same kind at such a depth."""
        self._spend(len(choices))
        parting = follow(self._comparison.fresh(), choices)
        if not isinstance(parting, Parting) or parting.kind != self.best.kind:
            return False
        if parting.twin.depth not in depths:
            return False
        self.best = parting
        return True

    def _spend(self, steps: int) -> None:
        """Count the moves of a play that is about to be tried."""
        late = self._deadline is not None and time.monotonic() > self._deadline
        if self._steps <= 0 or late:
            raise _Spent
        self._steps -= steps + 1

    def _leave_out(self) -> None:
        """Leave out moves in a row, the longest rows first.

        Rows are of an even length, so that who moves then is who moved before, but for the last.
        """
        width = self.best.twin.depth // 2
        while width:
            width -= width % 2 if width > ODD else 0
            place = 0
            while place < self.best.twin.depth:
                choices, sooner = self.best.twin.choices, range(self.best.twin.depth)
                if not self._try((*choices[:place], *choices[place + width :]), sooner):
                    place += width if width > ODD else 1
            width = width // 2 if width > ODD else width - 1

    def _leave_out_apart(self) -> None:
        """Leave out two moves that are not neighbours, so that turns stay as they are.

        A single move left out gives the next one to the wrong player.
        """
        place = 0
        while place < self.best.twin.depth:
            for apart in range(2, APART):
                choices = list(self.best.twin.choices)
                if place + apart < len(choices):
                    del choices[place + apart], choices[place]
                    if self._try(choices, range(self.best.twin.depth)):
                        break
            else:
                place += 1

    def _look_near(self) -> None:
        """Look at all that can follow each position of the play in fewer moves than are known."""
        place = 0
        while place < self.best.twin.depth - 1:
            self._look_from(self.best.twin.choices[:place])
            place += 1

    def _look_from(self, choices: Sequence[Choice]) -> None:
        """Open positions in the order of their depth until there is a difference, or enough."""
        comparison = self._comparison.fresh()
        start = follow(comparison, choices)
        self._spend(len(choices))
        if isinstance(start, Parting):
            return
        work = [start]
        for count, twin in enumerate(work):
            if count > NEAR or twin.depth >= self.best.twin.depth:
                return
            self._spend(0)
            partners = comparison.compare(twin)
            if self._is_shorter(partners):
                return
            if isinstance(partners, Parting) or len(work) > NEAR:
                continue
            rows = [pairs.moves for pairs in partners.values()]
            for joint in product(*rows) if partners else ():
                after = comparison.step(twin, dict(zip(partners, joint, strict=True)), partners)
                if self._is_shorter(after):
                    return
                if not isinstance(after, Parting):
                    work.append(after)

    def _is_shorter(self, parting: object) -> bool:
        """Return whether this is the same kind of difference, met sooner; keep it, then."""
        if not isinstance(parting, Parting) or parting.kind != self.best.kind:
            return False
        if parting.twin.depth >= self.best.twin.depth:
            return False
        self.best = parting
        return True

    def _play_shorter(self, rng: random.Random, least: int) -> None:
        """Play from each beginning of the play at random, no longer than the shortest known."""
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
        self._is_shorter(twin)

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
