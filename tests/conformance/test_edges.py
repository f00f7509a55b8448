"""Lockstep where readings of the sources would part: each edge is sought, met and counted."""

from collections import Counter
from collections.abc import Iterable
from typing import Any

import pytest

from engine import GAMES
from gdl.conform import Lockstep, every_state, random_games, replay
from tests.conformance.edges import EDGES, counting
from tests.conformance.games import PENTAGO, full_boards, late_play, load, seek_edge

GAMES_EACH = {
    "pentago/strict": 2,
    "pentago/utwente": 2,
    "pentago/classic": 2,
    "pentago/phased": 10,
    "gomoku/freestyle": 2,
}
"""Games sought for each edge; a position of the phased game costs a fifth of the others."""
LATE_STARTS = 12
FULL_BOARDS = range(10)


def observed(ruleset: str) -> tuple[Lockstep[Any, Any], Counter[str]]:
    counts: Counter[str] = Counter()
    engine = GAMES[ruleset]
    return Lockstep(load(ruleset), engine, on_step=counting(engine, counts)), counts


def seek_all(lockstep: Lockstep[Any, Any], edges: Iterable[str], games: int) -> None:
    for edge in edges:
        report = random_games(lockstep, games, seed=1, choose=seek_edge(edge))
        assert report.difference is None, str(report.difference)


def start_late(lockstep: Lockstep[Any, Any], ruleset: str, starts: int) -> None:
    plies = 2 if ruleset == "pentago/phased" else 1
    for seed in range(starts):
        turns = 33 + seed % 3
        start = lockstep.reach(late_play(ruleset, seed, turns))
        report = every_state(lockstep, plies * (36 - turns), start=start)
        assert report.difference is None, str(report.difference)


@pytest.mark.slow
@pytest.mark.parametrize("ruleset", PENTAGO)
def test_pentago_agrees_on_every_edge(ruleset: str) -> None:
    lockstep, counts = observed(ruleset)
    seek_all(lockstep, EDGES[ruleset], GAMES_EACH[ruleset])
    start_late(lockstep, ruleset, LATE_STARTS)
    missing = [edge for edge in EDGES[ruleset] if not counts[edge]]
    assert not missing, counts


@pytest.mark.slow
def test_gomoku_agrees_on_every_edge() -> None:
    ruleset = "gomoku/freestyle"
    lockstep, counts = observed(ruleset)
    sought = [edge for edge in EDGES[ruleset] if "last cell" not in edge]  # see full_boards
    seek_all(lockstep, sought, GAMES_EACH[ruleset])
    for moves in full_boards(FULL_BOARDS):
        report = replay(lockstep, moves, compare_last=20)
        assert report.difference is None, str(report.difference)
    missing = [edge for edge in EDGES[ruleset] if not counts[edge]]
    assert not missing, counts
