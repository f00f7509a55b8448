"""Minimax, one step backwards: what a state is worth when what follows from it is known.

For one role, or two of which one gets what the other does not. A value is the place of the first
role's goal among its goal values, so that a larger one is a higher goal; the second role, of two,
wants it small. Who wins hurries, who loses delays; where nobody wins the shortest way counts.

Source: backward induction, Zermelo 1913; distances as in endgame tables, Thompson, "Retrograde
Analysis of Certain Endgames", ICCA Journal 1986.
"""

# numba finds the types
from __future__ import annotations

from typing import Any

from gdl.native.jit import compiled, entry
from gdl.solve.sentinels import UNDECIDED


@compiled
def is_better(mover: int, side: int, value: int, distance: int, old: int, before: int) -> bool:
    """Return whether a mover prefers one value and distance to another.

    Args:
        mover: 1 for the second role; all others want high values.
        side: 1 where the value wins for the first role, -1 for the second, 0 for neither.
        value: The one.
        distance: Moves to the end.
        old: The other.
        before: Likewise.
    """
    if value != old:
        return (value > old) != (mover == 1)
    wins = side == 0 or (side == 1) != (mover == 1)
    return distance < before if wins else distance > before


@entry
@compiled
def begin_block(movers: Any, goals: Any, roles: int, values: Any, distances: Any) -> None:
    """Set the values of states that are over; all others are undecided."""
    for i in range(len(movers)):
        over = movers[i] == roles
        values[i] = goals[i, 0] if over else UNDECIDED
        distances[i] = 0


@entry
@compiled
def fold(
    parents: Any,
    children: Any,
    first: int,
    movers: Any,
    sides: Any,
    below: Any,
    known_distances: Any,
    values: Any,
    distances: Any,
) -> None:
    """Let each move bring the value of the state that follows to its own.

    Args:
        parents: The state of each move, by its row from ``first`` on.
        children: Where the state that follows stands.
        first: Row of the first of these states in the block.
        movers: Who moves in each state of the block.
        sides: For each value whom it wins for.
        below: Values of the states that follow, ``uint8``.
        known_distances: Their distances, ``int16``.
        values: Values of the block, to be written.
        distances: Likewise.
    """
    for i in range(len(parents)):
        row = first + parents[i]
        value = below[children[i]]
        distance = known_distances[children[i]] + 1
        if values[row] == UNDECIDED or is_better(
            movers[row], sides[value], value, distance, values[row], distances[row]
        ):
            values[row] = value
            distances[row] = distance
