"""Plays to what comparisons meet seldom, looked for on our side alone, by the million.

In: the rules in machine code that says which fire, which of them fired seldom, and which moves were
never legal so far. Out: plays after which one of these rules fires, or one of these moves can be
made. An engine answers a thousand questions a second, our side plays a million moves in that time:
a thousand games by chance are played side by side, and where something is met that was met seldom
before, the play of that game is handed on to be compared. What is found depends on the seed alone.

Source: coverage-guided search for inputs, as by fuzzers (Zalewski, "american fuzzy lop", 2013).
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Collection, Iterator, Mapping
from itertools import islice
from typing import Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from gdl.conform.watched import Watched
from gdl.language.diagnostics import GdlError

GAMES: Final = 1_024
"""Games side by side."""
LONGEST: Final = 1_000
"""Moves of a play that is handed on, at most."""
PLAYS: Final = 3
"""Plays that are handed on for each rule that fired seldom."""
AT_ONCE: Final = 200
"""Plays that are handed on in a row, at most."""

Ids: TypeAlias = tuple[int, ...]
"""A play: the number of the move of who had a choice, ply by ply."""


class Screen:
    """Games of ours by chance that go on from one asking to the next."""

    def __init__(self, watched: Watched, seed: int) -> None:
        """Begin them."""
        self._batch = watched.batch(GAMES)
        self._rows = watched.rows
        self._rng = np.random.default_rng([seed, GAMES])
        self._drawn: deque[NDArray[np.int32]] = deque(maxlen=LONGEST)
        self._ages = np.zeros(GAMES, np.int64)
        self._given: Counter[int] = Counter()
        self._shown = [np.zeros(len(moves), np.bool_) for moves in self._batch.moves]

    def plays(
        self, positions: int, seldom: Collection[int], met: Mapping[int, set[int]]
    ) -> Iterator[Ids]:
        """Yield plays to rules and moves that were met seldom.

        Args:
            positions: How many are looked at.
            seldom: The rules that fired seldom, by number.
            met: The numbers of the moves that were legal where both sides were compared, by the
                place of their role; of other roles none is looked for.
        """
        batch, count = self._batch, 0
        numbers = [n for n in seldom if n in self._rows and self._given[n] < PLAYS]
        rows = [self._rows[n] for n in numbers]
        for place, ids in met.items():
            self._shown[place][list(ids)] = True
        for _ in range(positions // GAMES):
            if count >= AT_ONCE:
                return
            try:
                self._go_on()
            except GdlError:  # several choose at once
                return
            fires = batch.goal_values[rows]
            for at in np.flatnonzero(fires.any(axis=1)):
                number = numbers[at]
                if self._given[number] < PLAYS:
                    self._given[number] += 1
                    count += 1
                    yield self._play(fires[at])
            self._ages[batch.terminal] = 0  # these have begun anew, and their moves are the first
            for place in met:
                legal, shown = batch.legal[place], self._shown[place]
                for move in np.flatnonzero(legal.any(axis=0) & ~shown):
                    shown[move] = True
                    count += 1
                    yield self._play(legal[:, move])

    def _go_on(self) -> None:
        ids = self._batch.sample(self._rng)
        self._batch.step(ids)
        self._drawn.append(ids)
        self._ages += 1

    def _play(self, games: NDArray[np.bool_]) -> Ids:
        """Return the shortest play of some games."""
        (which,) = np.nonzero(games)
        game = which[self._ages[which].argmin()]
        length = int(self._ages[game])
        first = max(len(self._drawn) - length, 0)
        return tuple(int(ids[game]) for ids in islice(self._drawn, first, None))
