"""Moves matched by the ends that they lead to together.

In: the moves of two sources. Out: tables of moves, the likeliest first. Where men are only put, a
move is legal until it is made and says nothing of itself; but moves of one line end a game
together. How often any two moves of a player do is counted on either side alone, in games at
random in which a look is taken behind each move; the tables are those under which the counts of
both sides are the most alike. A bug that changes a few ends changes the counts a little.

Source: the quadratic assignment problem (Koopmans, Beckmann, 1957), by exchanges from many starts.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from itertools import combinations
from typing import Final

import numpy as np
from numpy.typing import NDArray

from gdl.conform.source import CHANCE, EngineMove, Source

LOOKED: Final = 12_000
"""Positions behind moves that are looked at on either side."""
EXCHANGES: Final = 60_000
"""Exchanges of two moves that are tried in all."""
STARTS: Final = 200
TABLES: Final = 16
"""Tables that are given back."""

Counts = NDArray[np.float64]
"""How often two moves end a game together, ``float64[moves, moves]``; the sum is 1."""


def by_ends(
    sides: tuple[Source, Source],
    moves: tuple[Sequence[EngineMove], Sequence[EngineMove]],
    seed: str,
    is_late: Callable[[], bool],
) -> Iterator[dict[EngineMove, EngineMove]]:
    """Yield tables of as many moves on either side, the likeliest first; none where none ends."""
    counts = [
        counted(source, own, random.Random(f"{seed}/ends"), is_late, LOOKED)  # noqa: S311
        for source, own in zip(sides, moves, strict=True)
    ]
    if not (counts[0].any() and counts[1].any()):
        return
    rng = random.Random(f"{seed}/tables")  # noqa: S311
    for places in alike(counts[0], counts[1], rng, is_late):
        yield {move: moves[1][place] for move, place in zip(moves[0], places, strict=True)}


def counted(
    source: Source,
    moves: Sequence[EngineMove],
    rng: random.Random,
    is_late: Callable[[], bool],
    most: int,
) -> Counts:
    """Return how often two moves of who moves last are made in a game that ends.

    An end after few moves of the player says more of each of them: all ends weigh the same.
    """
    number = {move: place for place, move in enumerate(moves)}
    counts: Counts = np.zeros((len(moves), len(moves)))
    moves_of: dict[int, list[int]] = {}
    position, looked = source.initial(), 0
    while looked < most and not is_late():
        movers = source.movers(position)
        legal = list(source.legal(position, movers[0])) if len(movers) == 1 else []
        if not legal or movers == (CHANCE,):
            break  # several choose at once, or nobody can: a comparison says so
        role = movers[0]
        own = moves_of.setdefault(role, [])
        following = []
        for move in legal:
            after = source.play(position, {role: move})
            looked += 1
            if source.is_terminal(after):
                together = np.bincount([*own, number[move]], minlength=len(moves))
                counts += np.outer(together, together) / together.sum() ** 2
            else:
                following.append((move, after))
        if following:
            move, position = rng.choice(following)
            own.append(number[move])
        else:
            position, moves_of = source.initial(), {}
    counts /= max(counts.sum(), 1)
    return counts


def alike(
    left: Counts, right: Counts, rng: random.Random, is_late: Callable[[], bool]
) -> list[tuple[int, ...]]:
    """Return for each row of the one its row of the other, under which both are most alike."""
    size = len(left)
    pairs = list(combinations(range(size), 2))
    products: dict[tuple[int, ...], float] = {}
    tried = 0
    for _ in range(STARTS):
        places = np.array(rng.sample(range(size), size))
        product, is_better = float((left * right[np.ix_(places, places)]).sum()), True
        while is_better and tried < EXCHANGES and not is_late():
            is_better = False
            rng.shuffle(pairs)
            for a, b in pairs:
                tried += 1
                places[[a, b]] = places[[b, a]]
                changed = float((left * right[np.ix_(places, places)]).sum())
                if changed > product + 1e-12:
                    product, is_better = changed, True
                else:
                    places[[a, b]] = places[[b, a]]
        products[tuple(places.tolist())] = product
    return sorted(products, key=products.__getitem__, reverse=True)[:TABLES]
