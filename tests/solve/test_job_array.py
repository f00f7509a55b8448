"""One folder, many processes: one leads, all help, any may die, be late, or come back."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Iterable
from pathlib import Path

import numpy as np
import pytest

from tests.shared import missing

pytest.importorskip("numba", reason=missing("solve"))
pytest.importorskip("scipy", reason=missing("solve"))

from gdl.circuit.game import GameCircuit
from gdl.language.diagnostics import GdlError
from gdl.native.kernel.packed import Packing
from gdl.solve import compression, job_array, solve
from gdl.solve.compression import shrink_keys
from gdl.solve.disk import Folder, Task, covers
from gdl.solve.job_array import Claims, EndedError, JobArray, LeadLostError
from gdl.solve.limits import FolderError, WorkLimits
from gdl.solve.positions import UnsolvableError
from gdl.solve.sorting import Keys
from gdl.solve.symmetry import Symmetries, find_symmetries
from tests.cli.running import ROOT

BARE = """
(role a) (init (at 0)) (init (step 0)) (succ 0 1) (succ 1 2) (succ 2 3) (succ 3 4) (succ 4 5)
(succ 5 6) (succ 6 7) (succ 7 8) (succ 8 9) (succ 9 10)
(<= (next (step ?j)) (true (step ?i)) (succ ?i ?j)) (legal a go) (legal a stay)
(<= (next (at 1)) (does a go)) (<= (next (at 0)) (does a stay))
(<= terminal (true (step 10))) (<= (goal a 100) (true (at 0)))
"""
"""Where the robot is away at the end it has no goal."""


def aged(file: Path, seconds: float = 1000.0) -> None:
    """Let a file be older."""
    at = time.time() - seconds
    os.utime(file, (at, at))


# Claims -------------------------------------------------------------------------------------------


def test_of_many_one_has_a_claim_until_it_releases_it(tmp_path: Path) -> None:
    one, two = Claims(tmp_path), Claims(tmp_path)
    assert one.take("lead")
    assert not two.take("lead")
    assert (one.has("lead"), two.has("lead")) == (True, False)
    two.release("lead")
    assert one.has("lead"), "nobody gives away what another has"
    one.release("lead")
    assert two.take("lead")
    one.close()
    assert two.has("lead")


def test_a_claim_is_taken_when_its_time_has_stood_still_for_a_lease(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whatever the clocks of the machines say: a file from long ago has a lease to move, too."""
    monkeypatch.setattr(job_array, "LEASE", 0.3)
    dead, alive, other = Claims(tmp_path), Claims(tmp_path), Claims(tmp_path)
    dead.take("first")
    dead._over.set()
    aged(tmp_path / "first")
    alive.take("second")
    assert not other.take("first")
    assert not other.take("second")
    time.sleep(0.5)
    assert other.take("first")
    assert not other.take("second"), "it was renewed meanwhile"
    assert not dead.has("first")
    dead.close()
    assert other.has("first")
    other.close()
    assert sorted(file.name for file in tmp_path.iterdir()) == ["second"]


def test_a_process_that_died_on_this_machine_is_missed_at_once(tmp_path: Path) -> None:
    text = "from gdl.solve.job_array import Claims; Claims(Path(sys.argv[1])).take('lead')"
    code = f"import os, sys; from pathlib import Path; {text}; os._exit(1)"
    subprocess.run([sys.executable, "-c", code, str(tmp_path)], cwd=ROOT, check=False)
    told = json.loads((tmp_path / "lead").read_text())
    elsewhere = json.dumps({**told, "at": "another machine"})
    (tmp_path / "other").write_text(elsewhere)
    claims = Claims(tmp_path)
    assert not claims.take("other"), "its numbers of processes are not ours"
    assert claims.take("lead")


def test_a_claim_that_was_made_anew_is_put_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two see one that is left; the first takes it before the second does."""
    dead, quick, late = Claims(tmp_path), Claims(tmp_path), Claims(tmp_path)
    dead.take("lead")

    def is_left(file: Path) -> bool:
        file.unlink()
        assert quick.take("lead")
        return True

    monkeypatch.setattr(late, "_is_left", is_left)
    assert not late.take("lead")
    assert quick.has("lead")


def test_a_claim_that_is_not_written_yet_says_nothing(tmp_path: Path) -> None:
    (tmp_path / "lead").touch()
    claims = Claims(tmp_path)
    assert claims.said("lead") == {}
    assert not claims.take("lead")


# Parts that fit together --------------------------------------------------------------------------


def folder_of(path: Path, guess: str = "") -> Folder:
    """Return a folder of keys of one word, whose first layer has 30 rows."""
    folder = Folder(path, 1, lambda _: None, guess)
    folder.begin(numbers(range(30)))
    return folder


def numbers(some: Iterable[int]) -> Keys:
    """Return keys of one word."""
    return np.array(sorted(some), np.uint64)[:, None]


def runs(folder: Folder, *bounds: tuple[int, int]) -> None:
    """Write runs as if a row of the first layer led to its own number and the one ten behind it."""
    for start, stop in bounds:
        keys = numbers({row + by for row in range(start, stop) for by in (0, 10)})
        name = f"run-{start:012}-{stop:012}"
        folder._write(folder._file(1, name), shrink_keys(keys))


@pytest.mark.parametrize(
    ("parts", "whole"),
    [
        ([(0, 30)], True),
        ([(0, 10), (10, 30)], True),
        ([(5, 30), (0, 8), (7, 9)], True),
        ([], False),
        ([(0, 29)], False),
        ([(1, 30)], False),
        ([(0, 10), (11, 30)], False),
    ],
)
def test_parts_that_overlap_are_whole_and_those_with_a_gap_are_not(
    parts: list[tuple[int, int]], *, whole: bool
) -> None:
    assert covers(parts, 0, 30) is whole


@pytest.mark.parametrize("frame", [1, 3, 1 << 16])
@pytest.mark.parametrize("parts", [1, 2, 3, 7])
def test_runs_that_overlap_are_merged_to_the_same_layer(
    parts: int, frame: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(compression, "FRAME", frame)
    folder = folder_of(tmp_path)
    runs(folder, (0, 12), (9, 20), (20, 30), (0, 5))
    count = folder.grow(lambda tasks: _merge(folder, tasks), 0, -1, lambda _: parts)
    assert count == 40
    assert folder._slice(1, 0, count).ravel().tolist() == list(range(40))
    assert folder._slice(1, 8, 21).ravel().tolist() == list(range(8, 21))
    assert not list(tmp_path.glob("*.run-*"))


def _merge(folder: Folder, tasks: list[Task]) -> None:
    for task in tasks:
        if task.what == "range":
            folder._write(folder._of(task), shrink_keys(folder._merged(task)))


def test_a_layer_is_not_merged_when_a_run_is_gone(tmp_path: Path) -> None:
    """Another process leads, is further on, and has begun to remove them."""
    folder = folder_of(tmp_path)
    runs(folder, (0, 12), (20, 30))
    with pytest.raises(FileNotFoundError, match="another process is further on"):
        folder.grow(lambda tasks: _merge(folder, tasks), 0, -1, lambda _: 2)
    assert not list(tmp_path.glob("0001.keys*"))


def test_a_range_by_other_bounds_is_neither_made_nor_taken(tmp_path: Path) -> None:
    """A process that was taken for dead writes a longer run while others merge."""
    folder = folder_of(tmp_path)
    runs(folder, (0, 10), (10, 20), (20, 30))
    seen: list[Task] = []

    def late(tasks: list[Task]) -> None:
        for task in tasks:
            if task.what == "range":
                if task.start == 1:
                    runs(folder, (0, 30))
                seen.append(task)
                folder._write(folder._of(task), shrink_keys(folder._merged(task)))

    with pytest.raises(FileNotFoundError, match="another process is further on"):
        folder.grow(late, 0, -1, lambda _: 3)
    assert [task.start for task in seen] == [0, 1]
    assert folder.grow(lambda tasks: _merge(folder, tasks), 0, -1, lambda _: 3) == 40


def test_values_are_not_put_together_when_a_part_is_gone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("gdl.solve.disk.PART", 10)
    folder = folder_of(tmp_path)
    for start in (0, 20):
        folder._write(
            folder._file(0, f"part-{start:012}-{start + 10:012}"), [np.zeros(30, np.uint8)]
        )
    with pytest.raises(FileNotFoundError, match="another process is further on"):
        folder._value(lambda _: None, 0)


def test_files_of_an_earlier_guess_are_not_those_of_a_later_one(tmp_path: Path) -> None:
    """States are written in other ways then: who has not heard of it writes where nobody reads."""
    earlier, later = folder_of(tmp_path, guess="1f"), folder_of(tmp_path, guess="2e")
    runs(earlier, (0, 30))
    with pytest.raises(FileNotFoundError, match="some are gone"):
        later.grow(lambda _: None, 0, -1, lambda _: 1)
    later.clear()
    assert earlier.grow(lambda tasks: _merge(earlier, tasks), 0, -1, lambda _: 1) == 40
    earlier.clear()
    assert not list(tmp_path.glob("[0-9]*"))


def test_what_is_left_of_tasks(tmp_path: Path) -> None:
    folder = folder_of(tmp_path)
    tasks = [Task("run", 0, start, start + 10) for start in (0, 10, 20)]
    assert folder.left(tasks) == tasks
    runs(folder, (0, 5), (5, 10), (20, 25))
    assert folder.left(tasks) == tasks[1:]
    folder._write(folder._packed(1), shrink_keys(numbers(range(40))))
    assert folder.left(tasks) == []


# Who leads ----------------------------------------------------------------------------------------


def test_the_first_leads_and_others_do_what_it_posts(tmp_path: Path) -> None:
    folder, done = folder_of(tmp_path), list[Task]()
    first, second = JobArray(tmp_path), JobArray(tmp_path)
    assert first.wait(lambda _: False) is None
    tasks = [Task("run", 0, 0, 10), Task("run", 0, 10, 30)]
    claim = "-run-0-0-10--1"
    second.claims.take(claim)

    def helped() -> None:
        """What the other does while the first waits for it."""
        if folder.left(tasks[:1]):
            runs(folder, (0, 10))
            second.claims.release(claim)

    def do(task: Task) -> float:
        done.append(task)
        runs(folder, (task.start, task.stop))
        return 1.0

    first.crew(folder, do, lambda seconds: helped() if not seconds else None)(tasks)
    assert done == tasks[1:]


def test_who_was_taken_for_dead_does_not_lead_on(tmp_path: Path) -> None:
    folder = folder_of(tmp_path)
    first, second = JobArray(tmp_path), JobArray(tmp_path)
    assert first.wait(lambda _: False) is None
    assert second.claims.take("lead", freed_by=first.claims.me)
    with pytest.raises(LeadLostError):
        first.crew(folder, lambda _: 1.0, lambda _: None)([Task("run", 0, 0, 30)])
    first.end(way="count", layers=3, bits=5)
    assert second.claims.said("lead")["by"] == second.claims.me
    assert "way" not in second.claims.said("lead")


def test_of_two_that_see_that_one_gave_up_one_leads(tmp_path: Path) -> None:
    first, second, late = (JobArray(tmp_path) for _ in range(3))
    assert first.wait(lambda _: False) is None
    first.end(ended="no goal")
    assert second.wait(lambda _: False) is None
    assert not late.claims.take("lead", freed_by=first.claims.me), "it has looked before the second"
    assert second.claims.has("lead")


def test_who_was_taken_for_dead_writes_over_nothing_that_others_found_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It was stopped as it looked for symmetries; who led meanwhile had time for none."""
    looked = 0

    def find(circuit: GameCircuit, packing: Packing, counted: tuple[bool, ...]) -> Symmetries:
        nonlocal looked
        looked += 1
        found = find_symmetries(circuit, packing, counted)
        told = tmp_path / "work" / "jobs" / "lead"
        other = Claims(told.parent)
        assert other.take("lead", freed_by=json.loads(told.read_text())["by"])
        head = {"key": key, "game": "hex", "seen": [], "symmetries": [], "guesses": 0}
        head |= {"is_counted": True, "is_clocked": False, "is_plain": True}
        (tmp_path / "work" / "head.json").write_text(json.dumps(head))
        other.close()
        return found

    solve("hex?size=2", folder=tmp_path / "before")
    key = json.loads((tmp_path / "before" / "head.json").read_text())["key"]
    monkeypatch.setattr("gdl.solve.table_solver.find_symmetries", find)
    found = solve("hex?size=2", folder=tmp_path / "work", shared=True)
    assert (looked, found.table.head.symmetries) == (1, ())
    assert json.loads((tmp_path / "work" / "head.json").read_text())["symmetries"] == []


@pytest.mark.later
def test_positions_of_other_symmetries_are_not_mixed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """How many are found depends on how fast a machine is, and two may say theirs at once."""
    whole, value = solve("hex?size=3", symmetries=False).table, Folder.value

    def killed(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(Folder, "value", killed)
    with pytest.raises(KeyboardInterrupt):
        solve("hex?size=3", folder=tmp_path / "work", shared=True)
    monkeypatch.setattr(Folder, "value", value)
    head = tmp_path / "work" / "head.json"
    said = json.loads(head.read_text())
    assert said["symmetries"]
    head.write_text(json.dumps(said | {"symmetries": []}))
    found = solve("hex?size=3", folder=tmp_path / "work", shared=True).table
    assert found.keys.tolist() == whole.keys.tolist()
    assert found.values.tolist() == whole.values.tolist()
    head.write_text(json.dumps(said))
    (tmp_path / "work" / "table").unlink()
    (tmp_path / "work" / "jobs" / "lead").unlink()
    found = solve("hex?size=3", folder=tmp_path / "work", shared=True).table
    found.save(tmp_path / "found")
    solve("hex?size=3").table.save(tmp_path / "memory")
    assert (tmp_path / "found").read_bytes() == (tmp_path / "memory").read_bytes()


def test_a_folder_in_which_another_begins_just_now_is_no_other_one(tmp_path: Path) -> None:
    """What tells which game it is of is being written, or never was to the end."""
    (tmp_path / ".head.json.k3j2").write_text('{"key": "12')
    (tmp_path / "jobs").mkdir()
    assert solve("tictactoe", folder=tmp_path, shared=True).positions == 5478
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "letter").touch()
    with pytest.raises(FolderError, match="neither empty nor a folder of the solver"):
        solve("tictactoe", folder=tmp_path / "other", shared=True)


def test_those_who_helped_hear_why_the_leader_gave_up(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(job_array, "PAUSE", 0.0)
    first, second = JobArray(tmp_path), JobArray(tmp_path)
    assert first.wait(lambda _: False) is None
    first.claims.say("tasks.json", tasks=[])

    def give_up(_: object) -> bool:
        first.end(ended="tictactoe takes more than 10 bytes of disk")
        return False

    with pytest.raises(EndedError) as caught:
        second.wait(give_up)
    assert str(caught.value) == (
        "the process that led gave up: tictactoe takes more than 10 bytes of disk\n"
        "  help: the same command goes on from here"
    )
    assert JobArray(tmp_path).wait(lambda _: False) is None, "who comes later tries it once more"


def test_what_one_of_many_refuses_is_refused_in_words(tmp_path: Path) -> None:
    (tmp_path / "game.kif").write_text(BARE)
    for _ in range(2):
        with pytest.raises(UnsolvableError) as caught:
            solve(tmp_path / "game.kif", folder=tmp_path / "work", shared=True)
        assert str(caught.value).startswith("the rules give a no single goal where play can end\n")


@pytest.mark.later
def test_a_folder_that_is_done_is_read(tmp_path: Path) -> None:
    """By whoever of an array comes last, also where play comes round and one did all."""
    for game in ("tictactoe", "morris/three"):
        work = tmp_path / game.replace("/", "-")
        found = [solve(game, folder=work, shared=True) for _ in range(2)]
        assert {(each.positions, each.way, each.layers, each.bits) for each in found} == {
            (found[0].positions, found[0].way, found[0].layers, found[0].bits)
        }
        assert solve(game, folder=work, shared=True, limits=WorkLimits(memory=1)).positions
        table = (work / "table").read_bytes()
        (work / "table").unlink()
        solve(game, folder=work, shared=True)
        assert (work / "table").read_bytes() == table, "what somebody took away is made again"


def test_a_shared_folder_of_another_game_is_refused(tmp_path: Path) -> None:
    solve("tictactoe", folder=tmp_path, shared=True)
    with pytest.raises(GdlError, match="keeps the layers of another game"):
        solve("morris/three", folder=tmp_path, shared=True)


@pytest.mark.later
def test_a_folder_of_another_version_of_the_solver_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    solve("tictactoe", folder=tmp_path)
    monkeypatch.setattr("gdl.solve.table_solver._own_code", lambda: "another")
    with pytest.raises(FolderError, match="expected: those of tictactoe, by the same rules and"):
        solve("tictactoe", folder=tmp_path)


def test_sharing_needs_a_folder_and_no_workers_of_its_own(tmp_path: Path) -> None:
    with pytest.raises(GdlError) as caught:
        solve("tictactoe", shared=True)
    assert str(caught.value) == (
        "several workers need a folder to work in\n  help: solve(..., folder=...), or --folder"
    )
    with pytest.raises(GdlError) as caught:
        solve("tictactoe", folder=tmp_path, workers=2, shared=True)
    assert str(caught.value) == (
        "processes that share a folder are begun one by one, and have no workers of their own\n"
        "  help: leave out workers and ray, and begin more of them"
    )


@pytest.mark.slow
@pytest.mark.parametrize("count", [1, 2, 3])
def test_any_number_of_processes_make_the_same_table(count: int, tmp_path: Path) -> None:
    words = [sys.executable, "-m", "tests.solve.sharing", "hex?size=3", str(tmp_path / "work"), "9"]
    array = [
        subprocess.Popen(words, cwd=ROOT, stdout=subprocess.PIPE, text=True) for _ in range(count)
    ]
    told = [process.communicate()[0].split() for process in array]
    assert [each[:4] for each in told] == [["count", "10", "5514", "19"]] * count
    solve("hex?size=3").table.save(tmp_path / "memory")
    assert (tmp_path / "work" / "table").read_bytes() == (tmp_path / "memory").read_bytes()


@pytest.mark.slow
def test_an_array_that_is_killed_and_stopped_fifty_times_makes_the_same_table(
    tmp_path: Path,
) -> None:
    words = [sys.executable, "-m", "tests.solve.sharing_killed", str(tmp_path), "50", "7"]
    ran = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stderr
    assert ran.stdout.startswith("50 killed or stopped, ")
