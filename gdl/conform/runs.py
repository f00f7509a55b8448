"""Comparing many positions: all of the first ones, whole games, given plays.

In: a `Lockstep`. Out: a `Report` of how much was compared and the first difference, at
which every run stops.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeVar

from gdl.conform.choosers import Chooser, choose_uniformly
from gdl.conform.lockstep import Divergence, Lockstep, Pair

P = TypeVar("P")
M = TypeVar("M")


@dataclass(slots=True)
class Report:
    """How much was compared, and what was found.

    Attributes:
        states: States compared, repeated ones counted again.
        games: Games that were compared to their end.
        difference: The first difference; None when there is none.
        last: The last moves that were played, in notation.
    """

    states: int = 0
    games: int = 0
    difference: Divergence | None = None
    last: tuple[str, ...] = ()

    def __add__(self, other: Report) -> Report:
        """Return both together."""
        return Report(
            self.states + other.states,
            self.games + other.games,
            self.difference or other.difference,
            other.last,
        )


OnReport = Callable[[Report], None]
"""Told of the counts so far, for progress; may raise to stop."""


def every_state(
    lockstep: Lockstep[P, M],
    depth: int,
    *,
    start: Pair[P] | None = None,
    on_state: OnReport | None = None,
) -> Report:
    """Compare on every position that up to ``depth`` moves reach, each once.

    Positions are told apart by both sides' own notion of sameness: when these differ, both
    are visited. Cost: one comparison and one expansion for each distinct position; memory:
    the positions of two depths.

    Args:
        lockstep: What is compared.
        depth: Greatest number of moves.
        start: Where to begin, by default at the start of the game.
        on_state: Called after each position.
    """
    report = Report()
    root = lockstep.start() if start is None else start
    level = {_key(lockstep, root): root}
    for remaining in range(depth, -1, -1):
        following: dict[object, Pair[P]] = {}
        for pair in level.values():
            if not _check(lockstep, pair, report, on_state):
                return report
            if remaining and not lockstep.reference.is_terminal(pair.position):
                report.difference = _expand(lockstep, pair, following)
                if report.difference is not None:
                    return report
        level = following
    return report


def _check(
    lockstep: Lockstep[P, M], pair: Pair[P], report: Report, on_state: OnReport | None
) -> bool:
    """Compare one position and note it; return whether both sides agree."""
    report.states += 1
    report.last = pair.moves
    report.difference = lockstep.compare(pair)
    if report.difference is None and lockstep.reference.is_terminal(pair.position):
        report.games += 1
    if on_state is not None:
        on_state(report)
    return report.difference is None


def _expand(
    lockstep: Lockstep[P, M], pair: Pair[P], following: dict[object, Pair[P]]
) -> Divergence | None:
    """Add what follows a position to the next depth; return a refusal of the rules."""
    for move in lockstep.reference.legal_moves(pair.position):
        child = lockstep.step(pair, move)
        if isinstance(child, Divergence):
            return child
        following.setdefault(_key(lockstep, child), child)
    return None


def _key(lockstep: Lockstep[P, M], pair: Pair[P]) -> object:
    return lockstep.reference.key(pair.position), pair.state


def random_games(  # noqa: PLR0913  # each keyword is one knob of one loop
    lockstep: Lockstep[P, M],
    n: int,
    *,
    seed: int = 0,
    choose: Chooser[P, M] = choose_uniformly,
    start: Pair[P] | None = None,
    on_state: OnReport | None = None,
) -> Report:
    """Compare on ``n`` random games to the end.

    Game number ``i`` depends on ``(seed, i)`` alone.

    Args:
        lockstep: What is compared.
        n: Number of games.
        seed: Makes the run repeatable.
        choose: How a move is chosen, uniformly by default.
        start: Where each game begins, by default at the start.
        on_state: Called after each position.
    """
    report = Report()
    for i in range(n):
        rng = random.Random(f"{seed}/{i}")  # noqa: S311  # chance for play, not for secrets
        pair = lockstep.start() if start is None else start
        while _check(lockstep, pair, report, on_state):
            if lockstep.reference.is_terminal(pair.position):
                break
            child = lockstep.step(pair, choose(lockstep.reference, pair.position, rng))
            if isinstance(child, Divergence):
                report.difference = child
                break
            pair = child
        if report.difference is not None:
            break
    return report


def replay(
    lockstep: Lockstep[P, M],
    moves: Sequence[str],
    *,
    compare_last: int | None = None,
    on_state: OnReport | None = None,
) -> Report:
    """Compare along a given play.

    Args:
        lockstep: What is compared.
        moves: Moves in notation, legal for the engine.
        compare_last: Compare after so many of the last moves only; None compares everywhere,
            the start included.
        on_state: Called after each position.

    Raises:
        ValueError: The engine refuses a move: the play is wrong, not the rules.
    """
    report, pair = Report(), lockstep.start()
    first = 0 if compare_last is None else len(moves) + 1 - compare_last
    for number in range(len(moves) + 1):
        if number >= first and not _check(lockstep, pair, report, on_state):
            break
        if number < len(moves):
            child = lockstep.step(pair, lockstep.reference.parse(moves[number]))
            if isinstance(child, Divergence):
                report.difference = child
                break
            pair = child
    return report
