"""Processes apart, seen from the server: started when needed, ended when too slow.

In: requests for `gdl.web.worker`. Out: its answers, or a `ProblemError`. A process that does
not answer in time, or dies, is ended, and its request is answered with a problem; the next
request starts another one.
"""

from __future__ import annotations

import asyncio
import json
import os
import sys
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path
from typing import Any, Final

from gdl.language.limits import Limits
from gdl.web.problems import ProblemError

LONGEST_LINE: Final = 64 << 20
"""Bytes of an answer."""
PACKAGES: Final = str(Path(__file__).resolve().parents[2])
"""Where this package lies, for the new process."""
KEPT_VARIABLES: Final = ("PATH", "HOME", "LANG", "LC_ALL", "TMPDIR", "GDL_CACHE", "SYSTEMROOT")


class Process:
    """One process; requests are answered one after the other."""

    def __init__(self, *, memory: int, seconds: float, limits: Limits | None) -> None:
        """Prepare a process; it starts with the first request.

        Args:
            memory: Bytes that it may use; 0 for any.
            seconds: How long an answer may take.
            limits: What rules may take in it; None for the usual limits.
        """
        self._memory = memory
        self._seconds = seconds
        self._limits = None if limits is None else asdict(limits)
        self._running: asyncio.subprocess.Process | None = None
        self._lock = asyncio.Lock()
        self.starts = 0
        self.waiting = 0

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
            async with asyncio.timeout(seconds):
                line = await self._exchange(json.dumps(request).encode() + b"\n")
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
        if "problem" in answer:
            raise ProblemError.read(answer["problem"])
        return answer["ok"]

    async def _exchange(self, line: bytes) -> bytes:
        if not self.is_running:
            await self._start()
        running = self._running
        assert running is not None
        assert running.stdin is not None
        assert running.stdout is not None
        running.stdin.write(line)
        await running.stdin.drain()
        return await running.stdout.readline()

    async def _start(self) -> None:
        self.starts += 1
        kept = {name: os.environ[name] for name in KEPT_VARIABLES if name in os.environ}
        self._running = await asyncio.create_subprocess_exec(
            sys.executable,
            "-m",
            "gdl.web.worker",
            str(self._memory),
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.DEVNULL,
            env={**kept, "PYTHONPATH": PACKAGES},
            limit=LONGEST_LINE,
            start_new_session=True,
        )

    async def end(self) -> None:
        """End the process; the next request starts another one."""
        running, self._running = self._running, None
        if running is not None:
            with suppress(ProcessLookupError):
                running.kill()
            await running.wait()


class Pool:
    """Several processes that hold nothing; each request goes to the one with least to do."""

    def __init__(
        self, count: int, *, queued: int, memory: int, seconds: float, limits: Limits | None
    ) -> None:
        """Prepare the processes; ``queued`` requests may wait for each of them."""
        self._processes = [
            Process(memory=memory, seconds=seconds, limits=limits) for _ in range(count)
        ]
        self._queued = queued

    async def ask(self, do: str, *, seconds: float | None = None, **args: Any) -> Any:  # noqa: ANN401  # JSON
        """Return the answer to a request; see `Process.ask`.

        Raises:
            ProblemError: As there; or so many requests wait that this one would wait too long.
        """
        process = min(self._processes, key=lambda one_of_them: one_of_them.waiting)
        if process.waiting > self._queued:
            raise ProblemError(503, "busy", "too many requests wait; try again later")
        return await process.ask(do, seconds=seconds, **args)

    async def end(self) -> None:
        """End all processes."""
        for process in self._processes:
            await process.end()
