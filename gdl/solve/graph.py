"""All positions of any game, the moves between them, and values where play may come round again.

In: `Positions`. Out: a `Graph`: every state that play reaches, in one sorted array, and the moves
as rows of a sparse matrix; then values and distances by retrograde analysis.

Source: retrograde analysis as in Thompson, "Retrograde Analysis of Certain Endgames", ICCA Journal
1986, and Schaeffer et al., "Building the Checkers 10-Piece Endgame Databases", 2003; states are
left to a list as often as they have moves, so that all is linear in the moves.
"""

# numba finds the types
from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gdl.native.jit import compiled, entry
from gdl.solve.layers import BLOCK, next_layer
from gdl.solve.positions import Positions
from gdl.solve.sentinels import ENDLESS, UNDECIDED
from gdl.solve.sorting import Keys, drop_known, merge

Distances = NDArray[np.int16] | NDArray[np.int32]
"""Moves to the end, `ENDLESS` where play never comes to one."""


@dataclass(frozen=True, slots=True)
class Graph:
    """States and the moves between them.

    Attributes:
        keys: All states, sorted, ``uint64[N, words]``.
        movers: Who moves in each, ``int8[N]``; see `gdl.solve.expand.look`.
        goals: The place of each role's goal where play is over, ``int16[N, roles]``.
        parents: The state of each move, ``int64[E]``, unsorted.
        children: The state that follows.
        rows: The row of each role's move, ``int32[E, roles]``; no rows where nobody asked.
    """

    keys: Keys
    movers: NDArray[np.int8]
    goals: NDArray[np.int16]
    parents: NDArray[np.int32]
    children: NDArray[np.int32]
    rows: NDArray[np.int32]


def all_states(positions: Positions, check: Callable[[int, int], None]) -> Keys:
    """Return every state that play reaches, sorted.

    Args:
        positions: The game.
        check: Told how many moves were made and how many states are known; raises to stop.
    """
    layer = positions.initial
    # Runs of which each is at least twice as long as the next: a state is merged O(log N) times.
    runs: list[Keys] = []
    total = depth = 0
    while len(layer):
        runs.append(layer)
        total += len(layer)
        check(depth, total)
        while len(runs) > 1 and len(runs[-2]) < 2 * len(runs[-1]):
            runs[-2:] = [_merged(*runs[-2:])]
        layer = next_layer(positions, layer, -1, partial(_besides, check, depth, total))
        for run in runs:
            layer = layer[: drop_known(layer, run)]
        layer = layer.copy()
        depth += 1
    while len(runs) > 1:
        runs[-2:] = [_merged(*runs[-2:])]
    return runs[0]


def _besides(check: Callable[[int, int], None], depth: int, total: int, held: int) -> None:
    check(depth, total + held)


def _merged(left: Keys, right: Keys) -> Keys:
    out = np.zeros((len(left) + len(right), left.shape[1]), np.uint64)
    merge(left, right, out)
    return out


def build_graph(
    positions: Positions,
    keys: Keys,
    ends: Callable[[NDArray[np.int8], NDArray[np.int16]], None],
    check: Callable[[int, int], None],
    *,
    wants_moves: bool,
) -> Graph:
    """Return the moves between all states.

    Args:
        positions: The game.
        keys: All its states, sorted.
        ends: Told who moves and what goals there are, block by block; raises what it refuses.
        check: Told how many states are done and how many moves are known; raises to stop.
        wants_moves: Whether to keep which moves they are.
    """
    movers: list[NDArray[np.int8]] = []
    goals: list[NDArray[np.int16]] = []
    parents: list[NDArray[np.int32]] = []
    children: list[NDArray[np.int32]] = []
    rows: list[NDArray[np.int32]] = []
    total = 0
    for start in range(0, len(keys), BLOCK):
        stop = min(start + BLOCK, len(keys))
        seen, worth = positions.look(keys, start, stop)
        ends(seen, worth)
        movers.append(seen)
        goals.append(worth)
        for edges in positions.edges(keys, start, stop, keys, wants_moves=wants_moves):
            parents.append(edges.parents + np.int32(edges.start))
            children.append(edges.children.astype(np.int32))
            rows.append(edges.rows.copy())
            total += len(edges.parents)
            check(edges.stop, total)
    return Graph(
        keys,
        np.concatenate(movers),
        np.concatenate(goals),
        np.concatenate(parents),
        np.concatenate(children),
        np.concatenate(rows),
    )


def retrograde(
    graph: Graph, roles: int, sides: NDArray[np.int8], *, is_alone: bool
) -> tuple[NDArray[np.uint8], Distances]:
    """Return values and distances of all states.

    A play that never ends is worth what neither wins with: half of the sum. For one role it is
    worth nothing, less than any end: a state from which none can be reached stays undecided.

    Args:
        graph: The states.
        roles: How many roles there are.
        sides: For each value whom it wins for.
        is_alone: Whether there is one role.
    """
    n = len(graph.keys)
    starts, sources = sources_of(graph.children, graph.parents, n)
    degrees = np.bincount(graph.parents, minlength=n).astype(np.int32)
    values = np.full(n, UNDECIDED, np.uint8)
    distances = np.full(n, ENDLESS, np.int32)
    queue = np.zeros(n, np.int32)
    arrays = (graph.movers, graph.goals, roles, starts, sources, degrees, values, distances, queue)
    # From the best goal of a role down, as long as it wins: whoever can reach it does. What is left
    # when the same is done for the other role is worth half of the sum to both.
    for value in range(len(sides) - 1, -1, -1):
        if is_alone or sides[value] > 0:
            attract(value, 0, *arrays)
    for value in range(len(sides)):
        if not is_alone and sides[value] < 0:
            attract(value, 1, *arrays)
    for value in range(len(sides)):
        if not is_alone and sides[value] == 0:
            attract(value, -1, *arrays)
    return values, in_few_bytes(distances)


def in_few_bytes(distances: Distances) -> Distances:
    """Return distances in two bytes each, where all fit."""
    is_short = distances.max(initial=0) <= np.iinfo(np.int16).max
    return distances.astype(np.int16) if is_short else distances


@entry
@compiled
def sources_of(children: Any, parents: Any, n: int) -> Any:
    """Return, for each state, where its predecessors begin in a list, and that list."""
    starts = np.zeros(n + 1, np.int64)
    for child in children:
        starts[child + 1] += 1
    for i in range(n):
        starts[i + 1] += starts[i]
    places = starts[:n].copy()
    sources = np.zeros(len(parents), np.int32)
    for i in range(len(parents)):
        child = children[i]
        sources[places[child]] = parents[i]
        places[child] += 1
    return starts, sources


@entry
@compiled
def attract(
    value: int,
    role: int,
    movers: Any,
    goals: Any,
    roles: int,
    starts: Any,
    sources: Any,
    degrees: Any,
    values: Any,
    distances: Any,
    queue: Any,
) -> None:
    """Give a value to all undecided states from which a role can force it.

    The queue holds states by rising distance. A state of the role takes the value from the first
    that it is reached from: the shortest way. A state of the other takes it when all its moves lead
    to states that are decided, so from the last: the longest. Its moves to states with better
    values for the role were counted when those were decided.

    Args:
        value: The value.
        role: Who wants it, 0 or 1; -1 for both, where neither wins.
        movers: Who moves, ``int8[N]``.
        goals: Places of goals of states that are over.
        roles: What stands for a state that is over.
        starts: Where the predecessors of each state begin.
        sources: The predecessors.
        degrees: Moves of each state that lead to undecided states.
        values: To be written.
        distances: To be written.
        queue: Room for all states.
    """
    # Ends of this value come first, at distance 0. Each state enters the queue once, behind all
    # that are nearer: a breadth-first search backward, so the first way found is the shortest.
    tail = 0
    for i in range(len(movers)):
        if movers[i] == roles and goals[i, 0] == value:
            values[i] = value
            distances[i] = 0
            queue[tail] = i
            tail += 1
    head = 0
    while head < tail:
        state = queue[head]
        head += 1
        for at in range(starts[state], starts[state + 1]):
            source = sources[at]
            if values[source] != UNDECIDED:
                continue
            if role >= 0 and movers[source] == 1 - role:
                # The other holds out while a move leads elsewhere; the last that did not is the
                # longest way, as the queue comes to it last.
                degrees[source] -= 1
                if degrees[source]:
                    continue
            values[source] = value
            distances[source] = distances[state] + 1
            queue[tail] = source
            tail += 1
