"""How often somebody may ask, and how many may listen at once.

In: who asks, and when. Out: nothing, or the problem that it is too often. Each client has a
bucket that fills at a rate and holds a burst; a request takes one drop.

Source: the token bucket of J. Turner, "New directions in communications", 1986.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from gdl.web.problems import ProblemError
from gdl.web.settings import Rate, Settings

MOST_CLIENTS: Final = 10_000
"""Clients that are remembered; when there are more, those with a full bucket are forgotten."""


class Bucket:
    """The buckets of all clients at one rate."""

    def __init__(self, rate: Rate) -> None:
        """Begin with full buckets."""
        self._rate = rate
        self._filled: dict[str, tuple[float, float]] = {}

    def wait(self, client: str, now: float) -> float:
        """Take a drop; return 0, or how many seconds to wait when there is none."""
        level, since = self._filled.get(client, (self._rate.burst, now))
        level = min(self._rate.burst, level + (now - since) * self._rate.per_second)
        if level < 1:
            return (1 - level) / self._rate.per_second
        self._filled[client] = (level - 1, now)
        if len(self._filled) > MOST_CLIENTS:
            self._forget(now)
        return 0

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
    """

    def __init__(self, settings: Settings) -> None:
        """Begin with nobody inside."""
        self.streams = 0
        self._most_streams = settings.sockets
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

    def require_room(self) -> None:
        """Refuse another stream or socket when there are too many.

        Raises:
            ProblemError: There are.
        """
        if self.streams >= self._most_streams:
            raise ProblemError(503, "busy", "too many sockets are open")

    @contextmanager
    def counted(self) -> Iterator[None]:
        """Count a stream or socket while it is open."""
        self.streams += 1
        try:
            yield
        finally:
            self.streams -= 1
