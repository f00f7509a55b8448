"""The server's process and its listening socket: what connections that it accepts are like."""

from __future__ import annotations

import asyncio
import gc
import socket
from pathlib import Path

import pytest

from gdl.web import server
from gdl.web.server import listen
from gdl.web.settings import Settings


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
