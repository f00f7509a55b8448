"""Connections before they ask anything: how many an address has, and how long it may be silent.

In: the settings. Out: uvicorn's protocols of HTTP and of sockets, with bounds. A server has so many
connections in all; without bounds one address could hold all of them with halves of requests. Nor
may one packet hold so many small things (requests, lines of a head, pieces of a body, frames) that
everybody waits until it is read. What uvicorn would refuse in plain text is refused in the form of
all other refusals.

Source: RFC 9110, section 7.8 (a server may ignore what a client would upgrade to), RFC 9112, and
RFC 6455, section 4.2, for what opens a socket.
"""

from __future__ import annotations

import asyncio
import logging
import re
import time
from collections import Counter
from dataclasses import replace
from functools import lru_cache, partial
from http import HTTPStatus
from ipaddress import ip_address, ip_network
from typing import Any, ClassVar, Final

from starlette.types import ASGIApp, Message, Receive, Scope, Send
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol
from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol
from websockets.frames import CloseCode, Frame
from websockets.http11 import Response
from websockets.server import ServerProtocol

from gdl.web.problems import RETRY_SECONDS, ProblemError
from gdl.web.rate_limits import Admission, Bucket
from gdl.web.requests import Json, household
from gdl.web.secure import HEADERS, refusal
from gdl.web.settings import Rate, Settings, most_files

LOG: Final = logging.getLogger("gdl.web")
LONGEST_HEAD: Final = 1 << 16
"""Bytes of a request's head."""
LONGEST_ADDRESS: Final = 4_096
"""Bytes of the address that is asked for."""
MOST_FIELDS: Final = 100
"""Lines of a head, those behind a body counted as well."""
PIPELINED: Final = 16
"""Requests that may wait on a connection for the answers before theirs."""
PIECES: Final = 64
"""Pieces of a body that may be small."""
PIECE: Final = 256
"""Bytes of each of the others, one with another."""
DRAINED: Final = 4
"""So many times what a body may have is read, and thrown away, of one that is too large."""
FAULT: Final = 50
"""New connections that one costs its address on which nothing more was read, as its client sent
what no program does that means well: else whoever connects again has all of his allowance back."""
SLICE: Final = 256
"""Bytes of a socket that are read before it is looked at what they were."""
FRAMES: Final = Rate(per_second=20, burst=50)
"""Frames of a socket that are no messages: pings, pongs, and parts."""
MESSAGES: Final = 100
"""Messages of a socket that may wait to be answered."""
SPARE: Final = 3_000
"""Connections that may be open beside the sockets of spectators."""
FEW: Final = 6
"""Connections of an address, those of a browser, that are told so where there are too many."""
OWN_FILES: Final = 200
"""Files that the server needs for itself: each connection is one as well."""
BUSY: Final = HTTPStatus.SERVICE_UNAVAILABLE
TOO_OFTEN: Final = HTTPStatus.TOO_MANY_REQUESTS
_NO_SOCKET: Final = re.compile(rb"\r\nupgrade:(?![ \t]*websocket[ \t]*\r\n)", re.IGNORECASE)
"""What begins a line of a head that asks for another protocol than that of sockets."""


@lru_cache(10_000)
def is_proxy(address: str, proxies: tuple[str, ...]) -> bool:
    """Return whether a connection is that of a proxy: an address, or of a network, or any (``*``).

    What uvicorn believes of ``X-Forwarded-For`` is believed of the same.
    """
    if "*" in proxies:
        return True
    try:
        whole = ip_address(address)
    except ValueError:
        return address in proxies
    return any(whole in ip_network(proxy) for proxy in proxies)


class TooMuchError(Exception):
    """What ends the parsing of what one packet holds."""


class Bounded(HttpToolsProtocol):
    """HTTP, of which an address may have so many connections, and each must ask in time."""

    settings: ClassVar[Settings]
    admission: ClassVar[Admission]
    most: ClassVar[int]
    open_of: ClassVar[Counter[str]]
    opened: ClassVar[Bucket]
    app: Any
    cycle: Any
    address = ""
    """What this is counted for; empty where it is not counted, or not any more."""
    silence: asyncio.TimerHandle | None = None
    head = 0
    """Bytes of the head that is on its way."""
    whole: Any = None
    """The last request of which all has come. One that was answered before that, since its body is
    too large or nobody wants it, is still followed by the rest of its body, which is no head."""
    kept: bytes | None = None
    """What was said before anybody listened; None when somebody does."""
    fault: ProblemError | None = None
    """Why nothing more is read."""
    packets = pieces = size = 0
    """Of a body that is on its way: packets, pieces, and bytes."""

    def connection_made(self, transport: Any) -> None:  # noqa: ANN401  # of uvicorn
        """Count the connection, or end it where its address has too many."""
        super().connection_made(transport)
        self.app = partial(self._answer, self.app)
        address = self.client[0] if self.client else ""
        if not is_proxy(address, self.settings.proxies):  # behind which there are many
            address = household(address)
            free = max(FEW, self.most - len(self.connections))
            if self.open_of[address] >= min(self.settings.connections, free):
                transport.abort()
                return
            self.address = address
            self.open_of[address] += 1
            self.kept = b""
            begin = partial(self.admission.gate.let, address, self._begin)
            if wait := self.opened.owe(address, time.monotonic()):
                asyncio.get_running_loop().call_later(wait, begin)
            else:
                begin()
        self._listen()

    def data_received(self, data: bytes) -> None:
        """Take what was sent; with it begins the time for a head, if none is on its way."""
        if self.fault is not None:
            self.transport.pause_reading()  # for good: what comes is not even thrown away
            return
        if self.kept is not None:
            self.kept += data
            self.flow.pause_reading()
            return
        self.packets += 1
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
            self._blame()
            self._refuse(ProblemError(431, "too-large", text))

    def on_message_begin(self) -> None:
        """Begin another request, if not too many wait."""
        super().on_message_begin()
        self.packets = self.pieces = self.size = 0
        if len(self.pipeline) >= PIPELINED:
            self._stop(429, "too-often", f"{PIPELINED} requests wait on this connection")

    def on_url(self, url: bytes) -> None:
        """Take a part of the address."""
        super().on_url(url)
        if len(self.url) > LONGEST_ADDRESS:
            self._stop(414, "too-large", f"an address has at most {LONGEST_ADDRESS} bytes")

    def on_header(self, name: bytes, value: bytes) -> None:
        """Take a line of a head, or one behind a body."""
        super().on_header(name, value)
        if len(self.headers) > MOST_FIELDS:
            self._stop(431, "too-large", f"the head of a request has at most {MOST_FIELDS} fields")

    def on_body(self, body: bytes) -> None:
        """Take a piece of a body; those that its client has made, and not the network, are few."""
        self.pieces += 1
        self.size += len(body)
        if self.pieces - self.packets > PIECES + self.size // PIECE:
            self._stop(400, "no-http", "the body comes in too many small pieces")
        if self.size > DRAINED * self.settings.upload:
            self._stop(413, "too-large", "the body does not end")
        super().on_body(body)

    def _stop(self, status: int, code: str, text: str) -> None:
        """End the parsing; uvicorn then asks for the answer by `send_400_response`."""
        self.fault = ProblemError(status, code, text)
        raise TooMuchError

    def on_message_complete(self) -> None:
        """Note that a request is here whole."""
        self.whole = self.cycle
        super().on_message_complete()

    def send_400_response(self, msg: str) -> None:
        """Refuse what is no HTTP, or too much, in the form of all refusals; end the connection.

        A request that came whole before it is answered first, and in place of this.
        """
        self.fault = self.fault or ProblemError(400, "no-http", msg)
        self._blame()
        if self.cycle is not None and self.cycle is self.whole and not self.cycle.response_complete:
            self.cycle.keep_alive = False
            self.flow.pause_reading()
            return
        if self.cycle is not None and self.cycle is not self.whole and self.cycle.response_complete:
            self.transport.close()  # of a body whose request was answered
            return
        self._refuse(self.fault)

    def _blame(self) -> None:
        """Let the address connect later for what it sent."""
        if self.address:
            self.opened.owe(self.address, time.monotonic(), FAULT)

    def _refuse(self, problem: ProblemError) -> None:
        """Answer what is no whole request, and end the connection."""
        client = self.client[0] if self.client else None
        fields = {"status": problem.status, "why": problem.message, "client": client}
        LOG.info("no request", extra={"fields": fields})
        body, told = _refusal(problem)
        status = HTTPStatus(problem.status)
        lines = [f"HTTP/1.1 {status.value} {status.phrase}"]
        lines += [f"{name}: {text}" for name, text in (("Connection", "close"), *told.items())]
        self.transport.write("\r\n".join([*lines, "", ""]).encode("ascii") + body)
        self.transport.close()

    async def _answer(self, app: ASGIApp, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, or refuse it while more connections are open than the server bears."""
        if self.address:
            await self.admission.gate.enter(self.address)
        if len(self.connections) >= self.most:
            text = "too many connections are open"
            problem = ProblemError(503, "busy", text, retryAfter=RETRY_SECONDS)
            await refusal(problem)(scope, receive, send)
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
                await asyncio.sleep(self.admission.deaf_to(self.address))
                message = {"type": "http.response.body"}
            await send(message)

        await app(scope, receive, tell)
        if status == BUSY and self.address and not self.transport.is_closing():
            self.flow.pause_reading()  # which costs less, where thousands are refused a second
            wait = self.admission.deaf_to(self.address)
            asyncio.get_running_loop().call_later(wait, self._hear)

    def _begin(self) -> None:
        """Listen to a connection whose turn it is; hear what was said already."""
        said, self.kept = self.kept, None
        self._hear()
        if said and not self.transport.is_closing():
            self.data_received(said)

    def _hear(self) -> None:
        """Read on from a client that had to wait."""
        if not self.transport.is_closing():
            self.flow.resume_reading()

    def connection_lost(self, exc: Exception | None) -> None:
        """Count the connection no longer."""
        self._leave()
        super().connection_lost(exc)
        self._let_go()

    def handle_websocket_upgrade(self) -> None:
        """Count the connection no longer: from here on it is a socket, which `Admission` counts."""
        self._leave()
        super().handle_websocket_upgrade()
        self._let_go()

    def _let_go(self) -> None:
        """Point at nothing that points back, as nothing more is heard here.

        Else the forty objects of each connection would stay until the collector of cycles finds
        them, and everybody waits while it frees those of a hundred at once.
        """
        self.parser = None  # type: ignore[assignment]  # as uvicorn has it
        self.app = self.cycle = self.whole = None
        self.pipeline.clear()

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

    settings: ClassVar[Settings]
    opened: ClassVar[Bucket]

    def __init__(self, *args: Any, **kwargs: Any) -> None:  # noqa: ANN401  # of uvicorn
        """Take the place of the end that uvicorn has made."""
        super().__init__(*args, **kwargs)
        self.conn = Handshake(max_size=self.config.ws_max_size, logger=self.conn.logger)
        self._wordless = Bucket(FRAMES)
        self._is_too_much = False

    def data_received(self, data: bytes) -> None:
        """Take what was sent, and end the socket where that is too many small things.

        A head that is none for sockets, though it was for HTTP, is refused: nothing would follow
        it, and nobody would end the connection.
        """
        if self.handshake_initiated:
            for begin in range(0, len(data), SLICE):
                super().data_received(data[begin : begin + SLICE])
                if self.transport.is_closing():
                    return
                if pongs := self.conn.data_to_send():
                    self.transport.write(b"".join(pongs))
                if self._is_too_much or self.queue.qsize() > MESSAGES:
                    address = self.client[0] if self.client else ""
                    if not is_proxy(address, self.settings.proxies):
                        self.opened.owe(household(address), time.monotonic(), FAULT)
                    self.conn.fail(CloseCode.POLICY_VIOLATION, "too many frames")
                    self.handle_parser_exception()
                    return
            return
        super().data_received(data)
        error = self.conn.handshake_exc
        if error is not None and not self.handshake_initiated:
            self.handshake_complete = self.close_sent = True
            self.transport.write(self.conn.reject(HTTPStatus.BAD_REQUEST, str(error)).serialize())
            self.transport.close()

    def handle_ping(self) -> None:
        """Count a ping of the protocol; its answer goes with those of the same packet."""
        self._count()

    def handle_pong(self, event: Frame) -> None:
        """Take the answer to a ping."""
        super().handle_pong(event)
        self._count()

    def handle_cont(self, event: Frame) -> None:
        """Take a part of a message that is none by itself."""
        super().handle_cont(event)
        self._count()

    def _count(self) -> None:
        self._is_too_much = self._is_too_much or self._wordless.wait("", time.monotonic()) > 0


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


def bounded(
    settings: Settings, admission: Admission
) -> tuple[type[asyncio.Protocol], type[asyncio.Protocol]]:
    """Return the protocols of one server; its connections are counted together."""
    most = min(settings.sockets + SPARE, most_files() - OWN_FILES)
    opened = Bucket(settings.openings)
    shared = {"settings": settings, "opened": opened}
    counted = {"admission": admission, "most": most, "open_of": Counter()}
    return type("Bounded", (Bounded,), {**shared, **counted}), type("Sockets", (Sockets,), shared)
