"""The search tree of a compiled game: arrays of nodes and edges, and a table of states.

A node is a state; an edge is a move of the one role that chooses there. The edges of a node stand
one after the other. States met on different ways are one node, found by a hash of the state, so the
tree is a directed graph, and in games that go in circles not even acyclic. What a node holds must
therefore be true of its state alone, whatever way led there.

N nodes and E edges are room; how many of them are in use is in `Tree.used`. R are the roles, W the
words of 64 facts of a state.

Source: Childs, Brodeur and Kocsis, "Transpositions and Move Groups in Monte Carlo Tree Search",
2008 (here the form in which an edge has visits of its own, and a node shares what is below it);
the names of fields after mctx (Babuschkin et al., "The DeepMind JAX Ecosystem", 2020).
"""

# numba finds the types
from __future__ import annotations

from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from gdl.native.jit import compiled, entry
from gdl.play.lanes import ONE, goal, hash_of

NONE: Final = -1
"""No node yet."""
NODES, EDGES, PLAYOUTS = 0, 1, 2
"""Places of ``Tree.used``."""


class Tree(NamedTuple):
    """A search tree; visits are simulations, values are goals of 0 to 100.

    Attributes:
        used: Nodes, edges and playouts so far.
        state: Facts of each node.
        mover: The role that chooses there.
        first_edge: Where its edges begin.
        edge_count: How many edges it has, 0 where the game is over.
        visits: Simulations that came through, those that only arrived there included.
        raw_value: Goals expected before anything below was searched: the mean of the playouts from
            there. Where the mover's goal is proven, what the other roles expect of its best moves.
        lower: Proven lower bound of each role's goal under best play of all.
        upper: Proven upper bound.
        plies_to_end: Plies to the end under best play, where solved.
        move: Of an edge: the number of its move.
        child: The node it leads to, `NONE` where that is not made yet.
        edge_visits: Simulations that took it.
        edge_total: Sum of the mover's goals over these.
        prior_visits: Playouts from the parent that began with it.
        prior_total: Sum of the mover's goals over these.
        edge_lower: Proven lower bound of the mover's goal after it.
        edge_upper: Proven upper bound.
        amaf_visits: Simulations through the parent in which the move was made there or later by the
            same role (all moves as first); of length 1 in a tree without this record.
        amaf_total: Sum of the mover's goals over these.
        table: Nodes by hash of their state, open addressing; a power of two, at most half full.
    """

    used: NDArray[np.int64]  # [3]
    state: NDArray[np.uint64]  # [N, W]
    mover: NDArray[np.int32]  # [N]
    first_edge: NDArray[np.int64]  # [N]
    edge_count: NDArray[np.int32]  # [N]
    visits: NDArray[np.int64]  # [N]
    raw_value: NDArray[np.float32]  # [N, R]
    lower: NDArray[np.float32]  # [N, R]
    upper: NDArray[np.float32]  # [N, R]
    plies_to_end: NDArray[np.int32]  # [N]
    move: NDArray[np.int32]  # [E]
    child: NDArray[np.int32]  # [E]
    edge_visits: NDArray[np.int32]  # [E]
    edge_total: NDArray[np.float32]  # [E]
    prior_visits: NDArray[np.float32]  # [E]
    prior_total: NDArray[np.float32]  # [E]
    edge_lower: NDArray[np.float32]  # [E]
    edge_upper: NDArray[np.float32]  # [E]
    amaf_visits: NDArray[np.float32]  # [E] or [1]
    amaf_total: NDArray[np.float32]  # [E] or [1]
    table: NDArray[np.int32]  # [power of two]


def make_tree(words: int, roles: int, *, nodes: int, edges: int, has_amaf: bool = False) -> Tree:
    """Return an empty tree, with a record of all moves as first or not.

    Memory is only taken when it is written.
    """
    records = edges if has_amaf else 1
    size = 1 << (2 * nodes - 1).bit_length()
    return Tree(
        used=np.zeros(3, np.int64),
        state=np.empty((nodes, words), np.uint64),
        mover=np.zeros(nodes, np.int32),  # read of a root at which play is stuck, too
        first_edge=np.empty(nodes, np.int64),
        edge_count=np.empty(nodes, np.int32),
        visits=np.empty(nodes, np.int64),
        raw_value=np.empty((nodes, roles), np.float32),
        lower=np.empty((nodes, roles), np.float32),
        upper=np.empty((nodes, roles), np.float32),
        plies_to_end=np.empty(nodes, np.int32),
        move=np.empty(edges, np.int32),
        child=np.empty(edges, np.int32),
        edge_visits=np.empty(edges, np.int32),
        edge_total=np.empty(edges, np.float32),
        prior_visits=np.empty(edges, np.float32),
        prior_total=np.empty(edges, np.float32),
        edge_lower=np.empty(edges, np.float32),
        edge_upper=np.empty(edges, np.float32),
        amaf_visits=np.empty(records, np.float32),
        amaf_total=np.empty(records, np.float32),
        table=np.full(size, NONE, np.int32),
    )


@entry
@compiled
def find(tree: Tree, state: Any) -> Any:
    """Return the node of a state, or ``-2 - place`` in the table where it belongs.

    The hash only says where to look: states are compared word by word, for a node that stood for
    two states would make proofs of one hold for the other.
    """
    mask = np.uint64(len(tree.table) - 1)
    at = hash_of(state) & mask
    while True:
        node = tree.table[at]
        if node == NONE:
            return -2 - np.int64(at)
        is_same = True
        for i in range(len(state)):
            if tree.state[node, i] != state[i]:
                is_same = False
                break
        if is_same:
            return np.int64(node)
        at = (at + ONE) & mask


@compiled
def new_node(tree: Tree, game: Any) -> int:
    """Return a node without edges, whose bounds are the least and the most that roles can get.

    It is not in the table yet: who made it puts it there once it is complete.
    """
    node = int(tree.used[NODES])
    tree.used[NODES] += 1
    tree.edge_count[node] = 0
    tree.first_edge[node] = tree.used[EDGES]
    tree.visits[node] = 0
    tree.plies_to_end[node] = 0
    for r in range(tree.lower.shape[1]):
        tree.lower[node, r] = game.worst[r]
        tree.upper[node, r] = game.best[r]
        tree.raw_value[node, r] = game.worst[r]
    return node


@compiled
def set_state(tree: Tree, node: int, state: Any) -> None:
    """Write the facts of a node."""
    for i in range(len(state)):  # assigned as a whole, numba also makes what says unlike lengths
        tree.state[node, i] = state[i]


@compiled
def set_final(tree: Tree, game: Any, node: int, lane: int) -> None:
    """Give a node the goals of a lane in which the game is over, as bounds that meet.

    A role without a single goal gets its worst one, as `worst_goal` defines it.
    """
    for r in range(tree.lower.shape[1]):
        value = max(float(goal(game, r, lane)), game.worst[r])
        tree.lower[node, r] = value
        tree.upper[node, r] = value
        tree.raw_value[node, r] = value


@compiled
def is_solved(tree: Tree, node: int) -> bool:
    """Return whether the goals of all roles are proven."""
    for r in range(tree.lower.shape[1]):
        if tree.lower[node, r] < tree.upper[node, r]:
            return False
    return True


@compiled
def new_edge(tree: Tree, game: Any, edge: int, mover: int, move: Any) -> None:
    """Begin an edge of which nothing is known."""
    tree.move[edge] = move
    tree.child[edge] = NONE
    tree.edge_visits[edge] = 0
    tree.edge_total[edge] = 0.0
    tree.prior_visits[edge] = 0.0
    tree.prior_total[edge] = 0.0
    tree.edge_lower[edge] = game.worst[mover]
    tree.edge_upper[edge] = game.best[mover]
    if len(tree.amaf_visits) > 1:
        tree.amaf_visits[edge] = 0.0
        tree.amaf_total[edge] = 0.0


@compiled
def copy_edge(tree: Tree, edge: int, to_tree: Tree, to: int) -> None:
    """Write an edge to another place, of the same tree or of another one."""
    to_tree.move[to] = tree.move[edge]
    to_tree.child[to] = tree.child[edge]
    to_tree.edge_visits[to] = tree.edge_visits[edge]
    to_tree.edge_total[to] = tree.edge_total[edge]
    to_tree.prior_visits[to] = tree.prior_visits[edge]
    to_tree.prior_total[to] = tree.prior_total[edge]
    to_tree.edge_lower[to] = tree.edge_lower[edge]
    to_tree.edge_upper[to] = tree.edge_upper[edge]
    if len(tree.amaf_visits) == len(tree.move):
        to_tree.amaf_visits[to] = tree.amaf_visits[edge]
        to_tree.amaf_total[to] = tree.amaf_total[edge]


@compiled
def copy_node(tree: Tree, node: int, to_tree: Tree, to: int) -> None:
    """Write a node to another place, of the same tree or of another one; its edges stay."""
    for i in range(tree.state.shape[1]):
        to_tree.state[to, i] = tree.state[node, i]
    to_tree.mover[to] = tree.mover[node]
    to_tree.first_edge[to] = tree.first_edge[node]
    to_tree.edge_count[to] = tree.edge_count[node]
    to_tree.visits[to] = tree.visits[node]
    to_tree.plies_to_end[to] = tree.plies_to_end[node]
    for r in range(tree.lower.shape[1]):
        to_tree.raw_value[to, r] = tree.raw_value[node, r]
        to_tree.lower[to, r] = tree.lower[node, r]
        to_tree.upper[to, r] = tree.upper[node, r]
