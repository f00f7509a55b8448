"""How far a network is believed: the mixture that foretells best, and only where it helps."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

import gdl
from gdl.game import Game
from tests.shared import needs

pytestmark = needs("play")


def rows(weight: float, *, noise: float = 0.3, games: int = 200) -> NDArray[np.float64]:
    """Return positions, twenty a game, whose outcomes a mixture of both opinions foretells."""
    rng = np.random.default_rng(4)
    number = np.repeat(np.arange(games), 20)
    played, said = rng.normal(50, 10, len(number)), rng.normal(50, 10, len(number))
    mixed = (1 - weight) * played + weight * said
    # On a scale of their own, as playouts are: they say too little for who is ahead.
    outcome = 0.5 + (mixed - 50) / 20 + rng.normal(0, noise, len(number))
    return np.column_stack([number, played, said, outcome])


@pytest.mark.parametrize("weight", [0.2, 0.5, 0.9])
def test_the_weight_is_that_of_the_mixture_that_outcomes_were_made_of(weight: float) -> None:
    from gdl.learn.mixing_weight import fit_weight

    fit = fit_weight(rows(weight), np.random.default_rng(0))
    assert fit.weight == pytest.approx(weight, abs=0.03)
    assert fit.low <= weight <= fit.high
    assert 0 < fit.high - fit.low < 0.1
    assert (fit.positions, fit.games) == (4000, 200)


def test_it_is_that_of_least_squares() -> None:
    from gdl.learn.mixing_weight import fit_weight

    given = rows(0.4, noise=1.0, games=10)
    terms = np.column_stack([np.ones(len(given)), given[:, 1:3]])
    (_, played, said), *_ = np.linalg.lstsq(terms, given[:, 3])
    fit = fit_weight(given, np.random.default_rng(0))
    assert fit.weight == pytest.approx(said / (played + said))


def test_the_interval_knows_that_positions_of_a_game_share_their_outcome() -> None:
    from gdl.learn.mixing_weight import fit_weight

    once = rows(0.5, noise=1.0, games=40)
    # Each game ten times over: more positions, and nothing more is known.
    often = np.concatenate([once] * 10)
    first, second = (fit_weight(given, np.random.default_rng(0)) for given in (once, often))
    assert second.weight == pytest.approx(first.weight)
    assert second.high - second.low == pytest.approx(first.high - first.low)


def test_a_network_that_says_nothing_or_the_contrary_has_no_weight() -> None:
    from gdl.learn.mixing_weight import fit_weight

    given = rows(0.0)
    assert fit_weight(given, np.random.default_rng(0)).weight < 0.03
    given[:, 2] = 100 - given[:, 3]
    assert fit_weight(given, np.random.default_rng(0)).weight == 0
    given[:, 2] = 50
    assert fit_weight(given, np.random.default_rng(0)).weight == 0
    assert fit_weight(given[:0], np.random.default_rng(0)).weight == 0


def test_playouts_that_say_nothing_leave_all_to_the_network() -> None:
    from gdl.learn.mixing_weight import fit_weight

    given = rows(1.0)
    given[:, 1] = 50
    assert fit_weight(given, np.random.default_rng(0)).weight == 1


@pytest.fixture(scope="module")
def game() -> Game:
    return gdl.load("connectfour?columns=4&rows=4", backend="native")


@pytest.mark.slow
def test_a_network_before_learning_is_of_no_use_and_its_file_plays_as_mcts(
    game: Game, tmp_path: Path
) -> None:
    from gdl.learn.training import Training
    from gdl.play import Budget, choose, make
    from gdl.play.value_network import read_network

    path = tmp_path / "net.gdlnet"
    training = Training(game, path)
    training.run(games=1)
    training.layout.tables.weights[:] = 0.0
    found = training.weigh()
    assert found.weight == found.fit.weight == training.weight == 0
    assert (found.tried, found.alone, found.match) == (0, None, None)
    assert str(found).endswith(": of no use to mcts yet, so the file says 0 and plays as mcts does")
    assert read_network(path).head.weight == 0
    moves = []
    for spec in ("mcts:memory=16", f"mcts:value={path},memory=16"):
        player = make(spec, seed=1)
        moves.append(choose(player, game.initial(), Budget(simulations=64), role="red"))
    assert moves[0] == moves[1]


@pytest.mark.slow
def test_a_weight_is_in_the_file_and_in_the_checkpoint(game: Game, tmp_path: Path) -> None:
    from gdl.learn.training import Training
    from gdl.play.value_network import read_network

    path = tmp_path / "net.gdlnet"
    training = Training(game, path)
    training.run(games=5)
    training.weight = 0.375
    training.keep()
    assert read_network(path).head.weight == 0.375
    assert Training(game, path).weight == 0.375


def test_the_player_goes_by_the_weight_of_the_file_unless_told_otherwise(
    game: Game, tmp_path: Path
) -> None:
    from gdl.learn.training import Training
    from gdl.play.mcts import OF_FILE, MctsPlayer

    path = tmp_path / "net.gdlnet"
    training = Training(game, path)
    training.run(games=5)
    training.weight = 0.375
    training.keep()
    weights = []
    for weight in (OF_FILE, 0.75, 0.0):
        player = MctsPlayer(value=str(path), memory=16, weight=weight)
        player.prepare(game, gdl.play.Budget())
        space = player.workspace_for(game.initial())
        assert space is not None
        assert (space.settings.network is None) == (weight == 0.0)
        weights.append(space.settings.network_weight)
    assert weights == [0.375, 0.75, 0.0]


@pytest.mark.slow
def test_alphabeta_is_judged_by_the_network_whatever_its_weight(game: Game, tmp_path: Path) -> None:
    from gdl.learn.training import Training
    from gdl.play.alphabeta import AlphaBetaPlayer

    path = tmp_path / "net.gdlnet"
    training = Training(game, path)
    training.run(games=5)
    assert training.weight == 0
    player = AlphaBetaPlayer(value=str(path))
    player.prepare(game, gdl.play.Budget())
    space = player._mcts.workspace_for(game.initial())
    assert space is not None
    assert space.settings.network is not None


def test_a_file_without_a_weight_gets_one_half(game: Game, tmp_path: Path) -> None:
    import json

    from gdl.learn.training import Training
    from gdl.play.network_file import NetworkError
    from gdl.play.value_network import read_network

    path = tmp_path / "net.gdlnet"
    Training(game, path).run(games=5)
    with np.load(path) as file:
        arrays = {name: file[name] for name in file.files}
    head = json.loads(bytes(arrays["head"]))
    del head["weight"]

    def write() -> None:
        arrays["head"] = np.frombuffer(json.dumps(head).encode(), np.uint8)
        with path.open("wb") as file:
            np.savez(file, **arrays)

    write()
    assert read_network(path).head.weight == 0.5
    for bad in (1.5, -0.1, True, "1", None, float("nan")):
        head["weight"] = bad
        write()
        with pytest.raises(NetworkError, match="is no network of gdl"):
            read_network(path)


@pytest.mark.later
def test_a_damaged_file_is_refused_or_reads_as_it_was(game: Game, tmp_path: Path) -> None:
    """Some bytes of an archive, a date, say, mean nothing; no other error comes out of any."""
    from gdl.learn.training import Training
    from gdl.play.network_file import NetworkError
    from gdl.play.value_network import read_network

    path = tmp_path / "net.gdlnet"
    Training(game, path).run(games=5)
    whole, sound = path.read_bytes(), read_network(path)
    refused = 0
    for place in range(0, len(whole), max(1, len(whole) // 150)):
        damaged = bytearray(whole)
        damaged[place] ^= 1 << place % 8
        path.write_bytes(damaged)
        try:
            network = read_network(path)
        except NetworkError:
            refused += 1
            continue
        assert network.head == sound.head
        assert np.array_equal(network.tables.weights, sound.tables.weights)
    assert refused > 100


@pytest.mark.slow
def test_a_network_that_has_learned_gets_a_weight(tmp_path: Path) -> None:
    from gdl.learn.training import Training

    game = gdl.load("connectfour?columns=5&rows=4", backend="native")
    training = Training(game, tmp_path / "net.gdlnet")
    training.run(games=10_000)
    found = training.weigh()
    assert found.fit.weight > 0.1
    assert found.fit.games > 10
    assert found.fit.low <= found.fit.weight <= found.fit.high
    assert found.alone is not None
    assert found.match is not None
    assert all(0 <= score.points <= score.games for score in (found.alone, found.match))
    is_alone = found.alone.points > found.alone.games / 2
    assert found.tried == (1 if is_alone else found.fit.weight)
    assert training.weight in {0.0, found.tried}


STUCK = """
(role a) (role b)
(init (turn a)) (init (left 3))
(less 3 2) (less 2 1) (less 1 0)
(<= (legal ?r (take ?n)) (true (turn ?r)) (true (left ?m)) (number ?n) (distinct ?m 0))
(number 1) (number 2)
(<= (legal a wait) (true (turn b)) (not (true gone)))
(<= (legal b wait) (true (turn a)))
(<= (next (turn b)) (true (turn a)))
(<= (next (turn a)) (true (turn b)))
(<= (next (left ?n)) (true (left ?m)) (less ?m ?n))
(<= (next gone) (does a (take 2)))
(<= terminal (true (left 0)))
(<= (goal a 100) (true (left 0))) (<= (goal b 0) (true (left 0)))
"""


def test_a_play_in_which_somebody_is_stuck_is_no_play(tmp_path: Path) -> None:
    from gdl.learn.mixing_weight import _opened

    path = tmp_path / "stuck.kif"
    path.write_text(STUCK, encoding="utf-8")
    game = gdl.load(path, backend="native")
    after = {str(game.initial().play(f"(take {n})").legal("a")) for n in (1, 2)}
    assert len(after) == 2  # one of them leaves a without a move
    states = {_opened(game, 3, np.random.default_rng(seed)).ply for seed in range(10)}
    assert states == {0, 2}


GRADED = """
(role a) (role b) (init (turn a))
(number 20) (number 30) (number 90)
(<= (legal a (take ?n)) (true (turn a)) (number ?n))
(<= (legal a wait) (true (turn b)))
(<= (legal b wait) (true (turn a)))
(<= (legal b (share ?n)) (true (turn b)) (number ?n))
(<= (next (turn b)) (true (turn a)))
(<= (next (turn nobody)) (true (turn b)))
(<= (next (left ?n)) (does b (share ?n)))
(rest 20 80) (rest 30 70) (rest 90 10)
(<= terminal (true (turn nobody)))
(<= (goal a ?n) (true (left ?n)))
(<= (goal b ?m) (true (left ?n)) (rest ?n ?m))
"""


def test_what_is_foretold_is_the_goal_and_not_only_who_won(tmp_path: Path) -> None:
    from gdl.learn.mixing_weight import _goal_share

    path = tmp_path / "graded.kif"
    path.write_text(GRADED, encoding="utf-8")
    state = gdl.load(path, backend="native").initial()
    assert _goal_share(state) == 0.5
    state = state.play("(take 20)")
    shares = [_goal_share(state.play(f"(share {n})")) for n in (20, 30, 90)]
    assert shares == pytest.approx([0.0, 1 / 7, 1.0])
