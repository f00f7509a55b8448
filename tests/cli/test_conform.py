"""``gdl conform`` and ``gdl demo``: rule files against their engines, in words and as JSON."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from engine import GAMES
from gdl.ruleset import find as find_ruleset
from gdl.ruleset.flatten import flatten
from tests.cli.running import gdl

AGREEING = """\
ruleset          check                     positions   games
pentago/phased   all positions to 1 move          37       0   agrees
                 games by chance                  55       1   agrees
                 games seeking a win              43       1   agrees

OK: rules and engines agree (135 positions compared, 2 games to the end)
"""
DIFFERING = """\
ruleset       check                     positions   games
changed.kif   all positions to 1 move           2       0   differs

changed.kif differs from the engine of gomoku/freestyle.
legal moves of white: rules and reference differ after 1 move
  rules:     also PLACE_STONE {0,0}
  reference: also nothing
  moves:     PLACE_STONE {0,0}
  board:
    B..............
"""
EMPTY_ROW = "    ...............\n"


def changed(folder: Path, old: str, new: str, ruleset: str = "gomoku/freestyle") -> str:
    """Write a ruleset's rules to one file, with another text at one place; return its name."""
    text = flatten(find_ruleset(ruleset))
    assert text.count(old) == 1
    (folder / "changed.kif").write_text(text.replace(old, new), encoding="utf-8")
    return "changed.kif"


def test_agreement_is_a_table_and_a_summary() -> None:
    ran = gdl("conform", "pentago/phased", "--games", "2")
    assert (ran.code, ran.err) == (0, "")
    assert ran.out == AGREEING


def test_agreement_as_json() -> None:
    ran = gdl("conform", "gomoku/freestyle", "--games", "1", "--depth", "0", "--json")
    assert ran.code == 0
    shown = json.loads(ran.out)
    assert shown["agrees"] is True
    (ruleset,) = shown["rulesets"]
    assert (ruleset["game"], ruleset["engine"]) == ("gomoku/freestyle", "gomoku/freestyle")
    assert [check["check"] for check in ruleset["checks"]] == [
        "all positions to 0 moves",
        "games by chance",
    ]
    assert ruleset["games"] == 1
    assert ruleset["difference"] is None


def test_without_a_game_every_ruleset_with_an_engine_is_compared() -> None:
    shown = json.loads(gdl("conform", "--games", "0", "--depth", "0", "--json").out)
    assert [ruleset["game"] for ruleset in shown["rulesets"]] == list(GAMES)
    assert all(ruleset["agrees"] for ruleset in shown["rulesets"])


@pytest.mark.later
def test_a_difference_is_reported_with_its_play_and_exit_code_1(folder: Path) -> None:
    legal = "(<= (legal ?player (place ?x ?y))\n    (true (control ?player))\n    "
    name = changed(folder, legal + "(empty ?x ?y))", legal + "(index ?x)\n    (index ?y))")
    ran = gdl("conform", name, "--engine", "gomoku/freestyle", "--games", "0")
    assert (ran.code, ran.err) == (1, "")
    assert ran.out == (
        DIFFERING
        + 14 * EMPTY_ROW
        + "\nFAILED: changed.kif (2 positions compared, 0 games to the end)\n"
    )


def test_a_difference_as_json_can_be_played_again(folder: Path) -> None:
    name = changed(folder, "(next (control ?other))", "(next (control ?player))")
    ran = gdl("conform", name, "--engine", "gomoku/freestyle", "--json")
    assert ran.code == 1
    (ruleset,) = json.loads(ran.out)["rulesets"]
    found = ruleset["difference"]
    assert (found["what"], found["rules"], found["reference"]) == (
        "roles to move",
        "black",
        "white",
    )
    assert found["moves"] == ["PLACE_STONE {0,0}"]
    assert found["board"] == ["B" + 14 * ".", *14 * ["." * 15]]


@pytest.mark.slow
def test_a_flattened_ruleset_agrees_without_its_manifest(folder: Path) -> None:
    name = changed(folder, "(init (control black))", "(init (control black))", "pentago/classic")
    ran = gdl("conform", name, "--engine", "pentago/classic", "--games", "1", "--depth", "0")
    assert ran.code == 0
    assert "\nOK: rules and engines agree (" in ran.out


@pytest.mark.usefixtures("folder")
def test_rules_of_another_game_differ_at_once() -> None:
    ran = gdl("conform", "pennies.kif", "--engine", "pentago/strict")
    assert ran.code == 1
    assert "\nroles: rules and reference differ after 0 moves\n" in ran.out
    assert "\n  rules:     even odd\n  reference: black white\n" in ran.out


def test_a_ruleset_without_an_engine_cannot_be_compared() -> None:
    ran = gdl("conform", "tictactoe")
    assert (ran.code, ran.out) == (2, "")
    assert ran.err == (
        "error: there is no reference engine for tictactoe\n"
        "  expected: pentago/strict, pentago/utwente, pentago/classic, pentago/phased, "
        "gomoku/freestyle\n"
        "  help: --engine ID compares with the engine of another ruleset\n"
    )


def test_an_engine_alone_says_nothing() -> None:
    ran = gdl("conform", "--engine", "pentago/strict")
    assert (ran.code, ran.out) == (2, "")
    assert ran.err == "error: --engine needs a GAME to compare with that engine\n"


def test_what_only_another_engine_is_asked_for_is_refused_without_one() -> None:
    ran = gdl("conform", "pentago/strict", "--report", "found")
    assert (ran.code, ran.out) == (2, "")
    assert ran.err == "error: --report is for --against\n  expected: --against SOURCE beside it\n"


@pytest.mark.slow
def test_the_demo_shows_every_ruleset_and_ends_with_a_summary() -> None:
    ran = gdl("demo", "--games", "1")
    assert (ran.code, ran.err) == (0, "")
    for name in GAMES:
        assert f"{name}: {find_ruleset(name).title}\n" in ran.out
    assert ran.out.count("Rules and engine agree in ") == 5
    summary = ran.out.splitlines()[-1]
    assert summary.startswith(
        "OK: 5 of 5 rulesets loaded, drawn, played and agreeing with their engines ("
    )
