"""Points that are numbered in no order are matched by the steps between them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import cast

import pytest

from gdl.conform import open_source
from gdl.conform.matching.find import OURS, THEIRS, _by_graph
from gdl.conform.matching.graph import by_steps_between
from gdl.conform.matching.race import Race
from gdl.conform.matching.sample import Rows, sample
from gdl.conform.matching.tokens import of_value
from gdl.conform.source import Source

KITE = [("a1", "b1"), ("b1", "b2"), ("a1", "b2"), ("b2", "c3"), ("c3", "d4")]
NAMES = {"a1": 7, "b1": 3, "b2": 11, "c3": 0, "d4": 5}
SQUARE = [("a1", "a2"), ("a2", "b2"), ("b2", "b1"), ("b1", "a1")]


def rows(moves: Iterable[object]) -> Rows:
    source = cast("Source", None)  # the reader looks at the move alone
    met = {move: {of_value(source, None, 0, move)} for move in moves}
    return Rows(source, of_value, {0: met}, is_static=True)


def there_and_back(steps: Iterable[tuple[str, str]]) -> list[object]:
    ways = [step for one, other in steps for step in ((one, other), (other, one))]
    return [*sorted({place for step in ways for place in step}), *ways]


def renamed(move: object) -> object:
    return ("go", *map(NAMES.get, move)) if isinstance(move, tuple) else ("put", NAMES[str(move)])


def test_a_board_keeps_all_but_twins_apart() -> None:
    ours = there_and_back(KITE)
    ways = list(by_steps_between(rows(ours), rows(map(renamed, ours)), (0,)))
    # a1 and b1 have the same neighbours: which is which, only play can say
    assert len(ways) == 2
    assert {move: renamed(move) for move in ours} in [table for (table,) in ways]


def test_a_square_may_be_turned_and_mirrored() -> None:
    ours = there_and_back(SQUARE)
    assert len(list(by_steps_between(rows(ours), rows(ours), (0,)))) == 8


def test_boards_with_unlike_steps_have_no_way() -> None:
    ours = there_and_back(KITE)
    theirs = [renamed(move) for move in ours if move != ("c3", "d4")]
    assert not list(by_steps_between(rows(ours), rows(theirs), (0,)))
    theirs.append(renamed(("b1", "d4")))
    assert not list(by_steps_between(rows(ours), rows(theirs), (0,)))


def test_moves_without_steps_say_nothing_of_points() -> None:
    assert not list(by_steps_between(rows(["a1", "a2"]), rows([4, 5]), (0,)))


def test_a_board_that_looks_alike_in_too_many_ways_has_none() -> None:
    places = [f"{letter}1" for letter in "abcdef"]
    steps = [(one, other) for one in places for other in places if one < other]
    assert not list(
        by_steps_between(rows(there_and_back(steps)), rows(there_and_back(steps)), (0,))
    )


@pytest.mark.slow
def test_of_the_ways_to_see_a_board_play_takes_one_under_which_all_games_agree() -> None:
    one, other = open_source("morris/three"), open_source("morris/three")
    seen = (
        sample(one, tuple(reader for _, reader in OURS), 0),
        sample(other, tuple(reader for _, reader in THEIRS), 0),
    )
    race = Race(one, other, 0, frozenset())
    found = _by_graph(race, None, seen)
    assert found is not None
    assert found[1].whole == 1
    assert "steps between" in found[0].method
