"""``gdl serve`` as people start it: what it says, and what it says when it cannot."""

from __future__ import annotations

import os
import re
import signal
import socket
import sqlite3
import subprocess
import sys
from pathlib import Path

import httpx
import pytest

from gdl.match.schema import NEWEST

ROOT = Path(__file__).resolve().parents[2]


def command(*options: str) -> list[str]:
    return [sys.executable, "-m", "gdl", "serve", *options]


def refused(folder: Path, *options: str, code: int = 1) -> str:
    """Return what is said when the server cannot start."""
    done = subprocess.run(
        command(*options),
        capture_output=True,
        text=True,
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        timeout=60,
        check=False,
    )
    assert (done.returncode, done.stdout) == (code, "")
    return done.stderr


@pytest.mark.slow
def test_it_says_where_it_listens_and_stops_when_told(tmp_path: Path) -> None:
    with subprocess.Popen(
        command("--port", "0"),
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        text=True,
    ) as running:
        assert running.stdout is not None
        said = running.stdout.readline()
        found = re.fullmatch(r"Serving on (http://127\.0\.0\.1:\d+/)  \(stop with Ctrl-C\)\n", said)
        assert found is not None, said
        assert "<title>gdl: boards</title>" in httpx.get(found[1]).text
        running.send_signal(signal.SIGINT)
        running.wait(30)
    assert (tmp_path / "matches.db").exists()


@pytest.mark.slow
def test_a_port_that_is_taken_is_said_so(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        assert refused(tmp_path, "--port", str(port)) == (
            f"error: cannot listen on 127.0.0.1, port {port}: Address already in use\n"
            "  expected: an address of this machine and a port that is free; --port 0 takes any\n"
        )


@pytest.mark.slow
def test_an_address_that_is_none_is_said_so(tmp_path: Path) -> None:
    text = refused(tmp_path, "--host", "999.1.1.1", "--port", "0")
    assert re.fullmatch(
        r"error: cannot listen on 999\.1\.1\.1, port 0: [^\n]+\n"
        r"  expected: an address of this machine and a port that is free; --port 0 takes any\n",
        text,
    )


@pytest.mark.slow
@pytest.mark.parametrize(
    ("database", "text"),
    [
        (
            "nothing://x",
            (
                "error: nothing://x: Can't load plugin: sqlalchemy.dialects:nothing\n"
                "  expected: a file, or a URL of SQLAlchemy\n"
            ),
        ),
        (
            "newer.db",
            (
                f"error: the database is of version 99, and this program knows {NEWEST}\n"
                "  help: install a newer gdl-framework, or take another database\n"
            ),
        ),
        (
            "no/folder.db",
            "error: the database no/folder.db cannot be used: there is no folder no\n",
        ),
    ],
)
def test_a_database_that_cannot_be_used_is_said_so(
    tmp_path: Path, database: str, text: str
) -> None:
    newer = sqlite3.connect(tmp_path / "newer.db")
    newer.executescript("create table gdl_schema (version); insert into gdl_schema values (99)")
    newer.close()
    assert refused(tmp_path, "--port", "0", "--database", database) == text


@pytest.mark.later
@pytest.mark.parametrize(
    ("players", "text"),
    [
        (
            ("Nell=nobody",),
            (
                "error: --player Nell=nobody: there is no player 'nobody'\n"
                "  expected: random or greedy or mcts or alphabeta or solve or equilibrium "
                "or puzzle or deep\n"
            ),
        ),
        (("Mo=mcts", "Mo=greedy"), "error: --player Mo=greedy: Mo is offered twice\n"),
        (
            ("Nell=gone.gdlnet",),
            (
                "error: --player Nell=gone.gdlnet: gone.gdlnet cannot be read: "
                "No such file or directory\n"
            ),
        ),
    ],
)
@pytest.mark.sample(1)
def test_a_player_that_cannot_be_offered_is_said_so(
    tmp_path: Path, players: tuple[str, ...], text: str
) -> None:
    offers = [word for player in players for word in ("--player", player)]
    assert refused(tmp_path, "--port", "0", *offers, code=2) == text


@pytest.mark.later
@pytest.mark.parametrize("proxy", ["nonsense", "10.0.0.1/8", "proxy.example.org"])
def test_a_proxy_that_is_no_address_is_refused(tmp_path: Path, proxy: str) -> None:
    """It would be believed of nobody, and who is behind it would be one client, in silence."""
    assert refused(tmp_path, "--proxy", "127.0.0.1", "--proxy", proxy, code=2) == (
        f"error: --proxy {proxy}: this is no address\n"
        "  expected: an address, a network such as 10.0.0.0/8, or * for whoever connects\n"
    )
