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
from gdl.view.picture import BESIDE, POINTS, Layout, Picture
from gdl.view.scene import scene
from gdl.view.text import draw_text
from tests.shared import SHARED, needs_games, some

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
(init (round first))
(legal row heads) (legal row tails) (legal column heads) (legal column tails)
(<= (next (round second)) (true (round first)))
(<= terminal (true (round second)))
(goal row 50) (goal column 50)
"""
COUNTED = """
(role red) (role blue)
(init (pieceCount red n2)) (init (pieceCount blue n3)) (init (step 1)) (init (turn red))
(succ n1 n2) (succ n2 n3)
(legal red wait) (legal blue wait)
(<= (next (pieceCount red ?m)) (true (pieceCount red ?n)) (succ ?m ?n))
(<= (next (pieceCount blue ?n)) (true (pieceCount blue ?n)))
(<= (next (step 2)) (true (step 1)))
(next (turn blue))
(<= terminal (true (step 2)))
(goal red 50) (goal blue 50)
"""
HEAPS = """
(role first) (role second)
(init (heap a 2)) (init (heap b 13)) (init (control first))
(succ 0 1) (succ 1 2) (succ 2 3) (succ 3 4) (succ 4 5) (succ 5 6) (succ 6 7) (succ 7 8)
(succ 8 9) (succ 9 10) (succ 10 11) (succ 11 12) (succ 12 13)
(<= (legal ?r (take ?h)) (true (control ?r)) (true (heap ?h ?n)) (succ ?m ?n))
(<= (legal first wait) (true (control second))) (<= (legal second wait) (true (control first)))
(<= (next (heap ?h ?m)) (does ?r (take ?h)) (true (heap ?h ?n)) (succ ?m ?n))
(<= (next (heap ?h ?n)) (true (heap ?h ?n)) (does ?r (take ?g)) (distinct ?g ?h))
(<= (next (control second)) (true (control first)))
(<= (next (control first)) (true (control second)))
(<= terminal (not open)) (<= open (true (heap ?h ?n)) (succ ?m ?n))
(goal first 50) (goal second 50)
"""
HANDS = """
(role red) (role blue)
(init (holds red ace)) (init (holds red king)) (init (holds blue queen)) (init (holds blue ten))
(init (captured red pawn 0)) (init (captured red rook 2)) (init (captured blue pawn 1))
(init (captured blue rook 0)) (init (stock p1)) (init (stock p2)) (init (chosen p2))
(<= (legal red (choose ?p)) (true (stock ?p)))
(legal blue wait)
(<= (next (stock ?p)) (true (stock ?p)) (not (does red (choose ?p))))
(<= (next (chosen ?p)) (does red (choose ?p)))
(<= (next (holds ?r ?c)) (true (holds ?r ?c)))
(<= (next (captured ?r ?k ?n)) (true (captured ?r ?k ?n)))
(<= terminal (not any)) (<= any (true (stock ?p)))
(goal red 50) (goal blue 50)
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

ORDERED = """
(role cook)
(init (order d b a c)) (init (step 0))
(succ 0 1) (succ 1 2)
(legal cook turn) (legal cook wait)
(<= (next (order ?b ?a ?c ?d)) (does cook turn) (true (order ?a ?b ?c ?d)))
(<= (next (order ?a ?b ?c ?d)) (does cook wait) (true (order ?a ?b ?c ?d)))
(<= (next (step ?n)) (true (step ?m)) (succ ?m ?n))
(<= terminal (true (step 2)))
(goal cook 50)
"""
MAZE = """
(role mouse)
(init (wall 1 1)) (init (wall 2 2)) (init (wall 3 2)) (init (at mouse 1 2)) (init (at cheese 3 3))
(legal mouse wait)
(<= (next (wall ?x ?y)) (true (wall ?x ?y)))
(<= (next (at ?thing ?x ?y)) (true (at ?thing ?x ?y)))
(<= terminal (true (at mouse ?x ?y)))
(goal mouse 50)
"""


def inferred(ruleset: Ruleset) -> Picture | None:
    return infer(samples(ruleset.checked(DEFAULT_LIMITS), limits=DEFAULT_LIMITS))


def rules(text: str) -> Ruleset:
    return Ruleset("rules", (), text=text)


@pytest.mark.later
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
    assert list(at) == sorted(at), "the same in every process"
    assert at == {"a1": (0, 1.3), "a2": (0, 0), "b1": (1.3, 1.3), "b2": (1.3, 0)}
    assert [place.at for place in board.moves] == [("?s0",)]
    assert picture.blank == {"empty"}
    assert {mark.name for mark in picture.marks} == {"x", "o"}


def test_a_game_without_a_board_has_no_picture() -> None:
    assert inferred(rules(NO_BOARD)) is None
    assert gdl.load(rules(NO_BOARD)).ruleset.picture is None


def drawn_first(text: str) -> str:
    game = gdl.load(rules(text))
    drawn = game.ruleset.scene(game.initial().facts)
    assert drawn is not None
    return draw_text(drawn)


def test_numbers_are_counters_with_the_words_of_the_rules() -> None:
    text = drawn_first(COUNTED)
    assert text == (
        " piece count red         piece count blue   step\n"
        " 2                       3                  1\n"
        "\n"
        "(turn red)"
    )


@pytest.mark.parametrize(
    "more", ["(init calm)", "(init (temper calm))", "(init (on blue)) (init (on red))"]
)
def test_without_a_board_nothing_is_hidden_behind_numbers(more: str) -> None:
    """What draws a picture lists no facts."""
    assert inferred(rules(COUNTED)) is not None
    assert inferred(rules(f"{COUNTED} {more}")) is None


def test_numbers_of_what_moves_name_are_heaps_and_taken_by_touching_them() -> None:
    text = drawn_first(HEAPS)
    assert text == " heap a   heap b\n (2)      (13)\n\n(control first)"
    game = gdl.load(rules(HEAPS))
    location = game.ruleset.location(game.initial().legal("first")[1], "first")
    assert location is not None
    assert location.steps == ((1,),)


def test_many_things_of_somebody_are_a_hand_and_none_of_a_thing_is_nothing() -> None:
    text = drawn_first(HANDS)
    assert text == (
        " captured red   captured blue  chosen   holds red\n"
        " ♜2             ♟1             P2       A ♚\n"
        "\n"
        " holds blue    stock\n"
        " ♛ T           P1 P2\n"
        "\n"
        "A ace  ♚ king  ♟ pawn  ♛ queen  ♜ rook  T ten"
    )


def test_a_stock_is_touched_to_choose_from_it() -> None:
    game = gdl.load(rules(HANDS))
    picture = game.ruleset.picture
    assert picture is not None
    names = [spot.name for board in picture.boards for spot in board.spots]
    location = game.ruleset.location(game.initial().legal("red")[0], "red")
    assert location is not None
    assert [names[site] for step in location.steps for site in step] == ["stock"]
    assert {"chosen", "holds red", "holds blue"} <= {*names}


def test_one_fact_that_names_each_thing_once_is_a_row_of_them() -> None:
    assert drawn_first(ORDERED) == (" 1 2 3 4\n D B A C\n\n step\n 0")


def test_a_board_is_as_large_as_all_that_stands_on_it_says() -> None:
    """Walls alone would have made two rows of it, and left the cheese beside the board."""
    assert drawn_first(MAZE).splitlines()[:4] == [
        "  1 2 3",
        "3 · · C",
        "2 M W W",
        "1 W · ·",
    ]


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


def test_of_things_that_are_as_many_as_others_none_is_an_empty_cell() -> None:
    """The letter e is one only where it fills most cells; which came first was chance."""
    picture = inferred(
        rules(
            ON_POINTS.replace("a1 empty", "a1 e")
            .replace("a2 empty", "a2 f")
            .replace("b1 empty", "b1 c")
            .replace("b2 empty", "b2 d")
            .replace("?p empty", "?p e")
        )
    )
    assert picture is not None
    assert not picture.blank


def test_what_nothing_orders_is_no_row() -> None:
    assert in_row({Constant("red"), Constant("blue")}, {}) is None
    assert in_row({Constant("x"), Constant("o")}, {}) is None


@needs_games
@pytest.mark.slow
def test_most_public_files_show_a_board() -> None:
    files = some(sorted((SHARED / "games").glob("*.kif")), 120)
    boards = beside = 0
    for path in files:
        seen = samples(find(Path(path)).checked(DEFAULT_LIMITS), limits=DEFAULT_LIMITS)
        picture = infer(seen)
        if picture is not None:
            drawn = scene(picture, seen.states[-1])
            assert draw_text(drawn)
            boards += bool(drawn.pieces) and any(
                board.kind != POINTS or _has_sites(board) for board in picture.boards
            )
            beside += any(not _has_sites(board) for board in picture.boards if board.spots)
    assert boards >= 0.8 * len(files), boards
    assert beside >= 0.4 * len(files), beside


def _has_sites(board: Layout) -> bool:
    """Return whether a board is more than what lies beside one."""
    return any(spot.form not in BESIDE for spot in board.spots)
