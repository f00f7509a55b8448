"""The bench measures the game it says, and its ratios are those of its rates."""

from __future__ import annotations

import itertools
from pathlib import Path

import pytest

from gdl.bench.environment import environment_rate
from gdl.bench.measure import interleave, measure
from gdl.bench.peers import has_open_spiel
from gdl.bench.run import bench_game, table
from gdl.playouts import Playouts


def test_a_rate_is_playouts_by_time() -> None:
    """A clock that is wound by the playouts themselves: a thousand a second."""
    played = 0

    def run(n: int) -> Playouts:
        nonlocal played
        played += n
        counts = Playouts(("x",))
        counts.lengths[7] = n
        counts.goals[100,] = n
        return counts

    rate = measure(run, seconds=0.5, repeats=2, clock=lambda: played / 1000)
    assert rate.playouts == pytest.approx(1000)
    assert (rate.mean_length, rate.mean_goals, rate.n) == (7.0, (100.0,), 500)
    assert rate.transitions == pytest.approx(7000)


def test_measurements_take_turns() -> None:
    ticks = itertools.count()
    runs = [lambda: float(next(ticks))] * 2
    assert interleave(runs, rounds=2) == ((0.0, 2.0), (1.0, 3.0))


def test_a_report_names_every_back_end() -> None:
    report = bench_game("tictactoe", widths=(64, 512), seconds=0.05, rounds=1)
    assert list(report.rates) == ["lanes64", "lanes512", "scalar"]
    for rate in report.rates.values():
        assert rate.mean_length == pytest.approx(7.626, abs=0.1)
    assert report.to_json()["name"] == "tictactoe"
    assert table([report]).count("\n") == 4
    assert (report.peer is not None) == has_open_spiel()


def test_the_rate_of_an_environment_is_moves_by_time() -> None:
    rate = environment_rate("tictactoe", size=256, seconds=0.05, rounds=3)
    assert rate is not None
    assert rate.size == 256
    assert rate.moves > 1000
    assert rate.observed is not None
    assert rate.observed > 1000


def test_a_game_in_which_nobody_is_asked_has_no_environment(tmp_path: Path) -> None:
    path = tmp_path / "nobody.kif"
    path.write_text(
        "(role a) (legal a noop) (init go) (<= (next over) (true go)) "
        "(<= terminal (true over)) (goal a 50)",
        encoding="utf-8",
    )
    assert environment_rate(str(path)) is None
