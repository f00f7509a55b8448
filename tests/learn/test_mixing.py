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
    from gdl.play.value_network import Network
    from gdl.play.workspace import Workspace

pytestmark = needs("play")

NAMES = ("connectfour?columns=4&rows=4", "tictactoe")


@pytest.fixture(scope="module", params=NAMES)
def game(request: pytest.FixtureRequest) -> Game:
    return gdl.load(request.param, backend="native")


@pytest.fixture(scope="module")
def network(game: Game, tmp_path_factory: pytest.TempPathFactory) -> Network:
    from gdl.learn.training import Training
    from gdl.play.value_network import read_network

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
    from gdl.play.judge import Judge

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


def plain_share(network: Network, state: State) -> float:
    """Return what a network says of a state, looked up without remembering another."""
    tables = network.tables
    facts = len(tables.starts) - 1 - len(tables.derived)
    bits = np.unpackbits(np.frombuffer(state.inner, np.uint8), count=facts)
    node = [0, *bits.tolist()]
    for a, b in tables.gates.tolist():
        node.append((node[a >> 1] ^ a & 1) & (node[b >> 1] ^ b & 1))
    held = [fact for fact in range(facts) if bits[fact]]
    held += [facts + i for i, e in enumerate(tables.derived.tolist()) if node[e >> 1] != e & 1]
    place = np.zeros(len(tables.tables), np.int64)
    for fact in held:
        for table, step in tables.terms[tables.starts[fact] : tables.starts[fact + 1]].tolist():
            place[table] += step
    at = tables.tables[:, 0] + np.minimum(place, tables.tables[:, 1] - 1)
    return float(1 / (1 + np.exp(-tables.weights[at[0], at[1:]].sum(dtype=np.float64))))


def test_a_state_is_worth_the_same_whatever_was_asked_before(game: Game, network: Network) -> None:
    from gdl.play.lane_tables import pack_state
    from gdl.play.value_network import facts_of, judge_state, with_room

    rng, tables, other = np.random.default_rng(3), network.tables, with_room(network.tables)
    asked = some_states(game, 60)
    assert len(tables.derived) > 0 or game.id == "tictactoe"
    words = [pack_state(state.inner, facts_of(tables)) for state in asked]
    first = [float(judge_state(tables, packed)) for packed in words]
    assert first == pytest.approx([plain_share(network, state) for state in asked], abs=1e-12)
    for i in rng.integers(len(words), size=400):
        assert float(judge_state(other, words[i])) == first[i]
    # What was learned since the last question counts in the next one.
    other.weights[:] = 0.0
    assert float(judge_state(other, words[0])) == 0.5


@pytest.mark.slow
def test_hundreds_of_children_are_each_worth_what_is_said_of_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of 288 moves those with the same turn are asked about one after the other."""
    from gdl.learn.training import Training
    from gdl.play.value_network import read_network
    from gdl.solve.symmetry import Symmetries

    monkeypatch.setattr("gdl.learn.tuples.find_symmetries", lambda *_: Symmetries(()))
    game, path = gdl.load("pentago/strict", backend="native"), tmp_path / "net.gdlnet"
    Training(game, path).run(games=3)
    network = read_network(path)
    space = workspace(game, network, 1.0)
    state = game.initial().play(str(next(iter(game.initial().legal(game.roles[0])))))
    said = network_values(game, network, state)
    root, tree = grown(space, state, 0), space.tree
    edges = range(tree.first_edge[root], tree.first_edge[root] + tree.edge_count[root])
    assert len(edges) > 100
    for edge in edges:
        mean = tree.prior_total[edge] / tree.prior_visits[edge]
        assert mean == pytest.approx(said[int(tree.move[edge])])


@pytest.mark.slow
def test_each_thread_has_a_room_of_its_own(game: Game, network: Network) -> None:
    space = workspace(game, network, 1.0, threads=3)
    assert space._threads is not None
    places = [seat.tables.network.room.place for seat in space._threads._seats]
    assert len(places) == 3
    assert not any(
        np.shares_memory(one, other) for i, one in enumerate(places) for other in places[:i]
    )


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
