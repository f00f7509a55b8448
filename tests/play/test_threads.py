"""Several threads in one tree: nothing is lost, nothing is proven that is not so."""

from __future__ import annotations

from random import Random

import pytest

from gdl.game import load
from gdl.play import Budget, choose, make, prepare, tree_search
from gdl.play.lane_tables import LaneGame
from gdl.play.player import thoughts_of
from gdl.play.search_threads import SearchThreads
from gdl.play.tree import NODES, make_tree
from gdl.play.workspace import Settings, Workspace
from gdl.state import State
from tests.play.games import minimax

pytestmark = pytest.mark.slow
"""The search by several threads is compiled for these alone."""
PLAIN = Settings(megabytes=32, threads=3)
RAVE = Settings(megabytes=32, threads=3, grave_visits=0)
SCALAR = Settings(megabytes=32, threads=3, grave_visits=5, is_scalar=True)
every_way = pytest.mark.parametrize(
    "settings", [PLAIN, RAVE, SCALAR], ids=["plain", "rave", "grave"]
)


def ready(name: str, settings: Settings) -> tuple[Workspace, State]:
    game = load(name, backend="native")
    native = game.back_end.native
    assert native is not None
    engine = Workspace(native, settings=settings, seed=3)
    engine.set_start(game.initial())
    return engine, game.initial()


@every_way
def test_all_that_is_proven_anywhere_in_the_tree_is_so(settings: Settings) -> None:
    engine, state = ready("tictactoe", settings)
    root, tree = engine.root(state.inner), engine.tree
    known: dict[object, int] = {}
    code, solved = tree_search.DONE, 0
    while code == tree_search.DONE:
        code = engine.grow(root, 40)
    assert code == tree_search.SOLVED
    for node in range(int(tree.used[NODES])):
        if not tree.edge_count[node]:
            continue  # where the game is over no state is written
        inner = engine.lanes.unpack(tree.state[node])
        value = minimax(State(state.game, state.machine, inner), "x", known)
        assert tree.lower[node, 0] <= value <= tree.upper[node, 0]
        assert tree.lower[node, 1] <= 100 - value <= tree.upper[node, 1]
        solved += bool(tree.lower[node, 0] == tree.upper[node, 0])
    assert solved > 50
    assert tree.plies_to_end[root] == 9


@every_way
def test_no_simulation_is_lost_and_none_counts_twice(settings: Settings) -> None:
    engine, state = ready("connectfour", settings)
    root, tree = engine.root(state.inner), engine.tree
    for number in (1, 2, 500, 2_000):
        before = int(tree.visits[root])
        assert engine.grow(root, number) == tree_search.DONE
        assert tree.visits[root] == before + number
    first = int(tree.first_edge[root])
    assert tree.edge_visits[first : first + tree.edge_count[root]].sum() == 2_503
    for node in range(int(tree.used[NODES])):
        edges = slice(tree.first_edge[node], tree.first_edge[node] + tree.edge_count[node])
        taken = int(tree.edge_visits[edges].sum())
        assert 0 <= taken <= tree.visits[node]
        assert (tree.edge_total[edges] >= 0).all()
        assert (tree.edge_total[edges] <= 100 * tree.edge_visits[edges] + 1e-3).all()


def test_a_tree_that_is_full_stays_whole() -> None:
    engine, state = ready("connectfour", PLAIN)
    small = make_tree(engine.words, 2, nodes=400, edges=1_200)
    tables = engine.lanes.tables
    root = tree_search.add_root(small, tables, engine.params, engine.lanes.pack(state.inner))
    others = [LaneGame(engine.native, seed=n, is_narrow=False) for n in (1, 2)]
    threads = SearchThreads(small, tables, others)
    assert threads.grow(small, engine.params, root, 10_000) == tree_search.FULL
    assert small.used[0] <= 400
    assert small.used[1] <= 1_200
    first = small.first_edge[root]
    tries = small.edge_visits[first : first + small.edge_count[root]].sum()
    assert small.visits[root] == tries + 1


def test_a_halt_ends_all_threads_and_takes_back_what_they_had_begun() -> None:
    engine, state = ready("connectfour", PLAIN)
    root, tree = engine.root(state.inner), engine.tree
    engine.grow(root, 100)
    engine.halt()
    assert engine.grow(root, 100) == tree_search.HALTED
    engine.resume()
    edges = slice(tree.first_edge[root], tree.first_edge[root] + tree.edge_count[root])
    assert tree.visits[root] == 101
    assert tree.edge_visits[edges].sum() == 100


def test_others_grow_the_tree_while_the_first_does_something_else() -> None:
    engine, state = ready("connectfour", PLAIN)
    root, tree = engine.root(state.inner), engine.tree
    with engine.growing_beside(root):
        while tree.visits[root] < 50:
            pass
    grown = int(tree.visits[root])
    assert grown >= 50
    assert engine.grow(root, 10) == tree_search.DONE
    assert tree.visits[root] == grown + 10


@pytest.mark.parametrize("spec", ["mcts:threads=2", "mcts:threads=4,playouts=scalar,rave=on"])
def test_games_are_played_to_their_end_by_the_clock(spec: str) -> None:
    game = load("connectfour", backend="native")
    player = make(spec + ",memory=32", role=game.role("red"), seed=1)
    prepare(player, game, Budget(120))
    for seed in range(2):
        state, chance = game.initial(), Random(seed)
        while not state.is_terminal:
            if state.movers[0] == "red":
                move = choose(player, state, Budget(0.1), role="red")
                found = thoughts_of(player)
                assert found is not None
                assert found.best.move == move
            else:
                move = chance.choice(state.legal())
            state = state.play(move)
        assert state.goal("red") == 100
