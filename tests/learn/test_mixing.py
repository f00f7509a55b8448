"""A network beside playouts in the search tree: each of them alone, and the mean of both."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest

import gdl
from gdl.game import Game
from gdl.play import Budget, choose, make, prepare
from gdl.state import State
from tests.shared import needs

if TYPE_CHECKING:
    from gdl.play.network import Network
    from gdl.play.workspace import Workspace

pytestmark = needs("play")

NAMES = ("connectfour?columns=4&rows=4", "tictactoe")


@pytest.fixture(scope="module", params=NAMES)
def game(request: pytest.FixtureRequest) -> Game:
    return gdl.load(request.param, backend="native")


@pytest.fixture(scope="module")
def network(game: Game, tmp_path_factory: pytest.TempPathFactory) -> Network:
    from gdl.learn.training import Training
    from gdl.play.network import read_network

    path: Path = tmp_path_factory.mktemp("network") / "net.gdlnet"
    Training(game, path, seed=2).run(games=60)
    return read_network(path)


def workspace(game: Game, network: Network | None, weight: float, threads: int = 1) -> Workspace:
    from gdl.play.workspace import Settings, Workspace

    native = game.back_end.native
    assert native is not None
    settings = Settings(
        megabytes=16,
        network=None if network is None else network.tables_for(game),
        network_weight=weight,
        threads=threads,
        final_weight=60.0,
    )
    return Workspace(native, settings=settings, seed=4)


def grown(space: Workspace, state: State, simulations: int) -> int:
    """Grow a new tree from a state; return its root."""
    space.clear()
    space.seed(9)
    root = space.root(state.inner)
    space.grow(root, simulations)
    return root


def some_states(game: Game, count: int) -> list[State]:
    rng, states = np.random.default_rng(6), list[State]()
    state = game.initial()
    while len(states) < count:
        states.append(state)
        ids = state.legal_ids()
        state = state.apply(ids[int(rng.integers(len(ids)))])
        if state.is_terminal or len(state.legal_ids()) < 2:
            state = game.initial()
    return states


EDGE_FIELDS = ("move", "child", "edge_visits", "edge_total", "prior_visits", "prior_total")


def test_a_network_of_no_weight_leaves_the_tree_as_playouts_alone_grow_it(
    game: Game, network: Network
) -> None:
    plain, mixed = workspace(game, None, 1.0), workspace(game, network, 0.0)
    for state in some_states(game, 8):
        grown(plain, state, 120)
        grown(mixed, state, 120)
        assert plain.tree.used.tolist() == mixed.tree.used.tolist()
        nodes, edges, _ = plain.tree.used
        assert (plain.tree.raw_value[:nodes] == mixed.tree.raw_value[:nodes]).all()
        for name in EDGE_FIELDS:
            ours, theirs = getattr(plain.tree, name), getattr(mixed.tree, name)
            assert (ours[:edges] == theirs[:edges]).all(), name


def network_values(game: Game, network: Network, state: State) -> dict[int, float]:
    """Return for each move by number what the mover may hope for: an end's goal, or the network."""
    from gdl.play.network import Judge

    native = game.back_end.native
    assert native is not None
    judge = Judge(network, game)
    role = next(r for r, name in enumerate(game.roles) if str(state.movers[0]) == name)
    values = {}
    for number, move in enumerate(native.kernel.compiled.moves[role]):
        if move in state.legal(game.roles[role]):
            after = state.play({game.roles[role]: move})
            goal = float(after.goal(game.roles[role]) or 0) if after.is_terminal else None
            values[number] = judge.value(after.inner, role) if goal is None else goal
    return values


@pytest.mark.parametrize("weight", [0.25, 0.6, 1.0])
def test_a_new_node_is_worth_the_mean_of_both_by_their_weights(
    game: Game, network: Network, weight: float
) -> None:
    plain, mixed = workspace(game, None, 1.0), workspace(game, network, weight)
    for state in some_states(game, 12):
        trees = []
        for space in (plain, mixed):
            root = grown(space, state, 0)
            first, count = int(space.tree.first_edge[root]), int(space.tree.edge_count[root])
            edges = slice(first, first + count)
            means = space.tree.prior_total[edges] / np.maximum(space.tree.prior_visits[edges], 1)
            mover = int(space.tree.mover[root])
            raw = float(space.tree.raw_value[root, mover])
            is_end = space.tree.child[edges] >= 0
            trees.append((dict(zip(space.tree.move[edges].tolist(), means, strict=True)), raw))
        (played, played_raw), (both, both_raw) = trees
        said = network_values(game, network, state)
        for (move, mean), ends in zip(both.items(), is_end.tolist(), strict=True):
            if not ends:
                wanted = (1 - weight) * played[move] + weight * said[move]
                assert mean == pytest.approx(wanted, abs=0.01)
        best = max(said[move] for move in both)
        assert both_raw == pytest.approx((1 - weight) * played_raw + weight * best, abs=0.01)


def test_a_network_alone_needs_no_playouts(game: Game, network: Network) -> None:
    from gdl.play.tree import NODES, PLAYOUTS

    space = workspace(game, network, 1.0)
    grown(space, game.initial(), 100)
    assert space.tree.used[PLAYOUTS] == 0
    assert space.tree.used[NODES] > 50


@pytest.mark.slow
def test_several_threads_mix_as_one_does(game: Game, network: Network) -> None:
    from gdl.play.tree import PLAYOUTS

    one, two = workspace(game, network, 0.5), workspace(game, network, 0.5, threads=2)
    for space in (one, two):
        grown(space, game.initial(), 400)
    for tree in (one.tree, two.tree):
        assert tree.used[PLAYOUTS] > 0
    # The same root with nothing below it: its playouts are those of the first thread.
    ones, twos = grown(one, game.initial(), 0), grown(two, game.initial(), 0)
    assert one.tree.raw_value[ones] == pytest.approx(two.tree.raw_value[twos])


def test_the_player_takes_the_weight_as_an_option(game: Game, tmp_path: Path) -> None:
    from gdl.learn.training import Training

    path = tmp_path / "net.gdlnet"
    Training(game, path, seed=2).run(games=20)
    state = game.initial()
    moves = []
    for spec in ("mcts", f"mcts:value={path},weight=0"):
        player = make(f"{spec}{',' if ':' in spec else ':'}memory=16", role=None, seed=1)
        prepare(player, game, Budget())
        moves.append(choose(player, state, Budget(simulations=60), role=str(state.movers[0])))
    assert moves[0] == moves[1]
