"""Learning: the same from a seed however often it is stopped, held against plain Python."""

from __future__ import annotations

import json
import math
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from numpy.typing import NDArray

import gdl
from gdl.game import Game
from gdl.play import Budget, choose, make, prepare
from gdl.state import State
from tests.shared import needs

if TYPE_CHECKING:
    from gdl.play.value_network import NetworkTables

pytestmark = needs("play")


@pytest.fixture(scope="module")
def game() -> Game:
    return gdl.load("tictactoe", backend="native")


def trained(game: Game, path: Path, *games: int, seed: int = 0) -> bytes:
    from gdl.learn.training import Training

    for number in games:
        Training(game, path, seed=seed).run(games=number)
    return path.read_bytes()


def test_a_resumed_training_equals_an_uninterrupted_one(game: Game, tmp_path: Path) -> None:
    whole = trained(game, tmp_path / "whole", 90)
    assert trained(game, tmp_path / "parts", 1, 40, 90) == whole
    assert trained(game, tmp_path / "other", 90, seed=1) != whole


def derived(tables: NetworkTables, facts: int, held: Iterable[int]) -> list[int]:
    """Return what a network derives from facts, by number: its gates in plain Python."""
    nodes = [False] * (1 + facts)
    for fact in held:
        nodes[1 + fact] = True
    for a, b in tables.gates.tolist():
        nodes.append(nodes[a >> 1] != a & 1 and nodes[b >> 1] != b & 1)
    return [i for i, edge in enumerate(tables.derived.tolist()) if nodes[edge >> 1] != edge & 1]


def states_of(game: Game, count: int, seed: int = 5) -> list[State]:
    """Return states of random plays that are not over."""
    rng, states = np.random.default_rng(seed), list[State]()
    state = game.initial()
    while len(states) < count:
        states.append(state)
        ids = state.legal_ids()
        after = state.apply(ids[int(rng.integers(len(ids)))])
        state = game.initial() if after.is_terminal else after
    return states


class Plain:
    """The same learning, written over `State` and dictionaries."""

    def __init__(self, game: Game, path: Path) -> None:
        from gdl.learn.training import SETTINGS, Training

        training = Training(game, path, seed=3)
        self.network = tables = training.layout.tables
        self.game = game
        self.explore, self.follow, self.rate, self.sharp, self.opening = SETTINGS
        self.games = self.plies = 0
        self.tables, self.terms, self.starts = tables.tables, tables.terms, tables.starts
        self.weights = np.zeros_like(tables.weights)
        self.drift, self.length = np.zeros_like(self.weights), np.zeros_like(self.weights)
        self.random = int(np.random.default_rng(3).integers(1, 1 << 63, 1, np.uint64)[0])
        native = game.back_end.native
        assert native is not None
        self.number = {fact: i for i, fact in enumerate(native.circuit.facts)}

    def draw(self) -> float:
        x = self.random
        x ^= x >> 12
        x = (x ^ x << 25) & (1 << 64) - 1
        x ^= x >> 27
        self.random = x
        return ((x * 0x2545F4914F6CDD1D & (1 << 64) - 1) >> 11) / (1 << 53)

    def places(self, state: State) -> list[int]:
        place = [0] * len(self.tables)
        held = [self.number[fact] for fact in state.machine.facts(state.inner)]
        facts = len(self.number)
        held += [facts + i for i in derived(self.network, facts, held)]
        for number in held:
            for table, step in self.terms[self.starts[number] : self.starts[number + 1]]:
                place[table] += int(step)
        return [int(first) + at for (first, _), at in zip(self.tables, place, strict=True)]

    def share(self, state: State) -> float:
        if state.is_terminal:
            return state.goal(self.game.roles[0]) / 100
        which, *places = self.places(state)
        return 1 / (1 + math.exp(-float(self.weights[which][places].sum(dtype=np.float64))))

    def opened(self) -> State:
        state = self.game.initial()
        if self.draw() < self.opening:
            for _ in range(int(1.5 * self.plies / (self.games + 1) * self.draw())):
                ids = state.legal_ids()
                after = state.apply(ids[min(len(ids) - 1, int(self.draw() * len(ids)))])
                if after.is_terminal:
                    break
                state = after
        return state

    def play(self) -> None:
        state = self.opened()
        visited, found, best = [], [], []
        while not state.is_terminal:
            role = 0 if str(state.movers[0]) == self.game.roles[0] else 1
            children = [state.apply(move) for move in state.legal_ids()]
            shares = [self.share(child) for child in children]
            top = max(shares) if role == 0 else min(shares)
            chosen = shares.index(top)
            if len(children) > 1 and self.draw() < self.explore:
                chosen = min(len(children) - 1, int(self.draw() * len(children)))
            visited.append(state)
            found.append(top)
            best.append(shares[chosen] == top)
            state = children[chosen]
        self.games, self.plies = self.games + 1, self.plies + len(visited)
        target = found[-1]
        for i in reversed(range(len(visited))):
            follows = best[i] and i < len(visited) - 1
            target = found[i] + (self.follow * (target - found[i]) if follows else 0.0)
            which, *places = self.places(visited[i])
            step = np.float64((target - self.share(visited[i])) * self.rate / len(places))
            for at in places:
                drift, length = self.drift[which, at], self.length[which, at]
                agreement = abs(float(drift)) / float(length) if length > 0 else 1.0
                rate = math.exp(self.sharp * (agreement - 1))
                self.weights[which, at] += rate * step
                self.drift[which, at] += step
                self.length[which, at] += abs(step)


@pytest.mark.later
@pytest.mark.parametrize("name", ["tictactoe", "connectfour?columns=4&rows=4"])
def test_machine_code_learns_what_plain_python_learns(name: str, tmp_path: Path) -> None:
    from gdl.learn.training import Training

    game = gdl.load(name, backend="native")
    plain = Plain(game, tmp_path / "plain")
    for _ in range(6):
        plain.play()
    training = Training(game, tmp_path / "fast", seed=3)
    training.run(games=6)
    assert np.abs(plain.weights).max() > 0.01
    np.testing.assert_allclose(training.layout.tables.weights, plain.weights, atol=1e-5)


@pytest.mark.parametrize(
    "name",
    ["connectfour?columns=4&rows=4", pytest.param("breakthrough", marks=pytest.mark.slow)],
)
def test_a_group_changes_where_a_legal_move_changes_it(name: str) -> None:
    from gdl.circuit.aig import FALSE
    from gdl.circuit.evaluate import evaluate_edges
    from gdl.learn.changeable_groups import changes
    from gdl.solve.packing import proved_groups

    game = gdl.load(name, backend="native")
    native = game.back_end.native
    assert native is not None
    circuit = native.circuit
    groups = [field.members for field in proved_groups(circuit)]
    found = changes(circuit, groups)
    assert found is not None
    aig, edges = found
    assert sum(edge != FALSE for edge in edges) >= 16
    for state in states_of(game, 60):
        before = state.facts
        others = [state.apply(move).facts for move in state.legal_ids()]
        held = {
            node: int(fact in before) for node, fact in zip(aig.inputs, circuit.facts, strict=True)
        }
        said = evaluate_edges(aig, edges, {0: 0, **held}, 1)
        for members, edge, now in zip(groups, edges, said, strict=True):
            facts = {circuit.facts[fact] for fact in members}
            if edge != FALSE:  # who moves next changes by itself
                assert now == any(facts & before != facts & other for other in others)


def test_a_network_of_connect_four_sees_where_can_be_played(tmp_path: Path) -> None:
    from gdl.learn.training import Training

    game = gdl.load("connectfour?columns=4&rows=4", backend="native")
    tables = Training(game, tmp_path / "net").layout.tables
    native = game.back_end.native
    assert native is not None
    number = {fact: i for i, fact in enumerate(native.circuit.facts)}
    assert len(tables.derived) == 4 * 3  # on the lowest row one always can
    for state in states_of(game, 100):
        columns = [str(fact).split()[1] for fact in state.facts if "cell" in str(fact)]
        playable = sum(1 <= columns.count(column) <= 3 for column in "1234")
        held = [number[fact] for fact in state.facts]
        assert len(derived(tables, len(number), held)) == playable


def test_positions_that_symmetries_make_of_each_other_look_the_same(
    game: Game, tmp_path: Path
) -> None:
    from gdl.play.judge import Judge
    from gdl.play.value_network import read_network

    trained(game, tmp_path / "net", 200)
    judge = Judge(read_network(tmp_path / "net"), game)
    rng = np.random.default_rng(0)
    turned = {"a": "c", "b": "b", "c": "a"}
    for _ in range(20):
        state, mirror = game.initial(), game.initial()
        for _ in range(int(rng.integers(1, 6))):
            if state.is_terminal:
                break
            text = state.notation(state.legal()[int(rng.integers(len(state.legal())))])
            state, mirror = state.play(text), mirror.play(turned[text[0]] + text[1:])
        if not state.is_terminal:
            one, other = judge.value(state.inner, 0), judge.value(mirror.inner, 0)
            assert one == pytest.approx(other, abs=1e-4)
            assert judge.value(state.inner, 1) == pytest.approx(100 - one, abs=1e-4)


def test_mirrored_positions_look_the_same_where_values_are_derived(tmp_path: Path) -> None:
    from gdl.play.judge import Judge
    from gdl.play.value_network import read_network

    game = gdl.load("connectfour?columns=4&rows=4", backend="native")
    trained(game, tmp_path / "net", 200)
    judge = Judge(read_network(tmp_path / "net"), game)
    values = set()
    for state in states_of(game, 60):
        mirror = game.initial()
        for before in state.history[1:]:
            column = " ".join(map(str, before.last_move or ())).split("drop ")[1][0]
            mirror = mirror.play(f"(drop {5 - int(column)})")
        values.add(round(judge.value(state.inner, 0), 3))
        assert judge.value(mirror.inner, 0) == pytest.approx(judge.value(state.inner, 0), abs=1e-3)
    assert len(values) > 30


@pytest.mark.slow
@pytest.mark.parametrize("spec", ["greedy", "alphabeta", "mcts"])
def test_players_that_judge_by_a_network_take_what_wins_at_once(
    game: Game, tmp_path: Path, spec: str
) -> None:
    trained(game, tmp_path / "net.gdlnet", 50)
    player = make(f"{spec}:value={tmp_path / 'net.gdlnet'}", role=game.role("x"))
    prepare(player, game, Budget())
    state = game.initial()
    for text in ("a1", "b1", "a2", "b2"):
        state = state.play(text)
    move = choose(player, state, Budget(simulations=200), role="x")
    assert state.notation(move) == "a3"


def test_a_file_is_a_player_by_its_name(game: Game, tmp_path: Path) -> None:
    trained(game, tmp_path / "net.gdlnet", 50)
    assert type(make(str(tmp_path / "net.gdlnet"))).__name__ == "MctsPlayer"


@pytest.mark.slow
def test_it_learns_to_keep_the_value(game: Game, tmp_path: Path) -> None:
    from gdl.play.judge import Judge
    from gdl.play.value_network import read_network

    trained(game, tmp_path / "net", 10000)
    judge = Judge(read_network(tmp_path / "net"), game)
    values: dict[str, int] = {}

    def value(state: State) -> int:
        """Return the goal of x under best play."""
        key = str(state.position)
        if key not in values:
            if state.is_terminal:
                values[key] = state.goal("x")
            else:
                best = max if str(state.movers[0]) == "x" else min
                values[key] = best(value(state.apply(move)) for move in state.legal_ids())
        return values[key]

    rng = np.random.default_rng(1)
    kept = 0
    for _ in range(200):
        state = game.initial()
        for _ in range(int(rng.integers(0, 7))):
            ids = state.legal_ids()
            after = state.apply(ids[int(rng.integers(len(ids)))])
            if after.is_terminal:
                break
            state = after
        sign = 1 if str(state.movers[0]) == "x" else -1
        children = [state.apply(move) for move in state.legal_ids()]
        worth = [
            sign * (c.goal("x") if c.is_terminal else judge.value(c.inner, 0)) for c in children
        ]
        chosen = children[worth.index(max(worth))]
        kept += value(chosen) == value(state)
    assert kept >= 190


def refusal(game: Game, path: Path, seed: int = 0) -> str:
    from gdl.learn.training import Training

    with pytest.raises(gdl.GdlError) as caught:
        Training(game, path, seed=seed).run(games=5)
    return str(caught.value)


EXPECTED = "a game of two roles that take turns, of whose goals the sum is constant"


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("lightsout", "it has 1 role"),
        ("threeplayertictactoe", "it has 3 roles"),
        ("rockpaperscissors", "both roles choose at once"),
        ("pig", "nature draws moves"),
        ("darkhex", "it hides facts"),
    ],
)
def test_what_cannot_be_learned_is_refused(name: str, why: str, tmp_path: Path) -> None:
    try:
        loaded = gdl.load(name, backend="native")
    except gdl.GdlError as error:
        pytest.skip(str(error))
    said = refusal(loaded, tmp_path / "net")
    assert said == f"{name} cannot be learned: {why}\n  expected: {EXPECTED}"


def test_a_game_that_does_not_run_as_machine_code_is_refused(tmp_path: Path) -> None:
    said = refusal(gdl.load("tictactoe", backend="reason"), tmp_path / "net")
    assert said == (
        f"tictactoe cannot be learned: it does not run as machine code\n  expected: {EXPECTED}"
    )


def test_a_checkpoint_of_another_training_is_refused(game: Game, tmp_path: Path) -> None:
    path = tmp_path / "net"
    trained(game, path, 3)
    kept = tmp_path / "net.training"
    assert refusal(game, path, seed=4) == (
        f"{kept} was begun with the seed 0, not 4\n"
        "  help: go on with --seed 0, or write to another file"
    )
    other = gdl.load("connectfour?columns=4&rows=4", backend="native")
    assert refusal(other, path) == (
        f"{kept} is of other rules than those of connectfour?columns=4&rows=4\n"
        "  help: write to another file, or remove it to begin anew"
    )
    kept.write_bytes(b"nonsense")
    assert refusal(game, path) == (
        f"{kept} is no checkpoint of this version\n  help: remove it to begin anew"
    )


def test_what_is_no_network_of_these_rules_is_not_written_over(game: Game, tmp_path: Path) -> None:
    path = tmp_path / "net"
    trained(game, path, 3)
    (tmp_path / "net.training").unlink()
    other = gdl.load("connectfour?columns=4&rows=4", backend="native")
    notes = tmp_path / "notes.txt"
    notes.write_text("mine")
    for file in (path, notes):
        before = file.read_bytes()
        assert refusal(other, file) == (
            f"{file} is there already, and is no network of connectfour?columns=4&rows=4\n"
            "  help: write to another file, or remove it"
        )
        assert file.read_bytes() == before
    trained(game, path, 3)  # its own is learned anew, as is said of a checkpoint that is no good


DAMAGE: dict[str, Callable[[dict[str, NDArray[Any]]], object]] = {
    "no weights": lambda arrays: arrays.pop("weights"),
    "text for weights": lambda arrays: arrays.update(weights=arrays["weights"].astype("U5")),
    "weights that are no numbers": lambda arrays: arrays["weights"].fill(math.nan),
    "fewer games than none": lambda arrays: arrays["done"].fill(-1),
    "chance that stands still": lambda arrays: arrays["random"].fill(0),
    "no seconds": lambda arrays: edit_head(arrays, seconds=math.nan),
    "seconds before the beginning": lambda arrays: edit_head(arrays, seconds=-5),
    "seconds beyond all numbers": lambda arrays: edit_head(arrays, seconds=10**400),
    "more weight than all": lambda arrays: edit_head(arrays, weight=7),
    "text for a seed": lambda arrays: edit_head(arrays, seed="0"),
}


def edit_head(arrays: dict[str, NDArray[Any]], **changes: object) -> None:
    head = json.loads(bytes(arrays["head"])) | changes
    arrays["head"] = np.frombuffer(json.dumps(head).encode(), np.uint8)


@pytest.mark.later
def test_a_checkpoint_with_something_wrong_in_it_is_refused(game: Game, tmp_path: Path) -> None:
    path, kept = tmp_path / "net", tmp_path / "net.training"
    trained(game, path, 3)
    sound = dict(np.load(kept))
    for damage in DAMAGE.values():
        arrays = {name: array.copy() for name, array in sound.items()}
        damage(arrays)
        with kept.open("wb") as file:
            np.savez(file, **arrays)
        assert refusal(game, path) == (
            f"{kept} is no checkpoint of this version\n  help: remove it to begin anew"
        )


def test_a_seed_below_zero_and_a_folder_for_a_file_are_refused(game: Game, tmp_path: Path) -> None:
    assert refusal(game, tmp_path) == f"{tmp_path} cannot be written: it is a folder"
    with pytest.raises(gdl.GdlError) as caught:
        trained(game, tmp_path / "net", 3, seed=-1)
    assert str(caught.value) == "seed must be at least 0, not -1"
    assert not list(tmp_path.iterdir())


def test_a_network_of_other_rules_is_refused(game: Game, tmp_path: Path) -> None:
    from gdl.play.network_file import rules_digest

    path = tmp_path / "net"
    trained(game, path, 3)
    other = gdl.load("connectfour?columns=4&rows=4", backend="native")
    for spec in ("greedy", "alphabeta", "mcts"):
        player = make(f"{spec}:value={path}", role=other.role("red"))
        with pytest.raises(gdl.GdlError) as caught:
            choose(player, other.initial(), Budget(simulations=10), role="red")
        assert str(caught.value) == (
            "the network was trained on other rules than those of connectfour?columns=4&rows=4\n"
            f"  expected: the rules of tictactoe, digest {rules_digest(game)[:16]}\n"
            "  help: train one on these rules: gdl train connectfour?columns=4&rows=4"
        )


def test_the_same_rules_in_another_file_are_not_refused(game: Game, tmp_path: Path) -> None:
    from gdl.play.network_file import rules_digest
    from gdl.ruleset.flatten import flatten

    path = tmp_path / "flat.kif"
    path.write_text(flatten(game.ruleset), encoding="utf-8")
    assert rules_digest(gdl.load(path)) == rules_digest(game)


def test_a_file_that_is_no_network_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "net"
    path.write_bytes(b"PK\x03\x04 nonsense")
    for bad in (path, tmp_path / "none"):
        with pytest.raises(gdl.GdlError) as caught:
            make(f"mcts:value={bad}")
        assert str(caught.value) == (
            f"{path} is no network of gdl\n  expected: a file that gdl train wrote"
            if bad == path
            else f"{bad} cannot be read: No such file or directory"
        )


@pytest.mark.later
@pytest.mark.parametrize("name", ["starts", "terms", "tables", "weights", "gates", "derived"])
def test_arrays_that_would_lead_machine_code_astray_are_refused(tmp_path: Path, name: str) -> None:
    from gdl.play.network_file import NetworkError
    from gdl.play.value_network import read_network

    path = tmp_path / "net.npz"
    trained(gdl.load("connectfour?columns=4&rows=4", backend="native"), path, 3)
    with np.load(path) as file:
        arrays = {key: file[key] for key in file.files}
    broken = arrays[name].astype(np.float64)
    broken.reshape(-1)[-1] = np.nan if name == "weights" else 1 << 30
    arrays[name] = broken if name == "weights" else broken.astype(np.int64)
    if name == "terms":
        arrays[name][-1] = (1 << 20, 1)
    np.savez(path, **arrays)
    with pytest.raises(NetworkError):
        read_network(path)


def test_a_network_of_text_is_refused_in_words(game: Game, tmp_path: Path) -> None:
    from gdl.play.network_file import NetworkError
    from gdl.play.value_network import read_network

    path = tmp_path / "net.npz"
    trained(game, path, 3)
    with np.load(path) as file:
        sound = {key: file[key] for key in file.files}
    for name in ("weights", "terms"):
        np.savez(path, **{**sound, name: np.full(sound[name].shape, "x")})
        with pytest.raises(NetworkError) as caught:
            read_network(path)
        assert str(caught.value) == (
            f"{path} is no network of gdl\n  expected: a file that gdl train wrote"
        )


KILLED = """
import sys
from pathlib import Path
import gdl
import gdl.learn.resumable as resumable
import gdl.learn.training as t

resumable.KEEP_SECONDS = 0.0  # after each slice
game = gdl.load("tictactoe", backend="native")
training = t.Training(game, Path(sys.argv[1]))
say = lambda p: print(p.games, flush=True)
say(training.progress)
training.run(seconds=1e9, on_progress=say)
"""
"""A training that tells how far it is until it is killed."""


@pytest.mark.slow
def test_a_training_killed_twenty_times_loses_only_what_came_after_its_last_checkpoint(
    game: Game, tmp_path: Path
) -> None:
    from gdl.learn.training import Training

    path, rng = tmp_path / "net.gdlnet", np.random.default_rng(0)
    kept = 0
    for _ in range(20):
        with subprocess.Popen(
            [sys.executable, "-c", KILLED, str(path)], stdout=subprocess.PIPE, text=True
        ) as process:
            assert process.stdout is not None
            told = [process.stdout.readline() for _ in range(int(rng.integers(1, 12)))]
            os.kill(process.pid, signal.SIGKILL)
            told += process.stdout.readlines()
        games = [int(line) for line in told if line.endswith("\n")]
        # It goes on where the one before was at its last checkpoint. Of what that one told
        # afterwards the last slice may be lost, and no more.
        assert games[0] >= kept
        kept = games[-2] if len(games) > 1 else games[0]
    resumed = Training(game, path)
    number = resumed.progress.games
    assert number >= kept > 1000
    resumed.run(games=number + 100)
    assert path.read_bytes() == trained(game, tmp_path / "whole", number + 100)
