"""Many games on the cores of this machine.

In: tasks. Out: their outcomes, as they come. Each process plays one game after the other; when
one dies, the others are replaced as well and the games that were under way begin anew.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, wait
from concurrent.futures.process import BrokenProcessPool
from functools import lru_cache
from typing import Final, TypeAlias

from gdl._workers import worker_pool
from gdl.backend import Wanted
from gdl.game import Game, load
from gdl.language.diagnostics import GdlError
from gdl.play.tournament.game import Outcome, play_game
from gdl.play.tournament.plan import Bout, Plan
from gdl.ruleset import Ruleset

GAMES_KEPT: Final = 16
"""Compiled games that a process remembers."""
AHEAD: Final = 2
"""Games that wait for each process."""
MOST_DEATHS: Final = 3
"""Processes that may die one after the other without a game coming to its end between."""

OnOutcome: TypeAlias = Callable[[Outcome], None]


class WorkerDiedError(GdlError):
    """Processes die again and again."""


@dataclasses.dataclass(frozen=True, slots=True)
class Task:
    """One game, and all that is needed to play it anywhere.

    Attributes:
        plan: The tournament.
        ruleset: The rules, as a value that needs no file.
        bout: Which game.
        backend: Who runs the rules.
    """

    plan: Plan
    ruleset: Ruleset
    bout: Bout
    backend: Wanted = "auto"

    def play(self) -> Outcome:
        """Play it."""
        return play_game(_game(self.ruleset, self.backend), self.plan, self.bout)


@lru_cache(maxsize=GAMES_KEPT)
def _game(ruleset: Ruleset, backend: Wanted) -> Game:
    return load(ruleset, backend=backend)


def play_locally(tasks: Sequence[Task], *, workers: int, on_outcome: OnOutcome) -> None:
    """Play games in so many processes; one plays them here.

    Args:
        tasks: The games.
        workers: Processes at the same time.
        on_outcome: Takes each outcome, in the order in which games end.

    Raises:
        WorkerDiedError: Processes die again and again.
    """
    if workers == 1:
        for task in tasks:
            on_outcome(task.play())
        return
    left = {task.bout.number: task for task in tasks}
    deaths = 0
    while left:
        before = len(left)
        try:
            _play_in_pool(left, workers, on_outcome)
        except BrokenProcessPool:
            deaths = deaths + 1 if len(left) == before else 0
            if deaths >= MOST_DEATHS:
                raise WorkerDiedError(
                    f"{deaths} times a process that played died, "
                    f"the last time with {len(left)} games to play",
                    help="is there enough memory? --jobs 1 plays one game at a time",
                ) from None


def _play_in_pool(left: dict[int, Task], workers: int, on_outcome: OnOutcome) -> None:
    """Play games until none is left; what was played is taken away from ``left``."""
    waiting = iter(list(left.values()))
    with worker_pool(min(workers, len(left))) as pool:
        running: set[Future[Outcome]] = set()
        while True:
            while len(running) < AHEAD * workers and (task := next(waiting, None)) is not None:
                running.add(pool.submit(task.play))
            if not running:
                return
            done, running = wait(running, return_when=FIRST_COMPLETED)
            for future in done:
                outcome = future.result()
                on_outcome(outcome)
                del left[outcome.bout.number]
