"""Counts of plays: what two sides have in common whichever moves stand for each other.

In: two sources. Out: whether they have as many plays of each length, and as many that end. Where
they have not, the games differ under every matching; where they have, a difference that is seen
under a matching which play does not bear out may be one of the matching alone.

Source: perft, as chess programs count the plays of each length.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable
from itertools import product
from typing import Final

from gdl.conform.source import Position, Source
from gdl.conform.sources.guarded import EngineFailure

PLAYS: Final = 4_000
"""Plays of one length that are counted, at most."""


def are_equal(ours: Source, theirs: Source) -> bool:
    """Return whether as many plays of each length go on alike, as far as they are counted.

    It is false where chance has a say, which may be told in one ply or in several.
    """
    if ours.has_chance or theirs.has_chance:
        return False
    levels: tuple[list[Position], list[Position]] = [ours.initial()], [theirs.initial()]
    try:
        while levels[0] and len(levels[0]) <= PLAYS:
            counts = [
                Counter(_choices(source, position) for position in level)
                for source, level in zip((ours, theirs), levels, strict=True)
            ]
            if counts[0] != counts[1]:
                return False
            if sum(choices * count for (choices, _), count in counts[0].items()) > PLAYS:
                return True
            levels = _following(ours, levels[0]), _following(theirs, levels[1])
    except EngineFailure:
        return False
    return True


def _choices(source: Source, position: Position) -> tuple[int, Hashable]:
    """Return how many choices there are in a position, and how many choose."""
    if source.is_terminal(position):
        return 0, "end"
    movers = source.movers(position)
    choices = 1
    for role in movers:
        choices *= len(source.legal(position, role))
    return choices, len(movers)


def _following(source: Source, level: list[Position]) -> list[Position]:
    """Return the positions after each choice in each of some positions."""
    return [
        source.play(position, dict(zip(movers, choice, strict=True)))
        for position in level
        if not source.is_terminal(position)
        for movers in [source.movers(position)]
        for choice in product(*(source.legal(position, role) for role in movers))
    ]
