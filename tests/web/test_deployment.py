"""``examples/server`` and docs/serve.md, "Running it for others": the same commands, tried here.

No container engine is needed: what the Containerfile copies and runs is copied and run in a clean
folder, the server is started with the command of compose.yaml, and asked through its proxy.
"""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import socket
import sqlite3
import subprocess
import sys
import time
from collections.abc import Iterator
from configparser import ConfigParser
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

import httpx
import pytest
from sqlalchemy import text

from gdl.match import Entry, Header, Kind
from gdl.match.log import parse_log, replay
from gdl.match.records import Seat, Start
from gdl.match.store import open_store
from gdl.ruleset import find
from tests.match.postgresql import Database, programs
from tests.web.serving import Client, Table, hear, hello, served

ROOT = Path(__file__).resolve().parents[2]
SERVER = ROOT / "examples" / "server"
PROXY = "10.77.0.2"
"""The address of the proxy in compose.yaml."""
PATHS = "/usr/local/bin:/usr/bin:/bin"


def instructions(word: str) -> list[str]:
    """Return what the Containerfile says behind a word, line by line."""
    lines = (SERVER / "Containerfile").read_text().splitlines()
    return [line.removeprefix(word).strip() for line in lines if line.startswith(word)]


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


@pytest.fixture(scope="module")
def image(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build in a folder what the Containerfile builds in an image; return its programs."""
    folder = tmp_path_factory.mktemp("image")
    for line in instructions("COPY"):
        *names, target = line.split()
        for name in names:
            place = folder / target.strip("/")
            if (ROOT / name).is_dir():
                shutil.copytree(ROOT / name, place, ignore=shutil.ignore_patterns("__pycache__"))
            else:
                place.mkdir(parents=True, exist_ok=True)
                shutil.copy(ROOT / name, place)
    subprocess.run([sys.executable, "-m", "venv", folder / "python"], check=True)
    found = folder / "python" / "bin"
    install = shlex.split(instructions("RUN")[0].replace("/source", str(folder / "source")))
    assert install[:2] == ["pip", "install"]
    done = subprocess.run(
        [found / "python", "-m", *install], capture_output=True, text=True, check=False
    )
    if "No matching distribution" in done.stderr or "Connection" in done.stderr:
        pytest.skip("pip cannot fetch packages here")
    assert done.returncode == 0, done.stderr
    shutil.rmtree(folder / "source")
    return found


@contextmanager
def running(command: list[str], env: dict[str, str], cwd: Path, url: str) -> Iterator[None]:
    """Run a program until the body is done; it answers under an address by then."""
    with subprocess.Popen(command, env=env, cwd=cwd, stderr=subprocess.PIPE) as program:
        try:
            for _ in range(1_200):
                with suppress(httpx.HTTPError):
                    httpx.get(url, timeout=5)
                    break
                if program.poll() is not None:
                    assert program.stderr is not None
                    raise AssertionError(program.stderr.read().decode())
                time.sleep(0.1)
            yield
        finally:
            program.terminate()
            program.communicate(timeout=30)


@pytest.mark.slow
@pytest.mark.timeout(900)
def test_the_commands_of_the_containers_serve_through_the_proxy(
    image: Path, postgresql: Database, tmp_path: Path
) -> None:
    yaml = pytest.importorskip("yaml", reason="PyYAML is not installed")
    services = yaml.safe_load((SERVER / "compose.yaml").read_text())["services"]
    outer, inner = free_port(), free_port()
    said = services["server"]["command"]
    told = {PROXY: "127.0.0.1", "0.0.0.0": "127.0.0.1", "8000": str(inner)}
    command = [told.get(word, re.sub(r"\$\{.*\}", "127.0.0.1", word)) for word in said]
    assert instructions("CMD")[0] == json.dumps(said[: said.index("--proxy")])
    path = f"{image}:{PATHS}"
    with postgresql.fresh() as url:
        env = {"PATH": path, "HOME": str(tmp_path), "GDL_DATABASE": url}
        base = f"http://127.0.0.1:{inner}"
        command[0] = str(image / command[0])
        with running(command, env, tmp_path, f"{base}/health"):
            check = instructions("HEALTHCHECK")[0].partition("CMD ")[2]
            check = check.replace("127.0.0.1:8000", f"127.0.0.1:{inner}")
            subprocess.run(check, shell=True, check=True, env=env, cwd=tmp_path)
            play(Client(base))
            if shutil.which("caddy") is None:
                pytest.skip("all but the proxy was tried: Caddy is not installed")
            caddy = [
                "caddy",
                "run",
                "--config",
                str(SERVER / "Caddyfile"),
                "--adapter",
                "caddyfile",
            ]
            through = f"http://127.0.0.1:{outer}"
            more = {
                "PATH": PATHS,
                "HOME": str(tmp_path),
                "GDL_NAME": through,
                "GDL_SERVER": f"127.0.0.1:{inner}",
                "CADDY_ADMIN": f"127.0.0.1:{free_port()}",
            }
            with running(caddy, more, tmp_path, f"{through}/health"):
                play(Client(through))
                assert httpx.get(f"{through}/metrics").status_code == 404
                assert "gdl_workers" in httpx.get(f"{base}/metrics").text


def play(client: Client) -> None:
    """Play a match to its end, with somebody who watches by socket."""
    with client.http:
        table = Table(client, ruleset="tictactoe")
        with client.socket(table.id) as watching:
            hello(watching)
            for seq, cell in enumerate(("a1", "b2", "a2", "b3", "a3")):
                table.move("xo"[seq % 2], cell, seq=seq)
                assert hear(watching, "update")["state"]["seq"] == seq + 1
        assert table.state()["outcome"]["goals"] == {"x": 100, "o": 0}


def documented(begin: str) -> str:
    """Return the command of docs/serve.md that begins so."""
    lines = (ROOT / "docs" / "serve.md").read_text().splitlines()
    (command,) = [line[3:-1] for line in lines if line.startswith(f"- `{begin}")]
    return command


@pytest.mark.slow
def test_the_unit_of_systemd_starts_a_server_and_stops_it(tmp_path: Path) -> None:
    unit = ConfigParser(strict=False, interpolation=None)
    unit.optionxform = str  # type: ignore[assignment, method-assign]  # as its documentation has it
    unit.read(SERVER / "gdl-serve.service")
    program, *words = shlex.split(unit["Service"]["ExecStart"])
    assert program == "/opt/gdl/bin/gdl"
    assert "--port" in words
    port = free_port()
    words[words.index("--port") + 1] = str(port)
    env = {**os.environ, "PYTHONPATH": str(ROOT), "GDL_DATABASE": str(tmp_path / "m.db")}
    env |= {"GDL_SERVE_NAME": "play.example.org 127.0.0.1", "GDL_SERVE_MATCHES": "10"}
    base = f"http://127.0.0.1:{port}"
    with running([sys.executable, "-m", "gdl", *words], env, tmp_path, f"{base}/health"):
        assert httpx.get(f"{base}/health").json() == {"status": "ok"}
        for name, status in {"play.example.org": 200, "elsewhere.org": 421}.items():
            answer = httpx.get(f"{base}/health", headers={"Host": name})
            assert answer.status_code == status
    assert (tmp_path / "m.db").exists()


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["sqlite", "postgresql"])
def test_what_is_old_is_deleted_by_what_the_page_says(
    kind: str, request: pytest.FixtureRequest, tmp_path: Path
) -> None:
    said = (ROOT / "docs" / "serve.md").read_text().splitlines()
    statements = [line[3:-1] for line in said if line.startswith("- `DELETE FROM ")]
    assert len(statements) == 5
    with ExitStack() as stack:
        url = str(tmp_path / "m.db")
        if kind == "postgresql":
            url = stack.enter_context(request.getfixturevalue("postgresql").fresh())
        store = open_store(url)
        stack.callback(store.close)
        seats = [Seat("x", "t", "Ann", "", 1)]
        for name, ruleset, is_old, is_over in (
            ("old", "tictactoe", True, True),
            ("goes on", "tictactoe", True, False),
            ("new", "connectfour", False, True),
            ("alone", "hex", True, True),
        ):
            created = 1 if is_old else 1_790_000_000_000
            header = Header.of(name, find(ruleset), created=created)
            start = Start((Entry(0, "a", "x", Kind.MOVE, 1, 0, "b2", "(mark b 2)"),), is_over)
            store.create(header, owner="w", trusted=True, seats=seats, start=start)
        with store._writing() as connection:
            for statement in statements:
                connection.execute(text(statement))
            kept = connection.execute(text("SELECT count(*) FROM rulesets")).scalar()
        assert {match.id for match in store.newest(limit=9)} == {"goes on", "new"}
        assert [len(store.entries(name)) for name in ("old", "goes on")] == [0, 1]
        assert [len(store.seats(name)) for name in ("alone", "new")] == [0, 1]
        assert kept == 2


@pytest.mark.slow
def test_a_copy_of_a_file_in_use_has_all_that_was_answered(tmp_path: Path) -> None:
    with served(tmp_path / "matches.db") as client:
        table = Table(client, ruleset="tictactoe")
        table.move("x", "a1", seq=0)
        words = shlex.split(documented("python -c"))
        subprocess.run([sys.executable, *words[1:]], check=True, cwd=tmp_path)
        table.move("o", "b2", seq=1)
    assert sqlite3.connect(tmp_path / "copy.db").execute("pragma integrity_check").fetchone() == (
        "ok",
    )
    with served(tmp_path / "copy.db") as client:
        log = client.http.get(f"/api/matches/{table.id}/log").text
        header, entries = parse_log(log)
        assert [entry.move for entry in entries] == ["a1"]
        assert replay(header, entries).is_same
        action = {"id": "b", "seq": 1, "type": "MOVE", "move": "c3"}
        path = f"/api/matches/{table.id}/actions"
        client.ask("POST", path, token=table.tokens["o"], json=action, expect=201)


@pytest.mark.slow
def test_a_dump_of_postgresql_in_use_has_all_that_was_answered(
    postgresql: Database, tmp_path: Path
) -> None:
    folder = programs()
    assert folder is not None
    with postgresql.fresh() as url, postgresql.fresh() as empty:
        with served(url) as client:
            table = Table(client, ruleset="tictactoe")
            table.move("x", "a1", seq=0)
            for begin, database in (("pg_dump", url), ("pg_restore", empty)):
                plain = database.replace("+psycopg", "")
                command = documented(begin).replace("postgresql://gdl@localhost/matches", plain)
                path = f"{folder}:{os.environ['PATH']}"
                subprocess.run(
                    command,
                    shell=True,
                    check=True,
                    cwd=tmp_path,
                    env={**os.environ, "PATH": path},
                )
        store = open_store(empty)
        assert [entry.move for entry in store.entries(table.id)] == ["a1"]
        store.close()
