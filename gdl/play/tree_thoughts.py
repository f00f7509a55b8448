"""What a search tree says of a state: its moves, the best first, and the line that follows.

In: a `Workspace`, a node of its tree, perhaps a proof about the same state. Out: `Thoughts`, in
which nothing is counted yet. Only reads, so that another thread may go on searching meanwhile.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Final

import numpy as np

from gdl.language.syntax import Term
from gdl.play.proof_search import ProofSearch
from gdl.play.thoughts import Candidate, Thoughts
from gdl.play.tree import NONE
from gdl.play.workspace import Workspace

LINE: Final = 24
"""Plies of a principal line that are shown."""
PRIOR_SMOOTHING: Final = 8
"""Playouts by which the value of a move that was never tried is drawn to the mean."""


def tree_thoughts(
    workspace: Workspace, state: bytes, root: int, proof: ProofSearch | None
) -> Thoughts:
    """Return what is known of a node with edges, that of a state."""
    tree = workspace.tree
    mover, is_won, candidates = _candidates(workspace, root)
    is_decided = workspace.is_zero_sum and is_won
    if proof is not None and proof.move is not None and not is_decided:
        candidates = _to_front(candidates, proof.move, float(proof.value))
    return Thoughts(
        workspace.roles[mover],
        tuple(candidates),
        line=_line(workspace, state, root, candidates[0].move),
        simulations=int(tree.visits[root]),
        note=_note(workspace, root, proof),
    )


def _candidates(workspace: Workspace, root: int) -> tuple[int, bool, list[Candidate]]:
    """Return who moves, whether it has a proven win, and its moves, the best first."""
    tree = workspace.tree
    first, count = int(tree.first_edge[root]), int(tree.edge_count[root])
    mover = int(tree.mover[root])
    edges = slice(first, first + count)
    visits = tree.edge_visits[edges]
    mean = float(tree.raw_value[root, mover])
    prior = (tree.prior_total[edges] + PRIOR_SMOOTHING * mean) / (
        tree.prior_visits[edges] + PRIOR_SMOOTHING
    )
    value = (tree.edge_total[edges] + prior) / (visits + 1)
    lower, upper = tree.edge_lower[edges], tree.edge_upper[edges]
    is_proven = lower >= upper
    value = np.clip(np.where(is_proven, lower, value), lower, upper)
    tables = workspace.lanes.tables
    rank = _rank(visits, value, is_proven, (tables.worst[mover], tables.best[mover]))
    # Between equals: what looks better; a win that comes soon, a loss that comes late.
    plies = np.array([_plies_to_end(workspace, edge) for edge in range(first, first + count)])
    lateness = np.where(is_proven & (lower <= tables.worst[mover]), -plies, plies * is_proven)
    order = np.lexsort((lateness, np.where(is_proven, 0.0, -value), -rank))
    moves = workspace.native.kernel.compiled.moves[mover]
    candidates = [
        Candidate(
            moves[int(tree.move[first + i])], int(visits[i]), float(value[i]), bool(is_proven[i])
        )
        for i in order.tolist()
    ]
    return mover, bool((is_proven & (lower >= tables.best[mover])).any()), candidates


def _note(workspace: Workspace, root: int, proof: ProofSearch | None) -> str:
    tree, mover = workspace.tree, int(workspace.tree.mover[root])
    worth = float(tree.lower[root, mover])
    is_solved = bool(worth >= tree.upper[root, mover])
    if workspace.is_zero_sum and is_solved:
        said = f"worth {worth:g}" if len(workspace.roles) == 1 else f"{worth:g} can be forced"
        return f"proven: {said}, {int(tree.plies_to_end[root])} plies to the end"
    if proof is not None and proof.move is not None:
        return f"proven: {proof.value} can be forced"
    if is_solved:
        return f"proven: worth {worth:g} if all play for their own goal"
    if proof is not None and proof.impossible is not None:
        return f"proven: {proof.impossible} cannot be forced"
    return ""


def _plies_to_end(workspace: Workspace, edge: int) -> int:
    tree = workspace.tree
    child = int(tree.child[edge])
    return int(tree.plies_to_end[child]) if child != NONE else 0


def _line(
    workspace: Workspace, state: bytes, root: int, move: Term
) -> tuple[tuple[Term, ...], ...]:
    """Return the joint moves that follow when all take what looks best."""
    tree, machine = workspace.tree, workspace.native.machine
    line: list[tuple[Term, ...]] = []
    node = root
    wanted: Term | None = move
    while len(line) < LINE and tree.edge_count[node] and not machine.is_terminal(state):
        first, count = int(tree.first_edge[node]), int(tree.edge_count[node])
        mover = int(tree.mover[node])
        moves = workspace.native.kernel.compiled.moves[mover]
        if wanted is None:
            edge = _best_edge(workspace, node)
            if edge == NONE:
                break
        else:
            names = [moves[int(tree.move[e])] for e in range(first, first + count)]
            edge = first + names.index(wanted)
            wanted = None
        chosen = moves[int(tree.move[edge])]
        joint = tuple(
            chosen if r == mover else machine.legal(state, role)[0]
            for r, role in enumerate(workspace.roles)
        )
        line.append(joint)
        state = machine.successor(state, joint)
        node = int(tree.child[edge])
        if node == NONE:
            break
    return tuple(line)


def _best_edge(workspace: Workspace, node: int) -> int:
    """Return the edge that looks best, `NONE` where none has been looked at."""
    tree, tables = workspace.tree, workspace.lanes.tables
    first, mover = int(tree.first_edge[node]), int(tree.mover[node])
    edges = slice(first, first + int(tree.edge_count[node]))
    lower = tree.edge_lower[edges]
    is_proven = lower >= tree.edge_upper[edges]
    visits = tree.edge_visits[edges]
    value = np.where(is_proven, lower, tree.edge_total[edges] / np.maximum(visits, 1))
    rank = _rank(visits, value, is_proven, (tables.worst[mover], tables.best[mover]))
    best = int(np.argmax(rank))
    return first + best if visits[best] or is_proven[best] else NONE


def _rank(visits: Any, value: Any, is_proven: Any, bounds: tuple[float, float]) -> Any:  # noqa: ANN401
    """Return how good moves are: open ones by visits; proven ones before or behind all of them.

    Open moves have 0 to 1. A proven win comes first (4) and a proven loss last (-2); a proven goal
    between comes before all open moves if it is no less than the most visited of them promises (2),
    else behind them (-1), for that one may be worth more than it is proven to be.
    """
    most = max(1, int(visits.max()))
    leader = int(np.lexsort((value, np.where(is_proven, -1, visits)))[-1])
    promised = bounds[0] if is_proven[leader] else value[leader]
    rank = np.where(value >= bounds[1], 4.0, np.where(value <= bounds[0], -2.0, -1.0))
    rank = np.where((value >= promised) & (rank == -1.0), 2.0, rank) + value / 1000.0
    return np.where(is_proven, rank, visits / most)


def _to_front(candidates: list[Candidate], move: Term, goal: float) -> list[Candidate]:
    chosen = next((c for c in candidates if c.move == move), Candidate(move, 0, goal))
    others = [candidate for candidate in candidates if candidate is not chosen]
    return [replace(chosen, value=goal, proven=True), *others]
