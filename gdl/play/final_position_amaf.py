"""All moves as first, read off final positions of playouts that keep no list of their moves.

Playouts in lanes do not say which moves were made in them. But where a move brings about something
that lasts (a stone that stays where it was put), it is seen at the end: the lanes in whose final
position it stands are those in which the role made that move, now or later. So the mean goal of
these lanes says of each of a hundred moves as much as if it had been played out in every other
lane, where its own are five or six. That is a hint with a bias (a move that is good later need not
be good now), and counts for so many playouts of the move's own at most.

Source: Bruegmann, "Monte Carlo Go", 1993 (all moves as first); reading it off final positions is
ours.
"""

# numba finds the types
from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np
from numpy.typing import NDArray

from gdl.native.jit import compiled, lowest, ones
from gdl.play.lanes import ONE, ZERO, goal_count, lanes_with, over_word

if TYPE_CHECKING:
    from gdl.native.memory_views import LaneMemory

MOST_PLIES: Final = 512
"""Plies of the playouts that show which facts last."""


def lasting_facts(lanes: LaneMemory, period: int) -> NDArray[np.bool_]:
    """Return which stored facts came about in a vector of playouts and were never lost again.

    None of them where most of what comes about is lost again: then a few moves would be told of and
    others not (those onto the middle of a quadrant that turns), and no two could be compared. A
    sample and no proof, which is enough for a hint. Who plays next sets facts, lanes and progress
    anew.
    """
    gained = np.zeros_like(lanes.facts)
    lost = np.zeros_like(lanes.facts)
    lanes.deal(64)
    lanes.start()
    lanes.deal(0)
    for ply in range(MOST_PLIES):
        if not lanes.live.any():
            break
        before = lanes.facts.copy()
        lanes.ply(ply % period)
        gained |= lanes.facts & ~before
        lost |= before & ~lanes.facts
    came: NDArray[np.bool_] = np.bitwise_or.reduce(gained, axis=1) != 0
    lasting: NDArray[np.bool_] = came & (np.bitwise_or.reduce(lost, axis=1) == 0)
    return lasting if 2 * lasting.sum() > came.sum() else np.zeros_like(came)


@compiled
def hear_final_positions(
    tree: Any, game: Any, node: Any, edge_in: Any, used: Any, states: Any
) -> None:
    """Add to the priors of a node's edges what the lanes' final positions tell of their moves.

    The lanes have just been played to their ends; ``states[lane]`` is the child in a lane before
    that. Moves that bring about nothing lasting keep their own playouts alone.
    """
    mover = tree.mover[node]
    words = len(game.live)
    planes = 0
    for r in range(mover):
        planes += game.widths[r]
    values = goal_count(game, mover)
    reached = np.empty((values + 1, words), np.uint64)  # lanes in which the mover got which goal
    for index in range(1, values + 1):
        for j in range(words):
            reached[index, j] = lanes_with(game, mover, planes, index, j)
    moves_made = np.empty(words, np.uint64)
    last = -1
    for lane in range(used):
        edge = edge_in[lane]
        if edge <= last:  # this lane's move leads where another one's does
            continue
        last = edge
        if (over_word(game, lane >> 6) >> np.uint64(lane & 63)) & ONE:
            continue
        if not find_lanes(tree, game, node, states[lane], moves_made):
            continue
        count, total = 0, 0
        for index in range(1, values + 1):
            n = 0
            for j in range(words):
                n += ones(reached[index, j] & moves_made[j])
            count += n
            total += n * game.indexed[mover, index]
        if count > 0:
            weight = min(float(count), game.final_weight)
            tree.prior_visits[edge] += weight
            tree.prior_total[edge] += weight * total / count


@compiled
def find_lanes(tree: Any, game: Any, node: Any, child: Any, lanes: Any) -> Any:
    """Write the lanes that ended with all that lasts of a move; False where nothing of it does."""
    is_found = False
    for part in range(len(child)):
        new = child[part] & ~tree.state[node, part] & game.lasting[part]
        while new != ZERO:
            row = game.place[64 * part + lowest(new)]
            new &= new - ONE
            for j in range(len(lanes)):
                fact = game.lane_facts[row, j]
                lanes[j] = lanes[j] & fact if is_found else fact
            is_found = True
    return is_found
