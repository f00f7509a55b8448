"""The plugin of pytest: files of tests of games are collected, and fail in words."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.running import ROOT, surroundings
from tests.testing.test_command import PASSING, RULES


def ran(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    """Run pytest as others do, in a folder of their own."""
    loaded = ["-p", "gdl.testing.plugin", "-p", "no:cacheprovider"]
    return subprocess.run(
        [sys.executable, "-m", "pytest", *loaded, *words],
        cwd=folder,
        env={
            **surroundings(),
            "PYTHONPATH": str(ROOT),
            "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1",
            "PYTEST_ADDOPTS": "",
        },
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "mine.kif").write_text(RULES, encoding="utf-8")
    (tmp_path / "mine.test.toml").write_text(PASSING, encoding="utf-8")
    return tmp_path


@pytest.mark.slow
def test_a_file_is_collected(folder: Path) -> None:
    done = ran(folder, "-v", "-rs")
    assert done.returncode == 0
    assert "mine.test.toml::three steps are enough PASSED" in done.stdout
    assert "mine.test.toml::for later SKIPPED (nobody knows yet)" in done.stdout
    assert "3 passed, 1 skipped" in done.stdout


@pytest.mark.slow
def test_a_failure_is_shown_at_its_place_without_python(folder: Path) -> None:
    text = PASSING.replace('legal = ["up", "back"]', 'legal = ["up"]')
    (folder / "mine.test.toml").write_text(text, encoding="utf-8")
    done = ran(folder)
    assert done.returncode == 1
    shown = done.stdout.partition("= FAILURES =")[2]
    line = text[: text.index("legal =")].count("\n") + 1
    assert f":{line}:1: error[test-failed]: these are not the legal moves of r" in shown
    assert "  note: legal too: back" in shown
    assert "gdl/testing" not in shown.partition("short test summary")[0]


@pytest.mark.slow
def test_a_file_that_cannot_be_used_is_an_error(folder: Path) -> None:
    (folder / "mine.test.toml").write_text("gane = 1\n", encoding="utf-8")
    done = ran(folder)
    assert done.returncode == 2
    assert "error[unknown-key]: gane means nothing here" in done.stdout


def test_who_has_no_such_file_loads_nothing_of_it() -> None:
    code = (
        "import sys, gdl.testing.plugin; "
        "print([name for name in sys.modules if name.startswith('gdl.')])"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=ROOT
    )
    assert done.stdout == "['gdl._lazy', 'gdl.testing', 'gdl.testing.plugin']\n"


@pytest.mark.slow
def test_other_plugins_may_ask_an_item_for_its_fixtures(folder: Path) -> None:
    """As those of pytest-lsp do, which take an item without an answer for their own fault."""
    asks = "def pytest_runtest_call(item):\n    assert item.funcargs == {}\n"
    (folder / "conftest.py").write_text(asks, encoding="utf-8")
    assert ran(folder).returncode == 0
