"""Machine code of the search is that of the modules as they are, also of those that it calls."""

from __future__ import annotations

import importlib
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.shared import missing

pytest.importorskip("numba", reason=missing("play"))

import gdl.play
from gdl.native import jit
from gdl.native.jit import code_folder
from gdl.play import lanes, tree_search


def test_what_another_module_says_decides_where_code_is_kept(tmp_path: Path) -> None:
    (tmp_path / "caller.py").write_text("one = 1\n")
    (tmp_path / "called.py").write_text("two = 2\n")
    before = code_folder(tmp_path)
    assert code_folder(tmp_path) == before
    (tmp_path / "called.py").write_text("two = 22\n")
    assert code_folder(tmp_path) != before


def test_what_is_called_in_another_room_decides_where_code_is_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    called, caller = (
        tmp_path / "gdl" / "play" / "called.py",
        tmp_path / "gdl" / "learn" / "caller.py",
    )
    maker = tmp_path / "gdl" / "native" / "jit.py"
    for path in (called, caller, maker):
        path.parent.mkdir(parents=True)
        path.write_text("\nfrom gdl.native.jit import compiled\n")
    monkeypatch.setattr(jit, "__file__", str(maker))
    alone = code_folder(caller.parent)
    called.write_text("\nfrom gdl.native.jit import compiled, entry\n")
    assert code_folder(caller.parent) == alone
    caller.write_text("\nfrom gdl.native.jit import compiled\nfrom gdl.play.called import once\n")
    before = code_folder(caller.parent)
    called.write_text("\nfrom gdl.native.jit import compiled\n")
    assert code_folder(caller.parent) != before


def test_the_search_keeps_its_code_there(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NUMBA_CACHE_DIR", raising=False)
    folder = code_folder(Path(gdl.play.__file__).parent)
    functions: tuple[Any, ...] = (lanes.mean_goals, tree_search.search)
    for function in functions:
        kept = Path(function.stats.cache_path)
        assert folder in (kept, *kept.parents)


PROGRAM = """
import sys
sys.path.insert(0, sys.argv[1])
from squares import squares
sys.stdin.readline()
squares(10)
print(sum(squares.stats.cache_misses.values()))
"""
SQUARES = """
from gdl.native.jit import compiled, entry

@compiled
def times(a, b):
    return a * b

@entry
@compiled
def squares(n):
    total = times(2, 3) + times(2.0, n)
    for i in range(n):
        total += times(i, i)
    return total
"""


def test_what_constants_a_function_is_called_with_makes_no_code_of_its_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "constants.py").write_text(SQUARES)
    monkeypatch.syspath_prepend(tmp_path)
    module = importlib.import_module("constants")
    assert module.squares(4) == 6 + 8 + 14
    assert [str(signature) for signature in module.times.signatures] == [
        "(int64, int64)",
        "(float64, int64)",
    ]


@pytest.mark.slow
def test_of_two_processes_that_begin_at_once_one_compiles(tmp_path: Path) -> None:
    (tmp_path / "squares.py").write_text(SQUARES)
    command = [sys.executable, "-c", PROGRAM, str(tmp_path)]
    both = [
        subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        for _ in range(2)
    ]
    for process in both:
        assert process.stdin is not None
        process.stdin.write("\n")
        process.stdin.flush()
    assert sorted(process.communicate()[0] for process in both) == ["0\n", "1\n"]
