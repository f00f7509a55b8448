"""A match that is open on this server: its table, and those who watch.

In: actions. Out: entries in the database, and messages to everybody who watches. Actions of
one match are done one after the other; a lock sees to that here, the database among servers.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from itertools import count
from typing import Final

from gdl.match.actions import Action, Entry
from gdl.match.ending import players
from gdl.match.match import Header
from gdl.match.records import Listed, Writing
from gdl.match.store import Store, TakenError
from gdl.web.commits import Together
from gdl.web.problems import ProblemError
from gdl.web.referee import Referee
from gdl.web.requests import to_text
from gdl.web.seats import Seats
from gdl.web.table import JsonObject, Summary, Verdict
from gdl.web.tokens import new_id, now_ms

ATTEMPTS: Final = 5
"""How often an action is judged again because another server was first."""


@dataclass(eq=False, slots=True)
class Watcher:
    """Somebody who is told of every action.

    Attributes:
        role: Whose seat it has; None for a spectator.
        queue: What it is still to be told, as JSON; None tells it that it was too slow.
        cursor: The next entry that it has not seen.
        number: Counts all watchers: who came earlier has a smaller one.
    """

    role: str | None
    queue: asyncio.Queue[str | None]
    cursor: int = 0
    number: int = field(default_factory=count().__next__)


@dataclass(eq=False, slots=True, weakref_slot=True)
class Live:
    """A match that is open on this server.

    Attributes:
        header: What it is about.
        listed: What lists say of it.
        store: Where it is kept.
        commits: Writes into it.
        logs: Reads what others have written.
        referee: Who holds its table.
        seats: Who sits where.
        summary: What its table says of it.
        watchers: Who is told.
        client: Who did something in it last.
        rematch: The match that is this one once more; empty while there is none.
        trouble: Why no program can move, in words; empty where one can, or need not.
        alarm: Looks at its clocks when the next one is over; None while none runs.
    """

    header: Header
    listed: Listed
    store: Store
    commits: Together[Writing, None]
    logs: Together[tuple[str, int], tuple[Entry, ...]]
    referee: Referee
    seats: Seats
    summary: Summary
    watchers: set[Watcher] = field(default_factory=set)
    client: str = ""
    rematch: str = ""
    trouble: str = ""
    alarm: asyncio.TimerHandle | None = None
    lock: asyncio.Lock = field(default_factory=asyncio.Lock)

    @property
    def id(self) -> str:
        """Name of the match."""
        return self.header.id

    async def act(self, action: Action) -> tuple[Entry, bool]:
        """Do an action.

        Returns:
            Its entry, and whether it is new; it is on the disk by then.

        Raises:
            ProblemError: It is refused, and nothing has changed.
        """
        async with self.lock:
            for _ in range(ATTEMPTS):
                try:
                    verdict = await self.referee.judge(action, at=now_ms())
                except ProblemError:
                    if await self._catch_up():
                        continue  # it was judged by a state that is past at another server
                    raise
                if not verdict.is_new:
                    return verdict.entry, False
                if await self._append(verdict):
                    return verdict.entry, True
        raise ProblemError(503, "busy", "others are always first; try again")

    async def flag(self) -> bool:
        """End the match when a clock is over; return whether it was."""
        async with self.lock:
            verdict = await self.referee.flag(at=now_ms(), id_=f"timeout.{new_id()}")
            return verdict is not None and await self._append(verdict)

    async def _append(self, verdict: Verdict) -> bool:
        """Write an entry and tell everybody; return False when another server was first."""
        try:
            await self.commits.do(
                Writing(
                    self.id,
                    verdict.entry,
                    finished=verdict.finished,
                    due=verdict.due,
                    to_move=tuple(verdict.to_move),
                )
            )
        except TakenError:
            await self._catch_up()
            return False
        self.summary = await self.referee.extend([verdict.entry])
        self.trouble = ""
        await self._tell()
        return True

    async def catch_up(self) -> None:
        """Take in what other servers have added."""
        async with self.lock:
            await self._catch_up()

    async def _catch_up(self) -> bool:
        """Return whether there was anything new."""
        entries = await self.logs.do((self.id, self.summary.seq))
        if entries:
            self.summary = await self.referee.extend(entries)
            self.trouble = ""
            await self._tell()
        return bool(entries)

    async def _tell(self) -> None:
        """Send the new entries and the state to everybody who watches."""
        messages: dict[tuple[str | None, int], str] = {}
        shared: dict[bool, str] = {}
        for watcher in tuple(self.watchers):
            since = min(watcher.cursor, self.summary.turn_before)
            key = (watcher.role, since)
            if key not in messages:
                if self.summary.hidden:
                    message = await self.message("update", watcher.role, since)
                    messages[key] = to_text(message)
                else:
                    plays = watcher.role is not None
                    if plays not in shared:
                        shared[plays] = await self._shared_state(watcher.role)
                    messages[key] = await self._update(watcher.role, since, shared[plays])
            watcher.cursor = self.summary.seq
            try:
                watcher.queue.put_nowait(messages[key])
            except asyncio.QueueFull:
                self.let_go(watcher)

    async def _shared_state(self, role: str | None) -> str:
        """Return the state of a game that hides nothing as JSON, all but who looks.

        It is written once for all who play, with hundreds of moves 14 kB, and once for spectators.
        """
        state = await self._told(role)
        del state["you"]
        return to_text(state)

    async def _update(self, role: str | None, since: int, shared: str) -> str:
        """Return the message of `message` as JSON, made of a state that is written already."""
        entries = to_text(await self.referee.entries(role, since))
        you = f'"you": {to_text(role)}'
        return f'{{"type": "update", "entries": {entries}, "state": {{{you}, {shared[1:]}}}'

    def let_go(self, watcher: Watcher) -> None:
        """Tell a watcher that it is told no more; it may come back with what it has seen."""
        self.watchers.discard(watcher)
        while not watcher.queue.empty():
            watcher.queue.get_nowait()
        watcher.queue.put_nowait(None)

    async def watch(self, watcher: Watcher, since: int) -> None:
        """Tell somebody what there is, and from now on of every action."""
        async with self.lock:
            message = await self.message("state", watcher.role, since)
            watcher.queue.put_nowait(to_text(message))
            watcher.cursor = self.summary.seq
            self.watchers.add(watcher)

    async def message(self, kind: str, role: str | None, since: int) -> JsonObject:
        """Return the entries from a number on, and the state, as somebody may see them."""
        return {
            "type": kind,
            "entries": await self.referee.entries(role, since),
            "state": await self._told(role),
        }

    async def _told(self, role: str | None) -> JsonObject:
        """Return the state as messages carry it: to spectators, legal moves are only counted.

        They are most of a state, and of a thousand spectators hardly one tries a move; who does
        asks for the state.
        """
        state = await self.state(role)
        if role is None:
            legal = state["legal"].items()
            state["legal"] = {mover: {"count": moves["count"]} for mover, moves in legal}
        return state

    async def state(self, role: str | None) -> JsonObject:
        """Return the state as somebody may see it, with whose rules these are, and who sits."""
        return {
            **await self.referee.view(role, now_ms()),
            "seats": self.seats.shown(self.summary.roles),
            "titles": dict(self.listed.players),
            "shipped": self.listed.trusted,
            "listed": self.listed.listed,
            "spectators": self.listed.spectators,
            "trouble": self.trouble or None,
            "rematch": {"match": self.rematch, "seats": self.moved_seats()}
            if self.rematch
            else None,
        }

    @property
    def may_be_played_again(self) -> bool:
        """Whether it is over, and not known to be played once more."""
        return self.summary.finished and not self.rematch

    def moved_seats(self) -> dict[str, str]:
        """Return who plays what in a rematch: by role, the role that he has had."""
        roles = players(self.summary.roles)
        return {role: roles[number - 1] for number, role in enumerate(roles)}

    @property
    def has_room(self) -> bool:
        """Whether somebody may still sit down."""
        return len(self.seats.taken) < len(self.summary.roles)

    async def tell_seats(self) -> None:
        """Send the state to everybody who watches because somebody sat down."""
        async with self.lock:
            await self._tell()

    async def tell_trouble(self, trouble: str) -> None:
        """Tell everybody who watches why no program can move."""
        if trouble != self.trouble:
            self.trouble = trouble
            await self.tell_seats()
