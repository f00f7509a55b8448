"""Every scenario of tests/scenarios, played by the rule files: normal games, edges, refusals.

The tests are named after the rules that they guard: a ruleset's edge is a test's name.
"""

from typing import Any

import pytest

from gdl.conform import replay
from gdl.language.diagnostics import GdlError
from gdl.machine import IllegalMoveError
from gdl.ruleset import NotationError
from gdl.state import State
from tests.conformance.games import load, lockstep
from tests.scenarios import SCENARIOS, Scenario

LAST_STATES = 40
"""How many of the last positions are compared with the engine."""


def named(scenario: Scenario) -> str:
    return f"{scenario.ruleset}:{scenario.name}"


def play(scenario: Scenario) -> State:
    state = load(scenario.ruleset).initial()
    for text in scenario.moves if scenario.error is None else scenario.moves[:-1]:
        assert not state.is_terminal, f"over before {text}"
        state = state.play(text)
    return state


def check(state: State, scenario: Scenario) -> None:
    assert state.is_terminal == scenario.terminal
    assert {role: state.goal(role) for role in scenario.goals} == scenario.goals
    if scenario.board is not None:
        marks = len(scenario.board.replace(".", "").replace("\n", ""))
        assert len(state.facts) == marks + 1  # and whose turn it is


@pytest.mark.sample(24)
@pytest.mark.parametrize("scenario", [each for each in SCENARIOS if each.error is None], ids=named)
def test_the_rules_play(scenario: Scenario) -> None:
    check(play(scenario), scenario)
    report = replay(lockstep(scenario.ruleset), scenario.moves, compare_last=LAST_STATES)
    assert report.difference is None, str(report.difference)


@pytest.mark.sample(24)
@pytest.mark.parametrize(
    "scenario", [each for each in SCENARIOS if each.error is not None], ids=named
)
def test_the_rules_refuse(scenario: Scenario) -> None:
    state = play(scenario)
    facts = state.facts
    role, text = refused_by(state, scenario.moves[-1])
    if scenario.error == "malformed" and reads_as_another_text(state, text):
        return
    others: dict[str, Any] = {
        other: legal[0]
        for other in state.game.roles
        if other != role and (legal := state.legal(other))
    }
    expected = (IllegalMoveError,) if is_clear(scenario) else (IllegalMoveError, NotationError)
    with pytest.raises(expected) as caught:
        state.play({role: text, **others})
    if isinstance(caught.value, IllegalMoveError):
        assert str(caught.value.role) == role
    assert state.facts == facts
    check(state, scenario)


def refused_by(state: State, move: str) -> tuple[str, str]:
    """Return who tries the move, by default whose turn it is (anyone at the end), and its text."""
    role, separator, text = move.rpartition(": ")
    if separator:
        return role, text
    return (state.movers or state.game.roles)[0], text


def reads_as_another_text(state: State, text: str) -> bool:
    """Say whether a text is read by way of tolerance (capitals): it is written otherwise."""
    try:
        return state.notation(text) != text
    except GdlError:
        return False


def is_clear(scenario: Scenario) -> bool:
    """Say whether the text is a move of the game, so that only the rules can refuse it.

    A square beside the board, and in some notations a square alone, is no text of a move.
    """
    return scenario.error not in ("malformed", "out-of-range", "missing-rotation")


def test_a_move_after_the_end_is_refused_in_words() -> None:
    state = load("pentago/strict").initial()
    for text in ["A1 Q11 CW", "A4 Q11 CW", "B1 Q11 CW", "B4 Q11 CW", "C1 Q11 CW", "C4 Q11 CW"]:
        state = state.play(text)
    state = state.play("D1 Q11 CW").play("A6 Q11 CW").play("E1 Q11 CW")
    with pytest.raises(IllegalMoveError) as caught:
        state.play("F6 Q00 CW")
    assert str(caught.value) == (
        "F6 Q00 CW is not legal for white: the game is over\n"
        "  note: the goals are black 100, white 0"
    )
