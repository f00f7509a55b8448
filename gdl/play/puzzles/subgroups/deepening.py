"""Iterative deepening over patterns: ways of exactly so many moves, in slices.

In: tables of patterns, and where the search stands. Out: the next way, or that there is none.
"""

# numba finds the types
from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from gdl.native.jit import compiled, entry
from gdl.play.puzzles.subgroups.parts import Ints

RUNNING, FOUND, EXHAUSTED = 0, 1, 2


def followers(whole: Ints) -> NDArray[np.bool_]:
    """Return which move may follow which, in row 0 none: not two that one makes, in one order."""
    # What two moves do one move does as well, or none: the way is not a shortest one. Of two moves
    # that may change places the one of the lower number goes first. Neither takes the only way.
    columns = [np.ascontiguousarray(column) for column in whole.T]
    known = {column.tobytes() for column in [*columns, np.arange(len(whole), dtype=whole.dtype)]}
    allowed = np.ones((len(columns) + 1, len(columns)), bool)
    for a, first in enumerate(columns):
        for b, second in enumerate(columns):
            both = second[first]
            is_other_order = b < a and bool((both == first[second]).all())
            allowed[a + 1, b] = both.tobytes() not in known and not is_other_order
    return allowed


@entry
@compiled
def deepen(
    after: Any,
    distance: Any,
    offsets: Any,
    allowed: Any,
    stack: Any,
    depth: Any,
    bound: int,
    nodes: int,
) -> int:
    """Look for a way of exactly so many moves; go on from where the stack stands.

    Args:
        after: States after each move, of all patterns.
        distance: Least moves to a goal, likewise.
        offsets: Where the states of each pattern begin.
        allowed: Which move may follow which; row 0 is for none.
        stack: The state of each pattern at each depth, and how many moves were made from there.
        depth: Where the search is.
        bound: Moves of the way.
        nodes: States that are met before it returns.

    Returns:
        `FOUND`, `EXHAUSTED`, or `RUNNING` where it is to be called again.
    """
    # Kept: rows 0 to d of the stack are the way so far; the last number of each but the last says
    # which move led on, counted from 1, and of the last how many have been tried. So the stack
    # alone says where the search stands, and it may be left and come back to after any state.
    moves, count, d = allowed.shape[1], len(offsets), depth[0]
    for _ in range(nodes):
        if stack[d, count] == 0:
            near = 0
            for p in range(count):
                near = max(near, distance[offsets[p] + stack[d, p]])
            # Only ways of just this length are looked for: a goal that is met sooner was found
            # under a lower bound, and from there the search goes on, for another way.
            if near == 0 and d == bound:
                depth[0] = d
                return FOUND
            if d + max(near, 1) > bound:
                stack[d, count] = moves
        move = stack[d, count]
        last = stack[d - 1, count] if d > 0 else 0
        while move < moves and not allowed[last, move]:
            move += 1
        if move >= moves:
            if d == 0:
                return EXHAUSTED
            d -= 1
            continue
        stack[d, count] = move + 1
        for p in range(count):
            stack[d + 1, p] = after[(offsets[p] + stack[d, p]) * moves + move]
        stack[d + 1, count] = 0
        d += 1
    depth[0] = d
    return RUNNING
