"""Shipped rulesets against published rule files of the same games, and a known fault of one."""

from collections.abc import Callable
from typing import Any

import pytest

import gdl
from gdl.conform import STYLES, Lockstep, every_state, random_games, replay
from gdl.language.syntax import Compound, Constant, Term
from tests.conformance.games import late_play, legal_plays, load
from tests.conformance.lines import pentago_lines
from tests.conformance.published import PublishedReference, rename
from tests.shared import SHARED, needs_games

pytestmark = needs_games

FOLDER = SHARED / "games"
GAMES_EACH = 4
COLUMNS = {"1": "a", "2": "b", "3": "c"}
BACK = {letter: number for number, letter in COLUMNS.items()}


def pentago() -> Lockstep[Any, Any]:
    shipped = load("pentago/phased")
    published = PublishedReference(
        gdl.load(FOLDER / "pentago.v1.kif", backend="reason"),
        shipped,
        {"red": "red", "black": "black"},
        has_open_goals=True,
    )
    return Lockstep(shipped, published)


def without_blanks(fact_as: Callable[[Term], Term]) -> Callable[[Term], Term]:
    """Return a translation that takes cells marked as empty, or as ground, for no marks."""

    def translated(fact: Term) -> Term:
        is_blank = isinstance(fact, Compound) and str(fact.args[-1]) in ("b", "dirt")
        return Constant("blank") if is_blank else fact_as(fact)

    return translated


def tictactoe() -> Lockstep[Any, Any]:
    shipped = load("tictactoe")
    to_shipped = rename({0: COLUMNS})
    published = PublishedReference(
        gdl.load(FOLDER / "ticTacToe.kif", backend="reason"),
        shipped,
        {"xplayer": "x", "oplayer": "o"},
        to_shipped,
        rename({0: BACK}),
        without_blanks(to_shipped),
    )
    return Lockstep(shipped, published)


def connectfour() -> Lockstep[Any, Any]:
    shipped = load("connectfour")
    published = PublishedReference(
        gdl.load(FOLDER / "connect4.kif", backend="reason"),
        shipped,
        {"white": "red", "red": "yellow"},
        fact_as=without_blanks(rename({2: {"w": "red", "r": "yellow"}})),
    )
    return Lockstep(shipped, published)


@pytest.mark.sample(2)
@pytest.mark.parametrize("style", STYLES)
def test_phased_plays_as_the_published_pentago(style: str) -> None:
    report = random_games(pentago(), GAMES_EACH, seed=8, choose=STYLES[style])
    assert report.difference is None, str(report.difference)
    assert report.games == GAMES_EACH


@pytest.mark.slow
def test_phased_agrees_with_the_published_pentago_on_edges_and_lines() -> None:
    steps = pentago()
    for moves in (*legal_plays("pentago/phased"), *pentago_lines("pentago/phased")):
        report = replay(steps, moves, compare_last=4)
        assert report.difference is None, str(report.difference)
    for seed in range(4):
        start = steps.reach(late_play("pentago/phased", seed, 35))
        report = every_state(steps, 2, start=start)
        assert report.difference is None, str(report.difference)


@pytest.mark.parametrize(
    ("plies", "positions"), [(3, 334), pytest.param(9, 5_478, marks=pytest.mark.slow)]
)
def test_every_position_of_tictactoe_is_as_in_the_published_file(
    plies: int, positions: int
) -> None:
    report = every_state(tictactoe(), plies)
    assert report.difference is None, str(report.difference)
    assert report.states == positions  # the known numbers


def test_first_positions_of_connect_four_are_as_in_the_published_file() -> None:
    report = every_state(connectfour(), 3)
    assert report.difference is None, str(report.difference)


@pytest.mark.sample(2)
@pytest.mark.parametrize("style", STYLES)
def test_connect_four_plays_as_the_published_file(style: str) -> None:
    report = random_games(connectfour(), GAMES_EACH, seed=9, choose=STYLES[style])
    assert report.difference is None, str(report.difference)
    assert report.games == GAMES_EACH


def test_the_older_published_pentago_gives_black_two_goals_where_phased_gives_one() -> None:
    """Its last goal rule repeats (not (line red)): RULESETS.md, contradiction 2."""
    moves = next(
        moves
        for moves in pentago_lines("pentago/phased")
        if len(moves) % 4 == 3  # the last of red's and black's four plies in turn: black places
    )
    published, phased = (
        gdl.load(FOLDER / "pentago.kif", backend="reason").initial(),
        load("pentago/phased").initial(),
    )
    for move in moves:
        published, phased = published.play(move), phased.play(move)
    assert published.is_terminal
    assert phased.is_terminal

    def goals(state: gdl.State, role: str) -> tuple[int, ...]:
        return state.game.machine.goals(state.inner, state.game.role(role))

    assert goals(published, "red") == goals(phased, "red") == (0,)
    assert goals(published, "black") == (0, 100)
    assert goals(phased, "black") == (100,)
