"""``gdl bench``: a short run of a small game, and wrong options."""

import json
from pathlib import Path

import pytest

from tests.cli.running import gdl
from tests.shared import missing

pytest.importorskip("llvmlite", reason=missing("native"))


@pytest.mark.slow
def test_a_bench_prints_rates_ratios_and_starts() -> None:
    done = gdl("bench", "tictactoe", "--seconds", "0.01", "--rounds", "1", "--lanes", "64")
    assert done.code == 0
    assert "| tictactoe | lanes64 | " in done.out
    assert "| tictactoe | scalar | " in done.out
    assert "| game | nodes | cold s |" in done.out
    assert "| game | games at once | moves/s |" in done.out
    assert "| tictactoe | 1,024 | " in done.out


@pytest.mark.slow
def test_a_bench_is_of_the_game_it_names() -> None:
    done = gdl("bench", "tictactoe", "--seconds", "0.2", "--rounds", "1", "--lanes", "64", "--json")
    found = json.loads(done.out)
    rates = found["reports"][0]["rates"]
    for back_end in ("lanes64", "scalar"):
        assert rates[back_end]["mean_length"] == pytest.approx(7.626, abs=0.05)
        assert rates[back_end]["mean_goals"][0] == pytest.approx(64.84, abs=1)
    cold, warm = found["starts"][0]
    assert warm["playout"] < cold["playout"]


OVER = "(role a) (init over) (legal a noop) (<= terminal (true over)) (goal a 50)"


@pytest.mark.slow
def test_a_game_that_is_over_before_it_begins_is_told(tmp_path: Path) -> None:
    path = tmp_path / "over.kif"
    path.write_text(OVER, encoding="utf-8")
    short = ("--seconds", "0.01", "--rounds", "1", "--lanes", "64")
    done = gdl("bench", str(path), *short)
    assert done.code == 1
    assert done.err == (
        f"error: {path} is over before the first move: there is nothing to measure\n"
    )
    done = gdl("bench", str(path), "tictactoe", *short)
    assert done.code == 1
    assert done.err == (
        f"not measured: {path} is over before the first move: there is nothing to measure\n"
    )
    assert "| tictactoe | lanes64 | " in done.out


def test_an_unknown_game_is_told_before_anything_is_measured() -> None:
    done = gdl("bench", "tictactoe", "nonesuch")
    assert done.code == 2
    assert done.err.startswith("error: there is no ruleset nonesuch\n")


def test_a_width_that_no_vector_has_is_refused() -> None:
    done = gdl("bench", "tictactoe", "--lanes", "100")
    assert done.code == 2
    assert done.err == "error: --lanes 100\n  expected: 64, 128, 256, 512\n"


def test_a_plot_needs_a_picture_name(tmp_path: Path) -> None:
    done = gdl("bench", "tictactoe", "--plot", str(tmp_path / "rates.txt"))
    assert done.code == 2
    assert done.err.endswith("expected: a name that ends in .png or .svg\n")
