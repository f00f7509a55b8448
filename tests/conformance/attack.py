"""The bounded comparison that every mutant has to be caught by, cheap parts first."""

from collections.abc import Iterator
from typing import Any

from gdl.conform import STYLES, Lockstep, Report, every_state, random_games, replay
from tests.conformance.declared import miscounted, undeclared
from tests.conformance.games import full_boards, late_play, legal_plays
from tests.conformance.lines import gomoku_lines, pentago_lines

GAMES_EACH = 3
LATE_STARTS = 4


def attack(lockstep: Lockstep[Any, Any], ruleset: str) -> Iterator[tuple[str, Report]]:
    """Compare in ever different ways, up to the first difference; yield each way and its report."""
    for name, report in _ways(lockstep, ruleset):
        yield name, report
        if report.difference is not None:
            return


def _ways(lockstep: Lockstep[Any, Any], ruleset: str) -> Iterator[tuple[str, Report]]:
    is_phased = ruleset == "pentago/phased"
    is_gomoku = ruleset == "gomoku/freestyle"
    yield "first positions", every_state(lockstep, 2 if is_phased else 1 - is_gomoku)
    for moves in legal_plays(ruleset):
        yield "scenarios", replay(lockstep, moves, compare_last=3)
    for moves in gomoku_lines() if is_gomoku else pentago_lines(ruleset):
        yield "lines", replay(lockstep, moves, compare_last=2)
    for style, choose in STYLES.items():
        yield f"games {style}", random_games(lockstep, GAMES_EACH, seed=4, choose=choose)
    if is_gomoku:
        for moves in full_boards(range(4)):
            yield "full boards", replay(lockstep, moves, compare_last=10)
    else:
        for seed in range(LATE_STARTS):
            turns = 34 + seed % 2
            start = lockstep.reach(late_play(ruleset, seed, turns))
            depth = (36 - turns) * (2 if is_phased else 1)
            yield "late starts", every_state(lockstep, depth, start=start)
    yield "declarations", Report(difference=miscounted(lockstep.game, ruleset))
    yield "declarations", Report(difference=undeclared(lockstep.game))
