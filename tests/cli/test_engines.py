"""The reference engines are found in a checkout and in an installed package, and no others are."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from engine import GAMES
from tests.cli.running import ROOT

ASK = """
import sys
from gdl.cli.comparing.engines import engines
games = engines()
assert games is engines()
assert "engine" not in sys.modules
print(sys.modules["gdl._engine"].__path__[0])
print(*games)
"""


@pytest.mark.parametrize("is_installed", [False, True])
def test_a_package_of_somebody_else_is_never_taken(tmp_path: Path, *, is_installed: bool) -> None:
    foreign = tmp_path / "foreign" / "engine"
    foreign.mkdir(parents=True)
    (foreign / "__init__.py").write_text("raise SystemExit('somebody else')")
    home, expected = ROOT, ROOT / "engine"
    if is_installed:
        home = tmp_path / "site"
        ignored = shutil.ignore_patterns("__pycache__")
        shutil.copytree(ROOT / "gdl", home / "gdl", ignore=ignored)
        expected = home / "gdl" / "_engine"
        shutil.copytree(ROOT / "engine", expected, ignore=ignored)
    done = subprocess.run(
        [sys.executable, "-c", ASK],
        capture_output=True,
        cwd=foreign.parent,
        env={**os.environ, "PYTHONPATH": os.pathsep.join([str(foreign.parent), str(home)])},
        text=True,
        check=False,
    )
    assert done.stderr == ""
    assert done.stdout.splitlines() == [str(expected), " ".join(GAMES)]


def test_the_wheel_installs_one_package() -> None:
    build = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["hatch"]["build"]
    wheel = build["targets"]["wheel"]
    assert wheel["packages"] == ["gdl"]
    taken = dict(wheel["force-include"])
    assert (taken.pop("engine"), taken.pop("rulesets")) == ("gdl/_engine", "gdl/_rulesets")
    assert taken  # the pages that errors and help name
    for page, place in taken.items():
        assert (ROOT / page).is_file()
        assert place == page.replace("docs/", "gdl/_docs/")
