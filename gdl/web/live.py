"""A match that is open on this server: its table, and those who watch.

In: actions. Out: entries in the database, and messages to everybody who watches. Actions of
one match are done one after the other; a lock sees to that here, the database among servers.

Source: ours.
"""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final, Protocol

from gdl.game import Game
from gdl.language.diagnostics import GdlError
from gdl.match.actions import read_entry
from gdl.match.log import header_json
from gdl.match.match import Header, start
from gdl.match.records import Listed
from gdl.match.store import Store, TakenError
from gdl.web.problems import ProblemError, problem_of
from gdl.web.processes import Process
from gdl.web.table import Table
from gdl.web.tokens import new_id

if TYPE_CHECKING:
    from gdl.web.seats import Seats

ATTEMPTS: Final = 5
"""How often an action is judged again because another server was first."""


def now_ms() -> int:
    """Return the time, in milliseconds since 1970 (UTC)."""
    return time.time_ns() // 1_000_000


class Referee(Protocol):
    """Who holds the table: this process, or another one."""

    async def ask(self, do: str, **args: Any) -> Any:  # noqa: ANN401  # JSON
        """Call a method of the table; see `Table`."""
        ...

    async def end(self) -> None:
        """Let go of it."""
        ...


class Here:
    """A table in this process, for rules that are shipped."""

    def __init__(self, header: Header, game: Game) -> None:
        """Set up the table; matches of one ruleset share the game."""
        self._table = Table(start(header, game=game))

    async def ask(self, do: str, **args: Any) -> Any:  # noqa: ANN401  # JSON
        """Call a method of the table."""
        try:
            return getattr(self._table, do)(**args)
        except GdlError as error:
            raise problem_of(error) from error

    async def end(self) -> None:
        """Do nothing."""


class Apart:
    """A table in a process of its own; set up again there whenever the process is a new one."""

    def __init__(self, header: Header, process: Process, log: Callable[[], Awaitable[Any]]) -> None:
        """Prepare it.

        Args:
            header: The match.
            process: Its process.
            log: Reads the log of the match from the database.
        """
        self._header = header_json(header)
        self._process = process
        self._log = log

    async def ask(self, do: str, **args: Any) -> Any:  # noqa: ANN401  # JSON
        """Call a method of the table."""
        if not self._process.is_running:
            await self._process.ask("open", header=self._header)
            entries = await self._log()
            summary = await self._process.ask("extend", entries=entries)
            if do == "extend":
                return summary
        return await self._process.ask(do, **args)

    async def end(self) -> None:
        """End the process."""
        await self._process.end()


@dataclass(eq=False, slots=True)
class Watcher:
    """Somebody who is told of every action.

    Attributes:
        role: Whose seat it has; None for a spectator.
        queue: What it is still to be told, as JSON; None tells it that it was too slow.
        cursor: The next entry that it has not seen.
    """

    role: str | None
    queue: asyncio.Queue[str | None]
    cursor: int = 0


@dataclass(eq=False, slots=True)
class Live:
    """A match that is open on this server.

    Attributes:
        header: What it is about.
        listed: What lists say of it.
        store: Where it is kept.
        referee: Who holds its table.
        seats: Who sits where.
        summary: What its table says of it; see `Table.summary`.
        watchers: Who is told.
        used: When it was last used, in seconds of the loop's clock.
    """

    header: Header
    listed: Listed
    store: Store
    referee: Referee
    seats: Seats
    summary: dict[str, Any]
    watchers: set[Watcher] = field(default_factory=set)
    used: float = 0.0
    lock: asyncio.Lock = field(default_factory=asyncio.Lock)

    @property
    def id(self) -> str:
        """Name of the match."""
        return self.header.id

    @staticmethod
    def now() -> int:
        """Return the time, in milliseconds since 1970."""
        return now_ms()

    async def act(self, action: Any, role: str) -> tuple[dict[str, Any], bool]:  # noqa: ANN401  # JSON
        """Do an action.

        Returns:
            Its entry, and whether it is new; it is on the disk by then.

        Raises:
            ProblemError: It is refused, and nothing has changed.
        """
        async with self.lock:
            for _ in range(ATTEMPTS):
                try:
                    judged = await self.referee.ask("judge", action=action, role=role, at=now_ms())
                except ProblemError:
                    if await self._catch_up():
                        continue  # it was judged by a state that is past at another server
                    raise
                if not judged["new"]:
                    return judged["entry"], False
                if await self._append(judged):
                    return judged["entry"], True
        raise ProblemError(503, "busy", "others are always first; try again")

    async def flag(self) -> bool:
        """End the match when a clock is over; return whether it was."""
        async with self.lock:
            judged = await self.referee.ask("flag", at=now_ms(), id_=f"timeout.{new_id()}")
            return judged is not None and await self._append(judged)

    async def _append(self, judged: dict[str, Any]) -> bool:
        """Write an entry and tell everybody; return False when another server was first."""
        entry = read_entry(judged["entry"])
        try:
            await asyncio.to_thread(
                self.store.append,
                self.id,
                entry,
                finished=judged["finished"],
                due=judged["due"],
            )
        except TakenError:
            await self._catch_up()
            return False
        self.summary = await self.referee.ask("extend", entries=[judged["entry"]])
        await self._tell()
        return True

    async def catch_up(self) -> None:
        """Take in what other servers have added."""
        async with self.lock:
            await self._catch_up()

    async def _catch_up(self) -> bool:
        """Return whether there was anything new."""
        entries = await asyncio.to_thread(self.store.entries, self.id, since=self.summary["seq"])
        if entries:
            written = [entry.to_json() for entry in entries]
            self.summary = await self.referee.ask("extend", entries=written)
            await self._tell()
        return bool(entries)

    async def _tell(self) -> None:
        """Send the new entries and the state to everybody who watches."""
        messages: dict[tuple[str | None, int], str] = {}
        for watcher in tuple(self.watchers):
            since = min(watcher.cursor, self.summary["turnBefore"])
            key = (watcher.role, since)
            if key not in messages:
                messages[key] = json.dumps(await self.message("update", watcher.role, since))
            watcher.cursor = self.summary["seq"]
            try:
                watcher.queue.put_nowait(messages[key])
            except asyncio.QueueFull:
                self.watchers.discard(watcher)
                while not watcher.queue.empty():
                    watcher.queue.get_nowait()
                watcher.queue.put_nowait(None)

    async def watch(self, watcher: Watcher, since: int) -> None:
        """Tell somebody what there is, and from now on of every action."""
        async with self.lock:
            message = await self.message("state", watcher.role, since)
            watcher.queue.put_nowait(json.dumps(message))
            watcher.cursor = self.summary["seq"]
            self.watchers.add(watcher)

    async def message(self, kind: str, role: str | None, since: int) -> dict[str, Any]:
        """Return the entries from a number on, and the state, as somebody may see them."""
        return {
            "type": kind,
            "entries": await self.referee.ask("entries", audience=role, since=since),
            "state": await self.state(role),
        }

    async def state(self, role: str | None) -> dict[str, Any]:
        """Return the state as somebody may see it, with who sits and whether others may look."""
        seen: dict[str, Any] = await self.referee.ask("view", audience=role, now=now_ms())
        return {
            **seen,
            "seats": self.seats.shown(self.summary["roles"]),
            "listed": self.listed.listed,
            "spectators": self.listed.spectators,
        }

    @property
    def has_room(self) -> bool:
        """Whether somebody may still sit down."""
        return len(self.seats.taken) < len(self.summary["roles"])

    async def tell_seats(self) -> None:
        """Send the state to everybody who watches because somebody sat down."""
        async with self.lock:
            await self._tell()
