"""Layers on disk: killed at any moment, the work goes on, and the table is the same to the byte."""

from __future__ import annotations

import json
import os
import random
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.shared import missing, needs

pytest.importorskip("numba", reason=missing("solve"))
pytest.importorskip("scipy", reason=missing("solve"))

from gdl.language.diagnostics import GdlError
from gdl.solve import compression, disk, solve
from gdl.solve.disk import Task
from gdl.solve.limits import WorkLimits
from gdl.solve.positions import UnsolvableError
from gdl.solve.table_solver import bytes_in
from gdl.solve.task_workers import CrewError, crew
from tests.cli.running import ROOT

SMALL = WorkLimits(memory=1 << 10)
"""So little that every layer is made of runs."""


class KilledError(Exception):
    """What a test throws in the middle of a file."""


def _bytes_in_memory(folder: Path, game: str = "tictactoe") -> bytes:
    solve(game).table.save(folder / "memory")
    return (folder / "memory").read_bytes()


def test_a_table_from_disk_is_that_from_memory(tmp_path: Path) -> None:
    solution = solve("tictactoe", folder=tmp_path / "work", limits=SMALL)
    assert (solution.positions, solution.value, solution.distance) == (5478, 50, 9)
    assert (tmp_path / "work" / "table").read_bytes() == _bytes_in_memory(tmp_path)


def test_layers_are_folded_and_a_table_is_made_of_them_again(tmp_path: Path) -> None:
    work = tmp_path / "work"
    solve("tictactoe", folder=work, limits=SMALL)
    table = (work / "table").read_bytes()
    assert not list(work.glob("*.keys"))
    (first,) = work.glob("0000-*.keys-z")
    guess = first.stem.removeprefix("0000-")
    assert sum(file.stat().st_size for file in work.glob("*.keys-z")) < 5478 * 4
    # As if it had been killed at the values of the third layer.
    (work / "table").unlink()
    for kind in ("values", "distances"):
        for name in (f"0000-{guess}.{kind}", f"0001-{guess}.{kind}-z", f"0002-{guess}.{kind}-z"):
            (work / name).unlink()
    for kind, dtype in (("values", np.uint8), ("distances", np.int16)):
        folded = work / f"0003-{guess}.{kind}-z"
        np.concatenate(list(compression.grow(folded, np.dtype(dtype)))).tofile(
            work / f"0003-{guess}.{kind}"
        )
        folded.unlink()
    solve("tictactoe", folder=work, limits=SMALL)
    assert (work / "table").read_bytes() == table


@pytest.mark.slow
def test_work_that_is_stopped_in_any_file_goes_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("gdl.solve.table_solver.LEAST_RUN", 20)
    monkeypatch.setattr("gdl.solve.table_solver.RUN_TIMES", 1 << 20)
    monkeypatch.setattr("gdl.solve.positions.ROOM", 1 << 9)
    monkeypatch.setattr(disk, "PART", 64)
    whole, written, tries = disk.Folder._write, 0, 0

    def torn(self: disk.Folder, file: Path, arrays: Iterable[Any]) -> None:
        nonlocal written, tries
        tries += 1
        if tries in {2, 9, 17, 24, 33}:
            file.with_name(f".{file.name}").write_bytes(b"torn")
            raise KilledError
        written += 1
        whole(self, file, arrays)

    monkeypatch.setattr(disk.Folder, "_write", torn)
    killed = 0
    while True:
        try:
            solve("tictactoe", folder=tmp_path / "work", limits=SMALL)
            break
        except KilledError:
            killed += 1
    assert killed == 5
    assert written > 30
    assert (tmp_path / "work" / "table").read_bytes() == _bytes_in_memory(tmp_path)


@pytest.mark.slow
def test_work_that_is_killed_fifty_times_is_that_of_none(tmp_path: Path) -> None:
    words = [sys.executable, "-m", "tests.solve.killing", str(tmp_path), "50", "3"]
    ran = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stderr
    assert ran.stdout.startswith("50 killed, ")


@pytest.mark.slow
@pytest.mark.parametrize("workers", [1, 2])
def test_a_process_that_is_killed_goes_on(workers: int, tmp_path: Path) -> None:
    work, rng, killed = tmp_path / "work", random.Random(5), 0
    words = [sys.executable, "-m", "gdl", "solve", "hex?size=3", "--memory", "1K"]
    words += ["--folder", str(work), "--workers", str(workers)]
    while not (work / "table").exists():
        process = subprocess.Popen(words, cwd=ROOT, stdout=subprocess.DEVNULL)
        try:
            process.wait(2 + rng.random() * 2 + killed)
        except subprocess.TimeoutExpired:
            process.send_signal(signal.SIGKILL)
            killed += 1
        assert process.wait() in {0, -signal.SIGKILL}
    assert (work / "table").read_bytes() == _bytes_in_memory(tmp_path, "hex?size=3")


@pytest.mark.slow
@pytest.mark.parametrize("workers", [2, 3])
def test_any_number_of_workers_write_the_same_table(workers: int, tmp_path: Path) -> None:
    game = "connectfour?columns=4&rows=4"
    solution = solve(game, folder=tmp_path / "work", workers=workers, limits=SMALL)
    assert solution.positions == 161_029
    assert (tmp_path / "work" / "table").read_bytes() == _bytes_in_memory(tmp_path, game)


@pytest.mark.slow
@needs("ray")
def test_a_cluster_writes_the_same_table(tmp_path: Path) -> None:
    solve("tictactoe", folder=tmp_path / "work", workers=2, ray="local", limits=SMALL)
    assert (tmp_path / "work" / "table").read_bytes() == _bytes_in_memory(tmp_path)


@pytest.mark.slow
def test_what_workers_refuse_is_refused_in_words(tmp_path: Path) -> None:
    """An end without a goal is seen by a process that is not this one."""
    rules = "(role a) (init (at 0)) (init (step 0)) (succ 0 1) (succ 1 2)"
    rules += " ".join(f"(succ {i} {i + 1})" for i in range(2, 12))
    rules += "(<= (next (step ?j)) (true (step ?i)) (succ ?i ?j)) (legal a go) (legal a stay)"
    rules += "(<= (next (at 1)) (does a go)) (<= (next (at 0)) (does a stay))"
    rules += "(<= terminal (true (step 12))) (<= (goal a 100) (true (at 0)))"
    (tmp_path / "game.kif").write_text(rules)
    with pytest.raises(UnsolvableError) as caught:
        solve(tmp_path / "game.kif", folder=tmp_path / "work", workers=2)
    assert str(caught.value).startswith("the rules give a no single goal where play can end\n")


def test_a_file_that_another_process_renames_is_counted_under_its_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / ".0001.part").write_bytes(b"12345")
    listed = Path.iterdir

    def renaming(folder: Path) -> Iterator[Path]:
        files = list(listed(folder))
        if (beside := tmp_path / ".0001.part").exists():
            beside.rename(tmp_path / "0001.part")
        return iter(files)

    monkeypatch.setattr(Path, "iterdir", renaming)
    assert bytes_in(tmp_path) == 5


def test_a_full_disk_leaves_no_file_of_which_the_end_is_missing(tmp_path: Path) -> None:
    """Also where less is missing than what is written at a time."""
    resource = pytest.importorskip("resource", reason="this system has no limits on a process")
    folder = disk.Folder(tmp_path, 1, lambda _: None)
    table = solve("tictactoe", symmetries=False).table
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, before[1]))
    try:
        with pytest.raises(OSError, match="File too large"):
            folder._write(folder._file(3, "keys"), [np.arange(1 << 11), np.arange(1 << 9)])
        with pytest.raises(OSError, match="File too large"):
            table.save(tmp_path / "table")
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    assert not list(tmp_path.iterdir())


def test_workers_without_a_folder_are_refused() -> None:
    with pytest.raises(GdlError) as caught:
        solve("tictactoe", workers=2)
    assert str(caught.value) == (
        "several workers need a folder to work in\n  help: solve(..., folder=...), or --folder"
    )


@pytest.mark.slow
def test_a_task_whose_process_dies_is_done_again(tmp_path: Path) -> None:
    """The first process that comes to a task dies of it."""
    tasks = [Task("run", 0, i, i + 1) for i in range(4)]
    seconds: list[float] = []
    with crew(partial(_die_once, tmp_path), seconds.append, 2, None) as hired:
        hired(tasks)
    assert seconds == [1.0] * 4
    assert sorted(file.name for file in tmp_path.iterdir()) == ["0", "1", "2", "3", "died"]


@pytest.mark.slow
def test_processes_that_die_again_and_again_are_refused() -> None:
    with (
        pytest.raises(CrewError) as caught,
        crew(_die, lambda _: None, 2, None) as hired,
    ):
        hired([Task("run", 0, 0, 1)])
    assert str(caught.value) == (
        "3 times a process that solved died, the last time with 1 tasks to do\n"
        "  help: is there enough memory? the same command goes on from here"
    )


def _die(task: Task) -> float:
    os.kill(os.getpid(), signal.SIGKILL)
    return float(task.start)


def _die_once(folder: Path, task: Task) -> float:
    if not (folder / "died").exists():
        (folder / "died").touch()
        _die(task)
    (folder / str(task.start)).touch()
    return 1.0


def test_a_folder_of_another_game_is_refused(tmp_path: Path) -> None:
    solve("tictactoe", folder=tmp_path)
    with pytest.raises(GdlError) as caught:
        solve("morris/three", folder=tmp_path)
    assert str(caught.value) == (
        f"{tmp_path} keeps the layers of another game\n"
        "  expected: those of morris/three, by the same rules and the same version\n"
        "  help: take an empty folder"
    )


def test_a_folder_in_which_others_work_unasked_is_refused_in_words(tmp_path: Path) -> None:
    def fold_as_another_process(phase: str, place: int, states: int) -> None:
        del states
        if (phase, place) == ("expand", 3):
            for file in tmp_path.glob("0004-*.keys-z"):
                file.unlink()

    with pytest.raises(GdlError) as caught:
        solve("tictactoe", folder=tmp_path, progress=fold_as_another_process)
    assert str(caught.value) == (
        f"another process solves in {tmp_path}: files are gone that were just there\n"
        "  expected: a folder in which nobody else works, or --shared for all who do\n"
        "  help: the same command goes on from there when the others have ended; to let them "
        "work together begin all of them with --shared (shared=True)"
    )
    assert solve("tictactoe", folder=tmp_path).positions == 5478


def test_a_folder_of_other_things_is_refused(tmp_path: Path) -> None:
    (tmp_path / "letter").touch()
    with pytest.raises(GdlError) as caught:
        solve("tictactoe", folder=tmp_path)
    assert str(caught.value) == (
        f"{tmp_path} is neither empty nor a folder of the solver\n"
        "  expected: an empty folder, a new one, or one in which this game was begun"
    )


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"key": 3}'])
def test_a_head_that_cannot_be_read_is_refused(text: str, tmp_path: Path) -> None:
    (tmp_path / "head.json").write_text(text)
    with pytest.raises(GdlError, match="keeps the layers of another game"):
        solve("tictactoe", folder=tmp_path)


def test_disk_that_is_full_is_refused_and_nothing_is_lost(tmp_path: Path) -> None:
    with pytest.raises(GdlError) as caught:
        solve("tictactoe", folder=tmp_path, limits=WorkLimits(disk=10_000))
    assert str(caught.value).startswith("tictactoe takes more than 10,000 bytes of disk\n")
    assert json.loads((tmp_path / "head.json").read_text())["game"] == "tictactoe"
    assert solve("tictactoe", folder=tmp_path).positions == 5478


def test_the_table_of_a_game_that_may_come_round_is_refused_a_full_disk(tmp_path: Path) -> None:
    solve("morris/three").table.save(tmp_path / "memory")
    needed, work = (tmp_path / "memory").stat().st_size, tmp_path / "work"
    with pytest.raises(GdlError) as caught:
        solve("morris/three", folder=work, limits=WorkLimits(disk=needed))
    assert str(caught.value).startswith(f"morris/three takes more than {needed:,} bytes of disk\n")
    assert not (work / "table").exists()
    enough = needed + (work / "head.json").stat().st_size
    solve("morris/three", folder=work, limits=WorkLimits(disk=enough))
    assert bytes_in(work) == enough


def test_at_no_moment_more_disk_is_taken_than_may_be(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Looked at whenever a file is whole but not yet renamed; and not a byte less would do."""
    monkeypatch.setattr("gdl.solve.table_solver.LEAST_RUN", 50)
    monkeypatch.setattr(disk, "GATHERED", 64)
    monkeypatch.setattr(compression, "FRAME", 16)
    taken: list[int] = []
    synced = os.fsync

    def look(file: int) -> None:
        taken.append(bytes_in(tmp_path / "work"))
        synced(file)

    monkeypatch.setattr(os, "fsync", look)
    solve("tictactoe", folder=tmp_path / "work", limits=SMALL)
    most, folder = max(*taken, bytes_in(tmp_path / "work")), tmp_path / "work"
    for less in (1, 0):
        shutil.rmtree(folder)
        limits = WorkLimits(memory=1 << 10, disk=most - less)
        if less:
            with pytest.raises(GdlError, match="bytes of disk"):
                solve("tictactoe", folder=folder, limits=limits)
        else:
            assert solve("tictactoe", folder=folder, limits=limits).positions == 5478
