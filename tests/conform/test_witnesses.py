"""Rules that no game exercised are asked of the verifier, and its plays are compared."""

from __future__ import annotations

from pathlib import Path

import pytest

from gdl.conform import conform
from gdl.language.preconditions import ArgumentError
from tests.cli.running import gdl
from tests.shared import needs

pytestmark = needs("verify")

ENGINES = "tests.conform.engines"
NEVER = """
(role player) (init (step 0)) (succ 0 1) (succ 1 2)
(<= (legal player ?n) (number ?n))
(number 1) (number 2) (number 3)
(<= (next (step ?m)) (true (step ?n)) (succ ?n ?m))
(<= (next (seen ?n)) (does player ?n) (true (step 1)))
(<= terminal (true (step 2)))
(<= lucky (true (seen 3)) (true (step 2)))
(<= unlucky (true (seen 3)) (true (step 1)))
(<= (goal player 100) lucky)
(<= (goal player 50) unlucky)
(<= (goal player 0) (not lucky) (not unlucky))
"""


@pytest.mark.slow
def test_plays_of_the_verifier_exercise_what_no_game_has() -> None:
    without = conform("tictactoe", "tictactoe", positions=1, depth=0)
    assert without.uncovered
    found = conform("tictactoe", "tictactoe", positions=1, depth=0, witnesses=60)
    assert found.agree
    assert not found.uncovered
    assert found.positions > without.positions
    count = len(without.uncovered)
    assert f"rules exercised by plays of the verifier alone: {count}" in str(found)


@pytest.mark.slow
def test_a_difference_that_no_game_met_is_met_on_such_a_play() -> None:
    found = conform("tictactoe", f"{ENGINES}:OneLineMissing", positions=1, depth=0, witnesses=60)
    assert found.parting is not None
    assert (found.parting.kind, found.parting.twin.depth) == ("terminal", 5)
    assert found.first_length == 5  # the shortest play for that rule


@pytest.mark.slow
def test_rules_that_can_never_fire_are_said_to(tmp_path: Path) -> None:
    rules = tmp_path / "never.kif"
    rules.write_text(NEVER, encoding="utf-8")
    found = conform(str(rules), str(rules), positions=1, depth=0, witnesses=60)
    assert found.agree
    assert found.uncovered is not None
    assert [rule.text.split()[1] for rule in found.uncovered] == ["unlucky", "(goal"]
    assert "rules that can never fire, as the verifier proves: 2" in str(found)


def test_no_seconds_are_no_number_of_seconds() -> None:
    with pytest.raises(ArgumentError, match="witnesses must be a number of seconds"):
        conform("tictactoe", "tictactoe", witnesses="long")  # type: ignore[arg-type]
    alone = gdl("conform", "tictactoe", "--witnesses", "3")
    assert alone.code == 2
    assert alone.err == (
        "error: --witnesses is for --against\n  expected: --against SOURCE beside it\n"
    )
