"""The board in the terminal: aligned, marked where it changed, readable without colour."""

from __future__ import annotations

import pytest

from gdl.cli.positions.picture import draw_scene
from gdl.language.parse import parse_term
from gdl.language.source import display_width
from gdl.ruleset import Scene, find

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
