"""Connections before they ask anything: how many an address has, and how long it may be silent.

In: the settings. Out: uvicorn's protocol of HTTP, with bounds. A server has so many connections
in all; without bounds one address could hold all of them with halves of requests.

Source: RFC 9110, section 7.8 (a server may ignore what a client would upgrade to), RFC 9112.
"""

from __future__ import annotations

import asyncio
import re
from collections import Counter
from typing import Any, ClassVar, Final

from uvicorn.protocols.http.auto import AutoHTTPProtocol

from gdl.web.problems import ProblemError
from gdl.web.requests import Json
from gdl.web.secure import HEADERS
from gdl.web.settings import Settings

LONGEST_HEAD: Final = 1 << 16
"""Bytes of a request's head."""
_NO_SOCKET: Final = re.compile(rb"\r\nupgrade:(?![ \t]*websocket[ \t]*\r\n)", re.IGNORECASE)
"""What begins a line of a head that asks for another protocol than that of sockets."""


class Bounded(AutoHTTPProtocol):  # type: ignore[misc, valid-type]  # chosen when uvicorn is imported
    """HTTP, of which an address may have so many connections, and each must ask in time."""

    settings: ClassVar[Settings]
    open_of: ClassVar[Counter[str]]
    address = ""
    """What this is counted for; empty where it is not counted, or not any more."""
    silence: asyncio.TimerHandle | None = None
    head = 0
    """Bytes of the head that is on its way."""
    whole: Any = None
    """The last request of which all has come. One that was answered before that, since its body is
    too large or nobody wants it, is still followed by the rest of its body, which is no head."""

    def connection_made(self, transport: Any) -> None:  # noqa: ANN401  # of uvicorn
        """Count the connection, or end it where its address has too many."""
        super().connection_made(transport)
        address = self.client[0] if self.client else ""
        if address not in self.settings.proxies:  # behind which there are many
            if self.open_of[address] >= self.settings.connections:
                transport.abort()
                return
            self.address = address
            self.open_of[address] += 1
        self._listen()

    def data_received(self, data: bytes) -> None:
        """Take what was sent; with it begins the time for a head, if none is on its way."""
        if self.silence is None and (self.cycle is None or self.cycle.response_complete):
            self._listen()
        before = self.cycle
        is_head = before is self.whole and (before is None or before.response_complete)
        super().data_received(_without_upgrade(data) if is_head else data)
        if self.cycle is not before or not is_head:
            self.head = 0
            return
        self.head += len(data)  # of a head that is not whole; not every parser bounds it
        if self.head > LONGEST_HEAD and not self.transport.is_closing():
            self.transport.abort()

    def on_message_complete(self) -> None:
        """Note that a request is here whole; httptools says so, and h11 bounds heads itself."""
        self.whole = self.cycle
        super().on_message_complete()

    def send_400_response(self, msg: str) -> None:
        """Refuse what is no HTTP in the form of all refusals, and end the connection.

        A request that came whole before it is answered first, and in place of this.
        """
        if self.cycle is not None and self.cycle is self.whole and not self.cycle.response_complete:
            self.cycle.keep_alive = False
            self.flow.pause_reading()
            return
        body = bytes(Json(ProblemError(400, "no-http", msg).to_json()).body)
        told = {
            "Content-Type": "application/json",
            "Content-Length": str(len(body)),
            "Connection": "close",
            **HEADERS,
        }
        lines = ["HTTP/1.1 400 Bad Request", *(f"{name}: {told[name]}" for name in told), "", ""]
        self.transport.write("\r\n".join(lines).encode("ascii") + body)
        self.transport.close()

    def connection_lost(self, exc: Exception | None) -> None:
        """Count the connection no longer."""
        self._leave()
        super().connection_lost(exc)

    def handle_websocket_upgrade(self, *event: Any) -> None:  # noqa: ANN401  # of h11
        """Count the connection no longer: from here on it is a socket, which `Admission` counts."""
        self._leave()
        super().handle_websocket_upgrade(*event)

    def _listen(self) -> None:
        """Give the client time for the head of a request."""
        self.silence = asyncio.get_running_loop().call_later(
            self.settings.head_seconds, self._hang_up, self.cycle
        )

    def _hang_up(self, before: object) -> None:
        self.silence = None
        if self.cycle is not before:  # a request came; half of another may stand behind it
            if self.cycle.response_complete:
                self._listen()
        elif not self.transport.is_closing():
            self.transport.abort()

    def _leave(self) -> None:
        if self.silence is not None:
            self.silence.cancel()
            self.silence = None
        if self.address:
            self.open_of[self.address] -= 1
            if not self.open_of[self.address]:
                del self.open_of[self.address]
            self.address = ""


def _without_upgrade(data: bytes) -> bytes:
    """Return the head of a request without the wish for another protocol than that of sockets.

    Clients in Java wish for HTTP/2 in their first request; httptools would take all that follows
    the head, the body as well, for that protocol.
    """
    if _NO_SOCKET.search(data) is None:
        return data
    head, end, body = data.partition(b"\r\n\r\n")
    return _NO_SOCKET.sub(b"\r\nnot-upgraded:", head + end) + body


def bounded(settings: Settings) -> type[asyncio.Protocol]:
    """Return the protocol of one server; its connections are counted together."""
    return type("Bounded", (Bounded,), {"settings": settings, "open_of": Counter()})
