"""Variable ordering of decision diagrams: parts of a state that belong together stand near.

In: groups of parts that something depends on together. Out: an order in which each group lies
within a short stretch.

Source: Aloul, Markov, Sakallah, "FORCE: A Fast and Easy-to-Implement Variable-Ordering Heuristic",
GLSVLSI 2003.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

ROUNDS: Final = 60
"""How often each part moves to the middle of its groups; later rounds change little."""


def short_order(n: int, groups: Collection[Collection[int]]) -> Sequence[int]:
    """Return the parts in an order in which the groups are short. Cost O(members of all groups).

    Args:
        n: How many parts there are.
        groups: Parts that belong together; a group of all says nothing, and does no harm.
    """
    order = np.arange(n)
    if not groups:
        return order.tolist()
    edges = [np.array(sorted(group)) for group in groups]
    members = np.concatenate(edges)
    of = np.repeat(np.arange(len(edges)), [len(edge) for edge in edges])
    sizes = np.bincount(of)
    degrees = np.maximum(np.bincount(members, minlength=n), 1)
    best, least = order, _length(order, edges)
    for _ in range(ROUNDS):
        place = np.empty(n)
        place[order] = np.arange(n)
        # Each group stands at the mean of its parts, each part at the mean of its groups. A part
        # without a group stays where it is.
        middle = np.bincount(of, place[members]) / sizes
        wanted = np.bincount(members, middle[of], minlength=n) / degrees
        order = np.argsort(
            np.where(np.bincount(members, minlength=n) > 0, wanted, place), kind="stable"
        )
        length = _length(order, edges)
        if length < least:
            best, least = order, length
    return best.tolist()


def _length(order: NDArray[np.int64], edges: Sequence[NDArray[np.int64]]) -> int:
    """Return how long the stretches of all groups are together."""
    place = np.empty(len(order), np.int64)
    place[order] = np.arange(len(order))
    return sum(int(np.ptp(place[edge])) for edge in edges)
