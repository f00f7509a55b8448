"""A player that game managers can ask, over HTTP.

In: a `Settings`. Out: a server that answers every message, also what is no message, within
its clock. Each match runs in processes of its own (`gdl.ggp.worker`); this one only talks.

Source: what is answered follows ggp-base.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from time import monotonic
from typing import Final, assert_never

from gdl.ggp.matches import Log, Matches, Question
from gdl.ggp.messages import Abort, Info, Message, Play, Preview, Start, Stop, parse_message
from gdl.ggp.wire import MAX_BYTES, Request, WireError, answer_bytes, linger, read_request
from gdl.language.diagnostics import GdlError

__all__ = ["PlayerServer", "PortError", "Settings", "serving"]

PORT: Final = 9147
"""Where players are customarily found."""
MOST_CONNECTIONS: Final = 200
"""Connections that are read at the same time; more are turned away."""
MOST_MATCHES: Final = 8
LARGE: Final = 10_000
"""Characters of a message that is read aside, so that others are answered meanwhile."""


class PortError(GdlError):
    """The address cannot be listened on."""


def _no_log(_: str) -> None:
    """Say nothing."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """How to serve.

    Attributes:
        player: Name and options of the player, see `gdl.play.make`.
        name: What it calls itself.
        host: Address to listen on.
        port: And the port; 0 for any that is free.
        most_matches: Matches at the same time; ``busy`` from then on.
        seed: What chance comes from.
        max_bytes: Longest message that is read.
        is_warm: Whether a process waits for the first match.
    """

    player: str = "random"
    name: str = "gdl"
    host: str = "127.0.0.1"
    port: int = PORT
    most_matches: int = MOST_MATCHES
    seed: int = 0
    max_bytes: int = MAX_BYTES
    is_warm: bool = True


class PlayerServer:
    """Answers game managers.

    Attributes:
        port: Where it is found.
    """

    def __init__(self, settings: Settings, *, log: Log = _no_log) -> None:
        """Prepare; `serve` begins."""
        self.settings = settings
        self.port = settings.port
        self._log = log
        self._connections = 0
        self._matches = Matches(
            player=settings.player, most=settings.most_matches, seed=settings.seed, log=log
        )

    def warm(self) -> None:
        """Get ready for the first match, if that is wanted."""
        if self.settings.is_warm:
            self._matches.warm()

    async def handle(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Answer one connection, and close it."""
        received = monotonic()
        self._connections += 1
        try:
            if self._connections > MOST_CONNECTIONS:
                raise WireError("too many connections at the same time", 503)  # noqa: TRY301  # answered as the others
            request = await read_request(reader, writer, max_bytes=self.settings.max_bytes)
            if request is not None:
                await self._answer(request, received, writer)
        except WireError as error:
            await self._refuse(reader, writer, str(error), error.status)
        except TimeoutError:
            await self._refuse(reader, writer, "the request did not arrive in time", 408)
        except OSError:
            pass  # the other side is gone
        finally:
            self._connections -= 1
            writer.close()

    async def _refuse(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, why: str, status: int
    ) -> None:
        self._log(f"refused: {why}")
        with suppress(OSError):
            writer.write(answer_bytes(f'( ERROR "{why}" )', status))
            await writer.drain()
            await linger(reader, writer)

    async def _answer(
        self, request: Request, received: float, writer: asyncio.StreamWriter
    ) -> None:
        question: Question | None = None
        if request.method in {"OPTIONS", "HEAD"}:
            answer = ""
        elif request.method not in {"GET", "POST"}:
            raise WireError(f"{request.method[:20]} is no method of this protocol", 405)
        elif request.method == "GET" and not request.text:
            answer = self._introduction()  # somebody looks with a browser
        else:
            answer, question = await self.reply(request.text, received)
        writer.write(answer_bytes(answer))
        await writer.drain()
        if question is not None and not writer.is_closing() and question.move is not None:
            question.answered = answer

    async def reply(self, text: str, received: float) -> tuple[str, Question | None]:
        """Return the answer to a message.

        Args:
            text: The message.
            received: When it came (monotonic seconds).
        """
        try:
            message = (
                parse_message(text)
                if len(text) < LARGE
                else await asyncio.to_thread(parse_message, text)
            )
        except GdlError as error:
            self._log(f"not understood:\n{error}")
            told = str(error).replace('"', "'").replace("\n", " ")
            return f'( ERROR "{told}" )', None
        return await self._reply_to(message, text, received)

    async def _reply_to(
        self, message: Message, text: str, received: float
    ) -> tuple[str, Question | None]:
        match message:
            case Info():
                return self._introduction(), None
            case Preview():
                return "busy" if self._matches.is_full else "available", None
            case Start():
                return await self._matches.start(message, text, received), None
            case Play():
                return await self._matches.play(message, text, received)
            case Stop(match):
                return self._matches.stop(match), None
            case Abort(match):
                return self._matches.abort(match), None
            case _:
                assert_never(message)

    def _introduction(self) -> str:
        status = "busy" if self._matches.is_full else "available"
        return f"( ( name {self.settings.name} ) ( status {status} ) )"

    async def close(self) -> None:
        """End all matches."""
        await self._matches.close()


@asynccontextmanager
async def serving(settings: Settings, *, log: Log = _no_log) -> AsyncIterator[PlayerServer]:
    """Listen as long as the context lasts.

    Raises:
        PortError: The address cannot be listened on, for instance since the port is taken.
    """
    player = PlayerServer(settings, log=log)
    try:
        server = await asyncio.start_server(player.handle, settings.host, settings.port)
    except OSError as error:
        raise PortError(
            f"{settings.host}:{settings.port} cannot be listened on: {error.strerror}",
            help="another program may have the port; --port takes another, 0 any",
        ) from error
    player.port = server.sockets[0].getsockname()[1]
    try:
        async with server:
            player.warm()
            yield player
    finally:
        await player.close()
