"""Monte-Carlo tree search by several threads in one tree.

A simulation walks down, makes a new node, judges it by playouts, and backs up. Making and judging
is nearly all of the time (hundreds of random games), and touches nothing that others read: each
thread does it in a tree of its own, of one node. Only who holds the tree walks in it, grafts the
new node onto it, and backs up; so nothing is ever read half written, and bounds are as right as
with one thread. The edges on the way down count at once, without what they will bring: that is what
sends the next thread elsewhere.

Source: Chaslot, Winands and van den Herik, "Parallel Monte-Carlo Tree Search", 2008 (tree
parallelisation with a global mutex, virtual loss).
"""

# numba finds the types
from __future__ import annotations

from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from gdl.native.jit import compiled, entry, give_way, try_lock, unlock
from gdl.play.bounds import update_bounds
from gdl.play.scalar_playout import ScalarTables
from gdl.play.tree import (
    EDGES,
    NODES,
    NONE,
    PLAYOUTS,
    Tree,
    copy_edge,
    copy_node,
    find,
    is_solved,
    new_node,
    set_state,
)
from gdl.play.tree_search import (
    DONE,
    FULL,
    HALTED,
    SOLVED,
    Scratch,
    SearchParams,
    back_up,
    descend,
    expand,
    hear_playouts,
    make_scratch,
    play_leaf,
)

SPINS: Final = 1_000
"""How often a thread looks whether the tree is free before it lets others have its processor."""


@compiled
def take(lock: Any) -> None:
    """Wait until nobody holds the tree, and hold it.

    It is held for microseconds; for longer only where its holder lost its processor, and then
    whoever waits gives its own away.
    """
    tries = 0
    while try_lock(lock) != 0:
        tries += 1
        if tries > SPINS:
            give_way()


@compiled
def graft(tree: Tree, own: Tree, state: Any) -> int:
    """Return a new node of the tree, with what was made of it in a tree of one's own.

    That is node 0 there, then its children in which the game is over. It gets its place in the
    table; returns `NONE`, and nothing is written, where the tree is full.
    """
    nodes, edges = own.used[NODES], own.used[EDGES]
    node, first = tree.used[NODES], tree.used[EDGES]
    if node + nodes >= len(tree.edge_count) or first + edges > len(tree.move):
        return NONE
    tree.used[NODES] += nodes
    tree.used[EDGES] += edges
    for i in range(nodes):
        copy_node(own, i, tree, node + i)
        tree.first_edge[node + i] = first if i == 0 else first + edges
    for i in range(edges):
        copy_edge(own, i, tree, first + i)
        if own.child[i] != NONE:
            tree.child[first + i] = node + own.child[i]
    set_state(tree, node, state)
    tree.table[-2 - find(tree, state)] = node
    return int(node)


@compiled
def take_back(tree: Tree, depth: int, scratch: Scratch) -> None:
    """Count a simulation that ended without a result no longer on its way down."""
    for i in range(depth):
        tree.edge_visits[scratch.edges[i]] -= 1


@compiled
def simulate(
    tree: Tree,
    own: Tree,
    game: Any,
    scalar: ScalarTables,
    params: SearchParams,
    root: int,
    simulation: int,
    scratch: Scratch,
    lock: Any,
) -> int:
    """Run one simulation; the tree is held at the begin and at the end. Return how it ended."""
    is_scalar = scalar.at != 0
    leaf, depth, place = descend(tree, game, params, root, scratch, True)
    plies, is_new = 0, place != NONE
    if is_new:
        for i in range(len(own.used)):
            own.used[i] = 0
        unlock(lock)
        new_node(own, game)
        set_state(own, 0, scratch.child_state)
        code = expand(own, game, 0, scratch.moves, scratch.lane_edges, not is_scalar)
        if code == DONE:
            update_bounds(own, params, game, 0)
            if is_scalar and not is_solved(own, 0):
                plies = play_leaf(tree, scalar, own, 0, depth, scratch)
        take(lock)
        tree.used[PLAYOUTS] += own.used[PLAYOUTS]
        node_there = find(tree, scratch.child_state)  # another thread may have made it meanwhile
        if code == DONE and node_there < 0:
            node_there = graft(tree, own, scratch.child_state)
            if node_there == NONE:
                code = FULL
        if code != DONE:
            take_back(tree, depth, scratch)
            return code
        leaf = int(node_there)
        tree.child[scratch.edges[depth - 1]] = leaf
    if params.grave_visits >= 0:
        hear_playouts(tree, scalar, leaf, is_new, plies, simulation, scratch.heard)
    back_up(tree, game, params, leaf, depth, simulation, scratch, True)
    return SOLVED if not is_new and depth == 0 else DONE


@entry
@compiled
def search_shared(
    tree: Tree,
    own: Tree,
    game: Any,
    scalar: ScalarTables,
    params: SearchParams,
    root: int,
    left: NDArray[np.int64],
    lock: NDArray[np.int64],
) -> int:
    """Run simulations from a node while ``left[0]``, which all threads count down, is above 0.

    Game, scalar tables and ``own`` are for this thread alone, all else is for all. Returns how it
    ended, as `gdl.play.tree_search.search` does.
    """
    scratch = make_scratch(tree, game, scalar)
    simulation, code = 0, DONE
    take(lock)
    while code == DONE and left[0] > 0:
        left[0] -= 1
        mover = tree.mover[root]
        if game.halt[0] != 0:
            code = HALTED
        elif tree.lower[root, mover] >= tree.upper[root, mover]:
            code = SOLVED
        else:
            code = simulate(tree, own, game, scalar, params, root, simulation, scratch, lock)
            simulation += 1
    unlock(lock)
    return code
