"""More work than the server can do: what is refused at once, so that the rest is done in time.

In: how late the event loop is, how long all wait at the gate, how many actions are under way, and
who asks. Out: nothing, or a problem that says to come back. What waits, waits at the event loop or
at the gate (`gdl.web.rate_limits`), so the longer of both is the time that any request waits before
it is looked at; or it is an action that waits for those before it, of which so many are done in a
second. The longer both take, the more is refused: first who only looks on, then questions and new
matches, last who plays. One piece of work that takes long makes no queue: what counts is the least
lateness of several looks, and the pace while actions are queued.

Source: the standing queue of K. Nichols and V. Jacobson, "Controlling Queue Delay", ACM Queue 2012,
with a bound for each kind of request in place of drops; J. D. C. Little, "A Proof for the Queuing
Formula L = lambda W", Operations Research 1961, for the wait behind a number of actions.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from enum import Enum
from typing import Final

from gdl.web.problems import RETRY_SECONDS, ProblemError

LOOK_SECONDS: Final = 0.05
"""How often the lateness is measured."""
LOOKS: Final = 5
"""Looks of which the least lateness counts."""
FEW: Final = 32
"""Actions under way that are no queue: they may be waiting for the same commit."""
DEAF_SECONDS: Final = 0.3
"""How long nothing more is read on a connection on which somebody was refused: who asks again at
once would take the time of those who were not, as refusing takes a fifth of what an action does."""
OPENING: Final = 10
"""Actions that take as long as to read a match, with its log, and follow it first."""
PASSES: Final = 3
"""How often an action waits for all that are under way: to be judged, written, and told."""
PACE: Final = 0.001
"""Seconds of an action that are believed until a queue was seen."""


class Asks(Enum):
    """Who asks; the value is how many times the lateness that is allowed he bears."""

    WATCHING = 1
    ASKING = 1.5
    PLAYING = 2


class Overload:
    """How long whoever asks a server now will wait.

    Attributes:
        late: Seconds that every request waits now before it is looked at.
    """

    def __init__(self, allowed: float, waited: Callable[[], float] = float) -> None:
        """Begin in time; so many seconds late nobody is refused.

        ``waited`` returns how long all have waited at the gate since it was called last.
        """
        self.late = 0.0
        self._waited = waited
        self._allowed = allowed
        self._under_way = 0
        self._fewest = 0  # under way since the last look
        self._done = 0
        self._seconds = 0.0  # of a queue of which none were done yet
        self._pace = PACE

    async def watch(self) -> None:
        """Measure the lateness again and again."""
        clock = asyncio.get_running_loop().time
        looks = deque([0.0] * LOOKS, LOOKS)
        while True:
            began = clock()
            await asyncio.sleep(LOOK_SECONDS)
            took = clock() - began
            looks.append(max(took - LOOK_SECONDS, self._waited()))
            self.late = max(0.0, min(looks))
            self.note_pace(took)

    def note_pace(self, seconds: float) -> None:
        """Note how long an action takes, if there was a queue of them for all of so long.

        Without one, what a queue was like is forgotten: the disk that held it up may be free.
        """
        if self._fewest <= FEW:
            self._pace += (PACE - self._pace) / 16
            self._seconds, self._done = 0.0, 0
        elif self._done:
            self._pace += ((self._seconds + seconds) / self._done - self._pace) / 4
            self._seconds, self._done = 0.0, 0
        else:  # those of a commit are done together
            self._seconds += seconds
        self._fewest = self._under_way

    @contextmanager
    def acting(self, *, opens: bool = False) -> Iterator[None]:
        """Count an action as under way while the block runs; ``opens``: it opens its match."""
        weight = OPENING if opens else 1
        self._under_way += weight
        try:
            yield
        finally:
            self._under_way -= weight
            self._fewest = min(self._fewest, self._under_way)
            self._done += weight

    def is_beyond(self, asks: Asks) -> bool:
        """Return whether there is more to do than can be done in the time that somebody bears."""
        queued = self._under_way if self._under_way > FEW else 0
        wait = self.late + PASSES * queued * self._pace
        allowed: float = self._allowed * asks.value
        return wait > allowed

    def refuse_beyond(self, asks: Asks) -> None:
        """Refuse a request when there is more to do than can be done.

        Raises:
            ProblemError: There is.
        """
        if self.is_beyond(asks):
            raise too_much()


def too_much(text: str = "the server has more to do than it can") -> ProblemError:
    """Return why somebody is refused while there is more to do than can be done."""
    return ProblemError(503, "busy", text, retryAfter=RETRY_SECONDS)
