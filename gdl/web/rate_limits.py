"""How often somebody may ask, and how many may listen at once.

In: who asks, and when. Out: nothing, or the problem that it is too often. Each client has a
bucket that fills at a rate and holds a burst; a request takes one drop.

Source: the token bucket of J. Turner, "New directions in communications", 1986.
"""

from __future__ import annotations

import asyncio
import time
from collections import Counter, deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from math import inf
from typing import Final

from gdl.web.overload import DEAF_SECONDS
from gdl.web.problems import RETRY_SECONDS, ProblemError
from gdl.web.settings import Rate, Settings

MOST_CLIENTS: Final = 10_000
"""Clients that are remembered; when there are more, those with a full bucket are forgotten."""
AT_ONCE: Final = 1
"""Connections, and requests, of one address that are begun before others have their turn."""
OF_ALL: Final = 12
"""Those of all addresses that are begun in a turn of the loop."""
ENTRIES: Final = 20
"""Entries of a log that cost as much as a request."""
BYTES: Final = 2_000
"""Bytes in the database that do: else one client could fill a disk in a night."""
BYTES_READ: Final = 20_000
"""Bytes of a body that do: to read a megabyte of JSON, check it, and write it for a process takes
ten milliseconds, in which nobody else is heard."""
HELD: Final = 32 << 20
"""Bytes of bodies of one client that may be here at once, read or on their way: else his four
hundred requests are four hundred megabytes."""
PAGES_AT_ONCE: Final = Rate(per_second=1_000, burst=50)
"""How often somebody is given files of the page while he may have thousands: a school that opens it
at one moment is not to have all the time there is."""
REFUSALS: Final = Rate(per_second=50, burst=500)
"""How often somebody is refused in the long run, however many connections he has."""


class Bucket:
    """The buckets of all clients at one rate."""

    def __init__(self, rate: Rate, *, most: float | None = None) -> None:
        """Begin with full buckets; so many drops may be owed, by default those of a full one."""
        self._rate = rate
        self._least = -(rate.burst if most is None else most)
        self._filled: dict[str, tuple[float, float]] = {}

    def wait(self, client: str, now: float) -> float:
        """Take a drop; return 0, or how many seconds to wait when there is none."""
        if (level := self._level(client, now)) < 1:
            return (1 - level) / self._rate.per_second
        self._take(client, level - 1, now)
        return 0

    def owe(self, client: str, now: float, drops: float = 1) -> float:
        """Take drops even where there are none; return how many seconds to wait for them.

        Who comes next waits longer, but not for more drops than may be owed.
        """
        level = max(self._least, self._level(client, now) - drops)
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


class Gate:
    """Lets in what each address asks one by one, that of others between, and of all a few at once.

    Whoever sends hundreds at once, as his rate allows, makes others wait for one, not for all. And
    where thousands ask at the same moment, what was let in goes on between them: it needs several
    turns of the loop to be done, and a turn in which all of them are begun, or refused, is long.
    """

    def __init__(self) -> None:
        """Begin with nobody waiting."""
        self._begun: Counter[str] = Counter()
        # By address, in turn: what waits, and since when its first has waited for other addresses.
        self._held: dict[str, tuple[deque[Callable[[], None]], float]] = {}
        self._room = OF_ALL
        self._is_turning = False
        self._wait = inf

    async def enter(self, address: str) -> None:
        """Wait for a turn of the loop in which there is room for one more of the address."""
        if self._is_free(address):
            return
        held: asyncio.Future[None] = asyncio.get_running_loop().create_future()

        def begin() -> None:
            if not held.done():  # else whoever asked has left
                held.set_result(None)

        self._hold(address, begin)
        await held

    def let(self, address: str, begin: Callable[[], None]) -> None:
        """Begin something in such a turn, which may be this one."""
        if self._is_free(address):
            begin()
        else:
            self._hold(address, begin)

    def waited(self) -> float:
        """Return how long all have waited for others since this was asked last, in seconds.

        It is the least wait: of what came at once in a moment, the first did not wait.
        """
        wait, self._wait = self._wait, inf
        return 0.0 if wait == inf else wait

    def _is_free(self, address: str) -> bool:
        """Count one more of an address in this turn, if there may be one."""
        if not self._is_turning:
            self._is_turning = True
            loop = asyncio.get_running_loop()
            loop.call_soon(self._turn, loop)
        if not self._room or address in self._held or self._begun[address] >= AT_ONCE:
            return False
        self._begun[address] += 1
        self._room -= 1
        self._wait = 0.0
        return True

    def _hold(self, address: str, begin: Callable[[], None]) -> None:
        now = asyncio.get_running_loop().time()
        self._held.setdefault(address, (deque(), now))[0].append(begin)

    def _turn(self, loop: asyncio.AbstractEventLoop) -> None:
        self._begun.clear()
        self._room, now = OF_ALL, loop.time()
        while self._held and self._room:
            address = next(iter(self._held))
            if self._begun[address]:
                break  # it is its turn again: all others had theirs
            held, since = self._held[address]
            self._wait = min(self._wait, now - since)
            while held and self._room and self._begun[address] < AT_ONCE:
                self._begun[address] += 1
                self._room -= 1
                held.popleft()()
            del self._held[address]
            if held:
                self._held[address] = held, now  # behind all others
        self._is_turning = bool(self._held)
        if self._is_turning:
            loop.call_soon(self._turn, loop)


class Admission:
    """Who is let in.

    Attributes:
        gate: Where requests wait for others of their address.
        streams: Sockets and event streams that are open.
        watching: Of them, those of spectators, by client.
        silent: Sockets on which nothing was said yet, by client.
        held: Bytes of bodies of requests that are not answered yet, by client.
    """

    def __init__(self, settings: Settings) -> None:
        """Begin with nobody inside."""
        self.gate = Gate()
        self.streams = 0
        self.watching: Counter[str] = Counter()
        self.silent: Counter[str] = Counter()
        self.held: Counter[str] = Counter()
        self._most = settings.sockets
        self._most_of_client = settings.client_sockets
        self._buckets = {
            "read": Bucket(settings.reads),
            "act": Bucket(settings.acts),
            "create": Bucket(settings.creations),
        }
        at_once = Bucket(PAGES_AT_ONCE, most=settings.pages.burst)
        self._pages = at_once, Bucket(settings.pages)
        self._refusals = Bucket(REFUSALS)

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

    def page_wait(self, client: str) -> float:
        """Count a file of the page; return in how many seconds it is told, as half a page is none.

        Whoever asks too often has it later, and of thousands asked for at once each has its turn.
        """
        now = time.monotonic()
        return max(bucket.owe(client, now) for bucket in self._pages)

    def deaf_to(self, client: str) -> float:
        """Return how long nothing more is read of a client, here where he was refused.

        Who asks again at once on many connections is refused seldom on each.
        """
        return max(DEAF_SECONDS, self._refusals.owe(client, time.monotonic()))

    def charge_size(
        self, client: str, rate: str, *, entries: int = 0, kept: int = 0, read: int = 0
    ) -> None:
        """Charge a client for a long log that it sends or is told, and for bytes kept or read.

        It is not refused: what it asks next waits.
        """
        if (drops := entries // ENTRIES + kept // BYTES + read // BYTES_READ) > 0:
            self._buckets[rate].owe(client, time.monotonic(), drops)

    def hold(self, client: str, read: int) -> None:
        """Count a part of a body; what is counted is let go with `let_go`.

        Raises:
            ProblemError: Too much of the client is here already.
        """
        if self.held[client] + read > HELD:
            text = f"bodies of yours of {HELD >> 20} MB are being worked on; wait for an answer"
            raise ProblemError(503, "busy", text, retryAfter=RETRY_SECONDS)
        self.held[client] += read

    def let_go(self, client: str, read: int) -> None:
        """Count a body no longer."""
        self.held[client] -= read
        if not self.held[client]:
            del self.held[client]

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
