"""Every scenario, played by the reference engine of its ruleset."""

from collections import Counter
from typing import Any

import pytest

from engine import GAMES, Game, RulesError
from engine.gomoku import State
from tests.scenarios import ERRORS, SCENARIOS, Scenario


def attempt(game: Game[Any, Any], position: Any, text: str) -> Any:  # noqa: ANN401 (any engine)
    role, separator, move = text.rpartition(": ")
    return game.play(position, game.parse(move), role if separator else None)


@pytest.mark.sample(60)
@pytest.mark.parametrize("scenario", SCENARIOS, ids=lambda s: f"{s.ruleset}:{s.name}")
def test_scenario(scenario: Scenario) -> None:
    game = GAMES[scenario.ruleset]
    position = game.initial()
    legal = scenario.moves if scenario.error is None else scenario.moves[:-1]
    for text in legal:
        assert not game.is_terminal(position), f"over before {text}"
        position = attempt(game, position, text)
    if scenario.error is not None:
        with pytest.raises(RulesError) as caught:
            attempt(game, position, scenario.moves[-1])
        assert caught.value.fault == scenario.error
    assert game.is_terminal(position) == scenario.terminal
    assert game.goals(position) == scenario.goals
    assert bool(game.legal_moves(position)) != scenario.terminal
    if scenario.board is not None:
        assert game.draw(position) == scenario.board
    if isinstance(position, State):
        check_payload(position, scenario)


def check_payload(state: State, scenario: Scenario) -> None:
    payload = state.payload()
    for key, expected in scenario.payload.items():
        field, is_length, _ = key.partition(".length")
        field, is_last, _ = field.partition("[-1]")
        value: Any = payload[field]
        if is_last:
            value = value[-1]
        assert (len(value) if is_length else value) == expected, key


def test_every_ruleset_has_ten_scenarios_of_each_kind() -> None:
    counts = Counter((scenario.ruleset, scenario.kind) for scenario in SCENARIOS)
    for ruleset in GAMES:
        for kind in ("normal", "illegal", "edge"):
            assert counts[ruleset, kind] >= 10, (ruleset, kind)


def test_names_are_unique_and_errors_known() -> None:
    names = Counter((scenario.ruleset, scenario.name) for scenario in SCENARIOS)
    assert names.most_common(1)[0][1] == 1
    assert {scenario.error for scenario in SCENARIOS if scenario.error} == set(ERRORS)
