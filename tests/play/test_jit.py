"""Machine code of the search is that of the modules as they are, also of those that it calls."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.shared import missing

pytest.importorskip("numba", reason=missing("play"))

import gdl.play
from gdl.native.jit import code_folder
from gdl.play import lanes, tree_search


def test_what_another_module_says_decides_where_code_is_kept(tmp_path: Path) -> None:
    (tmp_path / "caller.py").write_text("one = 1\n")
    (tmp_path / "called.py").write_text("two = 2\n")
    before = code_folder(tmp_path)
    assert code_folder(tmp_path) == before
    (tmp_path / "called.py").write_text("two = 22\n")
    assert code_folder(tmp_path) != before


def test_the_search_keeps_its_code_there(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NUMBA_CACHE_DIR", raising=False)
    folder = code_folder(Path(gdl.play.__file__).parent)
    functions: tuple[Any, ...] = (lanes.load_state, tree_search.search)
    for function in functions:
        kept = Path(function.stats.cache_path)
        assert folder in (kept, *kept.parents)
