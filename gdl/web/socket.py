"""The socket: one match, both ways.

In: JSON messages. Out: the state at once, then after every action; answers to what was sent.
docs/serve.md lists the messages.

Source: RFC 6455.
"""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import Awaitable, Callable
from typing import Any, Final

from starlette.websockets import WebSocket, WebSocketDisconnect, WebSocketState

from gdl.language.diagnostics import GdlError
from gdl.web.live import Live, Watcher
from gdl.web.models import Hello, Message
from gdl.web.overload import Asks
from gdl.web.problems import ProblemError, problem_of
from gdl.web.rate_limits import Admission
from gdl.web.requests import ASKED_BY, client_of, read_json, to_text
from gdl.web.service import Service
from gdl.web.validation import read

LOG: Final = logging.getLogger("gdl.web")
HELLO_SECONDS: Final = 10.0
"""How long the first message may take."""
TRY_AGAIN: Final = 1013
"""Close code: reconnect with ``since``."""
POLICY: Final = 1008
"""Close code: what was sent is not allowed."""
FULL: Final = 500
"""From this status on it is the server that cannot; the client may come back."""
TOO_MUCH: Final = ("busy", "too-often")
"""Codes of what is refused since there is too much of it."""
SENSELESS: Final = ("malformed-request", "no-json", "too-large")
"""Codes of what no program sends that knows the messages."""


def endpoint(service: Service, admission: Admission) -> Callable[[WebSocket], Awaitable[None]]:
    """Return the endpoint of sockets."""

    async def run(socket: WebSocket) -> None:
        await Conversation(service, admission, socket).run()

    return run


class Conversation:
    """One socket."""

    def __init__(self, service: Service, admission: Admission, socket: WebSocket) -> None:
        """Begin with nothing said."""
        self._service = service
        self._admission = admission
        self._socket = socket
        self._client = client_of(socket)
        self._secret = ""
        self._senseless = 0

    async def run(self) -> None:
        """Talk until the other side leaves."""
        ASKED_BY.set(self._client)
        await self._admission.gate.enter(self._client)
        await self._socket.accept()
        try:
            await self._begin()
        except (WebSocketDisconnect, RuntimeError):
            pass  # the other side has left
        except Exception:
            LOG.exception("unforeseen", extra={"fields": {"route": "socket"}})
            await self._close(1011)

    async def _begin(self) -> None:
        try:
            with self._admission.greeting(self._client):
                live, role, since = await self._hello()
            self._admission.require_room(self._client, role)
            async with self._service.watching(live, role, since, self._client) as watcher:
                await self._talk(live, watcher)
        except (ProblemError, GdlError) as error:
            await self._turn_away(problem_of(error))

    async def _turn_away(self, problem: ProblemError) -> None:
        """Refuse who says hello, and close."""
        await self._refuse(problem, None)
        is_too_much = problem.code in TOO_MUCH
        if is_too_much:
            await asyncio.sleep(self._admission.deaf_to(self._client))
        await self._close(TRY_AGAIN if is_too_much or problem.status >= FULL else POLICY)

    async def _talk(self, live: Live, watcher: Watcher) -> None:
        telling = asyncio.get_running_loop().create_task(self._tell(watcher))
        try:
            while True:
                await self._answer(live)
        finally:
            telling.cancel()

    async def _hello(self) -> tuple[Live, str | None, int]:
        """Read the first message: of which match, who asks, and from where on."""
        try:
            async with asyncio.timeout(HELLO_SECONDS):
                hello = read(await self._receive(), Hello)
        except TimeoutError:
            raise ProblemError(408, "too-slow", "the first message did not come") from None
        self._admission.charge(self._client, "read")
        self._secret = hello.token
        live = await self._service.fresh(self._socket.path_params["match"])
        role = await self._service.audience(live, self._secret)
        self._service.overload.refuse_beyond(Asks.WATCHING if role is None else Asks.PLAYING)
        return live, role, hello.since

    async def _tell(self, watcher: Watcher) -> None:
        while (text := await watcher.queue.get()) is not None:
            try:
                await self._admission.gate.enter(self._client)
                await self._socket.send_text(text)
            except (WebSocketDisconnect, RuntimeError):
                return
        await self._close(TRY_AGAIN)

    async def _answer(self, live: Live) -> None:
        """Read a message and answer it."""
        id_ = None
        try:
            value = await self._receive()
            id_ = _id_of(value)
            if "action" in value:  # before it is read: of ten times the load most are refused
                self._service.overload.refuse_beyond(Asks.PLAYING)
            message = read(value, Message)
            if message.action is None:
                self._admission.charge(self._client, "read")
                await self._send({"type": "pong"})
                return
            self._admission.charge(self._client, "act")
            id_ = message.action.id
            done = await self._service.act(live.id, message.action, self._secret, self._client)
            await self._socket.send_text(to_text({"type": "accepted", "id": id_, **done}))
        except (ProblemError, GdlError) as error:
            await self._refuse_message(problem_of(error), id_)

    async def _refuse_message(self, problem: ProblemError, id_: str | None) -> None:
        """Refuse a message; the socket goes on, unless too many made no sense."""
        await self._refuse(problem, id_)
        if problem.code in TOO_MUCH:  # refusing takes time, too: who asks at once must wait
            await asyncio.sleep(self._admission.deaf_to(self._client))
        if problem.code in SENSELESS:
            self._senseless += 1
            if self._senseless > self._service.settings.malformed:
                await self._close(POLICY)

    async def _receive(self) -> dict[str, Any]:
        """Return the next message.

        Raises:
            ProblemError: It is no JSON object, or too large.
            WebSocketDisconnect: The other side has left.
        """
        frame = await self._socket.receive()
        if frame["type"] == "websocket.disconnect":
            raise WebSocketDisconnect(frame.get("code") or 1000)
        await self._admission.gate.enter(self._client)
        text = frame.get("text")
        if text is None:
            raise ProblemError(422, "malformed-request", "a message is text, not bytes")
        if len(text) > self._service.settings.message:
            raise ProblemError(413, "too-large", "the message is too large")
        value = read_json(text, "the message")
        if not isinstance(value, dict):
            raise ProblemError(422, "malformed-request", "a message is a JSON object")
        return value

    async def _refuse(self, problem: ProblemError, id_: str | None) -> None:
        await self._send({"type": "refused", "id": id_, **problem.to_json()})

    async def _send(self, message: dict[str, Any]) -> None:
        await self._socket.send_text(json.dumps(message))

    async def _close(self, code: int) -> None:
        if self._socket.client_state is WebSocketState.CONNECTED:
            try:
                await self._socket.close(code)
            except (WebSocketDisconnect, RuntimeError):
                return


def _id_of(value: dict[str, Any]) -> str | None:
    """Return what an answer to a message, or to the action in it, is called by, if it says that."""
    action = value.get("action")
    for said in (action.get("id") if isinstance(action, dict) else None, value.get("id")):
        if isinstance(said, str):
            return said
    return None
