"""Engines whose moves have names that say nothing: no false alarm, and bugs where play tells."""

from __future__ import annotations

from itertools import product

import pytest

from gdl.conform import UnmatchedError, conform
from gdl.conform.matching.guess import mended, vouched
from gdl.conform.matching.learned import every_table
from gdl.conform.matching.matching import by_moves
from gdl.conform.matching.race import Race
from gdl.conform.sources.rules import RulesSource
from gdl.game import load
from tests.conform.nameless import GAMES, NAMES, Nameless, said
from tests.shared import some

ENGINES = "tests.conform.engines"
SMALL = ["tictactoe", "connectfour", "mnk?columns=4&rows=3&line=3"]
UNTOLD = {"blotto", "goofspiel?cards=4", "hex?size=4", "breakthrough"}
"""Games in which play does not always tell the moves apart; in breakthrough some are too rare."""


@pytest.mark.slow
@pytest.mark.parametrize(("game", "names"), some(list(product(GAMES, NAMES)), 9))
def test_an_engine_without_a_bug_raises_no_alarm(game: str, names: str) -> None:
    verdict, more = said(Nameless(game, names), game, 1_500)
    assert verdict in ({"agree", "refused"} if game in UNTOLD else {"agree"}), more


@pytest.mark.slow
@pytest.mark.parametrize(
    ("game", "names"), some(list(product(SMALL, ["numbers", "odd numbers"])), 3)
)
def test_a_bug_of_returns_is_found_where_play_tells_moves_apart(game: str, names: str) -> None:
    verdict, more = said(Nameless(game, names, "pays"), game, 5_000)
    assert (verdict, more.split(",")[0]) == ("found", "returns")


@pytest.mark.slow
def test_the_order_of_moves_alone_shows_no_difference() -> None:
    """Play is as long on both sides, whichever moves stand for each other."""
    with pytest.raises(UnmatchedError):
        conform("blotto", f"{ENGINES}:Sealed", positions=300)


@pytest.mark.slow
def test_a_bug_under_any_table_of_few_moves_is_shown() -> None:
    verdict, more = said(
        Nameless("rockpaperscissors", "odd numbers", "pays"), "rockpaperscissors", 99
    )
    assert verdict == "found", more
    assert "some game under each of the 36 tables of moves that there are" in more


@pytest.mark.slow
def test_a_difference_that_no_guess_explains_is_told_in_words() -> None:
    engine = Nameless("lightsout", "odd numbers")
    with pytest.raises(UnmatchedError) as raised:
        conform("lightsout", engine, positions=60_000)
    assert str(raised.value).startswith(
        "which moves of lightsout in odd numbers stand for which is a guess that play does not "
        "bear out: no difference is claimed"
    )
    assert raised.value.notes[0].startswith("under one guess (the moves of each player in their")


@pytest.fixture(scope="module")
def race() -> Race:
    rules = RulesSource(load("tictactoe"))
    return Race(rules, RulesSource(load("tictactoe")), 0, frozenset())


@pytest.mark.later
def test_exchanges_lead_to_the_table_under_which_all_games_agree(race: Race) -> None:
    moves = sorted(race.source.legal(race.source.initial(), 0), key=str)
    same = dict(zip(moves, moves, strict=True))
    right = by_moves([same] * 2, (0, 1), "the same")
    assert vouched(race, right) > 0.8
    assert mended(race, right).matching is right
    corner, middle = moves[0], moves[4]
    turned = same | {corner: middle, middle: corner}
    found = mended(race, by_moves([turned] * 2, (0, 1), "turned"))
    assert found.is_whole
    assert all(
        found.matching.ours(None, 0, move) == found.matching.theirs(None, 0, move) for move in moves
    )


def test_all_tables_are_tried_of_few_moves_alone() -> None:
    hands, squares = (RulesSource(load(game)) for game in ("rockpaperscissors", "tictactoe"))
    assert len(every_table(hands, hands, [(0, 1)], 0)) == 36
    assert every_table(squares, squares, [(0, 1)], 0) == []
