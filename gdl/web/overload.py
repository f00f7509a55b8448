"""More work than the server can do: what is refused at once, so that the rest is done in time.

In: how late the event loop is, and who asks. Out: nothing, or a problem that says to come back.
What waits, waits at the event loop, so its lateness is the time that any request waits before it
is looked at. The later it is, the more is refused: first who only looks on, then questions and
new matches, last who plays. One piece of work that takes long makes no queue: what counts is the
least lateness of several looks.

Source: the standing queue of K. Nichols and V. Jacobson, "Controlling Queue Delay", ACM Queue 2012,
with a bound for each kind of request in place of drops.
"""

from __future__ import annotations

import asyncio
from collections import deque
from enum import Enum
from typing import Final

from gdl.web.problems import RETRY_SECONDS, ProblemError

LOOK_SECONDS: Final = 0.05
"""How often the lateness is measured."""
LOOKS: Final = 5
"""Looks of which the least lateness counts."""


class Asks(Enum):
    """Who asks; the value is how many times the lateness that is allowed he bears."""

    WATCHING = 1
    ASKING = 2
    PLAYING = 4


class Overload:
    """How late the event loop of a server is.

    Attributes:
        late: Seconds that every request waits now before it is looked at.
    """

    def __init__(self, allowed: float) -> None:
        """Begin in time; so many seconds late nobody is refused."""
        self.late = 0.0
        self._allowed = allowed

    async def watch(self) -> None:
        """Measure the lateness again and again."""
        clock = asyncio.get_running_loop().time
        looks = deque([0.0] * LOOKS, LOOKS)
        while True:
            due = clock() + LOOK_SECONDS
            await asyncio.sleep(LOOK_SECONDS)
            looks.append(clock() - due)
            self.late = max(0.0, min(looks))

    def refuse_beyond(self, asks: Asks) -> None:
        """Refuse a request when there is more to do than can be done.

        Raises:
            ProblemError: There is.
        """
        if self.late > self._allowed * asks.value:
            raise ProblemError(
                503, "busy", "the server has more to do than it can", retryAfter=RETRY_SECONDS
            )
