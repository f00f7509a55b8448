"""The way to the table of a match, which judges moves: in this process, or in one apart.

In: actions, entries, and who looks. Out: what a `Table` says. Within the server all of it are
values; they are written as JSON, and read again, only on the way to another process and back.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Coroutine, Sequence
from contextlib import nullcontext, suppress
from dataclasses import asdict
from functools import wraps
from typing import Any, Final, ParamSpec, Protocol, TypeVar

from gdl.game import Game
from gdl.language.diagnostics import GdlError
from gdl.match.actions import Action, Entry
from gdl.match.log import header_json
from gdl.match.match import Header, start
from gdl.web.problems import problem_of
from gdl.web.processes import Holder
from gdl.web.requests import ASKED_BY
from gdl.web.table import JsonObject, Summary, Table, Verdict
from gdl.web.turns import Turns

P = ParamSpec("P")
T = TypeVar("T")
PIECE: Final = 10
"""Entries that are replayed at once, before others are served: some ten milliseconds."""
MOMENT: Final = 0.001
"""Seconds of writing moves, after which others are served."""
SHORT: Final = 100
"""Entries of a log that does not take long."""


class Referee(Protocol):
    """Who holds the table; each method is that of `Table` and may raise a `ProblemError`."""

    async def extend(self, entries: Sequence[Entry]) -> Summary:
        """Add entries that stand in the database."""
        ...

    async def judge(self, action: Action, at: int) -> Verdict:
        """Say which entry an action becomes."""
        ...

    async def flag(self, at: int, id_: str) -> Verdict | None:
        """Say which entry a clock that is over becomes."""
        ...

    async def view(self, audience: str | None, now: int) -> JsonObject:
        """Return the state as somebody may see it."""
        ...

    async def clock(self, now: int) -> JsonObject | None:
        """Return what is left of each role's time."""
        ...

    async def entries(self, audience: str | None, since: int) -> list[JsonObject]:
        """Return the log as somebody may see it."""
        ...

    async def legal(self, role: str) -> list[dict[str, str]]:
        """Return the legal moves of a role."""
        ...

    async def export(self, *, everything: bool) -> str:
        """Return the log as JSON lines."""
        ...

    async def end(self) -> None:
        """Let go of the table."""
        ...


def _asked(method: Callable[P, T]) -> Callable[P, Coroutine[Any, Any, T]]:
    """Return a method of the table that is waited for, as another process would be."""

    @wraps(method)
    async def ask(*args: P.args, **kwargs: P.kwargs) -> T:
        try:
            return method(*args, **kwargs)
        except GdlError as error:
            raise problem_of(error) from error

    return ask


class Here:
    """A table in this process, for rules that are shipped."""

    def __init__(self, header: Header, game: Game, replaying: Turns | None = None) -> None:
        """Set up the table; matches of one ruleset share the game.

        Whoever has a long log replayed waits for a turn: two are at a time, of two clients.
        """
        self._replaying = replaying or Turns(2, queued=1)
        self._table = table = Table(start(header, game=game))
        self._extend = _asked(table.extend)
        self.judge = _asked(table.judge)
        self.flag = _asked(table.flag)
        self._view = _asked(table.view)
        self.clock = _asked(table.clock)
        self.entries = _asked(table.entries)
        self._legal = _asked(table.legal)
        self.export = _asked(table.export)

    async def view(self, audience: str | None, now: int) -> JsonObject:
        """Return the state; of chess it is written with others between, as it takes 20 moves."""
        await self._write_moves()
        return await self._view(audience, now)

    async def legal(self, role: str) -> list[dict[str, str]]:
        """Return the legal moves of a role."""
        await self._write_moves()
        return await self._legal(role)

    async def _write_moves(self) -> None:
        clock = asyncio.get_running_loop().time
        began = clock()
        with suppress(GdlError):  # whoever asks for them meets it again
            for _ in self._table.write_moves():
                if clock() - began > MOMENT:
                    await asyncio.sleep(0)
                    began = clock()

    async def extend(self, entries: Sequence[Entry]) -> Summary:
        """Add entries that stand in the database; a long log in pieces, others between.

        A log that takes long takes a third of the time, since a request has several turns of the
        loop, and a piece between each of them would make it several times as slow.
        """
        is_long = len(entries) > SHORT
        clock = asyncio.get_running_loop().time
        async with self._replaying.turn(ASKED_BY.get()) if is_long else nullcontext():
            for begin in range(0, len(entries) - PIECE, PIECE):
                began = clock()
                await self._extend(entries[begin : begin + PIECE])
                await asyncio.sleep(2 * (clock() - began) if is_long else 0)
        return await self._extend(entries[(len(entries) - 1) // PIECE * PIECE :])

    async def end(self) -> None:
        """Do nothing."""


class Apart:
    """A table in a process of its own; set up again there whenever the process is a new one."""

    def __init__(
        self, header: Header, process: Holder, log: Callable[[], Awaitable[Sequence[Entry]]]
    ) -> None:
        """Prepare it.

        Args:
            header: The match.
            process: Its process.
            log: Reads the log of the match from the database.
        """
        self._header = header
        self._process = process
        self._log = log
        self._lock = asyncio.Lock()

    async def _open(self) -> Summary | None:
        """Set the table up, with all of the log, unless it stands; say then what it is like."""
        if self._process.is_running:
            return None
        await self._process.ask("open", header=header_json(self._header))
        return await self._extend(await self._log())

    async def _extend(self, entries: Sequence[Entry]) -> Summary:
        written = [entry.to_json() for entry in entries]
        return Summary(**await self._process.ask("extend", entries=written))

    async def _ask(self, do: str, **args: Any) -> Any:  # noqa: ANN401  # JSON
        async with self._process.had(), self._lock:
            await self._open()
            return await self._process.ask(do, **args)

    async def extend(self, entries: Sequence[Entry]) -> Summary:
        """Add entries that stand in the database."""
        async with self._process.had(), self._lock:
            return await self._open() or await self._extend(entries)  # what was read has them

    async def judge(self, action: Action, at: int) -> Verdict:
        """Say which entry an action becomes."""
        return Verdict.read(await self._ask("judge", action=asdict(action), at=at))

    async def flag(self, at: int, id_: str) -> Verdict | None:
        """Say which entry a clock that is over becomes."""
        answer = await self._ask("flag", at=at, id_=id_)
        return None if answer is None else Verdict.read(answer)

    async def view(self, audience: str | None, now: int) -> JsonObject:
        """Return the state as somebody may see it."""
        seen: JsonObject = await self._ask("view", audience=audience, now=now)
        return seen

    async def clock(self, now: int) -> JsonObject | None:
        """Return what is left of each role's time."""
        left: JsonObject | None = await self._ask("clock", now=now)
        return left

    async def entries(self, audience: str | None, since: int) -> list[JsonObject]:
        """Return the log as somebody may see it."""
        written: list[JsonObject] = await self._ask("entries", audience=audience, since=since)
        return written

    async def legal(self, role: str) -> list[dict[str, str]]:
        """Return the legal moves of a role."""
        moves: list[dict[str, str]] = await self._ask("legal", role=role)
        return moves

    async def export(self, *, everything: bool) -> str:
        """Return the log as JSON lines."""
        text: str = await self._ask("export", everything=everything)
        return text

    async def end(self) -> None:
        """End the process."""
        await self._process.end()
