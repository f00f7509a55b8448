"""What the playground asks of gdl, in plain Python: the shortest difference, and laws of games."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from types import ModuleType

import pytest

from tests.shared import ROOT

RACE = """
(role w) (role b) (init (at 0)) (succ 0 1) (succ 1 2) (succ 2 3)
(<= (legal ?p go) (role ?p)) (<= (legal w stay) (true (at 1)))
(<= (next (at ?m)) (true (at ?n)) (succ ?n ?m) (does w go))
(<= (next (at ?n)) (true (at ?n)) (does w stay))
(<= terminal (true (at 2))) (<= (goal w 100) (true (at 2))) (<= (goal b 0) (true (at 2)))
"""


@pytest.fixture
def session(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """Return the module of the page, at work in an empty folder that has one game."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "race.kif").write_text(RACE, encoding="utf-8")
    place = ROOT / "docs" / "playground" / "session.py"
    spec = importlib.util.spec_from_file_location("session", place)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        (
            "(init (at 0))",
            "(init (at 0)) (init odd)",
            "The same game: all 3 positions were compared.",
        ),
        (
            "(goal w 100)",
            "(goal w 90)",
            "By your rules w has 90, by the ruleset 100, after go & go, ",
        ),
        (
            "(<= (goal w 100)",
            "(<= (goal w 70)",
            "By your rules w has 70, by the ruleset 100, after",
        ),
        (
            "(goal b 0)",
            "(goal b 100)",
            "By your rules b has 100, by the ruleset 0, after go & go, ",
        ),
        (
            "terminal (true (at 2))",
            "terminal (true (at 1))",
            "Play is over only by your rules, aft",
        ),
        ("(legal w stay)", "(legal b stay)", "w may do stay only by the ruleset, after go & go."),
        ("(role b)", "(role c)", "The roles differ: w, c and w, b."),
    ],
)
def test_the_shortest_play_is_told_after_which_rules_part(
    session: ModuleType, old: str, new: str, said: str
) -> None:
    assert session.changes(RACE.replace(old, new), "race.kif").startswith(said)


def test_where_time_runs_out_it_says_how_far_it_looked(
    session: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(session, "SECONDS", -1.0)
    said = session.changes(RACE, "race.kif")
    assert said.startswith("No difference before move 1; later ones were not all looked at. gdl")
    assert "looked at in some 1 positions" in session.verify(RACE, "race.kif")


def test_hidden_facts_are_not_compared(session: ModuleType) -> None:
    said = session.changes(session.rules_of("kuhnpoker"), "kuhnpoker")
    assert said.startswith("What roles are shown is not compared here")


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("", "", "everybody can move: proved in all 3 positions"),
        (
            "(legal ?p go) (role ?p)",
            "(legal w go)",
            "everybody can move: refuted, b cannot, in the f",
        ),
        ("", "", "one goal at each end: proved in all 3 positions"),
        (
            "(goal b 0)",
            "(goal b 0) (true (at 7))",
            "one goal at each end: refuted, b has none, after",
        ),
        ("(goal b 0)", "(goal b 100)", "everybody can win: proved in all 3 positions"),
        ("", "", "everybody can win: refuted, not b"),
    ],
)
def test_what_every_game_must_keep_is_proved_or_refuted(
    session: ModuleType, old: str, new: str, said: str
) -> None:
    told = session.verify(RACE.replace(old, new) if old else RACE, "")
    assert said in told
