"""Every possible line wins, whoever makes it and wherever it lies."""

import pytest

from gdl.conform import replay
from tests.conformance.games import PENTAGO, lockstep
from tests.conformance.lines import gomoku_lines, pentago_lines


@pytest.mark.slow
@pytest.mark.parametrize("ruleset", PENTAGO)
def test_each_of_the_32_lines_of_pentago_wins(ruleset: str) -> None:
    steps = lockstep(ruleset)
    plays = list(pentago_lines(ruleset))
    assert len(plays) == 32 * 2
    for moves in plays:
        report = replay(steps, moves, compare_last=2)
        assert report.difference is None, str(report.difference)
        assert report.games == 1
        assert sorted(steps.reference.goals(steps.reach(moves).position).values()) == [0, 100]


@pytest.mark.slow
def test_each_of_the_572_lines_of_gomoku_wins() -> None:
    steps = lockstep("gomoku/freestyle")
    plays = list(gomoku_lines())
    assert len(plays) == 572
    for moves in plays:
        report = replay(steps, moves, compare_last=2)
        assert report.difference is None, str(report.difference)
        assert report.games == 1
