"""Boards that rules alone show: what a manifest says of a board is found without it."""

from __future__ import annotations

import itertools
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import gdl
from gdl.boards.inference import infer
from gdl.boards.orders import in_row
from gdl.boards.samples import samples
from gdl.language.limits import DEFAULT_LIMITS
from gdl.language.terms import Constant, kif_text
from gdl.ruleset import Ruleset, find
from gdl.ruleset.flatten import flatten
from gdl.view.picture import Picture
from gdl.view.scene import scene
from gdl.view.text import draw_text
from tests.shared import SHARED, needs_games

GRIDS = [
    "amazons/small",
    "breakthrough",
    "chess",
    "checkers/american",
    "clobber",
    "connectfour",
    "gomoku/freestyle",
    "hex?size=5",
    "linesofaction",
    "othello",
    "pentago/utwente",
    "tictactoe",
]
NO_BOARD = """
(role row) (role column)
(init (round 1))
(legal row heads) (legal row tails) (legal column heads) (legal column tails)
(<= (next (round 2)) (true (round 1)))
(<= terminal (true (round 2)))
(goal row 50) (goal column 50)
"""
ON_POINTS = """
(role x) (role o)
(init (at a1 empty)) (init (at a2 empty)) (init (at b1 empty)) (init (at b2 empty))
(init (control x))
(<= (legal ?r (put ?p)) (true (control ?r)) (true (at ?p empty)))
(<= (legal x noop) (true (control o))) (<= (legal o noop) (true (control x)))
(<= (next (control o)) (true (control x))) (<= (next (control x)) (true (control o)))
(<= (next (at ?p ?r)) (does ?r (put ?p)))
(<= (next (at ?p ?c)) (true (at ?p ?c)) (not (put_on ?p)))
(<= (put_on ?p) (does ?r (put ?p)))
(<= terminal (not open)) (<= open (true (at ?p empty)))
(goal x 50) (goal o 50)
"""


def inferred(ruleset: Ruleset) -> Picture | None:
    return infer(samples(ruleset.checked(DEFAULT_LIMITS), limits=DEFAULT_LIMITS))


def rules(text: str) -> Ruleset:
    return Ruleset("rules", (), text=text)


@pytest.mark.parametrize("name", GRIDS)
@pytest.mark.sample(4)
def test_the_grid_of_a_manifest_is_found_without_it(name: str) -> None:
    said = find(name).picture
    found = inferred(rules(flatten(find(name))))
    assert said is not None
    assert found is not None
    mine, theirs = found.boards[0], said.boards[0]
    axes = {frozenset(mine.columns), frozenset(mine.rows)}
    assert axes == {frozenset(theirs.columns), frozenset(theirs.rows)}


@pytest.mark.parametrize("name", ["tictactoe", "connectfour"])
def test_a_position_is_drawn_with_its_marks_and_moves_have_places(name: str) -> None:
    game = gdl.load(rules(flatten(find(name))))
    state = game.initial()
    while not state.is_terminal:
        role = next(role for role in game.roles if len(state.legal(role)) > 1)
        move = state.legal(role)[0]
        location = game.ruleset.location(move, role)
        assert location is not None
        state = state.play({role: move})
        drawn = game.ruleset.scene(state.facts)
        assert drawn is not None
        assert all("control" in kif_text(fact) for fact in drawn.rest)


def test_sites_with_one_name_are_points_and_moves_are_made_on_them() -> None:
    picture = inferred(rules(ON_POINTS))
    assert picture is not None
    (board,) = picture.boards
    at = {spot.name: spot.at for spot in board.spots}
    assert at == {"a1": (0, 1.3), "a2": (0, 0), "b1": (1.3, 1.3), "b2": (1.3, 0)}
    assert [place.at for place in board.moves] == [("?s0",)]
    assert picture.blank == {"empty"}
    assert {mark.name for mark in picture.marks} == {"x", "o"}


def test_a_game_without_a_board_has_no_picture() -> None:
    assert inferred(rules(NO_BOARD)) is None
    assert gdl.load(rules(NO_BOARD)).ruleset.picture is None


def test_rules_that_cannot_be_played_have_no_picture() -> None:
    broken = rules("(role a) (init (cell 1 1 b)) (<= (legal a (p ?x)) (not (true (q ?x))))")
    from gdl.boards.inferred import with_board

    assert with_board(broken).picture is None


def test_a_manifest_is_believed() -> None:
    assert gdl.load("tictactoe").ruleset == find("tictactoe")


@pytest.mark.slow
def test_the_same_rules_show_the_same_board() -> None:
    texts = flatten(find("othello"))
    assert inferred(rules(texts)) == inferred(rules(texts))


NUMBERS = st.sets(st.integers(0, 40), min_size=2, max_size=12)


@given(numbers=NUMBERS, name=st.sampled_from(["", "c", "row_"]))
def test_numbers_stand_in_a_row_with_those_between(numbers: set[int], name: str) -> None:
    row = in_row({Constant(f"{name}{number}") for number in numbers}, {})
    if max(numbers) - min(numbers) < 3 * len(numbers):
        between = range(min(numbers), max(numbers) + 1)
        assert row == tuple(Constant(f"{name}{number}") for number in between)
    else:
        assert row is None  # scores, not places


@given(order=st.permutations("pqrstuvw"), picked=st.sets(st.integers(0, 7), min_size=2))
def test_a_chain_of_the_rules_is_a_row(order: list[str], picked: set[int]) -> None:
    chain = [Constant(f"{letter}{letter}") for letter in order]
    steps = {"after": frozenset(itertools.pairwise(chain))}
    row = in_row({chain[number] for number in picked}, steps)
    assert row == tuple(chain[min(picked) : max(picked) + 1])


def test_what_nothing_orders_is_no_row() -> None:
    assert in_row({Constant("red"), Constant("blue")}, {}) is None
    assert in_row({Constant("x"), Constant("o")}, {}) is None


@needs_games
@pytest.mark.slow
def test_most_public_files_show_a_board() -> None:
    files = sorted((SHARED / "games").glob("*.kif"))
    shown = 0
    for path in files:
        seen = samples(find(Path(path)).checked(DEFAULT_LIMITS), limits=DEFAULT_LIMITS)
        picture = infer(seen)
        if picture is not None:
            drawn = scene(picture, seen.states[-1])
            assert draw_text(drawn)
            shown += bool(drawn.pieces)
    assert shown >= 290, shown
