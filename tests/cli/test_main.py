"""The program as a whole: what it says of itself, and how it leaves."""

from __future__ import annotations

import re
import subprocess
import sys

import pytest

import gdl as gdl_package
from gdl.cli.main import COMMANDS
from tests.cli.running import ROOT, gdl, surroundings

NAMES = [each.__name__.replace("_", "-") for listed in COMMANDS.values() for each in listed]


def test_alone_it_shows_what_it_is_for() -> None:
    ran = gdl()
    assert (ran.code, ran.err) == (0, "")
    assert ran.out.startswith(
        "gdl reads, checks, explains and plays games in the Game Description Language.\n"
    )
    for part in ("gdl play pentago/strict", "gomoku/freestyle", "tictactoe", "gdl --help"):
        assert part in ran.out


def test_help_names_every_command() -> None:
    ran = gdl("--help")
    assert (ran.code, ran.err) == (0, "")
    listed = {words[1] for line in ran.out.splitlines() if len(words := line.split()) > 1}
    assert set(NAMES) <= listed


@pytest.mark.sample(6)
@pytest.mark.parametrize("name", NAMES)
def test_help_of_a_command_teaches_by_example(name: str) -> None:
    ran = gdl(name, "--help")
    assert (ran.code, ran.err) == (0, "")
    _, _, examples = ran.out.partition("Examples:")
    assert examples.lstrip().startswith((f"gdl {name}", "cat "))


@pytest.mark.sample(6)
@pytest.mark.parametrize("name", NAMES)
def test_help_fits_a_narrow_terminal(name: str) -> None:
    ran = gdl(name, "--help", columns=40)
    assert ran.code == 0
    assert max(map(len, ran.out.splitlines())) <= 40


def test_version() -> None:
    ran = gdl("--version")
    assert (ran.code, ran.err) == (0, "")
    assert re.fullmatch(r"gdl( \d+\.\d+\S*|, run from a checkout that is not installed)\n", ran.out)
    assert gdl_package.__version__ in {ran.out.removeprefix("gdl ").strip(), "0+unknown"}


@pytest.mark.parametrize("words", [["chekc"], ["show"], ["perft", "tictactoe", "x"], ["--no"]])
def test_a_command_line_that_makes_no_sense_exits_with_2(words: list[str]) -> None:
    ran = gdl(*words)
    assert (ran.code, ran.out) == (2, "")
    assert "Usage: gdl" in ran.err


def test_help_imports_nothing_heavy() -> None:
    script = (
        "import sys; from gdl.cli.main import main; main(['--help']); "
        "heavy = {'lark', 'gdl.reason', 'gdl._engine', 'engine', 'numpy', 'gdl.play'}; "
        "sys.exit(' '.join(heavy & sys.modules.keys()))"
    )
    done = subprocess.run(
        [sys.executable, "-c", script],
        capture_output=True,
        cwd=ROOT,
        env=surroundings(),
        text=True,
        check=False,
    )
    assert done.stderr == "\n"
    assert "Usage: gdl" in done.stdout
