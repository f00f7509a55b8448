"""Counts of plays: what two sides have in common whichever moves stand for each other.

In: two sources. Out: whether they have as many plays of each length, and as many that end; and
whether games at random last as long, and have as many choices ply by ply. Where they do not, the
games differ under every matching; where they do, a difference that is seen under a matching which
play does not bear out may be one of the matching alone.

Source: perft, as chess programs count the plays of each length; the test of two samples by
Kolmogorov and Smirnov, for what is too far away to be counted.
"""

from __future__ import annotations

import math
import random
from collections import Counter
from collections.abc import Callable, Hashable
from itertools import islice, product
from typing import Final

from gdl.conform.matching.sample import random_game
from gdl.conform.source import Position, Source
from gdl.conform.sources.guarded import EngineFailure

PLAYS: Final = 4_000
"""Plays of one length that are counted, at most."""
GAMES, PLIES = 1_000, 40_000
"""Games at random of either side, and the plies of all of these, at most."""
LEAST_GAMES: Final = 100
"""Games of either side from which on their lengths are compared."""
LONGEST: Final = 2_000
"""Plies after which a game is left."""
BY_LUCK: Final = 1e-7
"""How likely lengths that are held to differ may be by luck, where the games are the same."""


def are_equal(ours: Source, theirs: Source, is_late: Callable[[], bool] = lambda: False) -> bool:
    """Return whether as many plays of each length go on alike, as far as there is time to count.

    It is false where chance has a say, which may be told in one ply or in several.
    """
    if ours.has_chance or theirs.has_chance:
        return False
    levels: tuple[list[Position], list[Position]] = [ours.initial()], [theirs.initial()]
    try:
        while levels[0] and len(levels[0]) <= PLAYS and not is_late():
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


def are_as_long(
    ours: Source, theirs: Source, seed: int, is_late: Callable[[], bool] = lambda: False
) -> bool:
    """Return whether nothing says that games at random differ in length, or in choices on the way.

    It is true where chance has a say, or where there is time for a few games only. Games that are
    the same but for the names of moves are as long, and have as many choices after as many plies.
    """
    if ours.has_chance or theirs.has_chance:
        return True
    rng = random.Random(f"{seed}/lengths")  # noqa: S311  # chance for play
    games = [_games(source, rng, is_late) for source in (ours, theirs)]
    if min(map(len, games)) < LEAST_GAMES:
        return True
    if _differ([list(map(len, side)) for side in games], BY_LUCK):
        return False
    longest = max(len(game) for side in games for game in side)
    for ply in range(longest):
        choices = [[game[ply] for game in side if len(game) > ply] for side in games]
        if min(map(len, choices)) < LEAST_GAMES:
            return True
        if _differ(choices, BY_LUCK / longest):
            return False
    return True


def _differ(samples: list[list[int]], by_luck: float) -> bool:
    """Return whether two samples are not of one law: by luck they are so apart as seldom as this.

    Cost: O(n log n).
    """
    sizes = list(map(len, samples))
    counts = list(map(Counter, samples))
    shares, apart = [0, 0], 0.0
    for value in sorted({*counts[0], *counts[1]}):
        shares = [share + count[value] for share, count in zip(shares, counts, strict=True)]
        apart = max(apart, abs(shares[0] / sizes[0] - shares[1] / sizes[1]))
    return apart > math.sqrt(-math.log(by_luck / 2) / 2 * sum(sizes) / math.prod(sizes))


def _games(source: Source, rng: random.Random, is_late: Callable[[], bool]) -> list[list[int]]:
    """Return how many choices games at random have ply by ply; none of those that fail."""
    games: list[list[int]] = []
    plies = 0
    for _ in range(GAMES):
        try:
            legal = [legal_of for _, legal_of in islice(random_game(source, rng), LONGEST)]
        except EngineFailure:
            continue
        choices = [math.prod(map(len, legal_of.values())) for legal_of in legal]
        games.append([count for count in choices if count])
        plies += len(choices) + 1
        if plies > PLIES or is_late():
            break
    return games


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
