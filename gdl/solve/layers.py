"""All positions of a game that is played layer by layer, and their values from the last one back.

In: `Positions` of a game in which no state is met at two lengths of play: its clock never comes
again, or a move fills exactly one more field, which is checked of every move. Out: sorted keys of
each layer, then values and distances.

Source: backward induction by layers as Edelkamp, Kissmann, "Symbolic Classification of General
Two-Player Games", KI 2008, with sorted lists in the place of diagrams.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

import numpy as np
from numpy.typing import NDArray

from gdl.solve.minimax_step import begin_block, fold
from gdl.solve.positions import Positions
from gdl.solve.sorting import Keys, in_order

BLOCK: Final = 1 << 20
"""States that are valued at a time."""
HELD: Final = 1 << 24
"""Children that are held before they are sorted and met ones dropped."""

Check = Callable[[int], None]
"""Told how many states are held besides; raises where that is too many, or time is up."""


Ends = Callable[[NDArray[np.int8], NDArray[np.int16]], None]
"""Told who moves and what goals there are; raises what it refuses."""


def next_layer(positions: Positions, layer: Keys, depth: int, check: Check) -> Keys:
    """Return the states after one move, sorted, each once; see `Positions.following`."""
    held: list[Keys] = []
    size, limit = 0, HELD
    for _, children in positions.following(layer, 0, len(layer), depth):
        held.append(in_order(children).copy())
        size += len(held[-1])
        check(size)
        if size > limit:
            held = [in_order(np.concatenate(held))]
            size = len(held[0])
            limit = max(HELD, 2 * size)
    return in_order(np.concatenate(held)) if held else layer[:0]


def next_run(
    positions: Positions, layer: Keys, start: int, depth: int, limit: int
) -> tuple[int, Keys]:
    """Return the states after one move from some rows, as many as memory is to hold.

    Args:
        positions: The game.
        layer: States.
        start: The first row.
        depth: See `Positions.following`.
        limit: States from which on no more rows are taken.

    Returns:
        The row after the last that was taken, and what follows, sorted, each once.
    """
    held: list[Keys] = []
    size, end = 0, start
    for end, children in positions.following(layer, start, len(layer), depth):  # noqa: B007
        held.append(in_order(children).copy())
        size += len(held[-1])
        if size >= limit:
            break
    return end, in_order(np.concatenate(held)) if held else layer[:0]


def value_layer(  # noqa: PLR0913, PLR0917  # two layers and what is asked of them
    positions: Positions,
    layer: Keys,
    following: Keys,
    below: tuple[NDArray[np.uint8], NDArray[np.int16]],
    ends: Ends,
    sides: NDArray[np.int8],
    check: Check,
) -> tuple[NDArray[np.uint8], NDArray[np.int16]]:
    """Return values and distances of a layer from those of the one that follows.

    Args:
        positions: The game.
        layer: Its states.
        following: The states of the next.
        below: Their values and distances.
        ends: Told who moves and what goals there are, block by block; raises what it refuses.
        sides: For each value whom it wins for.
        check: Told how many states are done; raises to stop.
    """
    values = np.zeros(len(layer), np.uint8)
    distances = np.zeros(len(layer), np.int16)
    for start in range(0, len(layer), BLOCK):
        stop = min(start + BLOCK, len(layer))
        movers, goals = positions.look(layer, start, stop)
        ends(movers, goals)
        block = values[start:stop], distances[start:stop]
        begin_block(movers, goals, positions.roles, *block)
        for edges in positions.edges(layer, start, stop, following):
            fold(edges.parents, edges.children, edges.start - start, movers, sides, *below, *block)
        check(stop)
    return values, distances
