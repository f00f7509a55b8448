"""The bench measures the game it says, and its ratios are those of its rates."""

from __future__ import annotations

import itertools
from pathlib import Path

import pytest

from gdl.bench import game
from gdl.bench.environment import EnvironmentRate, environment_rate
from gdl.bench.game import Report, bench_game, table
from gdl.bench.measure import Rate, interleave, measure
from gdl.bench.page import BEGIN, END, Bench, bench_of, page, placed, plot
from gdl.bench.peers import has_open_spiel
from gdl.bench.start import Start
from gdl.circuit.game import GameCircuit
from gdl.compile.limits import CompileError
from gdl.language.syntax import Description
from gdl.playouts import Playouts
from tests.shared import needs


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


@pytest.mark.slow
def test_a_report_names_every_back_end() -> None:
    report = bench_game("tictactoe", widths=(64, 512), seconds=0.05, rounds=1)
    assert list(report.rates) == ["lanes64", "lanes512", "scalar", "reason"]
    for back_end, rate in report.rates.items():
        few = 1.5 if back_end == "reason" else 0.1
        assert rate.mean_length == pytest.approx(7.626, abs=few)
    assert report.to_json()["name"] == "tictactoe"
    assert table([report]).count("\n") == 5
    assert (report.peer is not None) == has_open_spiel()


def many_goals(roles: int) -> str:
    """Return rules under which each role gets what the first one picks, from 0 to 100."""
    others = [f"(role r{i}) (legal r{i} noop)" for i in range(1, roles)]
    values = [f"(val {value})" for value in range(101)]
    return (
        "\n".join([*others, *values])
        + """
    (role a) (<= (legal a (pick ?v)) (val ?v)) (<= (next (got ?v)) (does a (pick ?v)))
    (<= terminal (true (got ?v))) (<= (goal ?r ?v) (role ?r) (true (got ?v)))
"""
    )


@pytest.mark.slow
@pytest.mark.parametrize(("roles", "back_ends"), [(4, ["lanes64", "reason"]), (10, ["reason"])])
def test_goals_that_cannot_be_counted_leave_the_reasoner(
    tmp_path: Path, roles: int, back_ends: list[str]
) -> None:
    """Lanes count goals of 63 bits, 7 a role; tables for one game at a time have 2^20 places."""
    path = tmp_path / "goals.kif"
    path.write_text(many_goals(roles), encoding="utf-8")
    report = bench_game(str(path), widths=(64,), seconds=0.01, rounds=1)
    assert list(report.rates) == back_ends
    assert {rate.mean_length for rate in report.rates.values()} == {1}
    assert report.gates > 0


def test_rules_that_cannot_be_compiled_are_measured_as_written(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def refuse(_: Description) -> GameCircuit:
        raise CompileError("too many")

    monkeypatch.setattr(game, "build", refuse)
    report = bench_game("tictactoe", widths=(64,), seconds=0.01, rounds=1)
    assert list(report.rates) == ["reason"]
    assert report.gates == report.code_bytes == 0
    assert "| tictactoe | 0 | - | - | - | - | 0 |" in page(bench_of([report], [None], [None]))


def bench() -> Bench:
    rate = Rate(1000.0, 900.0, 1100.0, 7.5, (60.0, 40.0), 100)
    report = Report(
        "tictactoe",
        137,
        0.5,
        0.2,
        2048,
        4096,
        {"lanes64": rate},
        "tic_tac_toe",
        10.0,
        {"lanes64": 100.0},
    )
    start = Start(0.5, 0.75, 100 << 20)
    environment = EnvironmentRate(1024, 5e6, None, 8e7, 2e6, 40.0)
    return Bench((report,), ((start, start),), (environment,), "a processor", "2026-01-31")


def test_the_page_has_every_figure_with_its_ratio() -> None:
    found = page(bench())
    assert "Measured on 2026-01-31, a processor, one thread" in found
    row = "| tictactoe | lanes64 | 1000 | 900 - 1100 | 7500 | 7.50 | 60.0 40.0 | 100 |"
    assert row in found
    assert "| tictactoe | 137 | 0.50 | 0.75 | 0.500 | 100 | 2 |" in found
    assert "| tictactoe | 1,024 | 5e+06 | - | 8e+07 | 40 |" in found


def test_results_take_the_place_of_old_ones_and_leave_the_words_around() -> None:
    old = f"Words before.\n\n{BEGIN}\nold\n{END}\n\nWords after.\n"
    assert placed("new\n", old) == f"Words before.\n\n{BEGIN}\n\nnew\n\n{END}\n\nWords after.\n"
    assert placed("new\n", "nothing marked") == "new\n"


@pytest.mark.slow
@needs("plot")
@pytest.mark.parametrize(("suffix", "magic"), [(".png", b"\x89PNG"), (".svg", b"<?xml")])
def test_a_plot_is_a_picture(tmp_path: Path, suffix: str, magic: bytes) -> None:
    path = tmp_path / f"rates{suffix}"
    plot(bench(), path)
    content = path.read_bytes()
    assert content.startswith(magic)
    assert len(content) > 5_000


@pytest.mark.slow
def test_the_rate_of_an_environment_is_moves_by_time() -> None:
    rate = environment_rate("tictactoe", size=256, seconds=0.05, rounds=3)
    assert rate is not None
    assert rate.size == 256
    assert rate.moves > 1000
    assert rate.observed is not None
    assert rate.observed > 1000
    assert rate.batch is not None
    assert rate.batch > rate.moves


def test_a_game_in_which_nobody_is_asked_has_no_environment(tmp_path: Path) -> None:
    path = tmp_path / "nobody.kif"
    path.write_text(
        "(role a) (legal a noop) (init go) (<= (next over) (true go)) "
        "(<= terminal (true over)) (goal a 50)",
        encoding="utf-8",
    )
    assert environment_rate(str(path)) is None
