"""Whatever goes wrong: words on standard error, an exit code, never a traceback."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
import typer

from gdl.cli.terminal.guard import USAGE, guarded
from tests.cli.running import ROOT, gdl, process, surroundings

UNKNOWN = """\
error: there is no ruleset pentago/stric
  expected: pentago/strict, pentago/utwente, pentago/classic or pentago/phased, a manifest, or a \
.kif or .hrf file
  help: did you mean pentago/strict?
"""
ILLEGAL = """\
error: move 2 of --moves, 'b2': b2 is not legal for o
  expected: one of 8 legal moves, such as c2, b3, b1
  help: gdl why tictactoe "legal o b2" with the moves before
"""
QUOTED = """\
error: move 1 of --moves, '"a$b"': "a$b" is not legal for p
  expected: one of 1 legal move, such as go
  help: gdl why 'my game.kif' 'legal p "a$b"' with the moves before
"""
NOT_A_MOVE = """\
error: move 2 of --moves:
move:1:1: error[not-a-move]: this is no move
  1 | zz
    | ^
  expected: a column (a, b or c), noop or "-", as in b2
"""
SEVERAL = """\
error: move 2 of --moves, 'b1, c2, a1': these are 3 moves
  expected: ; between moves
  help: --moves 'b1; c2; a1'
"""
WHOSE = """\
error: move 1 of --moves, 'even: (show heads) & (show tails)': not every move says whose it is
  expected: ROLE: MOVE & ROLE: MOVE, the roles being even, odd
"""
AMBIGUOUS = """\
error: move 1 of --moves, '(show heads)': even and odd could each play (show heads)
  expected: even: MOVE & odd: MOVE
"""


@pytest.mark.sample(3)
@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize(
    ("words", "code", "message"),
    [
        (["show", "pentago/stric"], 2, UNKNOWN),
        (["legal", "tictactoe", "--moves", "b2; b2"], 1, ILLEGAL),
        (["legal", "tictactoe", "--moves", "b2; zz"], 1, NOT_A_MOVE),
        (["legal", "tictactoe", "--moves", "b2; b1, c2, a1"], 1, SEVERAL),
        (["legal", "pennies.kif", "-m", "even: (show heads) & (show tails)"], 1, WHOSE),
        (["legal", "pennies.kif", "-m", "(show heads)"], 1, AMBIGUOUS),
        (
            ["legal", "count.kif", "-m", "1; 1; 1; 1"],
            1,
            "error: move 4 of --moves, '1': the game is over after 3\n",
        ),
        (
            ["legal", "tictactoe", "--role", "z"],
            2,
            "error: tictactoe has no role 'z'\n  expected: x or o\n",
        ),
        (
            ["legal", "tictactoe", "--moves", "@lost.txt"],
            2,
            "error: there is no file lost.txt\n",
        ),
        (
            ["flatten", "tictactoe", "-o", "no/such/folder.kif"],
            2,
            "error: there is no folder no/such for no/such/folder.kif\n",
        ),
        (
            ["solve", "tictactoe", "-o", "no/such/folder.gdltable"],
            2,
            "error: there is no folder no/such for no/such/folder.gdltable\n",
        ),
        (
            ["test", "tictactoe", "--junit", "no/such/folder.xml"],
            2,
            "error: there is no folder no/such for no/such/folder.xml\n",
        ),
        (["replay", "."], 2, "error: . is a folder\n  expected: a file\n"),
        (
            ["play", "tictactoe", "--watch", "--as", "x"],
            2,
            "error: --watch leaves no role to play\n  expected: --watch or --as, not both\n",
        ),
    ],
)
def test_the_whole_message(words: list[str], code: int, message: str) -> None:
    ran = gdl(*words)
    assert (ran.code, ran.out, ran.err) == (code, "", message)


@pytest.mark.skipif(os.name == "nt", reason="another shell quotes in another way")
def test_a_command_that_is_proposed_is_one_of_the_shell(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    rules = "(role p) (init a) (legal p go) (next a) terminal (goal p 1)"
    Path("my game.kif").write_text(rules.replace("terminal", "(<= terminal (true b))"))
    ran = gdl("legal", "my game.kif", "-m", '"a$b"')
    assert (ran.code, ran.out, ran.err) == (1, "", QUOTED)


HOSTILE = {
    "deep.kif": "(" * 100_000,
    "closing.kif": ")" * 1000,
    "nul.kif": "(role \0)",
    "escape.kif": '(role \x1b[31mred) (init "\x07")',
    "empty.kif": "",
    "comment.kif": "; nothing but words",
    "growing.kif": "(role r) (init a) (p a) (<= (p (f ?x)) (p ?x)) (<= (legal r ?x) (p ?x)) "
    "(<= terminal (p b)) (goal r 100)",
    "paradox.kif": "(role r) (init a) (<= p (not p)) (<= (legal r go) p) terminal (goal r 100)",
    "latin.kif": "(role r\u00f6le)",
}


@pytest.mark.sample(15)
@pytest.mark.parametrize("name", HOSTILE)
@pytest.mark.parametrize("command", ["check", "show", "legal", "simulate", "fmt"])
def test_no_rule_file_leads_to_a_traceback(
    name: str, command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    encoding = "latin-1" if name == "latin.kif" else "utf-8"
    (tmp_path / name).write_text(HOSTILE[name], encoding=encoding)
    ran = gdl(command, name, "--max-seconds", "1" if name == "growing.kif" else "5")
    assert ran.code in (0, 1)
    assert "\x1b" not in ran.out + ran.err
    assert (ran.code == 0) or (command == "check") == ("error" in ran.out)


@pytest.mark.slow
def test_a_folder_is_no_rule_file(tmp_path: Path) -> None:
    ran = process("show", str(tmp_path))
    assert ran.code == 2
    assert ran.err.startswith("error: ")
    assert "Traceback" not in ran.err


@pytest.mark.slow
@pytest.mark.skipif(os.name == "nt", reason="Windows has no such signal")
def test_a_reader_that_goes_away_is_no_error() -> None:
    done = subprocess.run(
        f"'{sys.executable}' -m gdl flatten gomoku/freestyle | head -n 1",
        shell=True,
        capture_output=True,
        cwd=ROOT,
        env=surroundings(),
        text=True,
        check=False,
    )
    assert done.stdout == ";;; gomoku/freestyle\n"
    assert done.stderr == ""


@pytest.mark.alone
@pytest.mark.skipif(os.name == "nt", reason="Windows has no such signal")
@pytest.mark.parametrize(("backend", "n"), [("reason", 1_000_000), ("native", 100_000_000_000)])
def test_an_interrupted_simulation_shows_what_there_is(backend: str, n: int) -> None:
    for seconds in (6, 24, 96):  # on a busy machine none may have been played by the first of them
        with subprocess.Popen(
            [sys.executable, "-m", "gdl", "simulate", "tictactoe", "-n", str(n), "-b", backend],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            cwd=ROOT,
            env=surroundings(),
            text=True,
        ) as running:
            time.sleep(seconds)
            running.send_signal(signal.SIGINT)
            try:
                out, err = running.communicate(timeout=60)
            finally:
                running.kill()
        if out:
            break
    assert running.returncode == 130
    assert out.startswith("tictactoe: ")
    assert "95% interval" in out
    assert "Interrupted after " in err
    assert err.endswith(f" of {n:,} games.\n")


@pytest.mark.slow
def test_characters_that_the_terminal_lacks_are_replaced() -> None:
    board = process("show", "pentago/strict", "-m", "A1 Q11 CW", env={"PYTHONIOENCODING": "ascii"})
    assert (board.code, board.err) == (0, "")
    assert "1>X . . |" in board.out or "1>X - - |" in board.out
    assert board.out.isascii()
    for words in (["--help"], ["simulate", "tictactoe", "-n", "20"], ["rulesets"]):
        ran = process(*words, env={"PYTHONIOENCODING": "ascii"})
        assert (ran.code, ran.err) == (0, "")
        assert ran.out.isascii()
        assert "?" not in ran.out.replace("what?", "")


@pytest.mark.slow
def test_colour_follows_the_environment() -> None:
    assert "\x1b[" not in process("show", "tictactoe", env={"NO_COLOR": "1"}).out
    forced = {"NO_COLOR": "", "FORCE_COLOR": "1", "TERM": "xterm-256color"}
    assert "\x1b[" in process("show", "tictactoe", env=forced).out


@pytest.mark.later
@pytest.mark.parametrize(
    ("words", "code"),
    [
        (["diff", "paradox.kif", "tictactoe"], 2),
        (["diff", "tictactoe", "tictactoe", "--limit", "rules=3"], 2),
        (["verify", "paradox.kif"], 2),
        (["verify", "tictactoe", "--never", "(lin x)"], 2),
        (["certify", "paradox.kif"], 2),
        (["repair", "paradox.kif"], 2),
        (["conform", "paradox.kif", "--against", "tictactoe"], 2),
        (["force", "paradox.kif", "--wins", "r"], 2),
        (["force", "connectfour", "--wins", "red", "--seconds", "0.01"], 3),
        (["legal", "paradox.kif"], 1),
    ],
)
def test_an_error_does_not_leave_as_the_answer_no_does(
    words: list[str], code: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whoever asks with the exit code took rules that cannot be read for games that differ."""
    monkeypatch.chdir(tmp_path)
    Path("paradox.kif").write_text(HOSTILE["paradox.kif"], encoding="utf-8")
    ran = gdl(*words)
    assert (ran.code, ran.out) == (code, "")
    assert "error" in ran.err


def test_a_fault_of_the_package_does_not_leave_as_the_answer_no_does() -> None:
    def break_down() -> None:
        raise AssertionError

    with pytest.raises(typer.Exit) as left:
        guarded(break_down, error_code=USAGE)()
    assert left.value.exit_code == USAGE
    with pytest.raises(AssertionError):
        guarded(break_down)()
