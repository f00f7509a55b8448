"""Servers that share a database: how one tells the others what happened, and who thinks for whom.

In: names of matches in which something was written. Out: the same names at all other servers, as
soon as they can be there; and claims, of which one server at a time holds that of a match. Both
are help only: what stands in the database counts, each server looks there again and again, and a
notice that is lost costs time and nothing else.

On PostgreSQL the notices are ``NOTIFY`` and the claims advisory locks of a session, which end
with it. A notice is sent after the commit and in a transaction of its own, since ``NOTIFY``
makes all commits that hold one wait for each other. Workers of one machine (`gdl.web.workers`)
send datagrams and lock bytes of a file, which the system lets go when a process dies.

Source: https://www.postgresql.org/docs/current/sql-notify.html, "Explicit Locking" there, and
POSIX ``fcntl`` record locks.
"""

from __future__ import annotations

import asyncio
import hashlib
import logging
import os
import socket
from collections.abc import AsyncIterator, Callable, Iterable
from contextlib import asynccontextmanager, suppress
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Final, Protocol

from sqlalchemy import URL

LOG: Final = logging.getLogger("gdl.web")
CHANNEL: Final = "gdl_matches"
"""Name of the channel in PostgreSQL."""
CLAIMS: Final = 0x67646C  # "gdl"
"""First of the two numbers that name an advisory lock of ours."""
LONGEST: Final = 7_000
"""Bytes of names in one notice; PostgreSQL takes less than 8,000, with the sender."""
GATHER_SECONDS: Final = 0.005
"""How long notices are gathered before they are sent together."""
RECONNECT_SECONDS: Final = 1.0
"""How long to wait after a connection was lost."""
PATIENCE: Final = (0.05, 1.0)
"""Seconds between two tries of a claim: the first, and the longest."""
DATAGRAM: Final = 1 << 16
"""Bytes of the longest datagram that is read."""

Heard = Callable[[str], None]
"""Called with the name of each match in which another server wrote; empty: with any of them."""


class Neighbours(Protocol):
    """The other servers on one database."""

    @property
    def are_heard(self) -> bool:
        """Whether their notices come in now; else the database has to be asked more often."""
        ...

    async def start(self, heard: Heard) -> None:
        """Begin to listen."""
        ...

    def notify(self, match: str) -> None:
        """Tell the others that something was written in a match; does not wait."""
        ...

    async def claim(self, match: str) -> bool:
        """Take the claim of a match; return False while another server has it."""
        ...

    async def release(self, match: str) -> None:
        """Let go of a claim."""
        ...

    async def stop(self) -> None:
        """Tell and hear no more."""
        ...


@asynccontextmanager
async def claimed(neighbours: Neighbours, match: str) -> AsyncIterator[None]:
    """Hold the claim of a match while the block runs; waits for it."""
    pause, longest = PATIENCE
    while not await neighbours.claim(match):
        await asyncio.sleep(pause)
        pause = min(2 * pause, longest)
    try:
        yield
    finally:
        await neighbours.release(match)


class Nobody:
    """No other server, or none that could be heard: nothing is told, and every claim is ours."""

    are_heard = False

    async def start(self, heard: Heard) -> None:
        """Do nothing."""

    def notify(self, match: str) -> None:
        """Do nothing."""

    async def claim(self, _match: str) -> bool:
        """Take it: where another server moves too, the database takes one of the two moves."""
        return True

    async def release(self, match: str) -> None:
        """Do nothing."""

    async def stop(self) -> None:
        """Do nothing."""


class Workers:
    """The other workers of one machine, which share a folder of their own."""

    def __init__(self, folder: Path) -> None:
        """Prepare; the folder is there, is ours alone, and has a short path."""
        self._folder = folder
        self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self._socket.settimeout(0)
        self._place = folder / f"{os.urandom(8).hex()}.socket"
        self._claims = os.open(folder / "claims", os.O_RDWR | os.O_CREAT, 0o600)
        self.are_heard = False

    async def start(self, heard: Heard) -> None:
        """Begin to listen."""
        self._socket.bind(str(self._place))
        asyncio.get_running_loop().add_reader(self._socket, self._read, heard)
        self.are_heard = True

    def _read(self, heard: Heard) -> None:
        with suppress(BlockingIOError):
            while True:
                heard(self._socket.recv(DATAGRAM).decode())

    def notify(self, match: str) -> None:
        """Tell the others that something was written in a match."""
        for place in self._folder.glob("*.socket"):
            if place != self._place:
                try:
                    self._socket.sendto(match.encode(), str(place))
                except ConnectionRefusedError:  # its worker has died
                    place.unlink(missing_ok=True)
                except OSError as error:  # full: it will look by itself
                    LOG.debug("a notice was lost: %s", error)

    async def claim(self, match: str) -> bool:
        """Take the claim of a match; return False while another worker has it."""
        import fcntl  # POSIX alone has it, as it has these sockets

        try:
            fcntl.lockf(self._claims, fcntl.LOCK_EX | fcntl.LOCK_NB, 1, _number(match))
        except OSError:
            return False
        return True

    async def release(self, match: str) -> None:
        """Let go of a claim."""
        import fcntl

        fcntl.lockf(self._claims, fcntl.LOCK_UN, 1, _number(match))

    async def stop(self) -> None:
        """Tell and hear no more."""
        if self.are_heard:
            asyncio.get_running_loop().remove_reader(self._socket)
            self.are_heard = False
        self._socket.close()
        self._place.unlink(missing_ok=True)
        os.close(self._claims)


class Listening:
    """The other servers on a PostgreSQL database, on this machine or on others."""

    def __init__(self, url: str) -> None:
        """Prepare; ``url`` is that of libpq."""
        self._url = url
        self._me = os.urandom(8).hex()
        self._written: set[str] = set()
        self._has_written = asyncio.Event()
        self._tasks: list[asyncio.Task[None]] = []
        self._speaker: Any = None
        self.are_heard = False

    async def start(self, heard: Heard) -> None:
        """Begin to listen; the connections come when they can, and come back when they are lost."""
        loop = asyncio.get_running_loop()
        self._tasks = [
            loop.create_task(self._again(lambda connection: self._listen(connection, heard))),
            loop.create_task(self._again(self._speak)),
        ]

    async def _again(self, use: Callable[[Any], Any]) -> None:
        """Use a connection, another one whenever it is lost."""
        import psycopg

        while True:
            try:
                async with await psycopg.AsyncConnection.connect(
                    self._url, autocommit=True
                ) as connection:
                    await use(connection)
            except (psycopg.Error, OSError) as error:
                LOG.debug("notices are not heard: %s", error)
            self.are_heard, self._speaker = False, None
            await asyncio.sleep(RECONNECT_SECONDS)

    async def _listen(self, connection: Any, heard: Heard) -> None:  # noqa: ANN401  # of psycopg
        await connection.execute(f"LISTEN {CHANNEL}")
        self.are_heard = True
        heard("")  # something may have been written while nobody listened
        async for notice in connection.notifies():
            sender, *matches = notice.payload.split(" ")
            if sender != self._me:
                for match in matches:
                    heard(match)

    async def _speak(self, connection: Any) -> None:  # noqa: ANN401  # of psycopg
        self._speaker = connection
        while True:
            await self._has_written.wait()
            await asyncio.sleep(GATHER_SECONDS)
            self._has_written.clear()
            written, self._written = self._written, set()
            for text in _pieces(written):
                query = "SELECT pg_notify(%s, %s)"
                await connection.execute(query, (CHANNEL, f"{self._me} {text}"))

    def notify(self, match: str) -> None:
        """Tell the others that something was written in a match."""
        self._written.add(match)
        self._has_written.set()

    async def claim(self, match: str) -> bool:
        """Take the claim of a match; return False while another server has it."""
        return await self._lock("pg_try_advisory_lock", match)

    async def release(self, match: str) -> None:
        """Let go of a claim; one that was taken on a connection that is lost is free already."""
        await self._lock("pg_advisory_unlock", match)

    async def _lock(self, function: str, match: str) -> bool:
        import psycopg

        if self._speaker is None:  # nobody can be asked, and whoever is first makes the move
            return True
        try:
            query = f"SELECT {function}(%s, %s)"
            cursor = await self._speaker.execute(query, (CLAIMS, _number(match)))
            row = await cursor.fetchone()
        except (psycopg.Error, OSError):
            return True
        return bool(row[0])

    async def stop(self) -> None:
        """Tell and hear no more."""
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        self.are_heard = False


def neighbours_of(url: URL, folder: Path | None) -> Neighbours:
    """Return the other servers on a database.

    Args:
        url: That of the database.
        folder: What the workers of this machine share; None where there is one server here.
    """
    if url.get_dialect().name == "postgresql" and find_spec("psycopg") is not None:
        plain = url.set(drivername="postgresql")
        return Listening(plain.render_as_string(hide_password=False))
    return Nobody() if folder is None else Workers(folder)


def _number(match: str) -> int:
    """Return the number of a match's claim; two matches that share one wait for each other."""
    return int.from_bytes(hashlib.sha256(match.encode()).digest()[:4]) >> 1


def _pieces(matches: Iterable[str]) -> Iterable[str]:
    """Return names with blanks between, so many together as one notice takes."""
    text = ""
    for match in matches:
        if len(text) + len(match) > LONGEST:
            yield text
            text = ""
        text = f"{text} {match}".lstrip()
    if text:
        yield text
