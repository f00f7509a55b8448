"""Who won, in one sentence."""

from __future__ import annotations

import pytest

from gdl.cli.positions.outcome import headline


@pytest.mark.parametrize(
    ("goals", "sentence"),
    [
        ({"x": 100, "o": 0}, "x wins."),
        ({"x": 50, "o": 50}, "A draw."),
        ({"x": 0, "o": 0}, "A draw."),
        ({"a": 10, "b": 90, "c": 80}, "b wins."),
        ({"a": 90, "b": 90, "c": 80}, "A draw."),
        ({"robot": 100}, "Solved."),
        ({"robot": 99}, "Not solved."),
        ({"x": 100, "o": None}, "The rules do not say who wins."),
        ({"random": None, "robot": 100}, "Solved."),
        ({"random": 0, "x": 0, "o": 100}, "o wins."),
        ({"random": 100}, "Solved."),
    ],
)
def test_the_winner_has_the_greatest_goal(goals: dict[str, int | None], sentence: str) -> None:
    assert headline(goals) == sentence
