"""`gdl.testing.check`: it is silent about sound games, and each of its checks can fail."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import pytest

import gdl
import gdl.testing
from gdl.language.syntax import Constant
from gdl.ruleset.notation import Form, Notation
from gdl.testing.soundness import UnsoundGameError
from tests.testing.test_command import PASSING, RULES

END = "terminal (true (count 3))"
WHEEL = (
    ("(succ 2 3)", "(succ 2 3) (succ 3 0)"),
    (END, "terminal (true z)"),
)
STUCK = (
    ("(legal r up) (true (count ?n))", "(legal r up) (true (count ?n)) (succ ?n ?m)"),
    ("(legal r back) (true (count ?n))", "(legal r back) (true (count ?n)) (succ ?n ?m)"),
    (END, "terminal (true (count 4))"),
)
GREEDY = (("(goal r 100) (true (count 3))", "(goal r ?v) (true (count 3)) (best ?v)) (best 101"),)


def game(tmp_path: Path, *changes: tuple[str, str]) -> Path:
    """Return the path of the rules, some of them changed."""
    path, text = tmp_path / "mine.kif", RULES
    for old, new in changes:
        assert old in text
        text = text.replace(old, new)
    path.write_text(text, encoding="utf-8")
    return path


def test_a_sound_game(tmp_path: Path) -> None:
    gdl.testing.check(game(tmp_path))


@pytest.mark.parametrize("name", ["tictactoe", "rockpaperscissors", "kuhnpoker"])
def test_a_shipped_game(name: str) -> None:
    gdl.testing.check(name, games=2)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ((("(legal r back)", "(legal ?x back)"),), "error[unsafe-variable]"),
        (
            (("(<= (goal r 0) (not terminal))", "(goal r 0)"),),
            "over, and r has 2 goals",
        ),
        ((("(<= (goal r 100) (true (count 3)))", ""),), "the game is over, and r has no goals"),
        (GREEDY, "a goal of r is not from 0 to 100: 101"),
        (STUCK, "r has no legal move, and the game goes on"),
        (WHEEL, "a random play is not over after 50 moves"),
    ],
)
def test_what_is_wrong(tmp_path: Path, changes: tuple[tuple[str, str], ...], message: str) -> None:
    with pytest.raises(UnsoundGameError) as caught:
        gdl.testing.check(game(tmp_path, *changes), max_plies=50)
    assert message in str(caught.value)
    assert isinstance(caught.value, AssertionError)


def test_a_notation_that_writes_two_moves_alike(tmp_path: Path) -> None:
    loaded = gdl.load(game(tmp_path), backend="reason")
    forms = (Form(Constant("back"), ("step",)), Form(Constant("up"), ("step",)))
    shown = dataclasses.replace(loaded.ruleset.presentation, notation=Notation(forms))
    ruleset = dataclasses.replace(loaded.ruleset, presentation_source=shown)
    with pytest.raises(gdl.GdlError, match="2 moves are written so"):
        gdl.testing.check(ruleset)


def test_its_own_tests_count(tmp_path: Path) -> None:
    path = game(tmp_path)
    tests = tmp_path / "mine.test.toml"
    tests.write_text(PASSING, encoding="utf-8")
    gdl.testing.check(path)
    tests.write_text(PASSING.replace("r = 100", "r = 50"), encoding="utf-8")
    with pytest.raises(UnsoundGameError, match="the goal of r is 100, not 50"):
        gdl.testing.check(path)
