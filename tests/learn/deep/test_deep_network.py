"""A deep network as a file and as a player: by numpy alone, and refused where it is not right."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

import gdl
from gdl.play import Budget, choose, make, prepare
from tests.cli.running import gdl as command
from tests.learn.deep.programs import DICE, told
from tests.shared import needs

if TYPE_CHECKING:
    from gdl.backend import Wanted
    from gdl.game import Game
    from gdl.play.deep.network import Network

pytestmark = needs("play")


def untrained(game: Game, seed: int = 0) -> Network:
    """Return a network of weights that are drawn: nobody needs JAX for it."""
    from gdl.learn.deep.layout import layout_of
    from gdl.play.deep.network import Head, Network
    from gdl.play.network_file import rules_digest

    layout, rng = layout_of(game), np.random.default_rng(seed)
    weights = {
        name: (rng.normal(size=shape) / np.sqrt(shape[0])).astype(np.float32)
        for name, shape in layout.shape.arrays.items()
    }
    head = Head(
        game.id,
        rules_digest(game),
        game.roles,
        layout.worst,
        layout.best,
        7,
        seed,
        layout.facts,
        layout.moves,
        layout.shape,
    )
    return Network(head, layout.sources, weights)


@pytest.fixture(scope="module")
def game() -> Game:
    return gdl.load("tictactoe", backend="native")


@pytest.fixture(scope="module")
def path(game: Game, tmp_path_factory: pytest.TempPathFactory) -> Path:
    file = tmp_path_factory.mktemp("deep") / "net.gdlnet"
    untrained(game).save(file)
    return file


def test_what_is_written_is_read(game: Game, path: Path) -> None:
    from gdl.play.deep.network import read_network

    before, after = untrained(game), read_network(path)
    assert after.head == before.head
    rng = np.random.default_rng(1)
    held = rng.random((100, len(before.head.facts))) < 0.3
    movers = rng.integers(2, size=100)
    scores, goals = before.judge(held, movers)
    read_scores, read_goals = after.judge(held, movers)
    np.testing.assert_allclose(read_scores, scores, atol=0.05)
    np.testing.assert_allclose(read_goals, goals, atol=0.5)
    alone = [after.judge(held[i : i + 1], movers[i : i + 1])[0][0] for i in range(100)]
    np.testing.assert_allclose(np.array(alone), read_scores, atol=1e-4)
    assert path.stat().st_size < 200_000


def test_a_board_shows_its_marks_in_their_cells(game: Game) -> None:
    """And the board is that of the manifest: nine cells, x, o, whose turn it is, always."""
    network = untrained(game)
    assert (network.head.shape.rows, network.head.shape.columns) == (3, 3)
    state = game.initial().play("b1").play("c3")
    held = np.array([[fact in map(str, state.facts) for fact in network.head.facts]])
    seen = network.seen(held, np.array([1]))[0].reshape(3, 3, -1)
    marks = sorted(
        (float(plane.sum()), tuple(map(tuple, np.argwhere(plane).tolist())))
        for plane in np.moveaxis(seen, -1, 0)
        if 0 < plane.sum() < 9
    )
    assert [count for count, _ in marks] == [1.0, 1.0]
    assert len({place for _, place in marks}) == 2
    assert seen[:, :, -2:].sum(axis=(0, 1)).tolist() == [0.0, 9.0]


def save(path: Path, arrays: dict[str, Any]) -> None:
    with path.open("wb") as file:
        np.savez(file, **arrays)


def edit(arrays: dict[str, Any], **changes: object) -> None:
    head = json.loads(bytes(arrays["head"])) | changes
    arrays["head"] = np.frombuffer(json.dumps(head).encode(), np.uint8)


def edit_shape(arrays: dict[str, Any], **changes: object) -> None:
    edit(arrays, shape=json.loads(bytes(arrays["head"]))["shape"] | changes)


def halve(arrays: dict[str, Any], name: str) -> None:
    arrays[name] = arrays[name][: len(arrays[name]) // 2]


DAMAGE: dict[str, Callable[[dict[str, Any]], object]] = {
    "no head": lambda arrays: arrays.pop("head"),
    "a head that is a list": lambda arrays: arrays.update(head=np.frombuffer(b"[]", np.uint8)),
    "a head without end": lambda arrays: arrays.update(head=np.frombuffer(b"[" * 99_999, np.uint8)),
    "no kind": lambda arrays: edit(arrays, format=None),
    "no sources": lambda arrays: arrays.pop("sources"),
    "no weights": lambda arrays: arrays.pop("in"),
    "weights of nobody": lambda arrays: arrays.update(more=arrays["in"]),
    "weights that are no numbers": lambda arrays: arrays["in"].fill(np.nan),
    "weights beyond all": lambda arrays: arrays["in"].fill(np.inf),
    "weights as text": lambda arrays: arrays.update({"in": arrays["in"].astype("U4")}),
    "weights of 64 bits": lambda arrays: arrays.update({"in": arrays["in"].astype(float)}),
    "half of the weights": lambda arrays: halve(arrays, "in"),
    "half of the sources": lambda arrays: halve(arrays, "sources"),
    "a fact that is none": lambda arrays: arrays["sources"].fill(10_000),
    "a fact before the first": lambda arrays: arrays["sources"].fill(-1),
    "facts in halves": lambda arrays: arrays.update(sources=arrays["sources"] / 2),
    "another board": lambda arrays: edit_shape(arrays, rows=4),
    "no board": lambda arrays: edit_shape(arrays, rows=0, columns=0),
    "a board of truth": lambda arrays: edit_shape(arrays, rows=True),
    "layers without end": lambda arrays: edit_shape(arrays, blocks=10**12),
    "a layer more to say": lambda arrays: edit_shape(arrays, more=1),
    "a role more": lambda arrays: edit(arrays, roles=["x", "o", "y"]),
    "no roles": lambda arrays: edit(arrays, roles=[], worst=[], best=[]),
    "roles as numbers": lambda arrays: edit(arrays, roles=[1, 2]),
    "no facts": lambda arrays: edit(arrays, facts=7),
    "a move less": lambda arrays: edit(arrays, moves=["(mark a 1)"]),
    "best below worst": lambda arrays: edit(arrays, worst=[100, 100], best=[0, 0]),
    "games as text": lambda arrays: edit(arrays, games="many"),
    "a digest as a number": lambda arrays: edit(arrays, digest=7),
}


def test_a_file_with_something_wrong_in_it_is_refused(path: Path, tmp_path: Path) -> None:
    bad = tmp_path / "bad.gdlnet"
    with np.load(path) as file:
        sound = {name: file[name] for name in file.files}
    for name, damage in DAMAGE.items():
        arrays = {key: array.copy() for key, array in sound.items()}
        damage(arrays)
        save(bad, arrays)
        with pytest.raises(gdl.GdlError) as caught:
            make(f"deep:network={bad}")
        assert str(caught.value) == (
            f"{bad} is no network of gdl\n  expected: a file that gdl train wrote"
        ), name


def test_a_file_that_was_cut_anywhere_is_refused(path: Path, tmp_path: Path) -> None:
    whole, bad = path.read_bytes(), tmp_path / "cut.gdlnet"
    for share in (0.0, 0.01, 0.5, 0.99):
        bad.write_bytes(whole[: int(share * len(whole))])
        for spec in (f"deep:network={bad}", f"{bad}"):
            with pytest.raises(gdl.GdlError) as caught:
                make(spec)
            assert str(caught.value) == (
                f"{bad} is no network of gdl\n  expected: a file that gdl train wrote"
            )


def test_another_version_and_another_kind_are_called_so(path: Path, tmp_path: Path) -> None:
    with np.load(path) as file:
        arrays = {name: file[name] for name in file.files}
    other = tmp_path / "other.gdlnet"
    for kind, wanted, specs in (
        ("gdl-deep-999", "gdl-deep-1", (f"deep:network={other}", f"{other}")),
        ("nonsense", "gdl-network-2", (f"{other}",)),
        ("nonsense", "gdl-deep-1", (f"deep:network={other}",)),
    ):
        edit(arrays, format=kind)
        save(other, arrays)
        for spec in specs:
            with pytest.raises(gdl.GdlError) as caught:
                make(spec)
            assert str(caught.value) == (
                f"{other} is a network of another version\n"
                f"  expected: the format {wanted}\n"
                "  help: train it again: gdl train"
            )
    for player in ("mcts", "greedy", "alphabeta"):
        with pytest.raises(gdl.GdlError) as caught:
            make(f"{player}:value={path}")
        assert str(caught.value) == (
            f"{path} is a deep network, not a network of tuples\n"
            f"  help: its player is deep:network={path}"
        )
    edit(arrays, format="gdl-network-2")
    save(other, arrays)
    with pytest.raises(gdl.GdlError) as caught:
        make(f"{other}")
    assert str(caught.value) == (
        f"{other} is no network of gdl\n  expected: a file that gdl train wrote"
    )


def test_other_rules_are_refused_before_the_first_move(game: Game, path: Path) -> None:
    from gdl.play.network_file import rules_digest

    other = gdl.load("connectfour?columns=4&rows=4", backend="native")
    expected = (
        "the network was trained on other rules than those of connectfour?columns=4&rows=4\n"
        f"  expected: the rules of tictactoe, digest {rules_digest(game)[:16]}\n"
        "  help: train one on these rules: gdl train connectfour?columns=4&rows=4"
    )
    player = make(f"{path}", role=other.role("red"))
    with pytest.raises(gdl.GdlError) as caught:
        prepare(player, other, Budget())
    assert str(caught.value) == expected
    with pytest.raises(gdl.GdlError) as caught:
        choose(player, other.initial(), Budget(simulations=5), role="red")
    assert str(caught.value) == expected


def test_weights_that_nobody_would_learn_do_not_make_it_fail(game: Game, tmp_path: Path) -> None:
    network = untrained(game)
    for name, array in network.weights.items():
        network.weights[name] = 1e8 * array  # type: ignore[index]  # a dictionary
    network.save(tmp_path / "net.gdlnet")
    player = make(f"deep:network={tmp_path / 'net.gdlnet'}", role=game.role("x"))
    move = choose(player, game.initial(), Budget(simulations=50), role="x")
    assert str(move) in network.head.moves


def test_a_file_is_the_player_of_its_kind_by_its_name(path: Path) -> None:
    assert type(make(f"{path}")).__name__ == "DeepPlayer"


def test_it_takes_what_wins_at_once_and_finds_the_same_move_again(game: Game, path: Path) -> None:
    state = game.initial()
    for text in ("a1", "b1", "a2", "b2"):
        state = state.play(text)
    for _ in range(2):
        player = make(f"{path}", role=game.role("x"), seed=3)
        assert state.notation(choose(player, state, Budget(simulations=300), role="x")) == "a3"
    thoughts = player.thoughts  # type: ignore[attr-defined]
    assert thoughts.simulations == 300
    assert thoughts.best.value > 90


@pytest.mark.parametrize("backend", ["reason", "native"])
def test_it_thinks_the_same_whoever_runs_the_rules(path: Path, backend: Wanted) -> None:
    from gdl.play.deep.eyes import Eyes
    from gdl.play.deep.network import read_network

    game = gdl.load("tictactoe", backend=backend)
    state = game.initial().play("b2").play("a1")
    eyes = Eyes(read_network(path), game)
    held = eyes.held(state.machine, state.inner)
    names = [name for name, is_on in zip(eyes.network.head.facts, held, strict=True) if is_on]
    assert sorted(names) == sorted(map(str, state.facts))
    assert [eyes.network.head.moves[i] for i in eyes.numbers(state.legal("x"))] == list(
        map(str, state.legal("x"))
    )
    player = make(f"deep:network={path},native=off", role=game.role("x"), seed=1)
    move = choose(player, state, Budget(simulations=64), role="x")
    assert str(move) in eyes.network.head.moves


@pytest.mark.later
@pytest.mark.parametrize("name", ["rockpaperscissors", "threeplayertictactoe", "lightsout", "dice"])
def test_it_plays_games_of_every_kind_to_their_end(name: str, tmp_path: Path) -> None:
    (tmp_path / "dice.kif").write_text(DICE)
    game = gdl.load(tmp_path / "dice.kif" if name == "dice" else name, backend="native")
    path = tmp_path / "net.gdlnet"
    untrained(game).save(path)
    players = {
        role: make("random" if role == "random" else f"{path}", role=game.role(role), seed=1)
        for role in game.roles
    }
    state = game.initial()
    while not state.is_terminal:
        state = state.play(
            [
                choose(player, state, Budget(simulations=8), role=role)
                for role, player in players.items()
            ]
        )
    assert all(0 <= state.goal(role) <= 100 for role in game.roles)


@pytest.mark.parametrize("backend", ["reason", "native"])
def test_rules_as_somebody_sends_them_are_the_same(
    game: Game, path: Path, tmp_path: Path, backend: Wanted
) -> None:
    """So a program of the GGP protocol plays by it."""
    from gdl.ruleset.flatten import flatten

    flat = tmp_path / "sent.kif"
    flat.write_text(flatten(game.ruleset), encoding="utf-8")
    sent = gdl.load(flat, backend=backend)
    player = make(f"deep:network={path},native=off", role=sent.role("x"))
    prepare(player, sent, Budget(5))
    move = choose(player, sent.initial(), Budget(simulations=20), role="x")
    assert str(move) in {str(each) for each in sent.initial().legal("x")}


@pytest.mark.alone
@pytest.mark.slow
def test_no_move_is_late_at_a_twentieth_of_a_second(path: Path, game: Game) -> None:
    player = make(f"{path}", role=game.role("x"))
    prepare(player, game, Budget(5))
    late = 0
    for _ in range(20):
        begun = time.monotonic()
        choose(player, game.initial(), Budget(0.05), role="x")
        late += time.monotonic() - begun > 0.05
    assert late <= 1


def test_a_file_whose_name_has_commas_plays(game: Game, tmp_path: Path) -> None:
    path = tmp_path / "a, b=c.gdlnet"
    untrained(game).save(path)
    assert type(make(f"{path}")).__name__ == "DeepPlayer"
    plain = tmp_path / "a,b.gdlnet"
    untrained(game).save(plain)
    assert type(make(f"deep:network={plain},c=2")).__name__ == "DeepPlayer"


@pytest.mark.later
def test_the_command_line_takes_it_wherever_a_player_is_named(path: Path) -> None:
    both = [f"{path}", "random", "-g", "tictactoe", "--simulations", "8", "--games", "2"]
    ran = command("evaluate", *both, "--json")
    assert ran.code == 0, ran.err
    ran = command("evaluate", f"{path}", "random", "-g", "connectfour", "--games", "2")
    assert ran.code == 1
    assert "error: the network was trained on other rules than those of connectfour" in ran.err
    ran = command("play", "tictactoe", "--watch", "--against", f"{path}", "--against", "random")
    assert ran.code == 0, ran.err


def test_a_server_offers_it_for_its_rules_alone(path: Path, game: Game) -> None:
    from gdl.play.network_file import rules_digest
    from gdl.web.agents import listed, offered

    player = offered(f"Deep={path}")
    assert (player.summary, player.digest) == ("has learned from 7 games", rules_digest(game))
    assert offered(f"Deep=deep:network={path},c=2").digest == rules_digest(game)
    assert "deep" not in {agent["name"] for agent in listed()}


AGREE = """
import numpy as np
worst = []
for name in sys.argv[2:]:
    training = DeepTraining(load(name), Path(sys.argv[1]) / Path(name).stem, simulations=2)
    training.run(games=150)
    network, learner, layout = training.network, training._learner, training.layout
    rng = np.random.default_rng(0)
    held = rng.random((training.size, len(layout.facts))) < 0.3
    movers = rng.integers(len(layout.worst), size=training.size)
    legal = np.ones((training.size, layout.columns.shape[1]), np.bool_)
    scores, goals = network.judge(held, movers)
    priors, values = learner.judge(training._whole.memory.weights)(held, legal, movers)
    mine = np.take_along_axis(scores, layout.columns[movers], axis=1)
    mine = np.exp(mine - mine.max(axis=1, keepdims=True))
    mine /= mine.sum(axis=1, keepdims=True)
    assert training.progress.policy_loss > 0 and mine.std() > 1e-4
    worst += [float(abs(mine - priors).max()), float(abs(goals / 100 - values).max())]
print(json.dumps(worst))
"""


@needs("learn")
@pytest.mark.slow
def test_numpy_says_what_jax_says(tmp_path: Path) -> None:
    (tmp_path / "dice.kif").write_text(DICE)
    worst = told(AGREE, tmp_path, "tictactoe", tmp_path / "dice.kif")
    assert max(worst) < 1e-5
