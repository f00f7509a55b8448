"""What the time of an audit is spent on, on a machine with a core for everybody."""

from __future__ import annotations

import os
import time
from typing import Any

import pytest

from gdl.conform import conform
from gdl.conform.allowance import Allowance
from gdl.conform.audit import _Sums
from gdl.conform.matching import find
from gdl.conform.matching.matching import Matching
from gdl.conform.task import Task
from gdl.game import load
from gdl.language.limits import DEFAULT_LIMITS

pytest.importorskip("numpy", reason="moves are matched by themselves")

ENGINES = "tests.conform.engines"


@pytest.fixture(autouse=True)
def _quiet(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "getloadavg", lambda: (0.0, 0.0, 0.0))


def test_a_share_of_what_is_left_is_counted_from_now_on() -> None:
    begun = time.monotonic() - 6
    rest = Allowance(10.0, begun).rest(0.5)
    assert rest.seconds == pytest.approx(2, abs=0.1)
    assert not rest.is_spent()
    assert Allowance(5.0, begun).rest(0.5).seconds == 0
    assert Allowance(None).rest(0.5).seconds is None


@pytest.mark.later
def test_rules_that_take_long_to_open_leave_time_for_matching(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Machine code that is made for the first time may take as long as matching had."""
    find_matching = find.find_matching
    asked: list[tuple[float, float | None]] = []

    def load_slowly(*given: Any, **said: Any) -> Any:  # noqa: ANN401  # as `load`
        time.sleep(1)
        return load(*given, **said)

    def note(*given: Any, allowance: Allowance, **said: Any) -> Matching:  # noqa: ANN401
        asked.append((allowance.spent, allowance.seconds))
        return find_matching(*given, allowance=allowance, **said)

    monkeypatch.setattr("gdl.conform.task.load", load_slowly)
    monkeypatch.setattr(find, "find_matching", note)
    conform("tictactoe", "tictactoe", positions=100, seconds=100)
    (spent, seconds), *_ = asked
    assert spent < 0.5
    assert seconds is not None
    assert 40 < seconds <= 49.5


@pytest.mark.later
@pytest.mark.parametrize(("engine", "kept"), [("tictactoe", 0), (f"{ENGINES}:TicTacToe", 6)])
def test_time_is_kept_for_matching_once_more_where_moves_are_a_guess(
    engine: str, kept: float
) -> None:
    """A difference that is met at the end of the time is confirmed within it, about."""
    task = Task("tictactoe", engine, (), None, 0, 2, DEFAULT_LIMITS)
    sums = _Sums(task, task.open(), 10**6, time.monotonic(), 60.0, 1)
    assert sums.sides.comparison.matching.is_told == (not kept)
    now = time.monotonic()
    sums.deadline = now + 5
    assert sums.is_done() == (kept > 5)
    left = sums._left()
    assert left is not None
    assert left < max(5, kept + 1.5 * sums.sides.matching) + 0.1
