"""A bug that few games meet, on a board with symmetries: each of its readings is as right."""

from __future__ import annotations

from itertools import product

import pytest

pytest.importorskip("numpy", reason="moves are matched by themselves")

from gdl.conform.matching.matching import by_moves
from gdl.conform.matching.race import GAMES, Race
from gdl.conform.sources.guarded import guarded
from gdl.conform.sources.own import OwnSource
from gdl.conform.sources.rules import RulesSource
from gdl.game import load
from tests.conform.engines import TicTacToe


class DrawnIsWon(TicTacToe):
    """A full board is the second player's."""

    bounds = (-1, 1)

    def returns(self, position: str) -> tuple[float, float]:
        first, second = super().returns(position)
        return (-1.0, 1.0) if first == second else (first, second)


def test_readings_that_lose_by_the_same_bug_do_not_play_what_all_of_them_win() -> None:
    rules = RulesSource(load("tictactoe"))
    first = rules.initial()
    marks = list(rules.legal(first, rules.movers(first)[0]))
    race = Race(rules, guarded(OwnSource(DrawnIsWon(), "drawn")), 0, frozenset())
    candidates = []
    for across, down, is_turned in product((1, -1), (1, -1), (False, True)):
        cells = [(1 + across * (n // 3 - 1), 1 + down * (n % 3 - 1)) for n in range(9)]
        places = [3 * b + a if is_turned else 3 * a + b for a, b in cells]
        table = dict(zip(marks, places, strict=True))
        candidates.append(by_moves([table, table], (0, 1), "a board that is turned"))
    best = race.best(iter(candidates))
    assert best is not None
    assert best[0] is candidates[0]
    assert 0.7 <= best[1].full < 1
    assert best[1].games == GAMES
    plies = sum(len(race.choices(number)) + 1 for number in range(GAMES))
    assert race.plies < 4.5 * plies  # eight times where each plays all games
