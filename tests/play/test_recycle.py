"""A tree that is full keeps what its root leads to, and goes on."""

from __future__ import annotations

import numpy as np
import pytest

from gdl.game import load
from gdl.play.compiled_search import CompiledSearch
from gdl.play.recycle import recycle
from gdl.play.tree import NODES, NONE, find, make_tree
from gdl.play.workspace import Settings, Workspace
from tests.play.games import minimax, random_state


def engine_of(name: str) -> Workspace:
    native = load(name, backend="native").back_end.native
    assert native is not None
    return Workspace(native, settings=Settings(megabytes=16, proof_share=0.0), seed=0)


def reached(engine: Workspace, root: int) -> dict[tuple[int, ...], tuple[object, ...]]:
    """Return what is known of every state that a node leads to, by state."""
    tree, stack, seen = engine.tree, [root], {root}
    found: dict[tuple[int, ...], tuple[object, ...]] = {}
    while stack:
        node = stack.pop()
        edges = range(
            int(tree.first_edge[node]), int(tree.first_edge[node] + tree.edge_count[node])
        )
        rows = [
            (int(tree.move[e]), int(tree.edge_visits[e]), float(tree.edge_total[e])) for e in edges
        ]
        proven = [(float(tree.edge_lower[e]), float(tree.edge_upper[e])) for e in edges]
        if rows:  # a state that ends the game is not written
            key = tuple(int(word) for word in tree.state[node])
            bounds = (tree.lower[node].tolist(), tree.upper[node].tolist())
            found[key] = (int(tree.visits[node]), bounds, rows, proven)
            assert int(find(tree, tree.state[node])) == node
        following = {int(tree.child[e]) for e in edges if tree.child[e] != NONE} - seen
        seen |= following
        stack += following
    return found


@pytest.mark.slow
def test_all_that_a_root_leads_to_is_as_before_and_all_else_is_gone() -> None:
    engine, game = engine_of("connectfour"), load("connectfour", backend="native")
    state = game.initial()
    engine.grow(engine.root(state.inner), 2_000)
    after = state.play(state.legal()[3])
    root = engine.root(after.inner)
    before, used = reached(engine, root), int(engine.tree.used[NODES])
    root = int(recycle(engine.tree, root, 0))
    assert reached(engine, root) == before
    assert len(before) <= int(engine.tree.used[NODES]) < used
    assert int(find(engine.tree, engine.lanes.pack(state.inner))) < 0
    engine.grow(root, 500)
    assert len(reached(engine, root)) > len(before)


def test_a_search_goes_on_in_a_tree_that_is_too_small_for_it() -> None:
    engine, game = engine_of("tictactoe"), load("tictactoe", backend="native")
    engine.tree = make_tree(engine.words, 2, nodes=400, edges=1_200)
    values = set()
    for seed in range(6):
        state = random_state(game, 1, seed)
        role = engine.roles.index(game.role(state.movers[0]))
        search = CompiledSearch(engine, state.inner, role, simulations=6_000)
        while search.go_on():
            thoughts = search.thoughts()
            assert thoughts is not None
            assert thoughts.best.move in state.legal(state.movers[0])
        value = minimax(state, state.movers[0], {})
        tree = engine.tree
        assert tree.lower[search.root, role] <= value <= tree.upper[search.root, role]
        values.add(search.simulations > 400)
    assert True in values


def test_nodes_without_a_mover_name_a_role_whatever_the_memory_held(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The search asks who moves at its root before it asks whether play is stuck there."""
    with monkeypatch.context() as used:
        used.setattr(np, "empty", lambda shape, dtype: np.full(shape, 77, dtype))
        tree = make_tree(1, 2, nodes=4, edges=4)
    assert not tree.mover.any()
