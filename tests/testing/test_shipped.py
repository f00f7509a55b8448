"""The tests of the shipped rulesets pass."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from gdl.ruleset import rulesets
from gdl.ruleset.search import shipped_folder
from gdl.testing.discover import files
from gdl.testing.firing import by_file, moves_by_family, place_of
from gdl.testing.games import Games
from gdl.testing.run import run_case
from gdl.testing.suite import Case, Position, read_suite
from tests.shared import missing

FILES = files(shipped_folder())
QUICK = {"tictactoe", "connectfour"}
"""Families whose tests of positions are quick; all else is left to the long tests."""


def cases() -> list[Any]:
    """Return each test of each file that is quick, or is not run with those of its family below."""
    return [
        pytest.param(
            case,
            id=f"{path.parent.name}: {case.name}",
            marks=() if path.parent.name in QUICK and is_position(case) else pytest.mark.slow,
        )
        for path in FILES
        for case in read_suite(path).cases
        if path.parent.name in QUICK or not is_position(case)
    ]


def is_position(case: Case) -> bool:
    """Return whether a test asks of a position what does not take long."""
    return isinstance(case.body, Position) and not case.body.perft


@pytest.mark.later
@pytest.mark.parametrize("case", cases())
def test_a_game_does_what_it_must(case: Case) -> None:
    if not isinstance(case.body, Position) and missing("verify"):
        pytest.skip(missing("verify"))
    outcome = run_case(case, Games(counts=False))
    assert not outcome.problems, "\n".join(map(str, outcome.problems))


FAMILIES = sorted({path.parent for path in FILES})


@pytest.mark.slow
@pytest.mark.parametrize("family", FAMILIES, ids=lambda family: family.name)
def test_a_family_does_what_it_must_and_its_tests_fire_every_rule_and_make_every_kind_of_move(
    family: Path,
) -> None:
    games = Games(counts=True)
    for path in files(family):
        for case in read_suite(path).cases:
            if isinstance(case.body, Position):  # what perft comes through does not count
                outcome = run_case(replace(case, body=replace(case.body, perft=())), games)
                assert not outcome.problems, "\n".join(map(str, outcome.problems))
    covered = by_file(games.firing.values())
    assert [place_of(rule) for file in covered for rule in file.left] == []
    assert [moves.unmade for moves in moves_by_family(games.firing.values()) if moves.unmade] == []


def test_every_ruleset_has_tests() -> None:
    cases = [case for path in FILES for case in read_suite(path).cases]
    named = {case.game.partition("?")[0] for case in cases}
    assert {ruleset.id for ruleset in rulesets()} <= named
