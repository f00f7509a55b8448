"""The tests of the shipped rulesets pass."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from gdl.ruleset.search import shipped_folder
from gdl.testing.discover import files
from gdl.testing.games import Games
from gdl.testing.run import run_case
from gdl.testing.suite import Case, Position, read_suite
from tests.shared import missing

FILES = files(shipped_folder())
QUICK = {"tictactoe", "connectfour"}
"""Families whose tests of positions are quick; all else is left to the long tests."""


def cases() -> list[Any]:
    """Return each test of each file."""
    return [
        pytest.param(
            case,
            id=f"{path.parent.name}: {case.name}",
            marks=() if is_quick(path, case) else pytest.mark.slow,
        )
        for path in FILES
        for case in read_suite(path).cases
    ]


def is_quick(path: Path, case: Case) -> bool:
    body = case.body
    return path.parent.name in QUICK and isinstance(body, Position) and not body.perft


@pytest.mark.parametrize("case", cases())
def test_a_game_does_what_it_must(case: Case) -> None:
    if not isinstance(case.body, Position) and missing("verify"):
        pytest.skip(missing("verify"))
    outcome = run_case(case, Games(counts=False))
    assert not outcome.problems, "\n".join(map(str, outcome.problems))
