"""Several servers on one database: what one writes the others tell, and one of them thinks."""

from __future__ import annotations

import asyncio
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import httpx
import pytest

from gdl.match.store import open_store
from gdl.web.neighbours import Neighbours, Nobody, claimed, neighbours_of
from gdl.web.settings import Settings
from gdl.web.workers import share
from tests.web.faults import ROOT, Process
from tests.web.serving import Client, Table, hear, hello, served

NEVER = 3_600.0
"""Seconds after which the database would be asked by itself."""


@pytest.fixture
def pair(database: str, tmp_path: Path) -> Iterator[tuple[Client, Client]]:
    """Run two servers that would never look at the database if they were not told."""
    folder = tmp_path / "shared"
    folder.mkdir()
    quiet = {"poll_seconds": 0.3, "heard_poll_seconds": NEVER}
    with served(database, folder, **quiet) as here, served(database, folder, **quiet) as there:
        for client in (here, there):
            while "gdl_neighbours_heard 1.0" not in client.http.get("/metrics").text:
                time.sleep(0.05)
        time.sleep(0.5)  # the last look before they were heard is over
        yield here, there


@pytest.mark.slow
def test_what_one_server_writes_another_tells_at_once(pair: tuple[Client, Client]) -> None:
    here, there = pair
    made = here.create(ruleset="tictactoe", seats={"x": {}})
    table = f"/api/matches/{made['match']}"
    token = made["seats"]["x"]["token"]
    with there.socket(made["match"]) as watching:
        assert hello(watching)["state"]["seq"] == 0
        other = here.ask("POST", f"{table}/seats/o", json={"name": "Ann"}, expect=201)["token"]
        assert hear(watching, "update")["state"]["seats"]["o"]["name"] == "Ann"
        for seq, (who, cell) in enumerate(
            [(token, "a1"), (other, "b2"), (token, "a2"), (other, "b3"), (token, "a3")]
        ):
            action = {"id": f"a{seq}", "seq": seq, "type": "MOVE", "move": cell}
            here.ask("POST", f"{table}/actions", token=who, json=action, expect=201)
            assert hear(watching, "update")["state"]["seq"] == seq + 1
        begun = here.ask("POST", f"{table}/rematch", token=token, json={}, expect=201)
        assert hear(watching, "update")["state"]["rematch"]["match"] == begun["match"]


@pytest.mark.slow
def test_a_clock_ends_in_its_moment_and_the_other_server_tells(
    pair: tuple[Client, Client],
) -> None:
    here, there = pair
    table = Table(here, ruleset="tictactoe", clock={"initialMs": 700, "incrementMs": 0})
    with there.socket(table.id) as watching:
        hello(watching)
        began = time.monotonic()
        table.move("x", "a1", seq=0)
        while (outcome := hear(watching, "update")["state"]["outcome"]) is None:
            pass
        assert (outcome["how"], outcome["by"]) == ("timeout", "o")
        assert time.monotonic() - began < 5


@pytest.mark.slow
def test_one_server_thinks_and_the_other_waits(pair: tuple[Client, Client]) -> None:
    """Whoever looks on at another server starts no second thinking, and hears of the move."""
    here, there = pair
    program = {"agent": "greedy", "seconds": 0.5}
    with ExitStack() as stack:
        table = Table(here, ruleset="tictactoe", seats={"o": program, "x": {}})
        watching = [stack.enter_context(each.socket(table.id)) for each in pair]
        for each in watching:
            hello(each)
        for seq, cells in ((0, "a1 b2"), (2, "a1 b2 a3 c1")):
            free = table.state()["legal"]["x"]["moves"]
            table.move("x", next(cell for cell in cells.split() if cell in free), seq=seq)
            for each in watching:
                while hear(each, "update")["state"]["seq"] < seq + 2:
                    pass
        log = there.http.get(f"{table.path}/log").text
        assert log == here.http.get(f"{table.path}/log").text
        assert len(log.splitlines()) == 1 + 4


CLAIM = """
import asyncio, sys
from pathlib import Path
from sqlalchemy import make_url
from gdl.web.neighbours import neighbours_of
async def main():
    them = neighbours_of(make_url(sys.argv[1]), Path(sys.argv[2]))
    await them.start(lambda match: None)
    while not them.are_heard or getattr(them, "_speaker", them) is None:
        await asyncio.sleep(0.01)
    print(await them.claim("m"), flush=True)
    await asyncio.sleep(600)
asyncio.run(main())
"""


@pytest.mark.slow
def test_a_claim_is_of_one_server_until_it_dies(database: str, tmp_path: Path) -> None:
    store = open_store(database)
    url = store.url.render_as_string(hide_password=False)
    store.close()
    command = [sys.executable, "-c", CLAIM, url, str(tmp_path)]

    def another() -> subprocess.Popen[str]:
        env = {**os.environ, "PYTHONPATH": str(ROOT)}
        return subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=env)

    first, second = another(), None
    try:
        assert first.stdout is not None
        assert first.stdout.readline() == "True\n"
        second = another()
        assert second.stdout is not None
        assert second.stdout.readline() == "False\n"
        first.kill()
        first.wait()

        async def take() -> None:
            them = neighbours_of(store.url, tmp_path)
            await them.start(lambda _: None)
            try:
                async with asyncio.timeout(30), claimed(them, "m"):
                    assert await them.claim("n")
            finally:
                await them.stop()

        asyncio.run(take())
    finally:
        for each in (first, second):
            if each is not None:
                each.kill()
                each.communicate()


def test_who_is_alone_has_every_claim() -> None:
    async def take(alone: Neighbours) -> bool:
        await alone.start(lambda _: None)
        async with claimed(alone, "m"):
            alone.notify("m")
            return alone.are_heard

    assert not asyncio.run(take(Nobody()))


def test_workers_share_what_all_may_take() -> None:
    divided = share(Settings(matches=1_000, workers=4, agents=2), 4)
    assert (divided.matches, divided.workers, divided.sockets) == (250, 1, Settings().sockets)
    # Of what several clients wait for one has never all: of a single process he would.
    assert (divided.agents, divided.studies) == (2, 2)
    assert share(Settings(agents=1), 4).agents == 1


@pytest.mark.slow
@pytest.mark.skipif(
    not Path("/proc/self/task").is_dir(), reason="which processes there are says /proc"
)
def test_workers_serve_together_and_the_dead_are_replaced(database: str) -> None:
    server = Process(database, "--workers", "2")
    server.start()
    try:
        with ExitStack() as stack:
            client = Client(server.base)
            stack.enter_context(client.http)
            table = Table(client, ruleset="tictactoe")
            watching = [stack.enter_context(client.socket(table.id)) for _ in range(8)]
            for each in watching:
                hello(each)
            table.move("x", "a1", seq=0)
            for each in watching:
                assert hear(each, "update")["state"]["seq"] == 1

        def gauge(name: str) -> float:
            text = httpx.get(f"{server.base}/metrics", timeout=60).text
            found = re.search(rf"^{name} (\S+)$", text, re.MULTILINE)
            return float(found[1]) if found else 0

        def workers() -> list[int]:
            listed = Path(f"/proc/{server.pid}/task/{server.pid}/children").read_text()
            return [pid for pid in map(int, listed.split()) if is_worker(pid)]

        until = time.monotonic() + 60
        while gauge("gdl_workers") < 2 and time.monotonic() < until:
            time.sleep(0.2)  # the second may still be on its way
        assert gauge("gdl_workers") == 2
        assert gauge('gdl_actions_total{result="accepted"}'.replace("{", r"\{")) == 1
        before = workers()
        assert len(before) == 2
        os.kill(before[0], signal.SIGKILL)
        while len(workers()) < 2 or before[0] in workers():
            assert time.monotonic() < until + 60
            time.sleep(0.1)
        assert client_state(server.base, table.id) == 1
    finally:
        running = workers()
        server.end()
    assert not any(map(is_worker, running))


@pytest.mark.slow
@pytest.mark.skipif(
    not Path("/proc/self/task").is_dir(), reason="which processes there are says /proc"
)
def test_workers_end_with_whoever_started_them(tmp_path: Path) -> None:
    server = Process(tmp_path / "m.db", "--workers", "2")
    server.start()
    children = Path(f"/proc/{server.pid}/task/{server.pid}/children").read_text().split()
    server.kill()
    until = time.monotonic() + 30
    while any(is_worker(int(pid)) for pid in children):
        assert time.monotonic() < until
        time.sleep(0.1)


def is_worker(pid: int) -> bool:
    """Return whether a process is a worker that runs."""
    try:
        return b"spawn_main" in Path(f"/proc/{pid}/cmdline").read_bytes()
    except (FileNotFoundError, ProcessLookupError):
        return False


def client_state(base: str, match: str) -> int:
    seq: int = httpx.get(f"{base}/api/matches/{match}", timeout=60).json()["seq"]
    return seq
