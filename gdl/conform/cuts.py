"""Ends that one side makes by a convention, while by the other play goes on.

In: a twin where one side is over, and the conventions that are allowed. Out: the one that explains
it. What counts is seen on our side, whichever ended: how long the play is, how often the board was
there, how long nothing was taken. What such an end is worth is not compared.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Final

from gdl.conform.conventions import MOVE_LIMIT, NUMBERED, QUIET_LIMIT, REPETITION, split_convention
from gdl.conform.source import Position, Source

CUTS: Final = frozenset({MOVE_LIMIT, QUIET_LIMIT, REPETITION})
"""The conventions that may end play."""


def may_cut(allowed: Collection[str]) -> bool:
    """Return whether a convention among these may end play on one side alone."""
    return any(split_convention(name)[0] in CUTS for name in allowed)


def cut_by(allowed: Collection[str], ours: Source, play: Sequence[Position]) -> str | None:
    """Return the convention with a number that allows an end, as it was allowed; None for none.

    Args:
        allowed: Conventions.
        ours: Our side.
        play: Our positions from the start to the end of one side. Cost: a look at each board.
    """
    for name in sorted(allowed):
        kind, number = split_convention(name)
        if kind not in NUMBERED:
            continue
        if kind == REPETITION and _times(ours, play) >= number:
            return name
        if kind == QUIET_LIMIT and _quiet(ours, play) >= number:
            return name
    return None


def _times(ours: Source, play: Sequence[Position]) -> int:
    """Return how often the last board stood in a play, whoever was to move."""
    last = ours.board(play[-1])
    return sum(ours.board(position) == last for position in play)


def _quiet(ours: Source, play: Sequence[Position]) -> int:
    """Return for how many moves as many men have stood on the board as at the end of a play."""
    last = _men(ours, play[-1])
    length = 0
    for position in reversed(play[:-1]):
        if _men(ours, position) != last:
            break
        length += 1
    return length


def _men(ours: Source, position: Position) -> int:
    """Return how many men stand on a board; a heap counts as many as it has."""
    return sum(count for _, count in ours.board(position))
