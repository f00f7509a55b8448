"""Properties of games: known verdicts, and refutations that the reasoner confirms."""

import pytest

from gdl.game import load
from gdl.language.diagnostics import GdlError
from gdl.verify.probes import Probe, read_properties
from gdl.verify.verdicts import verify
from tests.shared import SHARED, needs_games


def test_tictactoe_is_well_formed() -> None:
    found = verify("tictactoe")
    assert {verdict.status for verdict in found.verdicts} == {"proved"}
    assert found["terminating"].depth == 9
    assert found["winnable by x"].depth == 5
    assert found["winnable by o"].depth == 6


def test_a_line_of_four_in_a_column_takes_seven_moves() -> None:
    found = verify("connectfour")
    assert (found["winnable by red"].depth, found["winnable by red"].is_shortest) == (7, True)
    assert found["winnable by yellow"].depth == 8


@needs_games
def test_the_public_pentago_gives_two_goals() -> None:
    path = SHARED / "games" / "pentago.kif"
    verdict = verify(path)["goals unique"]
    assert (verdict.status, verdict.depth, verdict.is_shortest) == ("refuted", 19, True)
    assert verdict.play is not None
    game = load(path, backend="reason")
    state = game.initial()
    for joint in verdict.play:
        state = state.play(joint)
    assert state.is_terminal
    assert game.machine.goals(state.inner, game.machine.roles[1]) == (0, 100)


def test_a_property_of_the_users_own() -> None:
    probes = [
        Probe("both lines", "(and (line x) (line o))"),
        Probe("a full board", "(not open)", is_possible=True),
    ]
    found = verify("tictactoe", probes=probes)
    assert found["both lines"].status == "proved"
    assert (found["a full board"].status, found["a full board"].depth) == ("proved", 9)


def test_properties_are_read_one_a_line() -> None:
    text = "; comment\n\nnever both lines: (and (line x) (line o))\npossible: (not open)\n"
    both, full = read_properties(text)
    assert (both.name, both.formula, both.is_possible) == (
        "both lines",
        "(and (line x) (line o))",
        False,
    )
    assert (full.name, full.formula, full.is_possible) == ("(not open)", "(not open)", True)
    assert [str(each.span) for each in (both, full)] == ["properties:3:19", "properties:4:11"]


def test_a_line_that_is_no_property_says_what_is_expected() -> None:
    with pytest.raises(GdlError) as caught:
        read_properties("always good: (open)", name="mine.txt")
    assert str(caught.value) == (
        "mine.txt:1:1: error[no-property]: this line is no property\n"
        "  1 | always good: (open)\n"
        "    | ^^^^^^^^^^^^^^^^^^^\n"
        "  expected: never NAME: FORMULA, or possible NAME: FORMULA\n"
        "  help: never both lines: (and (line black) (line white))"
    )
