"""Curves of learning: kept whole whatever tears them, drawn, and shown by the command."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from gdl.learn.curves import Point, Strength, add, curve_of, plot, read
from tests.cli.running import gdl
from tests.shared import needs

POINTS = [
    Point(100, 1.5, None, 0.0),
    Point(900, 9.25, 0.125, 0.5, Strength(120.0, 80.0, 20)),
    Point(2000, 20.0, 0.0625, 0.75, Strength(200.0, 90.5, 20), Strength(-10.0, 60.0, 20)),
]
DEEP = [
    Point(100, 1.5, None, None, Strength(-20.0, 80.0, 20), None, 1.5, 0.6875),
    Point(900, 9.25, None, None, None, None, 1.25, 0.625),
]


def test_a_curve_is_read_as_it_was_written_but_for_a_line_that_was_torn(tmp_path: Path) -> None:
    path = curve_of(tmp_path / "net.gdlnet")
    assert path.name == "net.gdlnet.curve"
    assert read(path) == []
    for point in DEEP:
        add(path, point)
    assert read(path) == DEEP
    path.unlink()
    for point in POINTS:
        add(path, point)
    assert read(path) == POINTS
    torn = path.read_bytes()[:-9]
    path.write_bytes(torn + b"\xff\n[1, 2]\n{}\n")
    assert read(path) == POINTS[:2]
    add(path, POINTS[2])
    assert read(path) == POINTS


@needs("plot")
@pytest.mark.slow
@pytest.mark.parametrize("points", [POINTS, POINTS[:1], DEEP])
def test_a_curve_is_drawn_with_what_is_known(points: list[Point], tmp_path: Path) -> None:
    path = tmp_path / "curve.svg"
    plot("a $game$", points, path)
    assert path.read_text(encoding="utf-8").count("<svg") == 1


@needs("plot")
@pytest.mark.slow
def test_a_picture_of_no_known_format_is_refused_before_anything_is_learned(tmp_path: Path) -> None:
    ran = gdl("train", "tictactoe", "-o", str(tmp_path / "net"), "--plot", "curve.txt")
    assert ran.code == 1
    assert ran.err == (
        "error: curve.txt: .txt is no format of pictures\n  expected: .png, .svg or .pdf\n"
    )
    assert list(tmp_path.iterdir()) == []


@needs("play")
@needs("plot")
@pytest.mark.slow
def test_the_command_adds_to_the_curve_what_it_measures(tmp_path: Path) -> None:
    net, picture = tmp_path / "net.gdlnet", tmp_path / "curve.png"
    words = ["train", "connectfour?columns=4&rows=4", "-o", str(net), "--json", "--test"]
    add(curve_of(net), POINTS[0])  # of a training that is not gone on with: nothing else is here
    told = json.loads(gdl(*words, "2", "--seconds", "1.2", "--plot", str(picture)).out)
    (point,) = read(curve_of(net))
    assert point.games == told["games"]
    assert point.loss == told["weighings"][0]["loss"]
    assert point.loss is not None
    assert 0 < point.loss < 0.25
    assert [test["games"] for test in told["tests"]] == [told["games"]]
    assert point.mcts is not None
    assert (point.mcts.games, point.best) == (2, None)
    assert picture.read_bytes().startswith(b"\x89PNG")
