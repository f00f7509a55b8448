"""Connections before they ask anything: how many an address has, and how long it may be silent.

In: the settings. Out: uvicorn's protocols of HTTP and of sockets, with bounds. A server has so many
connections in all; without bounds one address could hold all of them with halves of requests. What
uvicorn would refuse in plain text is refused in the form of all other refusals.

Source: RFC 9110, section 7.8 (a server may ignore what a client would upgrade to), RFC 9112, and
RFC 6455, section 4.2, for what opens a socket.
"""

from __future__ import annotations

import asyncio
import re
from collections import Counter
from dataclasses import replace
from functools import partial
from http import HTTPStatus
from typing import Any, ClassVar, Final

from starlette.types import ASGIApp, Message, Receive, Scope, Send
from uvicorn.protocols.http.auto import AutoHTTPProtocol
from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol
from websockets.http11 import Response
from websockets.server import ServerProtocol

from gdl.web.overload import DEAF_SECONDS
from gdl.web.problems import RETRY_SECONDS, ProblemError
from gdl.web.requests import Json, refuse
from gdl.web.secure import HEADERS
from gdl.web.settings import Settings

LONGEST_HEAD: Final = 1 << 16
"""Bytes of a request's head."""
SPARE: Final = 500
"""Connections that may be open beside the sockets of spectators."""
BUSY: Final = HTTPStatus.SERVICE_UNAVAILABLE
TOO_OFTEN: Final = HTTPStatus.TOO_MANY_REQUESTS
_NO_SOCKET: Final = re.compile(rb"\r\nupgrade:(?![ \t]*websocket[ \t]*\r\n)", re.IGNORECASE)
"""What begins a line of a head that asks for another protocol than that of sockets."""


class Bounded(AutoHTTPProtocol):  # type: ignore[misc, valid-type]  # chosen when uvicorn is imported
    """HTTP, of which an address may have so many connections, and each must ask in time."""

    settings: ClassVar[Settings]
    open_of: ClassVar[Counter[str]]
    app: Any
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
        self.app = partial(self._answer, self.app)
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
            text = f"the head of a request has at most {LONGEST_HEAD} bytes"
            self._refuse(ProblemError(431, "too-large", text))

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
        self._refuse(ProblemError(400, "no-http", msg))

    def _refuse(self, problem: ProblemError) -> None:
        """Answer what is no whole request, and end the connection."""
        body, told = _refusal(problem)
        status = HTTPStatus(problem.status)
        lines = [f"HTTP/1.1 {status.value} {status.phrase}"]
        lines += [f"{name}: {text}" for name, text in (("Connection", "close"), *told.items())]
        self.transport.write("\r\n".join([*lines, "", ""]).encode("ascii") + body)
        self.transport.close()

    async def _answer(self, app: ASGIApp, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, or refuse it while more connections are open than the server bears."""
        if len(self.connections) >= self.settings.sockets + SPARE:
            text = "too many connections are open"
            problem = ProblemError(503, "busy", text, retryAfter=RETRY_SECONDS)
            response = refuse(problem)
            response.headers.update(HEADERS)
            await response(scope, receive, send)
            return
        status = 0

        async def tell(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
            elif status == TOO_OFTEN and self.address and not message.get("more_body", False):
                # All of it is told, and the next request looked at only once this one is done:
                # those of a client that sends many at once wait here already.
                await send({**message, "more_body": True})
                await asyncio.sleep(DEAF_SECONDS)
                message = {"type": "http.response.body"}
            await send(message)

        await app(scope, receive, tell)
        if status == BUSY and self.address and not self.transport.is_closing():
            self.flow.pause_reading()  # which costs less, where thousands are refused a second
            asyncio.get_running_loop().call_later(DEAF_SECONDS, self._hear)

    def _hear(self) -> None:
        """Read on from a client that was refused since there was too much to do."""
        if not self.transport.is_closing():
            self.flow.resume_reading()

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


class Handshake(ServerProtocol):
    """The server's end of a socket, whose refusals have the form of all others."""

    def reject(self, status: HTTPStatus | int, text: str) -> Response:
        """Return the answer to a request that opens no socket; ``text`` says why."""
        response = super().reject(status, text)
        why = text.partition("\n")[0].rstrip(".")
        body, told = _refusal(ProblemError(response.status_code, "no-socket", why))
        for name, said in told.items():
            response.headers.pop(name, None)
            response.headers[name] = said
        return replace(response, body=body)


class Sockets(WebSocketsSansIOProtocol):
    """Sockets that say what is wrong with a request for one, and wait for none."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:  # noqa: ANN401  # of uvicorn
        """Take the place of the end that uvicorn has made."""
        super().__init__(*args, **kwargs)
        self.conn = Handshake(max_size=self.config.ws_max_size, logger=self.conn.logger)

    def data_received(self, data: bytes) -> None:
        """Take what was sent; a head that is none for sockets, though it was for HTTP, is refused.

        Nothing would follow it, and nobody would end the connection.
        """
        super().data_received(data)
        error = self.conn.handshake_exc
        if error is not None and not self.handshake_initiated:
            self.handshake_complete = self.close_sent = True
            self.transport.write(self.conn.reject(HTTPStatus.BAD_REQUEST, str(error)).serialize())
            self.transport.close()


def _refusal(problem: ProblemError) -> tuple[bytes, dict[str, str]]:
    """Return the body of a refusal, and what its head says of it."""
    body = bytes(Json(problem.to_json()).body)
    told = {"Content-Type": "application/json", "Content-Length": str(len(body))}
    return body, {**told, **HEADERS}


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
