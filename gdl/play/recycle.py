"""Room in a tree that is full: what a root still leads to is kept, all else makes way.

In: a `Tree`, the node of a state, a number of visits. Out: the same tree with the nodes that the
root leads to, moved together, in as few places as they need. Nodes of fewer visits go as well, but
what their edges have counted, and what is proven of them, stays with the edges: who comes there
again makes the node anew.

Nodes and edges keep their order, so each moves to a lower place, or stays, and nothing is written
over before it was read.

Source: keeping the subtree of the move that was played is common (Browne et al., "A Survey of
Monte Carlo Tree Search Methods", 2012).
"""

# numba finds the types
from __future__ import annotations

from typing import Any

import numpy as np

from gdl.native.jit import compiled, entry
from gdl.play.tree import EDGES, NODES, NONE, Tree, copy_edge, copy_node, find, is_solved


@compiled
def mark_reached(tree: Tree, root: int, least: int, kept: Any) -> None:
    """Set in ``kept`` which nodes a root leads to, by nodes of so many visits or solved ones."""
    stack = np.empty(tree.used[NODES] + 1, np.int32)
    stack[0] = root
    kept[root] = 1
    n = 1
    while n > 0:
        n -= 1
        node = stack[n]
        for edge in range(tree.first_edge[node], tree.first_edge[node] + tree.edge_count[node]):
            child = tree.child[edge]
            if child == NONE or kept[child]:
                continue
            if tree.visits[child] >= least or is_solved(tree, child):
                kept[child] = 1
                stack[n] = child
                n += 1


@entry
@compiled
def recycle(tree: Tree, root: int, least: int) -> int:
    """Keep what a root leads to by nodes of so many visits; return where the root is now.

    Cost O(nodes and edges in use, and the length of the table).
    """
    nodes = tree.used[NODES]
    kept = np.zeros(nodes, np.uint8)
    mark_reached(tree, root, least, kept)
    place = np.empty(nodes, np.int32)
    for node in range(nodes):
        place[node] = NONE
    listed = np.zeros(nodes, np.uint8)  # a node that ends the game by an edge is in no table
    for at in range(len(tree.table)):
        if tree.table[at] != NONE:
            listed[tree.table[at]] = 1
            tree.table[at] = NONE
    count, edges = 0, 0
    for node in range(nodes):
        if kept[node]:
            place[node] = count
            listed[count] = listed[node]
            copy_node(tree, node, tree, count)
            first = tree.first_edge[count]
            # A node gets its edges when it is made, so edges lie in the order of their nodes.
            for i in range(tree.edge_count[count]):
                copy_edge(tree, first + i, tree, edges + i)
            tree.first_edge[count] = edges
            edges += tree.edge_count[count]
            count += 1
    for edge in range(edges):
        if tree.child[edge] != NONE:
            tree.child[edge] = place[tree.child[edge]]
    tree.used[NODES] = count
    tree.used[EDGES] = edges
    for node in range(count):
        if listed[node]:
            at = find(tree, tree.state[node])
            if at < 0:
                tree.table[-2 - at] = node
    return int(place[root])
