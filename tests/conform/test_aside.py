"""A bug that most games meet, and that says nothing against the words of moves."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import replace
from itertools import count
from typing import Any

import pytest

pytest.importorskip("numpy", reason="moves are matched by themselves")

from gdl.conform import conform
from gdl.conform.matching.find import find_matching
from gdl.conform.matching.matching import Matching
from gdl.conform.matching.race import ASIDE_GAMES, Race
from gdl.conform.sources.guarded import guarded
from gdl.conform.sources.own import OwnSource
from gdl.conform.sources.rules import RulesSource
from gdl.game import load
from tests.library.by_hand.checkers import Checkers
from tests.library.by_hand.go import Go, Point, Position


class NoMiddle(Go):
    """Nobody may put a stone into the middle after six moves, which most games show."""

    def legal_moves(self, position: Position) -> list[Point | None]:
        right = super().legal_moves(position)
        return [move for move in right if move != (2, 2) or position.plies < 6]


class EarlyEnd(Go):
    """It is over after 20 plies, which all games show."""

    def to_move(self, position: Position) -> str | None:
        return None if position.plies == 20 else super().to_move(position)


class ShortCheckers(Checkers):
    """It is over with nineteen pieces."""

    def to_move(self, position: Any) -> str | None:  # noqa: ANN401
        pieces = sum(map(len, position.pieces))
        return None if pieces < 20 else super().to_move(position)


def race_of(engine: Go) -> Race:
    rules = RulesSource(load("go"))
    return Race(rules, guarded(OwnSource(engine, "Go")), 0, frozenset())


@pytest.fixture(scope="module")
def same_text() -> Matching:
    race = race_of(Go())
    return find_matching(race.source, race.theirs)


@pytest.mark.parametrize(("engine", "is_aside"), [(NoMiddle(), True), (EarlyEnd(), False)])
def test_games_go_on_behind_moves_that_one_side_lacks(
    engine: Go, same_text: Matching, *, is_aside: bool
) -> None:
    assert race_of(engine).differs_aside(same_text) is is_aside


def test_words_read_wrongly_are_not_taken_for_a_bug(same_text: Matching) -> None:
    exchanged = {0: 1, 1: 0}

    def theirs(position: Position, role: int, move: Any) -> Hashable:  # noqa: ANN401  # a point
        other = move and (exchanged.get(move[0], move[0]), move[1])
        return same_text.theirs(position, role, other)

    assert not race_of(NoMiddle()).differs_aside(replace(same_text, theirs=theirs))


def test_ends_that_differ_say_nothing_against_words_that_moves_tell_apart() -> None:
    rules = RulesSource(load("checkers/american"))
    right, wrong = (guarded(OwnSource(each, "checkers")) for each in (Checkers(), ShortCheckers()))
    found = find_matching(rules, right)
    assert Race(rules, wrong, 0, frozenset()).differs_aside(found)


@pytest.mark.later
def test_such_a_bug_costs_no_look_at_other_readings_and_is_not_in_doubt() -> None:
    stages: list[str] = []
    audit = conform("go", NoMiddle(), on_positions=lambda stage, *_: stages.append(stage))
    assert audit.parting is not None
    assert audit.parting.kind == "legal"
    assert audit.matching == "the same text"
    assert not any("doubt" in remark for remark in audit.remarks)
    assert not any("once more" in stage for stage in stages)


def test_no_more_games_are_played_than_are_asked_for(same_text: Matching) -> None:
    race = race_of(NoMiddle())
    numbers = count()
    played = race._game
    race._game = lambda number: (next(numbers), played(number))[1]  # type: ignore[method-assign]
    assert race.differs_aside(same_text)
    assert next(numbers) == ASIDE_GAMES
