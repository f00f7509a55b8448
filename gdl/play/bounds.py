"""Proven bounds of goals, backed up through the tree (a solver inside Monte-Carlo tree search).

Invariant, for every node, edge and role: lower <= the goal under best play of all <= upper. It
holds of a new node (the worst and the best goal there are), and of one where the game is over (both
are the goal), and each step here keeps it. Bounds only come closer, so a bound that was true stays
true, and it does not matter in which order, or how often, nodes are visited.

Best play is max-n: each role takes what is best for itself. With one role, or two of a constant sum
of goals, that is the value of the game. Else a role may have several best moves, and nobody knows
which one it takes; the bounds of the others then hold for any of them.

Source: Winands, Bjornsson and Saito, "Monte-Carlo Tree Search Solver", 2008; Cazenave and
Saffidine, "Score Bounded Monte-Carlo Tree Search", 2010; Sturtevant, "An Analysis of UCT in
Multi-Player Games", 2008 (max-n).
"""

# numba finds the types
from __future__ import annotations

from typing import Any

from gdl.native.jit import compiled
from gdl.play.tree import NONE, Tree


@compiled
def update_bounds(tree: Tree, params: Any, game: Any, node: int) -> bool:
    """Derive a node's bounds from those of its edges; return whether they changed."""
    first, n = tree.first_edge[node], tree.edge_count[node]
    if n == 0:
        return False
    r = tree.mover[node]
    # The mover has at least the best of what its moves guarantee, and at most the best of what any
    # of them may still bring.
    lower = tree.edge_lower[first]
    upper = tree.edge_upper[first]
    for edge in range(first, first + n):
        lower = max(lower, tree.edge_lower[edge])
        upper = max(upper, tree.edge_upper[edge])
    roles = tree.lower.shape[1]
    has_changed = bool(lower > tree.lower[node, r] or upper < tree.upper[node, r])
    tree.lower[node, r] = max(lower, tree.lower[node, r])
    tree.upper[node, r] = min(upper, tree.upper[node, r])
    if roles == 2 and params.is_constant_sum:
        # What one gets the other does not: its lower bound is the sum less the mover's upper one.
        tree.lower[node, 1 - r] = params.goal_sum - tree.upper[node, r]
        tree.upper[node, 1 - r] = params.goal_sum - tree.lower[node, r]
    elif roles > 1 and _update_others(tree, game, node, lower):
        has_changed = True
    if has_changed and tree.lower[node, r] >= tree.upper[node, r]:
        _update_plies(tree, node, tree.lower[node, r])
    return has_changed


@compiled
def _update_others(tree: Tree, game: Any, node: int, lower: float) -> bool:
    """Derive the bounds of all roles but the mover; return whether they changed.

    ``lower`` is what the mover is sure of. A move that cannot bring as much is not taken; any other
    may be, so the others have the least lower and the greatest upper bound of these moves. Where
    the mover's own goal is proven these are its equally good moves, and the others expect their
    mean.
    """
    first, n = tree.first_edge[node], tree.edge_count[node]
    r = tree.mover[node]
    has_changed = False
    for q in range(tree.lower.shape[1]):
        if q == r:
            continue
        least, most = game.best[q], game.worst[q]
        total, counted = 0.0, 0.0
        for edge in range(first, first + n):
            if tree.edge_upper[edge] < lower:
                continue
            child = tree.child[edge]
            if child == NONE:  # the move may be taken, and may bring the others anything
                least, most = game.worst[q], game.best[q]
                continue
            least = min(least, tree.lower[child, q])
            most = max(most, tree.upper[child, q])
            counted += 1.0
            is_proven = tree.lower[child, q] >= tree.upper[child, q]
            total += tree.lower[child, q] if is_proven else tree.raw_value[child, q]
        if least > tree.lower[node, q] or most < tree.upper[node, q]:
            has_changed = True
            tree.lower[node, q] = max(least, tree.lower[node, q])
            tree.upper[node, q] = min(most, tree.upper[node, q])
        if counted > 0.0 and tree.lower[node, r] >= tree.upper[node, r]:
            tree.raw_value[node, q] = total / counted
    return has_changed


@compiled
def _update_plies(tree: Tree, node: int, value: float) -> None:
    """Write how far the end is from a solved node: a winner hurries, a loser does not.

    Only moves that are proven to bring the value count for a winner, and the nearest of them does:
    so each move of a won game comes nearer to its end. For a loser all moves are proven losses, and
    the farthest counts.
    """
    shortest, longest = 1 << 30, 0
    r = tree.mover[node]
    reached = tree.raw_value[node, r] * 0.0 + value
    for edge in range(tree.first_edge[node], tree.first_edge[node] + tree.edge_count[node]):
        child = tree.child[edge]
        is_proven = tree.edge_lower[edge] == tree.edge_upper[edge]
        if child != NONE and is_proven and tree.edge_lower[edge] == reached:
            shortest = min(shortest, tree.plies_to_end[child])
        if child != NONE:
            longest = max(longest, tree.plies_to_end[child])
    tree.plies_to_end[node] = 1 + (shortest if value > 50.0 else longest)
