"""What who runs the server sees: a full disk, a database that is away, a server told to end."""

from __future__ import annotations

import json
import os
import shutil
import signal
import socket
import sqlite3
import subprocess
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import httpx
import pytest

from gdl.match import store as stores
from gdl.match.store import Store
from gdl.web import app, logs
from gdl.web.secure import HEADERS
from tests.match.postgresql import Database
from tests.match.test_interrupted import fill, small_disk
from tests.web.faults import Process
from tests.web.serving import Client, Table, hear, hello, served

pytestmark = pytest.mark.slow
REFUSED = {
    "code": "no-database",
    "message": "the database does not answer, or takes nothing more",
    "retryAfter": 2.0,
}
"""What is told to anybody; which machine, user or disk it is stands in the log alone."""


@pytest.fixture(autouse=True)
def _soon_over(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stores, "REFUSED_SECONDS", 1.0)
    monkeypatch.setattr(logs, "LINE_SECONDS", 0.0)


def health(client: Client) -> int:
    return client.http.get("/health").status_code


def until_healthy(client: Client) -> None:
    until(lambda: health(client) == 200)


def until(is_so: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 60
    while not is_so():
        assert time.monotonic() < deadline
        time.sleep(0.05)


def up(client: Client) -> str:
    """Return what is counted of databases that answer."""
    (line,) = [
        line
        for line in client.http.get("/metrics").text.splitlines()
        if line.startswith("gdl_database_up ")
    ]
    return line.removeprefix("gdl_database_up ")


def test_health_says_so_when_the_disk_is_full(tmp_path: Path) -> None:
    with small_disk(tmp_path / "disk", "16m") as disk, served(disk / "m.db") as client:
        table = Table(client, ruleset="tictactoe")
        table.move("x", "a1", seq=0)
        assert (health(client), up(client)) == (200, "1.0")
        filler = fill(disk)
        assert (health(client), up(client)) == (503, "0.0")  # though nobody has tried to write
        refused = table.act("o", "MOVE", "b2", seq=1)
        assert (refused.status_code, refused.json()["error"]) == (503, REFUSED)
        assert table.state()["seq"] == 1
        filler.unlink()
        table.move("o", "b2", seq=1)
        until_healthy(client)
        assert up(client) == "1.0"


def test_what_was_refused_a_moment_ago_counts_though_something_is_taken(tmp_path: Path) -> None:
    """A full disk may take an action, for which a page has room, and no new match."""
    with served(tmp_path / "m.db") as client, sqlite3.connect(tmp_path / "m.db") as direct:
        wanted = {"ruleset": "tictactoe", "seats": {"x": {}}}
        client.create(**wanted)
        direct.execute("alter table seats rename to others")
        client.refused("POST", "/api/matches", 503, json=wanted)
        direct.execute("alter table others rename to seats")
        assert health(client) == 503
        until_healthy(client)
        client.create(**wanted)


@pytest.mark.parametrize("is_replaced", [False, True])
def test_nothing_is_acknowledged_into_a_file_that_is_gone(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, *, is_replaced: bool
) -> None:
    """Whoever moves or replaces the file of a running server had all later actions lost."""
    folder, aside = tmp_path / "here", tmp_path / "aside"
    folder.mkdir()
    with served(folder / "m.db") as client:
        table = Table(client, ruleset="tictactoe")
        table.move("x", "a1", seq=0)
        shutil.copytree(folder, tmp_path / "copy")
        folder.rename(aside)
        if is_replaced:
            shutil.copytree(tmp_path / "copy", folder)
        refused = table.act("o", "MOVE", "b2", seq=1)
        assert (refused.status_code, refused.json()["error"]) == (503, REFUSED)
        assert health(client) == 503
        client.refused("POST", "/api/matches", 503, json={"ruleset": "tictactoe"})
        if is_replaced:
            shutil.rmtree(folder)
        assert not folder.exists()  # nor was another one made
        aside.rename(folder)
        table.move("o", "b2", seq=1)
        until_healthy(client)
    with sqlite3.connect(folder / "m.db") as kept:
        assert kept.execute("select move from actions order by seq").fetchall() == [
            ("a1",),
            ("b2",),
        ]
    (why, *_) = [
        record.__dict__["fields"]["why"]
        for record in caplog.records
        if record.getMessage() == "no-database"
    ]
    assert why == (
        f"the file {folder / 'm.db'} was taken away, or replaced, while it was used\n"
        "  help: put it back; or stop the servers that use it, and start them again"
    )


def test_a_write_ahead_log_that_is_deleted_is_not_written_on(tmp_path: Path) -> None:
    with served(tmp_path / "m.db") as client:
        table = Table(client, ruleset="tictactoe")
        (tmp_path / "m.db-wal").rename(tmp_path / "aside")
        assert table.act("x", "MOVE", "a1", seq=0).json()["error"] == REFUSED
        (tmp_path / "aside").rename(tmp_path / "m.db-wal")
        table.move("x", "a1", seq=0)


def test_postgresql_that_is_stopped_is_told_to_who_runs_it_and_nobody_else(
    postgresql: Database, caplog: pytest.LogCaptureFixture
) -> None:
    with postgresql.fresh() as url, served(url) as client:
        table = Table(client, ruleset="tictactoe")
        table.move("x", "a1", seq=0)
        with client.socket(table.id) as playing:
            hello(playing, table.tokens["o"])
            postgresql.stop()
            try:
                action = {"id": "b", "seq": 1, "type": "MOVE", "move": "b2"}
                playing.send(json.dumps({"type": "action", "action": action}))
                assert hear(playing, "refused") == {"type": "refused", "id": "b", "error": REFUSED}
                assert table.act("o", "MOVE", "b2", seq=1).json()["error"] == REFUSED
                assert (health(client), up(client)) == (503, "0.0")
            finally:
                postgresql.start()
            # The same socket goes on, and the same action is done once.
            playing.send(json.dumps({"type": "action", "action": action}))
            assert hear(playing, "accepted")["new"] is True
            until_healthy(client)
            assert up(client) == "1.0"
    told = [record for record in caplog.records if record.getMessage() == "no-database"]
    why = [record.__dict__["fields"]["why"] for record in told]
    # Of a connection that breaks, or of one that cannot be had: whichever is asked for first.
    assert why
    assert all(each.startswith("the database does not answer: ") for each in why), why


def test_a_database_that_is_silent_does_not_silence_the_server(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A machine that hangs answers nothing, and refuses nothing either."""
    is_over = threading.Event()
    monkeypatch.setattr(app, "PATIENCE", 0.2)
    with served(tmp_path / "m.db") as client:
        with monkeypatch.context() as hanging:
            for name in ("check", "counts"):
                hanging.setattr(Store, name, lambda _: is_over.wait())
            try:
                answer = client.http.get("/health")
                assert (answer.status_code, answer.json()["error"]) == (503, REFUSED)
                assert up(client) == "0.0"
                assert client.http.get("/").status_code == 200
            finally:
                is_over.set()
        until_healthy(client)


def test_a_server_that_is_told_to_end_says_so_to_who_waits(tmp_path: Path) -> None:
    """It was an error of the server in plain text, and a traceback for each event stream."""
    told: dict[str, Any] = {}
    log = tmp_path / "log"
    server = Process(tmp_path / "m.db", log=log)
    server.start()
    client = Client(server.base)
    match = client.create(ruleset="tictactoe")["match"]

    def ask() -> None:
        long = {"ruleset": "connectfour", "agent": "mcts", "seconds": 10}
        told["answer"] = httpx.post(f"{server.base}/api/evaluations", json=long, timeout=60)

    def watch() -> None:
        told["events"] = httpx.get(f"{server.base}/api/matches/{match}/events", timeout=60).text

    waiting = [threading.Thread(target=work) for work in (ask, watch)]
    for thread in waiting:
        thread.start()
    until(lambda: "gdl_streams 1.0" in client.http.get("/metrics").text)
    time.sleep(1)
    client.http.close()
    server.end()
    for thread in waiting:
        thread.join(60)
    answer = told["answer"]
    assert answer.status_code == 503
    assert answer.json() == {
        "error": {"code": "busy", "message": "the server ends", "retryAfter": 2.0}
    }
    assert HEADERS.items() <= {name.title(): text for name, text in answer.headers.items()}.items()
    assert told["events"].startswith("id: 0\n")
    assert "Traceback" not in log.read_text()


def lines(log: Path) -> list[dict[str, Any]]:
    """Return the lines of a log, each of which is JSON."""
    return [json.loads(line) for line in log.read_text().splitlines()]


def test_every_line_of_the_log_is_json(tmp_path: Path) -> None:
    """Whoever sends what is no request wrote lines of plain text into it."""
    log = tmp_path / "log"
    server = Process(tmp_path / "m.db", log=log)
    server.start()
    host = f"Host: 127.0.0.1:{server.port}\r\n".encode()
    opens = b"Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
    opens += b"Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"
    made = httpx.post(f"{server.base}/api/matches", json={"ruleset": "tictactoe"}, timeout=60)
    path = f"/api/matches/{made.json()['match']}/socket".encode()
    sent = {
        b"nonsense\r\n\r\n": 400,
        b"GET / HTTP/1.1\r\n" + host + b"Host: other\r\n\r\n": 400,
        b"GET " + path + b" HTTP/1.1\r\n" + host + b"Origin: http://x\r\n" + opens + b"\r\n": 403,
        b"GET " + path + b" HTTP/1.1\r\n" + host + opens + b"\r\n": 101,
    }
    try:
        for text, status in sent.items():
            with socket.create_connection(("127.0.0.1", server.port), 60) as client:
                client.sendall(text)
                answer = client.recv(1 << 16)
                assert answer.startswith(f"HTTP/1.1 {status} ".encode())
                if status == 101:
                    client.sendall(b"\x81\x82\0\0\0\0\xff\xff")  # a text that is no UTF-8
                    while client.recv(1 << 16):
                        pass
    finally:
        server.end()
    (no_request,) = [line for line in lines(log) if line["event"] == "no request"]
    assert {name: no_request[name] for name in ("level", "status", "why", "client")} == {
        "level": "info",
        "status": 400,
        "why": "Invalid HTTP request received.",
        "client": "127.0.0.1",
    }


def test_a_worker_that_dies_is_told_of_and_comes_back_with_its_database(
    postgresql: Database, tmp_path: Path
) -> None:
    """Without it, one was started after the other, each with pages of tracebacks."""
    if not Path("/proc/self/task").is_dir():
        pytest.skip("which processes there are says /proc")
    log = tmp_path / "log"
    with postgresql.fresh() as url:
        server = Process(url, "--workers", "2", log=log)
        server.start()
        try:
            until(lambda: len(workers(server.pid)) == 2)
            time.sleep(5)  # that they are no young ones
            postgresql.stop()
            dead = workers(server.pid)[0]
            try:
                os.kill(dead, signal.SIGKILL)
                until(lambda: any(line["event"] == "a worker cannot start" for line in lines(log)))
            finally:
                postgresql.start()
            with Client(server.base).http as http:
                until(lambda: len(workers(server.pid)) == 2 and http.get("/health").is_success)
        finally:
            server.end()
    deaths = [line for line in lines(log) if line["event"] == "a worker has died"]
    assert (deaths[0]["worker"], deaths[0]["code"]) == (dead, -signal.SIGKILL)
    assert [death["code"] for death in deaths[1:]] == [1] * (len(deaths) - 1)
    assert "Traceback" not in log.read_text()


def workers(pid: int) -> list[int]:
    """Return the workers of a server."""
    done = subprocess.run(["pgrep", "-P", str(pid)], capture_output=True, text=True, check=False)
    found = map(int, done.stdout.split())
    return [p for p in found if b"spawn_main" in Path(f"/proc/{p}/cmdline").read_bytes()]
