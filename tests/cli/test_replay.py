"""``gdl replay`` of the log of a match: forward, back, and under other rules."""

from __future__ import annotations

from pathlib import Path

import pytest

from gdl.match import TimeControl
from gdl.match.log import export
from tests.cli.running import gdl
from tests.match.playing import begin, play


@pytest.fixture
def log(tmp_path: Path) -> str:
    match = play(begin("tictactoe", control=TimeControl(60_000)), "b2", "a1", "x: REQUEST_DRAW")
    match = play(match, "x: c3", "o: RESIGN")
    file = tmp_path / "match.jsonl"
    file.write_text(export(match.header, match.entries), encoding="utf-8")
    return str(file)


def test_it_steps_forward_and_back(log: str) -> None:
    ran = gdl("replay", log, stdin="next\n\nback\nlast\nnext\nfirst\nback\n4\nlist\nwhat\nquit\n")
    assert (ran.code, ran.err) == (0, "")
    assert ran.out.startswith("test: tictactoe 1.0.0, 5 actions, rules ")
    shown = [line for line in ran.out.splitlines() if "> " in line and "/5> " in line]
    assert [line.split("> ") for line in shown] == [
        ["0/5", "next"],
        ["1/5", ""],
        ["2/5", "back"],
        ["1/5", "last"],
        ["5/5", "next"],
        ["5/5", "first"],
        ["0/5", "back"],
        ["0/5", "4"],
        ["4/5", "list"],
        ["4/5", "what"],
        ["4/5", "quit"],
    ]
    for part in (
        "   5. O resigns",
        "over (resignation of O): X 100, O 0",
        "clocks: X 60.0 s, O 60.0 s",
        "X offers a draw",
        "That is the end.",
        "That is the beginning.",
        "  back               one action back",
    ):
        assert part in ran.out


def test_the_end_of_input_ends_it(log: str) -> None:
    assert gdl("replay", log, stdin="").code == 0


def test_one_position_is_shown_without_asking(log: str) -> None:
    ran = gdl("replay", log, "--at", "2")
    assert (ran.code, ran.err) == (0, "")
    assert ran.out.endswith(
        "   2. O: a1\n"
        "  a b c\n"
        "3 · · ·\n"
        "2 · X ·\n"
        "1>O · ·\n"
        "\n"
        "(control x)\n"
        "clocks: X 60.0 s, O 60.0 s\n"
        "to move: X\n"
    )


@pytest.mark.later
def test_other_rules_are_named_and_what_differs_fails(log: str) -> None:
    same = gdl("replay", log, "--under", "tictactoe", "--at", "0")
    assert same.code == 0
    assert "note: the rules of tictactoe are those of the match, digest " in same.out
    other = gdl("replay", log, "--under", "connectfour", "--at", "0")
    assert other.code == 1
    assert "note: these are other rules: connectfour 1.1.0 with digest " in other.out
    assert "note: here it stops: entry 0 of match test is refused: there is no role x" in other.out


def test_a_log_that_was_bent_is_refused(log: str) -> None:
    text = Path(log).read_text(encoding="utf-8")
    Path(log).write_text(text.replace("(mark a 1)", "(mark b 2)"), encoding="utf-8")
    ran = gdl("replay", log)
    assert (ran.code, ran.out) == (1, "")
    assert ran.err.startswith("error: entry 1 of match test is refused: b2 is not legal for O here")


def test_a_saved_play_takes_no_options_of_logs(tmp_path: Path) -> None:
    file = tmp_path / "parting.toml"
    file.write_text("[[game]]\n")
    ran = gdl("replay", str(file), "--at", "1")
    assert (ran.code, ran.out) == (2, "")
    assert ran.err == (f"error: {file} is no log of a match\n  expected: no --under and no --at\n")
