"""The rule files in lockstep with a foreign implementation: open_spiel."""

import pytest

from tests.shared import missing

pytest.importorskip("pyspiel", reason=missing("openspiel"))

from gdl.conform import STYLES, Lockstep, every_state, random_games, replay
from tests.conformance import open_spiel
from tests.conformance.games import full_boards, late_play, load
from tests.conformance.lines import gomoku_lines, pentago_lines

PENTAGO_GAMES = 12
GOMOKU_GAMES = 3
LATE_STARTS = 10
EVERY_NTH_LINE = 7


@pytest.mark.slow
@pytest.mark.parametrize("style", STYLES)
def test_utwente_is_the_pentago_of_open_spiel(style: str) -> None:
    steps = Lockstep(load("pentago/utwente"), open_spiel.pentago())
    report = random_games(steps, PENTAGO_GAMES, seed=6, choose=STYLES[style])
    assert report.difference is None, str(report.difference)
    assert report.games == PENTAGO_GAMES


@pytest.mark.slow
def test_utwente_ends_full_boards_and_lines_as_open_spiel_does() -> None:
    steps = Lockstep(load("pentago/utwente"), open_spiel.pentago())
    for seed in range(LATE_STARTS):
        turns = 34 + seed % 2
        start = steps.reach(late_play("pentago/utwente", seed, turns))
        report = every_state(steps, 36 - turns, start=start)
        assert report.difference is None, str(report.difference)
    for moves in pentago_lines("pentago/utwente"):
        report = replay(steps, moves, compare_last=2)
        assert report.difference is None, str(report.difference)


@pytest.mark.slow
@pytest.mark.parametrize("style", STYLES)
def test_freestyle_is_the_gomoku_of_open_spiel(style: str) -> None:
    steps = Lockstep(load("gomoku/freestyle"), open_spiel.gomoku())
    report = random_games(steps, GOMOKU_GAMES, seed=7, choose=STYLES[style])
    assert report.difference is None, str(report.difference)
    assert report.games == GOMOKU_GAMES


@pytest.mark.slow
def test_freestyle_ends_full_boards_and_lines_as_open_spiel_does() -> None:
    steps = Lockstep(load("gomoku/freestyle"), open_spiel.gomoku())
    for moves in full_boards(range(6)):
        report = replay(steps, moves, compare_last=5)
        assert report.difference is None, str(report.difference)
        assert report.games == 1
    for moves in list(gomoku_lines())[::EVERY_NTH_LINE]:
        report = replay(steps, moves, compare_last=2)
        assert report.difference is None, str(report.difference)
