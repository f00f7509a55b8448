"""Players and managers on this machine, for tests: ours, and some that misbehave."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import TypeVar

from gdl.game import Game
from gdl.ggp.manager import Event, Fault, Manager, Seated, Setup, seat
from gdl.ggp.record import MatchRecord
from gdl.ggp.server import PlayerServer, Settings, serving
from gdl.ggp.wire import ask

HOST = "127.0.0.1"
T = TypeVar("T")


def run(coroutine: Coroutine[object, object, T], seconds: float = 100.0) -> T:
    """Run a test that waits for messages; it fails rather than hang."""
    return asyncio.run(asyncio.wait_for(coroutine, seconds))


@asynccontextmanager
async def player(name: str = "random", *, most_matches: int = 8) -> AsyncIterator[PlayerServer]:
    """Serve a player of ours on a free port."""
    settings = Settings(player=name, port=0, most_matches=most_matches, is_warm=False)
    async with serving(settings) as server:
        yield server


async def say(server: PlayerServer, text: str, seconds: float = 90.0) -> str:
    """Return the answer of a player of ours to a message."""
    return await ask(HOST, server.port, text, seconds=seconds)


async def raw(port: int, sent: bytes, *, then_close: bool = False) -> bytes:
    """Send bytes, and return all that comes back."""
    reader, writer = await asyncio.open_connection(HOST, port)
    writer.write(sent)
    if then_close:
        writer.write_eof()
    found = await reader.read()
    writer.close()
    return found


Behaviour = Callable[[str, asyncio.StreamWriter], Awaitable[None]]
"""What a misbehaving player does with a message."""


@asynccontextmanager
async def stranger(behave: Behaviour) -> AsyncIterator[int]:
    """Serve somebody else's player; gives its port."""

    async def handle(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = (await reader.readuntil(b"\r\n\r\n")).decode()
        length = int(head.lower().partition("content-length:")[2].split()[0])
        text = (await reader.readexactly(length)).decode()
        try:
            await behave(text, writer)
        except OSError:
            pass
        finally:
            writer.close()

    async with await asyncio.start_server(handle, HOST, 0) as server:
        yield server.sockets[0].getsockname()[1]


def answering(move: str) -> Behaviour:
    """Return a player that is ready, and then always says the same."""

    async def behave(text: str, writer: asyncio.StreamWriter) -> None:
        body = "ready" if text.startswith("( START") else move
        writer.write(f"HTTP/1.0 200 OK\r\nContent-length: {len(body)}\r\n\r\n{body}".encode())
        await writer.drain()

    return behave


@dataclass
class Played:
    """A match that was managed: its record, and what the manager told."""

    record: MatchRecord
    events: list[Event] = field(default_factory=list)

    @property
    def faults(self) -> list[Fault]:
        """What players did wrong."""
        return [event for event in self.events if isinstance(event, Fault)]


async def manage(  # noqa: PLR0913  # the knobs of a match
    game: Game,
    ports: list[int],
    *,
    start_clock: int = 60,
    play_clock: int = 10,
    seed: int = 0,
    is_scrambled: bool = False,
    max_steps: int | None = None,
    keep: Callable[[MatchRecord], None] = lambda _: None,
) -> Played:
    """Manage a match between the players at some ports, in role order."""
    events: list[Event] = []
    players = [Seated(HOST, port, f"player-{number}") for number, port in enumerate(ports)]
    setup = Setup(
        game=game,
        players=seat(game, players),
        start_clock=start_clock,
        play_clock=play_clock,
        match_id="match.1",
        seed=seed,
        is_scrambled=is_scrambled,
        max_steps=max_steps,
    )
    manager = Manager(setup, on_event=events.append, on_change=keep)
    return Played(await manager.run(), events)
