"""A budget for a whole match: kept however many moves there are, and dealt out evenly."""

from __future__ import annotations

import time
from typing import Any

import pytest

from gdl.game import load
from gdl.play import MatchBudget


class Clock:
    """Time that passes when it is told to."""

    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    clock = Clock()
    monkeypatch.setattr(time, "monotonic", clock)
    return clock


@pytest.mark.parametrize(("increment", "moves"), [(0.0, 40), (0.0, 300), (2.0, 120)])
def test_time_is_kept_however_long_the_match(clock: Clock, increment: float, moves: int) -> None:
    match = MatchBudget(60, increment=increment, moves=40)
    given = []
    for made in range(moves):
        with match.move() as budget:
            given.append(budget.seconds)
            clock.now += budget.seconds
        assert match.played == made + 1
        assert match.left >= 0
    assert given[0] == pytest.approx(60 / 40 + 0.9 * increment)
    assert all(seconds > 0 for seconds in given)
    if moves == 40:
        assert sum(given) > 0.6 * 60


def test_what_is_not_spent_is_there_later_and_what_is_gone_is_gone(clock: Clock) -> None:
    match = MatchBudget(60, moves=30)
    for _ in range(10):
        with match.move():
            clock.now += 0.1
    with match.move() as budget:
        assert budget.seconds == pytest.approx(59 / 20)
        clock.now += 100
    assert match.left < 0
    with match.move() as budget:
        assert budget.seconds == 0.001


def test_the_length_of_a_match_is_that_of_random_plays() -> None:
    match = MatchBudget.of(load("tictactoe", backend="reason"), 45)
    with match.move() as budget:
        assert 45 / 9 < budget.seconds <= 45 / 4  # at least an eighth of the time is left
    for wrong in ({"seconds": 0}, {"seconds": 9, "moves": 0}, {"seconds": 9, "increment": -1}):
        arguments: dict[str, Any] = wrong
        with pytest.raises(ValueError, match="must be more than 0"):
            MatchBudget(**arguments)
