"""The board in the terminal: aligned, marked where it changed, readable without colour."""

from __future__ import annotations

from pathlib import Path

import pytest

from gdl.cli.positions.picture import draw_scene
from gdl.language.parse import parse_term
from gdl.language.source import display_width
from gdl.ruleset import Scene, find
from tests.cli.conftest import PENNIES
from tests.cli.running import gdl

BOARDS = ["connectfour", "gomoku/freestyle", "pentago/classic", "pentago/strict", "tictactoe"]


def scene(name: str, *facts: str) -> Scene:
    drawn = find(name).scene([parse_term(fact) for fact in facts], before=())
    assert drawn is not None
    return drawn


@pytest.mark.parametrize("name", BOARDS)
@pytest.mark.parametrize(("variable", "term"), [("NO_COLOR", "dumb"), ("FORCE_COLOR", "xterm")])
def test_rows_are_as_wide_as_one_another(
    name: str, variable: str, term: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(variable, "1")
    monkeypatch.setenv("TERM", term)
    empty = scene(name)
    layout = empty.picture.boards[0]
    count = len(layout.rows) + len(layout.row_breaks)
    lines = draw_scene(empty).plain.splitlines()[1 : 1 + count]
    assert len({display_width(line) for line in lines}) == 1


def test_what_changed_has_a_sign_where_there_is_no_colour(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    assert draw_scene(scene("tictactoe", "(cell a 1 x)", "(control o)")).plain == (
        "  a b c\n3 · · ·\n2 · · ·\n1>X · ·\n\n(control o)"
    )


def test_a_position_is_written_as_svg(tmp_path: Path) -> None:
    path = tmp_path / "board.svg"
    assert gdl("show", "tictactoe", "--moves", "b2", "--svg", str(path)).code == 0
    assert "<title>b 2: X</title>" in path.read_text("utf-8")


def test_rules_without_a_picture_are_no_svg(tmp_path: Path) -> None:
    rules = tmp_path / "pennies.kif"
    rules.write_text(PENNIES)
    ran = gdl("show", str(rules), "--svg", str(tmp_path / "board.svg"))
    assert ran.err == (
        f"error: --svg: {rules} has no picture\n  expected: a ruleset whose manifest has one\n"
    )
    assert not (tmp_path / "board.svg").exists()
