"""Positions as pictures: the whole text, for every ruleset."""

import random
from dataclasses import replace

import pytest

import gdl
from gdl.language.syntax import Constant, Term
from gdl.language.template import read_template
from gdl.ruleset import Board, draw_text, find
from gdl.view.mark import Mark
from gdl.view.picture import CellFact, Layout, Picture
from gdl.view.scene import place, scene


def facts(*texts: str) -> list[Term]:
    return [read_template(text) for text in texts]


PICTURES = {
    "pentago/strict": (
        ["(cell e 5 black)", "(cell a 1 white)", "(control black)"],
        """\
  A B C   D E F
1 ● - - │ - - -
2 - - - │ - - -
3 - - - │ - - -
 ───────┼──────
4 - - - │ - - -
5 - - - │ - ○ -
6 - - - │ - - -

○ Black  ● White
(control black)""",
    ),
    "pentago/classic": (
        ["(cell a 1 white)", "(cell f 3 black)", "(cell c 6 white)", "(control white)"],
        """\
  0 1 2   3 4 5
a ● - - │ - - -
b - - - │ - - -
c - - - │ - - ○
 ───────┼──────
d - - - │ - - -
e - - - │ - - -
f - - ● │ - - -

○ Black  ● White
(control white)""",
    ),
    "pentago/phased": (
        [
            "(cellHolds 1 1 1 red)",
            "(cellHolds 1 3 3 black)",
            "(cellHolds 2 1 3 red)",
            "(cellHolds 3 1 1 black)",
            "(cellHolds 4 3 2 red)",
            "(rotateControl red)",
        ],
        """\
  1 2 3   4 5 6
6 ◆ - - │ - - ○
5 - - - │ - - -
4 - - - │ ◆ - -
 ───────┼──────
3 - - - │ - - -
2 - - - │ - - ◆
1 ○ - - │ - - -

◆ Red  ○ Black
(rotateControl red)""",
    ),
    "gomoku/freestyle": (
        ["(cell 0 0 black)", "(cell 14 0 white)", "(cell 3 12 black)", "(control white)"],
        """\
    0  1  2  3  4  5  6  7  8  9 10 11 12 13 14
 0  ○  ·  ·  ·  ·  ·  ·  ·  ·  ·  ·  ·  ·  ·  ●
 1  ·  ·  ·  ·  ·  ·  ·  ·  ·  ·  ·  ·  ·  ·  ·
 2  ·  ·  ·  ·  ·  ·  ·  ·  ·  ·  ·  ·  ·  ·  ·
 3  ·  ·  ·  ·  ·  ·  ·  ·  ·  ·  ·  ·  ·  ·  ·
 4  ·  ·  ·  ·  ·  ·  ·  ·  ·  ·  ·  ·  ·  ·  ·
 5  ·  ·  ·  ·  ·  ·  ·  ·  ·  ·  ·  ·  ·  ·  ·
 6  ·  ·  ·  ·  ·  ·  ·  ·  ·  ·  ·  ·  ·  ·  ·
 7  ·  ·  ·  ·  ·  ·  ·  ·  ·  ·  ·  ·  ·  ·  ·
 8  ·  ·  ·  ·  ·  ·  ·  ·  ·  ·  ·  ·  ·  ·  ·
 9  ·  ·  ·  ·  ·  ·  ·  ·  ·  ·  ·  ·  ·  ·  ·
10  ·  ·  ·  ·  ·  ·  ·  ·  ·  ·  ·  ·  ·  ·  ·
11  ·  ·  ·  ·  ·  ·  ·  ·  ·  ·  ·  ·  ·  ·  ·
12  ·  ·  ·  ○  ·  ·  ·  ·  ·  ·  ·  ·  ·  ·  ·
13  ·  ·  ·  ·  ·  ·  ·  ·  ·  ·  ·  ·  ·  ·  ·
14  ·  ·  ·  ·  ·  ·  ·  ·  ·  ·  ·  ·  ·  ·  ·

○ Black  ● White
(control white)""",
    ),
    "tictactoe": (
        ["(cell a 1 x)", "(cell c 2 o)", "(control x)"],
        """\
  a b c
3 · · ·
2 · · O
1 X · ·

(control x)""",
    ),
    "connectfour": (
        ["(cell 1 1 red)", "(cell 1 2 yellow)", "(cell 7 1 yellow)", "(control red)"],
        """\
  1 2 3 4 5 6 7
6 · · · · · · ·
5 · · · · · · ·
4 · · · · · · ·
3 · · · · · · ·
2 ○ · · · · · ·
1 ● · · · · · ○

● Red  ○ Yellow
(control red)""",
    ),
}


@pytest.mark.parametrize("id_", PICTURES)
def test_picture(id_: str) -> None:
    texts, picture = PICTURES[id_]
    assert find(id_).draw(facts(*texts)) == picture


def test_ascii_picture_with_what_changed() -> None:
    before = facts("(cell a 1 white)", "(cell b 2 black)", "(control black)")
    after = facts("(cell a 3 white)", "(cell b 2 black)", "(cell d 1 black)", "(control white)")
    assert (
        find("pentago/utwente").draw(after, before=before, ascii_only=True)
        == """\
  A B C   D E F
1 - - - |>X - -
2 - X - | - - -
3>O - - | - - -
 -------+------
4 - - - | - - -
5 - - - | - - -
6 - - - | - - -

X Black  O White
(control white)"""
    )


def test_a_board_is_a_value_any_tool_can_draw() -> None:
    ruleset = find("pentago/strict")
    grid = ruleset.board(facts("(cell e 5 black)", "(control white)"))
    assert isinstance(grid, Board)
    assert [len(row) for row in grid.cells] == [6] * 6
    mark = grid.cells[4][4]
    assert mark == Mark("black", "Black", "○", "X", "#303030")
    assert sum(cell is not None for row in grid.cells for cell in row) == 1
    assert (grid.column_breaks, grid.row_breaks) == ((3,), (3,))
    assert list(map(str, grid.rest)) == ["(control white)"]


def test_without_a_picture_the_facts_are_shown() -> None:
    ruleset = find("pentago/strict")
    plain = type(ruleset)("plain", ruleset.paths)
    assert plain.board([]) is None
    assert plain.draw(facts("(step 10)", "(step 9)", "done")) == "done\n(step 9)\n(step 10)"


GRID = Picture(
    boards=(
        Layout(
            columns=(Constant("1"), Constant("2")),
            rows=(Constant("1"), Constant("2")),
            column_labels=("1", "2"),
            row_labels=("1", "2"),
            cells=(
                CellFact(read_template("(cell ?column ?row ?mark)")),
                CellFact(read_template("(wall ?column ?row)"), "wall"),
            ),
        ),
    ),
    marks=(Mark("x", "X", "X", "X"), Mark("wall", "Wall", "█", "#")),
    blank=frozenset({"b"}),
)


def test_blank_fixed_unknown_and_distant_marks() -> None:
    position = facts(
        "(cell 1 1 b)", "(cell 2 1 x)", "(wall 1 2)", "(cell 2 2 queen)", "(cell 3 3 x)"
    )
    assert (
        draw_text(scene(GRID, position))
        == """\
  1 2
1 · X
2 █ q

█ Wall
(cell 3 3 x)"""
    )


@pytest.mark.parametrize(
    "name", ["tictactoe", "gomoku/freestyle", "pentago/strict", "dotsandboxes", "kalah"]
)
def test_a_picture_draws_a_position_as_one_that_has_drawn_nothing_before(name: str) -> None:
    chance = random.Random(7)
    game = gdl.load(name, backend="reason")
    picture = game.ruleset.picture
    assert picture is not None
    state = game.initial()
    for _ in range(5):
        assert place(picture, state.facts) == place(replace(picture), state.facts)
        moves = {role: chance.choice(state.legal(role)) for role in game.roles}
        state = state.play(moves)
    assert picture.placements
    assert not replace(picture).placements
