"""``gdl cache``: what is kept on disk, and how to be rid of it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from gdl._cache import cached, digest
from gdl._cache_space import entries
from gdl.cli.cache import CONTENT
from tests.cli.running import gdl
from tests.shared import needs

KINDS = ("circuit", "kernel64", "kernel256", "toml")


@pytest.fixture
def kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A cache of four entries, of which the circuit is the oldest; and a file of somebody else."""
    folder = tmp_path / "kept"
    monkeypatch.setenv("GDL_CACHE", str(folder))
    monkeypatch.delenv("GDL_CACHE_LIMIT", raising=False)
    monkeypatch.setenv("TZ", "UTC")
    for day, kind in enumerate(KINDS):
        path = folder / f"{digest([kind])}.{kind}"
        cached(path.name, bytes, lambda: b"", folder=folder)
        path.write_bytes(bytes(2048))
        os.utime(path, (86400 * day, 86400 * day))
    (folder / "mine.txt").write_text("mine")
    return folder


def test_it_tells_where_and_how_much(kept: Path) -> None:
    ran = gdl("cache")
    assert (ran.code, ran.err) == (0, "")
    assert ran.out == (
        f"{kept}: 4 entries, 8.0 KiB, at most 1.0 GiB (GDL_CACHE_LIMIT)\n"
        "\n"
        "kind      entries      size   last used          what it is\n"
        "circuit         1   2.0 KiB   1970-01-01 00:00   rules as gates\n"
        "kernel          2   4.0 KiB   1970-01-03 00:00   machine code of states and moves\n"
        "toml            1   2.0 KiB   1970-01-04 00:00   manifests\n"
    )


def test_programs_read_it_too(kept: Path) -> None:
    assert json.loads(gdl("cache", "--json").out) == {
        "folder": str(kept),
        "limit": 1 << 30,
        "entries": 4,
        "bytes": 8192,
        "kinds": {
            "circuit": {"entries": 1, "bytes": 2048, "used": 0.0},
            "kernel": {"entries": 2, "bytes": 4096, "used": 172800.0},
            "toml": {"entries": 1, "bytes": 2048, "used": 259200.0},
        },
        "removed": {"entries": 0, "bytes": 0},
    }


def test_keep_removes_the_longest_unused(kept: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GDL_CACHE_LIMIT", "none")
    ran = gdl("cache", "--keep", "5K")
    assert ran.out.splitlines()[:2] == [
        "Removed 2 entries, 4.0 KiB.",
        f"{kept}: 2 entries, 4.0 KiB, no limit (GDL_CACHE_LIMIT)",
    ]
    assert {path.suffix for path in kept.iterdir()} == {".kernel256", ".toml", ".txt"}
    said = json.loads(gdl("cache", "--keep", "2K", "--json").out)
    assert said["removed"] == {"entries": 1, "bytes": 2048}
    assert said["limit"] is None


def test_clear_removes_what_is_ours(kept: Path) -> None:
    assert gdl("cache", "--clear").out == (
        "Removed 4 entries, 8.0 KiB.\n"
        f"{kept}: 0 entries, 0 bytes, at most 1.0 GiB (GDL_CACHE_LIMIT)\n"
    )
    assert [path.name for path in kept.iterdir()] == ["mine.txt"]


def test_a_cache_that_is_off(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GDL_CACHE", "")
    assert gdl("cache", "--clear").out == (
        "The cache is turned off: GDL_CACHE is empty. Nothing is kept.\n"
    )
    said = json.loads(gdl("cache", "--json").out)
    assert (said["folder"], said["entries"]) == (None, 0)


def test_wishes_that_make_no_sense(kept: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    expected = "  expected: a number of bytes, or of K, M, G or T (powers of 1024), or none\n"
    ran = gdl("cache", "--keep", "little")
    assert (ran.code, ran.out) == (2, "")
    assert ran.err == "error: --keep is 'little', which is no size\n" + expected
    ran = gdl("cache", "--keep", "1M", "--clear")
    assert (ran.code, ran.err) == (
        2,
        "error: --clear and --keep are two wishes\n  expected: one of them\n",
    )
    monkeypatch.setenv("GDL_CACHE_LIMIT", "much")
    ran = gdl("cache", "--clear")
    assert (ran.code, ran.err) == (
        2,
        "error: GDL_CACHE_LIMIT is 'much', which is no size\n" + expected,
    )
    assert len(list(kept.iterdir())) == 5, "nothing was removed"


EVERYTHING = """
import gdl
from gdl.adapters import vector
from gdl.play import Budget, choose, make
from gdl.solve import solve
game = gdl.load("tictactoe", backend="native")
solve(game)
game.playouts(1)
game.playouts(10_000)
choose(make("mcts"), game.initial(), Budget(simulations=10), role="x")
vector.env(game, 64).observations
"""


@pytest.mark.slow
@needs("solve")
@needs("play")
def test_all_that_is_kept_is_counted_and_called_by_its_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GDL_CACHE", str(tmp_path))
    subprocess.run([sys.executable, "-c", EVERYTHING], check=True, timeout=300)
    kinds = {entry.kind for entry in entries(tmp_path)}
    assert len(entries(tmp_path)) == len(list(tmp_path.iterdir()))
    assert {"lanes", "packed", "search", "toml"} <= kinds
    assert kinds <= CONTENT.keys()
