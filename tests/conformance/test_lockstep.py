"""Every shipped ruleset against its reference engine: all first positions, and whole games."""

import pytest

from engine import GAMES
from gdl.conform import STYLES, every_state, random_games
from tests.conformance.games import lockstep
from tests.shared import IS_THOROUGH, IS_WHOLE_CORPUS

DEPTH = {
    "pentago/strict": 2,
    "pentago/utwente": 2,
    "pentago/classic": 2,
    "pentago/phased": 4,
    "gomoku/freestyle": 1,
}
"""Plies to which every position is compared."""
POSITIONS = {
    "pentago/strict": 1 + 36 + 1_260,
    "pentago/utwente": 1 + 36 + 1_260,
    "pentago/classic": 1 + 36 + 1_260,
    "pentago/phased": 1 + 36 + 36 + 1_260 + 1_260,
    "gomoku/freestyle": 1 + 225,
}
"""Distinct positions up to these depths: C(36,n) x C(n,n/2) after n turns; 225."""

GAMES_PLAYED = {
    "pentago/strict": 12,
    "pentago/utwente": 12,
    "pentago/classic": 12,
    "pentago/phased": 30,
    "gomoku/freestyle": 5,
}
"""Games of each style in long runs, of which quick ones play one."""
MANY = {
    ruleset: games if IS_WHOLE_CORPUS else games // 10
    for ruleset, games in (
        ("pentago/strict", 150),
        ("pentago/utwente", 150),
        ("pentago/classic", 150),
        ("pentago/phased", 300),
        ("gomoku/freestyle", 50),
    )
}
"""Games of each style in the slow suite, thousands together."""

rulesets = pytest.mark.parametrize("ruleset", GAMES)
styles = pytest.mark.parametrize("style", STYLES)

SMALLEST_FIRST = sorted(POSITIONS, key=POSITIONS.__getitem__)


@pytest.mark.sample(1)
@pytest.mark.parametrize("ruleset", SMALLEST_FIRST)
def test_every_position_to_the_depth_that_fits(ruleset: str) -> None:
    report = every_state(lockstep(ruleset), DEPTH[ruleset])
    assert report.difference is None, str(report.difference)
    assert report.states == POSITIONS[ruleset]


whole_corpus = pytest.mark.skipif(
    not IS_WHOLE_CORPUS,
    reason="two stones end nothing: random games and edges stand for it (GDL_CORPUS=all runs it)",
)
whole_turns = pytest.mark.skipif(
    not IS_WHOLE_CORPUS,
    reason="readings in whole turns part at ends only, and three stones end nothing: "
    "the strict one stands for them (GDL_CORPUS=all runs each)",
)


@pytest.mark.slow
@pytest.mark.timeout(1800)
@pytest.mark.parametrize(
    ("ruleset", "depth", "positions"),
    [
        ("pentago/strict", 3, POSITIONS["pentago/strict"] + 21_420),
        pytest.param(
            "pentago/utwente", 3, POSITIONS["pentago/utwente"] + 21_420, marks=whole_turns
        ),
        pytest.param(
            "pentago/classic", 3, POSITIONS["pentago/classic"] + 21_420, marks=whole_turns
        ),
        ("pentago/phased", 6, POSITIONS["pentago/phased"] + 21_420 + 21_420),
        pytest.param("gomoku/freestyle", 2, 1 + 225 + 225 * 224, marks=whole_corpus),
    ],
)
def test_every_position_one_turn_deeper(ruleset: str, depth: int, positions: int) -> None:
    report = every_state(lockstep(ruleset), depth)
    assert report.difference is None, str(report.difference)
    assert report.states == positions


@pytest.mark.later
@pytest.mark.sample(1)
@styles
@rulesets
def test_games_to_the_end(ruleset: str, style: str) -> None:
    games = GAMES_PLAYED[ruleset] if IS_THOROUGH else 1
    report = random_games(lockstep(ruleset), games, seed=2, choose=STYLES[style])
    assert report.difference is None, str(report.difference)
    assert report.games == games


@pytest.mark.slow
@pytest.mark.timeout(1800)
@styles
@rulesets
def test_many_games_to_the_end(ruleset: str, style: str) -> None:
    games = MANY[ruleset]
    report = random_games(lockstep(ruleset), games, seed=3, choose=STYLES[style])
    assert report.difference is None, str(report.difference)
    assert report.games == games
