"""Processes apart, seen from the server: started when needed, ended when too slow.

In: requests for `gdl.web.worker`. Out: its answers, or a `ProblemError`. A process that does
not answer in time, dies, or meets what nobody foresaw is ended, and its request is answered with a
problem; the next request starts another one.
"""

from __future__ import annotations

import asyncio
import json
import logging
import os
import sys
import time
from collections import OrderedDict
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager, nullcontext, suppress
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import Any, Final
from weakref import WeakSet

from pydantic_core import to_json

from gdl.language.limits import Limits
from gdl.web.problems import ProblemError
from gdl.web.requests import ASKED_BY
from gdl.web.turns import Turns

LOG: Final = logging.getLogger("gdl.web")
START_SECONDS: Final = 300.0
"""How long a process may take to start: half a second, or many where others want the processors."""
REFILL_SECONDS: Final = 1.0
"""After one that was started ahead is taken, the next waits so long: the answer comes first."""
LONGEST_LINE: Final = 64 << 20
"""Bytes of an answer."""
WITHOUT_SECONDS: Final = 10.0
"""An address that was given one that was started ahead gets no other for so long: whoever begins
matches without end would have all of them, and all others wait as if there were none."""
PACKAGES: Final = str(Path(__file__).resolve().parents[2])
"""Where this package lies, for the new process."""
KEPT_VARIABLES: Final = ("PATH", "HOME", "LANG", "LC_ALL", "TMPDIR", "GDL_CACHE", "SYSTEMROOT")

QUEUED: Final = 20
"""Requests that may wait for each process."""
LEAST: Final = 19
"""The lowest priority that there is."""
REAL_TIME: Final = frozenset(getattr(os, name, None) for name in ("SCHED_FIFO", "SCHED_RR"))
"""Policies under which priorities count for nothing; a server that has one does not pass it on."""
LATER: Final = 10
"""The priority of what nobody waits for: a tenth of the processor time of who wants some, so that
it goes on where others want it all the time."""
SENT: Final = 3
"""The priority of rules that somebody sent: half of the processor time, so that whoever has many
processes started makes those wait who do the same, and not the server."""


class Spare:
    """A process that is started before anybody needs it, so that nobody waits for its imports."""

    def __init__(self, *, memory: int, later: int) -> None:
        """Prepare it; `refill` starts it."""
        self._memory = memory
        self._later = later
        self._ready: asyncio.subprocess.Process | None = None
        self._task: asyncio.Task[None] | None = None
        self._given: OrderedDict[str, float] = OrderedDict()

    async def ready(self) -> None:
        """Wait until one is ready, or could not be started."""
        if self._task is not None:
            await self._task

    def take(self, client: str) -> asyncio.subprocess.Process | None:
        """Return the process that is ready; None while there is none, or others come first.

        Args:
            client: For whom it is; empty where nobody asked.
        """
        now = time.monotonic()
        while self._given and next(iter(self._given.values())) < now - WITHOUT_SECONDS:
            self._given.popitem(last=False)
        if client in self._given:
            return None
        ready, self._ready = self._ready, None
        if ready is None or ready.returncode is not None:
            return None
        if client:
            self._given[client] = now
        return ready

    def refill(self, wait: float = 0.0) -> None:
        """Start another one so many seconds later, unless one is ready or being started."""
        if self._ready is None and (self._task is None or self._task.done()):
            self._task = asyncio.get_running_loop().create_task(self._fill(wait))

    async def _fill(self, wait: float) -> None:
        await asyncio.sleep(wait)
        starting: asyncio.subprocess.Process | None = None
        try:
            starting = await spawned(self._memory, self._later)
            await answering(starting, self._later)
            self._ready, starting = starting, None
        except OSError:
            LOG.warning("no process could be started ahead")
        finally:
            if starting is not None:
                await _ended(starting)

    async def end(self) -> None:
        """End it, and start no other."""
        if self._task is not None:
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)
        if self._ready is not None:
            await _ended(self._ready)


async def spawned(memory: int, later: int) -> asyncio.subprocess.Process:
    """Start a process of `gdl.web.worker`."""
    kept = {name: os.environ[name] for name in KEPT_VARIABLES if name in os.environ}
    paths = PACKAGES, os.environ.get("PYTHONPATH", "")
    running = await asyncio.create_subprocess_exec(
        sys.executable,
        "-m",
        "gdl.web.worker",
        str(memory),
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.DEVNULL,
        env={**kept, "PYTHONPATH": os.pathsep.join(filter(None, paths))},
        limit=LONGEST_LINE,
        start_new_session=True,
    )
    give_way(running.pid, later)
    return running


async def answering(running: asyncio.subprocess.Process, later: int) -> None:
    """Wait until a process is ready.

    Raises:
        OSError: It is not within `START_SECONDS`.
    """
    assert running.stdout is not None
    try:
        async with asyncio.timeout(START_SECONDS):
            is_ready = bool(await running.stdout.readline())
    except TimeoutError:
        is_ready = False
    if not is_ready:
        raise OSError("the process did not start")
    give_way(running.pid, later)  # of one server Linux hears so ten times a second


async def _ended(running: asyncio.subprocess.Process) -> None:
    with suppress(ProcessLookupError):
        running.kill()
    await running.wait()


class Process:
    """One process; requests are answered one after the other."""

    def __init__(  # noqa: PLR0913  # how it runs, and who waits
        self,
        *,
        memory: int,
        seconds: float,
        limits: Limits | None,
        room: Callable[[], AbstractAsyncContextManager[None]] = nullcontext,
        is_urgent: bool = True,
        spare: Spare | None = None,
    ) -> None:
        """Prepare a process; it starts with the first request.

        Args:
            memory: Bytes that it may use; 0 for any.
            seconds: How long an answer may take.
            limits: What rules may take in it; None for the usual limits.
            room: Entered while it starts: where there is none, some is made.
            is_urgent: Whether somebody waits for its answers; else others have the processors
                first.
            spare: One that is started ahead, which it takes if it is ready.
        """
        self._later = later_of(memory, is_urgent=is_urgent)
        self._spare = spare
        self._room = room
        self._memory = memory
        self._seconds = seconds
        self._limits = None if limits is None else asdict(limits)
        self._running: asyncio.subprocess.Process | None = None
        self._lock = asyncio.Lock()
        self.starts = 0
        self.waiting = 0
        self.used = 0.0

    @property
    def is_running(self) -> bool:
        """Whether the process runs, with all that it has been told."""
        return self._running is not None and self._running.returncode is None

    async def ask(self, do: str, *, seconds: float | None = None, **args: Any) -> Any:  # noqa: ANN401  # JSON
        """Return the answer to a request.

        Raises:
            ProblemError: The process says no, is too slow, or died.
        """
        self.waiting += 1
        self.used = time.monotonic()
        try:
            async with self._lock:
                return await self._ask(do, seconds or self._seconds, args)
        finally:
            self.waiting -= 1

    async def _ask(self, do: str, seconds: float, args: dict[str, Any]) -> Any:  # noqa: ANN401  # JSON
        request: dict[str, Any] = {"do": do, "args": args}
        if self._limits is not None:
            request["limits"] = self._limits
        try:
            if not self.is_running:
                await self._start()
            async with asyncio.timeout(seconds):
                line = await self._exchange(to_json(request) + b"\n")
        except TimeoutError:
            await self.end()
            raise ProblemError(
                422, "too-slow", f"this takes more than the {seconds:g} seconds that are allowed"
            ) from None
        except (OSError, ValueError) as error:
            await self.end()
            raise ProblemError(
                503, "worker-lost", "the process that runs the rules died"
            ) from error
        except asyncio.CancelledError:
            await self.end()  # its answer would be taken for the next one
            raise
        if not line:
            await self.end()
            raise ProblemError(
                422, "rules-too-large", "the rules take more memory than the server allows"
            )
        answer = json.loads(line)
        if "trace" in answer:  # what it holds may be half of what it should
            await self.end()
            LOG.error("unforeseen", extra={"fields": {"asked": do, "trace": answer["trace"]}})
        if "problem" in answer:
            raise ProblemError.read(answer["problem"])
        return answer["ok"]

    async def _exchange(self, line: bytes) -> bytes:
        running = self._running
        assert running is not None
        assert running.stdin is not None
        assert running.stdout is not None
        running.stdin.write(line)
        await running.stdin.drain()
        return await running.stdout.readline()

    async def _start(self) -> None:
        """Start the process and wait until it is ready, which is no time of its first answer.

        Raises:
            OSError: It could not be started, or not within `START_SECONDS`.
            ProblemError: There is no room for it.
        """
        self.starts += 1
        async with self._room():  # who is refused or leaves here has taken none that nobody ends
            taken = None if self._spare is None else self._spare.take(ASKED_BY.get())
            self._running = taken or await spawned(self._memory, self._later)
        if taken is None:
            await answering(self._running, self._later)
        if self._spare is not None:
            self._spare.refill(REFILL_SECONDS)

    async def start(self) -> None:
        """Start the process before anybody needs it; what goes wrong shows when somebody does."""
        async with self._lock:
            if not self.is_running:
                with suppress(OSError, ProblemError):
                    await self._start()

    async def end(self) -> None:
        """End the process; the next request starts another one."""
        running, self._running = self._running, None
        if running is not None:
            await _ended(running)


def later_of(memory: int, *, is_urgent: bool = True) -> int:
    """Return the priority of a process: of what nobody waits for, of sent rules, of all else."""
    return LATER if not is_urgent else SENT if memory else 0


def give_way(pid: int, by: int) -> None:
    """Let others have the processors before a process, for good.

    Linux shares them among sessions first, and each process here is one of its own: there it is the
    session that gives way, to that of the server.

    Source: priorities as in sched(7).
    """
    with suppress(OSError):  # it has ended
        if hasattr(os, "sched_getscheduler") and os.sched_getscheduler(pid) in REAL_TIME:
            os.sched_setscheduler(pid, os.SCHED_OTHER, os.sched_param(0))
        if hasattr(os, "setpriority"):  # Windows has none
            mine = os.getpriority(os.PRIO_PROCESS, 0)
            os.setpriority(os.PRIO_PROCESS, pid, min(LEAST, mine + by))
    with suppress(OSError, ValueError, IndexError):  # not Linux, or sessions are not told apart
        mine, its = (
            int(Path(f"/proc/{process}/autogroup").read_text().split()[-1])
            for process in ("self", pid)
        )
        if its != (wanted := min(LEAST, mine + by)):
            Path(f"/proc/{pid}/autogroup").write_text(str(wanted))


class Holder(Process):
    """A process that holds a match, and is not ended while somebody has it."""

    def __init__(self, turns: Turns, most: int, **more: Any) -> None:  # noqa: ANN401  # of Process
        """Prepare it; so many may wait of one client to have one of those that share the turns."""
        super().__init__(**more)
        self._turns = turns
        self._most = most

    @asynccontextmanager
    async def had(self) -> AsyncIterator[None]:
        """Have it while the block runs; whoever asks waits for his turn.

        Raises:
            ProblemError: He waits for too many already, or too many wait.
        """
        async with self._turns.turn(ASKED_BY.get(), most=self._most):
            self.waiting += 1
            try:
                yield
            finally:
                self.waiting -= 1


class Holders:
    """Processes that each hold a match; the one not used for longest makes room for the next.

    Nobody is refused for what others hold: whoever uses a process again that was ended has it set
    up again, which takes a moment. As many work at once as there are processors, and of one client
    one less, so that whoever comes next finds one free.
    """

    def __init__(
        self, most: int, *, questions: int, memory: int, seconds: float, limits: Limits
    ) -> None:
        """Let so many of them run at once; so many questions of one client may wait for them."""
        self._most = most
        self._starting = asyncio.Lock()
        self.spare = Spare(memory=memory, later=later_of(memory))
        at_once = min(most, max(2, os.cpu_count() or 1))
        self._new = partial(
            Holder,
            Turns(at_once, queued=QUEUED * most),
            questions,
            memory=memory,
            seconds=seconds,
            limits=limits,
            room=self._room,
            spare=self.spare,
        )
        self._processes: WeakSet[Holder] = WeakSet()

    async def warm(self) -> None:
        """Start a process ahead, for the next match; one more than hold a match may run."""
        self.spare.refill()

    async def end(self) -> None:
        """End what was started ahead."""
        await self.spare.end()

    def new(self) -> Holder:
        """Return another one, which starts with its first request."""
        process = self._new()
        self._processes.add(process)
        return process

    @asynccontextmanager
    async def _room(self) -> AsyncIterator[None]:
        """Let one start at a time, so that no two of them take the same room."""
        async with self._starting:
            running = [process for process in self._processes if process.is_running]
            idle = [process for process in running if not process.waiting]
            spare = max(0, 1 + len(running) - self._most)
            for process in sorted(idle, key=lambda process: process.used)[:spare]:
                await process.end()
            yield


class Pool:
    """Several processes that hold nothing; whose request is next, `Turns` says.

    What nobody waits for has one more process, which lets the others have the processors first, and
    is started when it is first needed.
    """

    def __init__(
        self, count: int, *, queued: int, memory: int, seconds: float, limits: Limits | None
    ) -> None:
        """Prepare the processes; so many requests may wait for each of them."""
        new = partial(Process, memory=memory, seconds=seconds, limits=limits)
        self._free = {True: [new() for _ in range(count)], False: [new(is_urgent=False)]}
        self._processes = (*self._free[True], *self._free[False])
        self._turns = {True: Turns(count, queued=queued * count), False: Turns(1, queued=queued)}

    async def ask(
        self,
        client: str,
        do: str,
        *,
        seconds: float | None = None,
        is_urgent: bool = True,
        most: int | None = None,
        **args: Any,  # noqa: ANN401  # JSON
    ) -> Any:  # noqa: ANN401  # JSON
        """Return the answer to a request of a client; see `Process.ask` and `Turns.turn`.

        Args:
            client: Who asks.
            do: What is to be done.
            seconds: How long it may take.
            is_urgent: Whether somebody waits for it.
            most: How many requests one client may have here, running and waiting.
            args: What it is to be done with.

        Raises:
            ProblemError: As there.
        """
        free = self._free[is_urgent]
        async with self._turns[is_urgent].turn(client, most=most):
            process = free.pop()  # the last that was used: it knows most
            try:
                return await process.ask(do, seconds=seconds, **args)
            finally:
                free.append(process)

    async def warm(self) -> None:
        """Start the process that the next request gets."""
        await self._free[True][-1].start()

    async def end(self) -> None:
        """End all processes."""
        for process in self._processes:
            await process.end()
