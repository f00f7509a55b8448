"""How often somebody may ask, and how many may listen at once.

In: who asks, and when. Out: nothing, or the problem that it is too often. Each client has a
bucket that fills at a rate and holds a burst; a request takes one drop.

Source: the token bucket of J. Turner, "New directions in communications", 1986.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from typing import Final

from gdl.web.problems import ProblemError
from gdl.web.settings import Rate, Settings

MOST_CLIENTS: Final = 10_000
"""Clients that are remembered; when there are more, those with a full bucket are forgotten."""
ENTRIES: Final = 100
"""Entries of a log that cost as much as a request."""
BYTES: Final = 10_000
"""Bytes in the database that do: else one client could fill a disk in a night."""


class Bucket:
    """The buckets of all clients at one rate."""

    def __init__(self, rate: Rate) -> None:
        """Begin with full buckets."""
        self._rate = rate
        self._filled: dict[str, tuple[float, float]] = {}

    def wait(self, client: str, now: float) -> float:
        """Take a drop; return 0, or how many seconds to wait when there is none."""
        if (level := self._level(client, now)) < 1:
            return (1 - level) / self._rate.per_second
        self._take(client, level - 1, now)
        return 0

    def owe(self, client: str, now: float, drops: float = 1) -> float:
        """Take drops even where there are none; return how many seconds to wait for them.

        Who comes next waits longer, but not for more drops than a full bucket has.
        """
        level = max(-self._rate.burst, self._level(client, now) - drops)
        self._take(client, level, now)
        return max(0.0, -level / self._rate.per_second)

    def _level(self, client: str, now: float) -> float:
        level, since = self._filled.get(client, (self._rate.burst, now))
        return min(self._rate.burst, level + (now - since) * self._rate.per_second)

    def _take(self, client: str, level: float, now: float) -> None:
        self._filled[client] = (level, now)
        if len(self._filled) > MOST_CLIENTS:
            self._forget(now)

    def _forget(self, now: float) -> None:
        full = [
            client
            for client, (level, since) in self._filled.items()
            if level + (now - since) * self._rate.per_second >= self._rate.burst
        ]
        for client in full or list(self._filled)[: MOST_CLIENTS // 2]:
            del self._filled[client]


class Admission:
    """Who is let in.

    Attributes:
        streams: Sockets and event streams that are open.
        watching: Of them, those of spectators, by client.
        silent: Sockets on which nothing was said yet, by client.
    """

    def __init__(self, settings: Settings) -> None:
        """Begin with nobody inside."""
        self.streams = 0
        self.watching: Counter[str] = Counter()
        self.silent: Counter[str] = Counter()
        self._most = settings.sockets
        self._most_of_client = settings.client_sockets
        self._buckets = {
            "read": Bucket(settings.reads),
            "act": Bucket(settings.acts),
            "create": Bucket(settings.creations),
        }

    def charge(self, client: str, rate: str) -> None:
        """Count a request of a client.

        Raises:
            ProblemError: It asks too often.
        """
        wait = self._buckets[rate].wait(client, time.monotonic())
        if wait:
            raise ProblemError(
                429, "too-often", f"too many requests; wait {wait:.1f} seconds", retryAfter=wait
            )

    def charge_size(self, client: str, rate: str, *, entries: int = 0, kept: int = 0) -> None:
        """Charge a client for a long log that it sends or is told, and for bytes that are kept.

        It is not refused: what it asks next waits.
        """
        if (drops := entries // ENTRIES + kept // BYTES) > 0:
            self._buckets[rate].owe(client, time.monotonic(), drops)

    def charged(self, client: str, problem: ProblemError) -> ProblemError:
        """Return what a request is refused with that no route has counted: refusing is not free."""
        try:
            self.charge(client, "read")
        except ProblemError as too_often:
            return too_often
        return problem

    def require_room(self, client: str, role: str | None) -> None:
        """Refuse another spectator when there are too many; who has a seat is never refused.

        Raises:
            ProblemError: There are.
        """
        if role is not None:
            return
        if self.watching[client] >= self._most_of_client:
            raise ProblemError(503, "busy", f"{self._most_of_client} sockets of yours are open")
        if self.watching.total() >= self._most:
            raise ProblemError(503, "busy", "too many sockets are open")

    @contextmanager
    def greeting(self, client: str) -> Iterator[None]:
        """Count a socket until it has said who it is.

        Raises:
            ProblemError: The client has too many such.
        """
        if self.silent[client] >= self._most_of_client:
            raise ProblemError(503, "busy", f"{self._most_of_client} sockets of yours are silent")
        with _counting(self.silent, client):
            yield

    @contextmanager
    def counted(self, client: str, role: str | None) -> Iterator[None]:
        """Count a stream or socket while it is open."""
        self.streams += 1
        try:
            with _counting(self.watching, client) if role is None else nullcontext():
                yield
        finally:
            self.streams -= 1


@contextmanager
def _counting(counter: Counter[str], client: str) -> Iterator[None]:
    """Count one more of a client; whoever has none is forgotten."""
    counter[client] += 1
    try:
        yield
    finally:
        counter[client] -= 1
        if not counter[client]:
            del counter[client]
