"""Learning in rounds: the same to the byte whoever plays, however often it is stopped."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import gdl
from gdl.game import Game
from gdl.language.diagnostics import GdlError
from gdl.learn.batches import Arrays, batch_path
from tests.shared import needs

Loaded = dict[str, NDArray[Any]]
pytestmark = needs("play")


@pytest.fixture(scope="module")
def game() -> Game:
    return gdl.load("tictactoe", backend="native")


@pytest.fixture(autouse=True)
def few(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let a batch be some hundred games."""
    monkeypatch.setattr("gdl.learn.training.WORK", 4000)


class StoppedError(Exception):
    """Somebody stopped it."""


def trained(game: Game, path: Path, games: int, **options: int | None) -> bytes:
    from gdl.learn.training import Training

    chosen: dict[str, Any] = {"workers": 1, "batches": 3, **options}
    Training(game, path, **chosen).run(games=games)
    return path.read_bytes()


def stop(game: Game, path: Path, after: int) -> None:
    """Train until so many batches were studied, and be gone without another word."""
    from gdl.learn.training import Training

    told = 0

    def count(_: object) -> None:
        nonlocal told
        told += 1
        if told == after:
            raise StoppedError

    with pytest.raises(StoppedError):
        Training(game, path, workers=1, batches=3).run(games=1 << 30, on_progress=count)


@pytest.mark.slow
def test_a_training_stopped_within_rounds_equals_an_uninterrupted_one(
    game: Game, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from gdl.learn import rounds

    whole = trained(game, tmp_path / "whole", 2000)
    path = tmp_path / "parts"
    asked: list[int] = []
    play = rounds.Player.play

    def noted(player: rounds.Player, folder: Path, number: int) -> Arrays:
        asked.append(number)
        return play(player, folder, number)

    monkeypatch.setattr(rounds.Player, "play", noted)
    for after in (1, 2, 5, 7):
        stop(game, path, after)
    assert not path.exists()  # no checkpoint yet
    trained(game, path, 1)
    trained(game, path, 1000)
    assert trained(game, path, 2000) == whole
    assert sorted(asked) == list(range(max(asked) + 1))  # no batch was played twice
    assert not (tmp_path / "parts.games").exists()
    assert trained(game, tmp_path / "seed", 2000, seed=1) != whole
    assert trained(game, tmp_path / "batches", 2000, batches=2) != whole


@pytest.mark.later
def test_all_games_of_a_round_are_played_by_the_weights_with_which_it_began(
    game: Game, tmp_path: Path
) -> None:
    """The value of a position with a won child, or whose children are over, is beyond doubt."""
    from gdl.learn.training import Training

    stop(game, tmp_path / "net", 4)
    folder = tmp_path / "net.games"
    with np.load(folder / "round-00000001.npz") as file:
        weights, done = file["weights"], file["done"]
    with np.load(batch_path(folder, 3)) as file:
        batch = {name.removeprefix("array-"): file[name] for name in file.files}
    assert weights.any()
    assert done[0] > 0
    training = Training(game, tmp_path / "other")
    tables = training.layout.tables
    tables.weights[:] = weights
    from gdl.play.lane_tables import LaneGame
    from gdl.play.value_network import judge_state

    native = game.back_end.native
    assert native is not None
    lanes = LaneGame(native, network=tables)
    machine, game_over = game.machine, 0
    for words, outcome in zip(batch["visited"][:200], batch["found"], strict=False):
        state = game.initial().__class__(game, machine, lanes.unpack(words), None, None, 0)
        shares = []
        for move in state.legal_ids():
            child = state.apply(move)
            if child.is_terminal:
                game_over += 1
                shares.append(child.goal("x") / 100)
            else:
                shares.append(float(judge_state(tables, lanes.pack(child.inner))))
        assert outcome == (max(shares) if str(state.movers[0]) == "x" else min(shares))
    assert game_over


KILLED = """
import sys
from pathlib import Path
import gdl
import gdl.learn.training as t

t.WORK = 4000
if __name__ == "__main__":
    game = gdl.load("tictactoe", backend="native")
    training = t.Training(game, Path(sys.argv[1]), workers=2, batches=3)
    training.run(games=1 << 30, on_progress=lambda p: print(p.games, flush=True))
"""
"""A training by two processes that tells how far it is until it is killed."""


@pytest.mark.slow
def test_a_training_by_two_processes_that_is_killed_equals_that_of_one(
    game: Game, tmp_path: Path
) -> None:
    from gdl.learn.training import Training

    path, script = tmp_path / "net", tmp_path / "killed.py"
    script.write_text(KILLED)
    with subprocess.Popen(
        [sys.executable, str(script), str(path)], stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        told = [int(process.stdout.readline()) for _ in range(7)]
        os.kill(process.pid, signal.SIGKILL)
    assert told == sorted(told)
    assert len(list((tmp_path / "net.games").glob("batch-*.npz"))) >= len(told)
    resumed = Training(game, path, workers=2, batches=3)
    resumed.run(games=told[-1] + 1000)
    number = resumed.progress.games
    assert path.read_bytes() == trained(game, tmp_path / "one", number)


def refusal(game: Game, path: Path, **options: int | None) -> str:
    with pytest.raises(GdlError) as caught:
        trained(game, path, 5, **options)
    return str(caught.value)


def test_a_checkpoint_goes_on_as_it_was_begun(game: Game, tmp_path: Path) -> None:
    rounds, alone = tmp_path / "rounds", tmp_path / "alone"
    trained(game, rounds, 5)
    trained(game, alone, 5, workers=None)
    assert refusal(game, rounds, workers=None) == (
        f"{rounds}.training was begun in rounds of 3 batches, and is to go on by one process, not "
        "in rounds\n  help: go on with --workers N --batches 3, or write to another file"
    )
    assert refusal(game, rounds, batches=4) == (
        f"{rounds}.training was begun in rounds of 3 batches, and is to go on in rounds of 4 "
        "batches\n  help: go on with --workers N --batches 3, or write to another file"
    )
    assert refusal(game, alone) == (
        f"{alone}.training was begun by one process, not in rounds, and is to go on in rounds of 3 "
        "batches\n  help: go on with neither --workers nor --ray, or write to another file"
    )
    assert refusal(game, tmp_path / "none", workers=0) == "workers must be at least 1, not 0"
    assert refusal(game, tmp_path / "none", batches=0) == "batches must be at least 1, not 0"


def facts_beyond(arrays: Loaded) -> None:
    arrays["array-visited"][0, -1] = 1 << 63


DAMAGE: dict[str, Callable[[Loaded], object]] = {
    "no games": lambda arrays: arrays.pop("array-plies"),
    "no outcome": lambda arrays: arrays.pop("array-outcome"),
    "more positions than there are": lambda arrays: arrays["array-plies"].fill(7),
    "a game that goes backwards": lambda arrays: arrays["array-plies"].fill(-1),
    "a game longer than any": lambda arrays: arrays["array-plies"].fill(1 << 62),
    "values beyond all": lambda arrays: arrays["array-found"].fill(2),
    "values that are none": lambda arrays: arrays["array-found"].fill(np.nan),
    "half numbers": lambda a: a.update({"array-found": a["array-found"].astype(np.float16)}),
    "facts that there are not": facts_beyond,
    "a word less": lambda a: a.update({"array-visited": a["array-visited"][:, :0]}),
    "no lines": lambda a: a.update({"array-visited": a["array-visited"][0]}),
}


@pytest.mark.later
def test_batches_with_something_wrong_in_them_are_refused(game: Game, tmp_path: Path) -> None:
    path = tmp_path / "net"
    stop(game, path, 1)
    batch = batch_path(tmp_path / "net.games", 0)
    sound = dict(np.load(batch))
    for damage in DAMAGE.values():
        arrays = {name: array.copy() for name, array in sound.items()}
        damage(arrays)
        np.savez(batch, **arrays)
        assert refusal(game, path) == (
            f"{batch} is no batch of games\n  help: remove it to play it again"
        )
    np.savez(batch, **{**sound, "array-weights": np.array("others")})
    assert refusal(game, path) == (
        f"{batch} was played by other weights\n  help: remove the folder {path}.games"
    )
    assert "seed 1, rounds of 3 times 4000\n  help: use another folder" in refusal(
        game, path, seed=1
    )


def test_two_trainings_do_not_write_to_one_file(game: Game, tmp_path: Path) -> None:
    from gdl.learn.training import Training

    path = tmp_path / "net"
    first, second = (Training(game, path) for _ in range(2))
    with first.held():
        first.run(games=5)
        with pytest.raises(GdlError) as caught:
            second.run(games=5)
        assert str(caught.value) == (
            f"{path} is being learned by process {os.getpid()} on {os.uname().nodename}\n"
            "  help: wait until it has ended, or write to another file"
        )
    with pytest.raises(GdlError) as caught:
        second.run(games=5)
    assert str(caught.value) == (
        f"{path}.training was written by another training since this one read it\n"
        "  help: begin again: learning goes on from there"
    )
    first.run(games=10)
    assert Training(game, path).progress.games == 10


def test_nothing_is_learned_where_no_games_are_asked_for(game: Game, tmp_path: Path) -> None:
    from gdl.learn.training import Training

    for workers in (None, 1):
        training = Training(game, tmp_path / f"net{workers}", workers=workers)
        assert training.run(games=0).games == 0
        with pytest.raises(GdlError, match="games must be at least 0, not -1"):
            training.run(games=-1)
