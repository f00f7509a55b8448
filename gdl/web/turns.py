"""Whose work is done next, where several clients want more than there is room for.

In: who asks. Out: a place, when it is his turn. Of those that wait, the client goes first whose
work has taken least time lately; one client never has all places while there are several, so
that whoever comes next finds one that is free, or will be after one piece of work of another. Nor
has one client all of the queue: where that is full, who has most in it makes room.

Source: fair queueing as in A. Demers, S. Keshav and S. Shenker, "Analysis and simulation of a
fair queueing algorithm", 1989, with the time of the work as its length, known afterwards.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Final

from gdl.web.problems import RETRY_SECONDS, ProblemError

FORGETTING: Final = 30.0
"""Seconds after which work that was done counts half."""
MOST_CLIENTS: Final = 10_000
"""Clients whose work is remembered; when there are more, those of the least are forgotten."""


@dataclass(eq=False, slots=True)
class Waiting:
    """A piece of work that has no place yet."""

    client: str
    ready: asyncio.Future[None]


class Turns:
    """Places for work, and who waits for one."""

    def __init__(self, places: int, *, queued: int) -> None:
        """Begin with all places free; so many pieces of work may wait."""
        self._places = places
        self._share = max(1, places - 1)
        self._queued = queued
        self._waiting: list[Waiting] = []
        self._running: Counter[str] = Counter()
        self._used: dict[str, tuple[float, float]] = {}

    @asynccontextmanager
    async def turn(self, client: str, *, most: int | None = None) -> AsyncIterator[None]:
        """Wait for a place, and hold it while the block runs.

        Args:
            client: Who asks.
            most: How many pieces of work one client may have here, running and waiting; None for
                any number.

        Raises:
            ProblemError: The client has so many already; or too many wait, and of no client more.
        """
        await self._wait(client, most)
        clock = asyncio.get_running_loop().time
        began = clock()
        try:
            yield
        finally:
            self._used[client] = (self._use(client, clock()) + clock() - began, clock())
            self._forget()
            self._leave(client)

    async def _wait(self, client: str, most: int | None) -> None:
        mine = self._running[client] + sum(turn.client == client for turn in self._waiting)
        if most is not None and mine >= most:
            raise _busy(f"{mine} requests of yours are being worked on; wait for an answer")
        waiting = Waiting(client, asyncio.get_running_loop().create_future())
        self._waiting.append(waiting)
        self._call()
        if waiting in self._waiting and len(self._waiting) > self._queued:
            self._turn_away()
        try:
            await waiting.ready
        except asyncio.CancelledError:
            if waiting in self._waiting:
                self._waiting.remove(waiting)
            elif waiting.ready.exception() is None:  # it was called in the moment in which it left
                self._leave(client)
            raise

    def _turn_away(self) -> None:
        """Refuse what came last of the client that waits for most, for who came last of several.

        Else one client would fill the queue, and of all others those be refused who ask while some
        other has the one place that is left to them.
        """
        waits = Counter(turn.client for turn in self._waiting)
        most = max(waits.values())
        last = next(turn for turn in reversed(self._waiting) if waits[turn.client] == most)
        self._waiting.remove(last)
        if not last.ready.done():  # else it is leaving
            last.ready.set_exception(_busy("too many requests wait; try again later"))

    def _call(self) -> None:
        """Give free places to those whose turn it is; from then on they count as running."""
        now = asyncio.get_running_loop().time()
        while self._running.total() < self._places:
            able = [
                turn
                for turn in self._waiting
                if self._running[turn.client] < self._share and not turn.ready.done()
            ]  # whoever is leaving, and has not been put away yet, is done
            if not able:
                return
            # `min` takes the first of equals, which is the one that has waited longest.
            chosen = min(able, key=lambda turn: self._use(turn.client, now))
            self._waiting.remove(chosen)
            self._running[chosen.client] += 1
            chosen.ready.set_result(None)

    def _leave(self, client: str) -> None:
        self._running[client] -= 1
        if not self._running[client]:
            del self._running[client]
        self._call()

    def _use(self, client: str, now: float) -> float:
        """Return how many seconds of work a client has had lately."""
        seconds, since = self._used.get(client, (0.0, now))
        return float(seconds * 0.5 ** ((now - since) / FORGETTING))

    def _forget(self) -> None:
        if len(self._used) > MOST_CLIENTS:
            now = asyncio.get_running_loop().time()
            least = sorted(self._used, key=lambda client: self._use(client, now))
            for client in least[: MOST_CLIENTS // 2]:
                del self._used[client]


def _busy(text: str) -> ProblemError:
    return ProblemError(503, "busy", text, retryAfter=RETRY_SECONDS)
