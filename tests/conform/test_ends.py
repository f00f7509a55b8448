"""Moves that are bare numbers in any order: matched by the ends they lead to, or not at all."""

from __future__ import annotations

import random

import numpy as np
import pytest

from gdl.conform import conform, open_source
from gdl.conform.matching import counts
from gdl.conform.matching.ends import alike, by_ends, counted
from gdl.conform.matching.learned import universes
from gdl.conform.source import Source
from gdl.conform.sources.own import OwnSource
from gdl.conform.sources.rules import RulesSource
from gdl.game import load
from tests.conform.engines import AnyOrder

ENGINES = "tests.conform.engines"


@pytest.fixture(scope="module")
def ours() -> Source:
    return RulesSource(load("tictactoe"))


def never() -> bool:
    return False


def test_squares_of_one_line_end_games_together() -> None:
    source = open_source(f"{ENGINES}:TicTacToe")
    often = counted(source, range(9), random.Random(0), never, 2_000)
    assert often.sum() == pytest.approx(1)
    assert min(often[0, [1, 2, 3, 4, 6, 8]]) > max(often[0, [5, 7]])  # no line has 0 and 5


def test_counts_in_another_order_are_put_in_order() -> None:
    often = np.array([[0, 5, 1, 0], [5, 0, 2, 7], [1, 2, 0, 3], [0, 7, 3, 0]]) / 36
    order = [2, 0, 3, 1]
    other = often[np.ix_(order, order)]
    places = list(alike(often, other, random.Random(0), never)[0])
    assert np.array_equal(other[np.ix_(places, places)], often)


def test_where_no_game_ends_no_table_is_likelier_than_another(
    ours: Source, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("gdl.conform.matching.ends.LOOKED", 9)
    moves = universes(ours, ours, 0)
    assert moves is not None
    assert not list(by_ends((ours, ours), moves, "0", never))


@pytest.mark.parametrize("engine", ["TicTacToe", "AnyOrder", "PlaceAmongFree"])
def test_counts_of_plays_hang_on_no_matching(ours: Source, engine: str) -> None:
    theirs = open_source(f"{ENGINES}:{engine}")
    assert counts.are_equal(ours, theirs)
    assert not counts.are_equal(RulesSource(load("connectfour")), theirs)


def test_lengths_of_games_at_random_hang_on_no_matching(ours: Source) -> None:
    theirs = open_source(f"{ENGINES}:AnyOrder")
    assert counts.are_as_long(ours, theirs, 0)
    other = RulesSource(load("mnk?columns=3&rows=3&line=2"))
    assert not counts.are_as_long(other, theirs, 0)
    assert counts.are_as_long(other, theirs, 0, lambda: True)  # one game says nothing


class CornerLater(AnyOrder):
    """A corner is no move of the fifth mark, after which games last as long as ever."""

    def legal_moves(self, position: str) -> list[int]:
        moves = super().legal_moves(position)
        return moves if position.count(".") != 5 else moves[:-1] or moves


def test_choices_of_games_at_random_hang_on_no_matching(ours: Source) -> None:
    theirs = OwnSource(CornerLater(), "engine")
    assert not counts.are_as_long(ours, theirs, 0)
    rng = random.Random(0)  # chance for play
    games = [counts._games(source, rng, lambda: False) for source in (ours, theirs)]
    assert not counts._differ([list(map(len, side)) for side in games], counts.BY_LUCK)


@pytest.mark.slow
def test_numbers_in_any_order_raise_no_alarm() -> None:
    audit = conform("tictactoe", f"{ENGINES}:AnyOrder", positions=1_000)
    assert audit.agree
    assert not audit.remarks


@pytest.mark.slow
def test_a_bug_is_found_behind_numbers_in_any_order() -> None:
    audit = conform("tictactoe", f"{ENGINES}:AnyOrderOneMissing", positions=1_000)
    assert audit.parting is not None
    assert (audit.parting.kind, audit.parting.ours, audit.parting.theirs) == (
        "terminal",
        "True",
        "False",
    )
    (remark,) = audit.remarks
    assert remark.startswith("the matching is in doubt: it was learned by play")
