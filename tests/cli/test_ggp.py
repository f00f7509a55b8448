"""``gdl ggp-player``, ``gdl ggp-match`` and ``gdl replay`` of its records, as users type them."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from gdl.cli.playing import ggp_player
from gdl.ggp import server
from tests.cli.running import ROOT, gdl, surroundings


@pytest.fixture
def port() -> Iterator[int]:
    """Run ``gdl ggp-player`` as a process, on a free port."""
    child = subprocess.Popen(
        [sys.executable, "-m", "gdl", "ggp-player", "-p", "greedy", "--port", "0", "--name", "Bob"],
        stdout=subprocess.PIPE,
        env={**surroundings(), "PYTHONPATH": str(ROOT), "PYTHONUNBUFFERED": "1"},
        text=True,
    )
    assert child.stdout is not None
    try:
        said = child.stdout.readline()
        found = re.fullmatch(r"Bob listens on 127\.0\.0\.1:(\d+); Ctrl-C ends it\n", said)
        assert found, said
        yield int(found[1])
    finally:
        child.send_signal(signal.SIGINT)
        assert child.wait(20) == 130
        child.stdout.close()


@pytest.mark.slow
def test_a_match_its_record_and_its_replay(port: int, tmp_path: Path) -> None:
    record = tmp_path / "match.json"
    ran = gdl(
        *("ggp-match", "--game", "tictactoe", "--players", f"localhost:{port},random"),
        *("--startclock", "10", "--playclock", "5", "--scramble", "-o", str(record), "--seed", "1"),
        *("--backend", "reason", "--match-id", "m7"),
    )
    assert (ran.code, ran.err) == (0, "")
    first, *steps, last = ran.out.splitlines()
    assert first == "m7: x Bob, o random"
    assert all(re.fullmatch(r" +\d+\. [abc][123]", line) for line in steps)
    assert re.fullmatch(
        r"over after \d joint moves; goals: x \d+, o \d+", last
    )  # no faults are told
    table = json.loads(record.read_text())
    assert len(table["moves"]) == len(steps)
    assert table["playerNamesFromHost"] == ["Bob", "random"]
    assert table["scrambled"] is True
    again = gdl("replay", str(record))
    assert again.code == 0
    assert again.out.startswith(f"tictactoe: over after {len(steps)} moves; goals: X ")


def test_a_player_that_is_not_there_is_said_to_be(tmp_path: Path) -> None:
    del tmp_path
    ran = gdl(
        *("ggp-match", "-g", "tictactoe", "-p", "random,localhost:9", "--match-id", "m"),
        *("--backend", "reason", "-o", "-", "--seed", "2"),
    )
    assert ran.code == 0
    assert json.loads(ran.out)["startErrors"] == ["", "CE"]
    lines = ran.err.splitlines()
    assert lines[:2] == ["m: x random, o localhost:9", "     o (localhost:9): no connection (CE)"]
    assert lines[2] == "     o (localhost:9): no connection (CE); noop was drawn instead"
    assert re.fullmatch(r"over after \d joint moves; goals: x \d+, o \d+; \d+ faults", lines[-1])


@pytest.mark.parametrize("host", ["a..b", "x" * 300])
def test_a_name_that_no_machine_can_have_is_no_connection(host: str) -> None:
    ran = gdl(
        *("ggp-match", "-g", "tictactoe", "-p", f"random,{host}:9147", "--match-id", "m"),
        *("--backend", "reason", "--seed", "2"),
    )
    assert (ran.code, ran.err) == (0, "")
    assert f"     o ({host}:9147): no connection (CE)" in ran.out.replace("\n", "")


def test_a_record_that_cannot_be_written_is_said_before_anybody_is_asked(tmp_path: Path) -> None:
    words = ("-g", "tictactoe", "-p", "random,random", "--match-id", "m", "--backend", "reason")
    ran = gdl("ggp-match", *words, "-o", str(tmp_path))
    assert (ran.code, ran.err) == (2, f"error: {tmp_path} is a folder\n  expected: a file\n")
    assert ran.out == "m: x random, o random\n"


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (
            ["ggp-match", "-g", "tictactoe", "-p", "here"],
            (
                "error: --players: 'here' is no player\n"
                "  expected: HOST:PORT, such as localhost:9147, or random\n"
            ),
        ),
        (
            ["ggp-match", "-g", "tictactoe", "-p", "a:1"],
            (
                "error: --players a:1: 1 player for 2 roles\n"
                "  expected: one for each of x, o, in this order\n"
            ),
        ),
        (
            ["ggp-match", "-g", "tictactoe", "-p", "random,random", "--match-id", "a b"],
            "error: --match-id a b: a name is one word without brackets and quotes\n",
        ),
        (
            ["ggp-player", "--name", "(x)"],
            "error: --name (x): a name is one word without brackets and quotes\n",
        ),
    ],
)
def test_command_lines_that_make_no_sense(words: list[str], message: str) -> None:
    ran = gdl(*words)
    assert (ran.code, ran.out, ran.err) == (2, "", message)


def test_an_unknown_player() -> None:
    ran = gdl("ggp-player", "--player", "gredy")
    assert ran.code == 2
    assert ran.err.startswith("error: --player gredy: there is no player 'gredy'\n  expected: ")
    assert ran.err.endswith("\n  help: did you mean greedy?\n")


@pytest.mark.slow
def test_a_port_that_is_taken(port: int) -> None:
    ran = gdl("ggp-player", "--port", str(port))
    assert ran.code == 1
    assert ran.err.startswith(f"error: 127.0.0.1:{port} cannot be listened on: ")
    assert os.linesep in ran.err


def test_the_customary_port_is_the_same_in_both_rooms() -> None:
    assert ggp_player.PORT == server.PORT == 9147
