"""Which sets of moves make good phases: found by counting what each leaves possible.

In: `Parts`. Out: sets of moves, each in the one before, from all of them to none.
"""

from __future__ import annotations

from itertools import product
from math import prod
from typing import Final

import numpy as np

from gdl.play.anytime import UnsuitedError
from gdl.play.puzzles.subgroups.parts import Parts, as_one, starts_of

SETS: Final = 4_096
"""Closed sets of moves that are looked at, at most."""
PHASE_BITS: Final = 40.0
"""The most that a phase may have: the logarithm of orbits before, by orbits after."""
MOST_POWERS: Final = 1 << 10
"""Powers of a move that are looked at."""
NONE: Final = -1


def closed_sets(parts: Parts) -> list[tuple[int, ...]]:
    """Return sets of moves: of the powers of each move all, or those of one of them, or none.

    Raises:
        UnsuitedError: They are too many, or a move cannot be taken back by one.
    """
    # A set is of use only if it is closed: what its moves make of a part must stay where its moves
    # can bring it back. The powers of a move (a quarter turn: half, three quarters) are such a set,
    # and so is any union of them, for orbits join.
    whole = as_one(parts)
    names = {column.tobytes(): move for move, column in enumerate(whole.T)}
    powers = set()
    for move, column in enumerate(whole.T):
        if np.argsort(column).astype(column.dtype).tobytes() not in names:
            raise UnsuitedError
        found, power = {move}, column[column]
        for _ in range(MOST_POWERS):
            if (power == column).all():
                break
            found |= {names[text] for text in [power.tobytes()] if text in names}
            power = column[power]
        powers.add(frozenset(found))
    # Powers of one move in those of another (half turns in quarter turns) are choices of one
    # family: all of it, the smaller ones, or none. Sets are all ways to choose, one of each family.
    families: list[set[frozenset[int]]] = []
    for cycle in sorted(powers, key=lambda cycle: (-len(cycle), min(cycle))):
        home = next((f for f in families if any(cycle <= other for other in f)), None)
        if home is None:
            families.append({cycle})
        else:
            home.add(cycle)
    choices = [[frozenset[int](), *sorted(f, key=lambda c: (len(c), min(c)))] for f in families]
    if prod(map(len, choices)) > SETS:
        raise UnsuitedError
    return [tuple(sorted(frozenset().union(*chosen))) for chosen in product(*choices)]


def chain(parts: Parts) -> list[tuple[int, ...]]:
    """Return sets of moves, each in the one before, from all of them to none.

    Raises:
        UnsuitedError: There is none whose phases are small enough.
    """
    sets = closed_sets(parts)
    weights = [_freedom(parts, some) for some in sets]
    # The cheapest way from all moves to none, each step leaving some out. Sets are gone through
    # from large to small, and steps only lead to smaller ones: so when a set is come to, the
    # cheapest way to it is known (as in a graph without cycles).
    order = sorted(range(len(sets)), key=lambda i: -len(sets[i]))
    masks = np.array([sum(1 << move for move in some) for some in sets], object)
    cost = {order[0]: (0.0, NONE)}
    for i in order:
        if i not in cost:
            continue
        for j in order:
            bits = weights[i] - weights[j]
            if i == j or bits > PHASE_BITS or masks[i] & masks[j] != masks[j]:
                continue
            whole_cost = cost[i][0] + phase_cost(bits)
            if j not in cost or whole_cost < cost[j][0]:
                cost[j] = (whole_cost, i)
    empty = sets.index(())
    if empty not in cost:
        raise UnsuitedError
    way = [empty]
    while way[-1] != order[0]:
        way.append(cost[way[-1]][1])
    return [sets[i] for i in reversed(way)]


def _freedom(parts: Parts, some: tuple[int, ...]) -> float:
    """Return how many states some moves lead to from the goal, at most, as bits."""
    # Values that moves lead to from each other get the least of their numbers as a label, which is
    # handed on until nothing changes: labels are orbits. The states are at most the product of the
    # orbits of all parts; that twins exclude each other, or orders are odd, does not matter, as it
    # falls out where one set is divided by another.
    whole = as_one(parts)
    goals = np.array(parts.goal) + starts_of(parts.after)
    label = np.arange(len(whole))
    while some:
        lower = np.minimum.reduce([label, *(label[whole[:, move]] for move in some)])
        if (lower == label).all():
            break
        label = lower
    return float(np.log2(np.bincount(label)[label[goals]]).sum())


def phase_cost(bits: float) -> float:
    """Return what a phase of so many states costs: it is long, or it is large."""
    return 10.0 + float(2.0 ** (bits - 30.0))
