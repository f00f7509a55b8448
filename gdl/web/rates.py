"""How often somebody may ask.

In: who asks, and when. Out: whether that is too often. Each client has a bucket that fills
at a rate and holds a burst; a request takes one drop.

Source: the token bucket of J. Turner, "New directions in communications", 1986.
"""

from __future__ import annotations

from typing import Final

from gdl.web.settings import Rate

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
