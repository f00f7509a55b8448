"""The server's process and its listening socket: what connections that it accepts are like."""

from __future__ import annotations

import asyncio
import gc
import json
import socket
import statistics
import time
from collections import Counter
from pathlib import Path

import httpx
import pytest

from gdl.match.store import open_store
from gdl.web import server
from gdl.web.server import listen, make_server
from gdl.web.service import Service
from gdl.web.settings import Settings
from tests.web.serving import START_SECONDS, UNHURRIED, Table, hear, hello, served


def has_ipv6() -> bool:
    try:
        socket.create_server(("::1", 0), family=socket.AF_INET6).close()
    except OSError:
        return False
    return True


@pytest.mark.parametrize("host", ["127.0.0.1", "::1"])
def test_small_answers_are_sent_at_once(host: str) -> None:
    """Else every answer waits until the client has acknowledged its head: 40 ms."""
    if host == "::1" and not has_ipv6():
        pytest.skip("this machine has no IPv6")
    options: list[int] = []

    async def handle(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        accepted: socket.socket = writer.get_extra_info("socket")
        options.append(accepted.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY))
        writer.close()

    async def connect() -> None:
        async with await asyncio.start_server(handle, sock=listen(host, 0)) as server:
            reader, writer = await asyncio.open_connection(*server.sockets[0].getsockname()[:2])
            await reader.read()
            writer.close()

    asyncio.run(connect())
    assert len(options) == 1
    assert options[0] != 0


@pytest.mark.alone
def test_an_answer_takes_little_longer_than_an_echo(tmp_path: Path) -> None:
    """On the same loop; if it waits for an acknowledgement it takes 2,000 times as long."""
    ratios = [asyncio.run(answer_per_echo(tmp_path / f"{number}.db")) for number in range(3)]
    assert min(ratios) < 60, ratios


async def answer_per_echo(database: Path) -> float:
    """Return how many times as long as an echo an answer takes, of each the median of some."""
    started = asyncio.Event()
    service = Service(open_store(database), UNHURRIED)
    answering = make_server(service, on_start=lambda _: started.set())
    serving = asyncio.create_task(answering.serve(sockets=[bound := listen("127.0.0.1", 0)]))
    await started.wait()

    async def echo(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while line := await reader.readline():
            writer.write(line)
        writer.close()
        await writer.wait_closed()

    async def median(port: int, request: bytes, end: bytes) -> float:
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        times = []
        for _ in range(30):
            began = time.perf_counter()
            writer.write(request)
            await reader.readuntil(end)
            times.append(time.perf_counter() - began)
        writer.close()
        await writer.wait_closed()
        return statistics.median(times)

    async with await asyncio.start_server(echo, sock=listen("127.0.0.1", 0)) as echoing:
        plain = await median(echoing.sockets[0].getsockname()[1], b"hello\n", b"\n")
    asked = b"GET /nothing HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"
    answer = await median(bound.getsockname()[1], asked, b"}}")
    answering.should_exit = True
    await serving
    return answer / plain


@pytest.mark.later
def test_what_is_here_for_good_is_put_away_before_anybody_is_served(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    done: list[str] = []

    class Ran:
        """A server that ends as soon as it runs."""

        def run(self, sockets: list[socket.socket]) -> None:
            assert len(sockets) == 1
            done.append("serve")

    monkeypatch.setattr(server, "log_to_stderr", lambda: None)
    monkeypatch.setattr(server, "make_server", lambda *_, **__: Ran())
    monkeypatch.setattr(gc, "freeze", lambda: done.append("freeze"))
    monkeypatch.setattr(gc, "set_threshold", lambda *_: done.append("set_threshold"))
    server.serve(str(tmp_path / "m.db"), host="127.0.0.1", port=0, settings=Settings())
    assert done == ["freeze", "set_threshold", "serve"]


@pytest.mark.slow
def test_what_is_asked_leaves_no_cycles_for_the_collector_to_find(tmp_path: Path) -> None:
    """Everybody waits while it looks: what a connection needs goes with its last name."""

    def ask_everything() -> None:
        table = Table(client, ruleset="tictactoe")
        with client.socket(table.id) as socket:
            hello(socket, table.tokens["x"])
            action = {"id": "a", "seq": 0, "type": "MOVE", "move": "a1"}
            socket.send(json.dumps({"type": "action", "action": action}))
            hear(socket, "accepted")
            socket.send(json.dumps({"type": "action", "action": {**action, "id": "b"}}))
            hear(socket, "refused")
        with client.socket("none") as socket:
            assert hello(socket)["type"] == "refused"
        for path in ("/api/matches", "/api/matches/none", "/none", "/api/rulesets/none", "/"):
            httpx.get(client.base + path, verify=False, timeout=START_SECONDS)
        for path in ("positions", "why", "matches"):
            asked = {"ruleset": "tictactoe", "query": "terminal"}
            address = f"{client.base}/api/{path}"
            httpx.post(address, json=asked, verify=False, timeout=START_SECONDS)

    ours = ("gdl.web.", "uvicorn.", "starlette.", "websockets.server")
    with served(tmp_path / "m.db", matches=2) as client:
        ask_everything()  # what is made once, for good
        time.sleep(0.5)
        gc.collect()
        gc.disable()
        gc.set_debug(gc.DEBUG_SAVEALL)
        try:
            for _ in range(3):
                ask_everything()
            time.sleep(0.5)  # the last connections end
            gc.collect()
            left = Counter(
                type(thing).__module__ + "." + type(thing).__name__ for thing in gc.garbage
            )
        finally:
            gc.set_debug(0)
            gc.garbage.clear()
            gc.enable()
    assert not {name: count for name, count in left.items() if name.startswith(ours)}
