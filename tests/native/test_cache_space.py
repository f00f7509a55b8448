"""The cache stays small: what was not used for longest goes first, and nothing else ever goes."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from gdl import _cache
from gdl._cache import cached, digest
from gdl._cache_space import DEFAULT_LIMIT, entries, parse_size, remove, shrink, size_limit

HOUR = 3600.0


def name(number: int, kind: str = "circuit") -> str:
    return f"{digest([str(number)])}.{kind}"


def put(folder: Path, number: int, *, size: int = 1000, age: float, kind: str = "circuit") -> Path:
    path = folder / name(number, kind)
    path.write_bytes(bytes(size))
    os.utime(path, (time.time() - age, time.time() - age))
    return path


def left(folder: Path) -> set[str]:
    return {path.name for path in folder.iterdir()}


def test_entries_tell_what_they_are(tmp_path: Path) -> None:
    kinds = ["kernel64", "lanes512", "10s.refusal", "toml", "kernel64abc_1z.part"]
    for number, kind in enumerate(kinds):
        put(tmp_path, number, age=10 - number, kind=kind)
    found = entries(tmp_path)
    assert [each.kind for each in found] == ["kernel", "lanes", "refusal", "toml", "unfinished"]
    assert {each.size for each in found} == {1000}
    assert entries(tmp_path / "nowhere") == []


def test_longest_unused_goes_first(tmp_path: Path) -> None:
    for number in range(5):
        put(tmp_path, number, age=(5 - number) * HOUR)
    gone = shrink(tmp_path, 3000)
    assert [each.path.name for each in gone] == [name(0), name(1)]
    assert left(tmp_path) == {name(2), name(3), name(4)}
    assert shrink(tmp_path, 3000) == []
    assert shrink(tmp_path, None) == []


def test_what_is_read_counts_as_used(tmp_path: Path) -> None:
    for number in range(3):
        cached(name(number), int, lambda number=number: number, folder=tmp_path)  # type: ignore[misc]
        age = time.time() - (9 - number) * HOUR
        os.utime(tmp_path / name(number), (age, age))
    assert cached(name(0), int, lambda: -1, folder=tmp_path) == 0
    shrink(tmp_path, 2 * (tmp_path / name(0)).stat().st_size)
    assert left(tmp_path) == {name(0), name(2)}


def test_files_of_others_stay(tmp_path: Path) -> None:
    others = ["thesis.tex", f"{'a' * 63}.circuit", "x.part", f"{'G' * 64}.circuit", ".hidden"]
    for each in others:
        (tmp_path / each).write_text("mine")
        os.utime(tmp_path / each, (0, 0))
    (tmp_path / name(7)).mkdir()
    put(tmp_path, 1, age=HOUR)
    shrink(tmp_path, 0)
    assert left(tmp_path) == {*others, name(7)}
    assert [each.path.name for each in remove(entries(tmp_path))] == []


def test_what_killed_writers_left_goes_and_what_is_being_written_stays(tmp_path: Path) -> None:
    abandoned = put(tmp_path, 1, age=2 * HOUR, kind="circuitab12.part")
    young = put(tmp_path, 2, age=1, kind="circuitcd34.part")
    assert [each.path for each in shrink(tmp_path, None)] == [abandoned]
    shrink(tmp_path, 0)
    assert left(tmp_path) == {young.name}


def test_writing_keeps_to_the_limit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GDL_CACHE_LIMIT", "10K")
    monkeypatch.setattr(_cache, "LOOK_AFTER", 1)
    for number in range(30):
        content = bytes([number]) * 1000
        assert cached(name(number), bytes, lambda c=content: c, folder=tmp_path) == content  # type: ignore[misc]
        os.utime(tmp_path / name(number), (number + 1, number + 1))
    assert 8000 < sum(each.size for each in entries(tmp_path)) <= 10 * 1024
    assert name(29) in left(tmp_path)
    assert name(0) not in left(tmp_path)


def test_the_first_writing_of_a_process_looks(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GDL_CACHE_LIMIT", "4K")
    for number in range(9):
        put(tmp_path, number, age=(9 - number) * HOUR)
    cached(name(100), str, lambda: "new", folder=tmp_path)
    assert left(tmp_path) == {*map(name, (5, 6, 7, 8)), name(100)}


def test_what_is_larger_than_the_limit_is_not_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GDL_CACHE_LIMIT", "4K")
    put(tmp_path, 1, age=HOUR)
    assert cached(name(2), bytes, lambda: bytes(9000), folder=tmp_path) == bytes(9000)
    assert left(tmp_path) == {name(1)}, "nothing else has to go for it"


def test_many_at_once_remove_nothing_twice(tmp_path: Path) -> None:
    for number in range(200):
        put(tmp_path, number, age=HOUR + number)
    with ThreadPoolExecutor(8) as pool:
        gone = [
            each.path for those in pool.map(shrink, [tmp_path] * 8, [5000] * 8) for each in those
        ]
    assert len(gone) == len(set(gone)) == 195
    assert len(left(tmp_path)) == 5


WRITER = """
import sys
from pathlib import Path
from gdl import _cache
_cache.LOOK_AFTER = 1
folder, number = Path(sys.argv[1]), 0
while True:
    number += 1
    name = f"{_cache.digest([sys.argv[2], str(number)])}.circuit"
    _cache.cached(name, bytes, lambda: bytes(1000), folder=folder)
    assert _cache.cached(name, bytes, lambda: bytes(1000), folder=folder) == bytes(1000)
    print(number, flush=True)
"""


@pytest.mark.skipif(os.name != "posix", reason="signals")
def test_processes_at_once_that_are_killed_leave_a_cache_that_works(tmp_path: Path) -> None:
    environment = {**os.environ, "GDL_CACHE_LIMIT": "20K"}
    running = [
        subprocess.Popen(
            [sys.executable, "-c", WRITER, str(tmp_path), str(number)],
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        for number in range(3)
    ]
    for process in running:
        assert process.stdout is not None
        for _ in range(40):
            assert process.stdout.readline()
    for process in running:
        process.send_signal(signal.SIGKILL)
        _, errors = process.communicate(timeout=30)
        assert errors == b""
    whole = [each for each in entries(tmp_path) if each.kind == "circuit"]
    assert 0 < sum(each.size for each in whole) <= 23 * 1024, "a write of each may come on top"
    content = object()
    for each in whole:
        assert cached(each.path.name, bytes, lambda: content, folder=tmp_path) == bytes(1000)  # type: ignore[arg-type, return-value]


@pytest.mark.parametrize(
    ("text", "size"),
    [
        ("0", 0),
        ("500", 500),
        ("500M", 500 << 20),
        ("2 GiB", 2 << 30),
        ("1.5k", 1536),
        ("1tb", 1 << 40),
        ("7b", 7),
        ("none", None),
    ],
)
def test_sizes(monkeypatch: pytest.MonkeyPatch, text: str, size: int | None) -> None:
    assert parse_size(text, "size") == size
    monkeypatch.setenv("GDL_CACHE_LIMIT", text)
    assert size_limit() == size


@pytest.mark.parametrize("text", ["much", "-1", "1X", "1e9", "1,5G", "inf"])
def test_a_text_that_is_no_size(text: str) -> None:
    with pytest.raises(ValueError, match="no size") as caught:
        parse_size(text, "GDL_CACHE_LIMIT")
    assert str(caught.value) == (
        f"GDL_CACHE_LIMIT is {text!r}, which is no size\n"
        "  expected: a number of bytes, or of K, M, G or T (powers of 1024), or none"
    )


def test_a_limit_that_cannot_be_read_stops_nobody(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("GDL_CACHE_LIMIT", raising=False)
    assert size_limit() == DEFAULT_LIMIT == 1 << 30
    monkeypatch.setenv("GDL_CACHE_LIMIT", "much")
    with pytest.warns(RuntimeWarning) as caught:
        assert cached(name(1), str, lambda: "text", folder=tmp_path) == "text"
    said = str(caught.pop().message)
    assert said == (
        "GDL_CACHE_LIMIT is 'much', which is no size\n"
        "  expected: a number of bytes, or of K, M, G or T (powers of 1024), or none\n"
        "  note: the limit is 1G until then"
    )
    assert left(tmp_path) == {name(1)}
