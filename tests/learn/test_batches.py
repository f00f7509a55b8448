"""Games played into a folder: the same whoever plays them, and whoever dies."""

from __future__ import annotations

import os
from functools import partial
from pathlib import Path
from typing import Any, cast

import numpy as np
import pytest
from numpy.typing import NDArray

import gdl
from gdl.language.diagnostics import GdlError
from gdl.learn.batches import batch_path, play_batches, read_batches
from gdl.learn.search import Search, null_judge
from tests.shared import needs

pytestmark = needs("native")
LABEL = "tictactoe, a judge that knows nothing"


def play(number: int) -> dict[str, NDArray[Any]]:
    """Play four games of tic-tac-toe by trees; all chance comes from the number."""
    game, rng = gdl.load("tictactoe", backend="native"), np.random.default_rng([7, number])
    batch, search = game.batch(4), Search(game, null_judge, simulations=8)
    facts, policies = [], []
    while not batch.terminal.any():
        found = search.run(batch.save(), rng)
        facts.append(batch.observations)
        policies.append(found.policy())
        batch.step(found.sample(rng))
    return {"facts": np.stack(facts), "policies": np.stack(policies)}


def count(number: int) -> dict[str, NDArray[Any]]:
    return {"numbers": np.arange(number)}


def die_once(folder: Path, number: int) -> dict[str, NDArray[Any]]:
    """Die in the middle of batch 2, the first time."""
    mark = folder / "died"
    if number == 2 and not mark.exists():
        mark.touch()
        os._exit(9)
    return count(number)


def files(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.glob("batch-*")}


@pytest.mark.slow
def test_two_workers_play_the_games_of_one(tmp_path: Path) -> None:
    for workers in (1, 2):
        spent = play_batches(play, tmp_path / f"{workers}", range(4), label=LABEL, workers=workers)
        assert spent > 0
    assert len(files(tmp_path / "1")) == 4
    assert files(tmp_path / "1") == files(tmp_path / "2")
    games = [arrays["facts"].tobytes() for _, arrays in read_batches(tmp_path / "1", label=LABEL)]
    assert len(set(games)) == 4


@needs("ray")
@pytest.mark.slow
def test_a_cluster_plays_the_same(tmp_path: Path) -> None:
    play_batches(count, tmp_path / "here", range(3), label="numbers")
    play_batches(count, tmp_path / "there", range(3), label="numbers", workers=2, ray="local")
    assert files(tmp_path / "here") == files(tmp_path / "there")


@pytest.mark.slow
def test_a_worker_that_dies_loses_its_batch_alone(tmp_path: Path) -> None:
    folder = tmp_path / "batches"
    folder.mkdir()
    play_batches(partial(die_once, folder), folder, range(4), label="numbers", workers=2)
    assert (folder / "died").exists()
    play_batches(count, tmp_path / "plain", range(4), label="numbers")
    assert files(folder) == files(tmp_path / "plain")


def test_what_is_there_is_not_played_again(tmp_path: Path) -> None:
    play_batches(count, tmp_path, [0, 2], label="numbers")
    asked: list[int] = []

    def noted(number: int) -> dict[str, NDArray[Any]]:
        asked.append(number)
        return count(number)

    play_batches(noted, tmp_path, range(4), label="numbers")
    assert asked == [1, 3]
    found = {number: len(a["numbers"]) for number, a in read_batches(tmp_path, label="numbers")}
    assert found == {0: 0, 1: 1, 2: 2, 3: 3}
    assert [number for number, _ in read_batches(tmp_path, label="numbers", after=1)] == [2, 3]


def test_arrays_may_have_any_names(tmp_path: Path) -> None:
    names = ("label", "file", "array-1", "self")
    play_batches(lambda _: {name: np.array(name) for name in names}, tmp_path, [0], label="names")
    ((_, arrays),) = read_batches(tmp_path, label="names")
    assert {name: str(each) for name, each in arrays.items()} == {name: name for name in names}


@pytest.mark.parametrize(
    ("returned", "said"),
    [
        (
            None,
            (
                "the player of batches returned a NoneType\n"
                "  expected: arrays by their names, a dict"
            ),
        ),
        (
            {"move": np.array([{}], object)},
            "the player of batches returned objects as move\n  expected: arrays of numbers",
        ),
    ],
)
def test_what_is_no_batch_is_not_written(returned: object, said: str, tmp_path: Path) -> None:
    with pytest.raises(GdlError) as caught:
        play_batches(cast("Any", lambda _: returned), str(tmp_path), [0], label="none")
    assert str(caught.value) == said
    assert not list(read_batches(str(tmp_path), label="none"))


def test_a_player_that_stays_here_is_refused_to_other_processes(tmp_path: Path) -> None:
    with pytest.raises(GdlError) as caught:
        play_batches(lambda _: {}, tmp_path, [0], label="none", workers=2)
    assert str(caught.value) == (
        "the player of batches cannot be sent to other processes\n"
        "  expected: a function of a module, and what it needs by functools.partial"
    )


def test_files_of_something_else_are_refused(tmp_path: Path) -> None:
    play_batches(count, tmp_path, [0], label="numbers")
    path = batch_path(tmp_path, 0)
    for attempt in (
        lambda: play_batches(count, tmp_path, [0], label="others"),
        lambda: list(read_batches(tmp_path, label="others")),
    ):
        with pytest.raises(gdl.GdlError) as caught:
            attempt()
        assert str(caught.value) == (
            f"{path} is of numbers, not of others\n  help: use another folder, or remove it"
        )
    path.write_bytes(b"PK")
    with pytest.raises(gdl.GdlError) as caught:
        list(read_batches(tmp_path, label="numbers"))
    assert str(caught.value) == (f"{path} is no batch of games\n  help: remove it to play it again")


@pytest.mark.parametrize(("place", "bit"), [(8, 1), (10, 64)])
def test_a_batch_that_seems_encrypted_or_oddly_packed_is_refused(
    tmp_path: Path, place: int, bit: int
) -> None:
    path = batch_path(tmp_path, 0)
    np.savez(path, label=np.array("mine"))
    damaged = bytearray(path.read_bytes())
    damaged[damaged.index(b"PK\x01\x02") + place] ^= bit
    path.write_bytes(damaged)
    with pytest.raises(GdlError, match="is no batch of games"):
        list(read_batches(tmp_path, label="mine"))
