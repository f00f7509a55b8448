"""All moves as first: what an edge learns from simulations in which its move was made later.

A role's move often is as good now as some plies later. So an edge counts every simulation through
its node in which its role made its move there or below: in the tree, as the first of the playouts
of the new node, or in a playout that tells its moves. Such counts come in fast and are biased;
`gdl.play.tree_search` gives them less weight the more visits the edge itself has (RAVE).

With GRAVE a node of too few visits does not use its own record but that of its nearest ancestor of
enough visits at which the same role chooses: what counts there was heard in more simulations. RAVE
is GRAVE for which any number of visits is enough.

The record is a hint, never a proof: bounds do not read it.

Source: Gelly and Silver, "Monte-Carlo Tree Search and Rapid Action Value Estimation in Computer
Go", 2011; Cazenave, "Generalized Rapid Action Value Estimation", IJCAI 2015.
"""

# numba finds the types
from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from gdl.native.jit import compiled, entry
from gdl.play.tree import Tree


class Heard(NamedTuple):
    """The moves of the simulation under way, from its end up to where the back-up has come.

    M is the greatest number of moves of a role.

    Attributes:
        stamp: The last simulation in which a role made a move. As each has a number of its own,
            nothing has to be wiped out between two of them.
        value: The mover's goal that the simulation counts with for that move.
    """

    stamp: NDArray[np.int64]  # [R, M]
    value: NDArray[np.float64]  # [R, M]


@compiled
def make_heard(roles: int, moves: int) -> Any:
    """Return a record of no simulation."""
    stamp = np.empty((roles, moves), np.int64)
    for r in range(roles):
        for move in range(moves):
            stamp[r, move] = -1
    return Heard(stamp, np.zeros((roles, moves)))


@compiled
def hear(heard: Heard, role: Any, move: Any, value: Any, simulation: int) -> None:
    """Note that a role made a move in a simulation; made twice, the earlier one stays noted.

    Moves are heard from the last to the first, so the earlier one comes later and writes over.
    """
    heard.stamp[role, move] = simulation
    heard.value[role, move] = value


@compiled
def hear_leaf(tree: Tree, leaf: int, heard: Heard, simulation: int) -> None:
    """Note the first moves of the playouts of a new node, each with the mean of its playouts."""
    r = tree.mover[leaf]
    for edge in range(tree.first_edge[leaf], tree.first_edge[leaf] + tree.edge_count[leaf]):
        if tree.prior_visits[edge] > 0.0:
            mean = tree.prior_total[edge] / tree.prior_visits[edge]
            hear(heard, r, tree.move[edge], mean, simulation)


@compiled
def back_up_amaf(
    tree: Tree, node: int, edge: int, value: float, heard: Heard, simulation: int
) -> None:
    """Note the move made at a node, then count all that its role made from there on.

    The node's own move is noted first: a move made here counts as made here or later, so no edge
    has fewer of these visits than of its own.
    """
    r = tree.mover[node]
    hear(heard, r, tree.move[edge], value, simulation)
    for other in range(tree.first_edge[node], tree.first_edge[node] + tree.edge_count[node]):
        if heard.stamp[r, tree.move[other]] == simulation:
            tree.amaf_visits[other] += 1.0
            tree.amaf_total[other] += heard.value[r, tree.move[other]]


@entry
@compiled
def read_record(tree: Tree, node: int, reference: int, record: Any) -> None:
    """Write the record that counts at a node: its own, or that of its reference node.

    ``record[move]`` is visits and total, ``float64[M, 2]``. Moves of the node that the reference
    does not have are set to nothing; other rows are left as they are, nobody reads them.
    """
    first, n = tree.first_edge[node], tree.edge_count[node]
    if node != reference:
        for edge in range(first, first + n):
            record[tree.move[edge], 0] = 0.0
            record[tree.move[edge], 1] = 0.0
        first, n = tree.first_edge[reference], tree.edge_count[reference]
    for edge in range(first, first + n):
        record[tree.move[edge], 0] = tree.amaf_visits[edge]
        record[tree.move[edge], 1] = tree.amaf_total[edge]
