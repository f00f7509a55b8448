"""A process that plays one match (`gdl.ggp.worker`), seen from the server.

In: commands. Out: what it finds, as it finds it; and word when it is gone.
"""

from __future__ import annotations

import asyncio
import json
import os
import signal
import sys
from collections.abc import Callable
from contextlib import suppress
from typing import Any, Final

MAX_LINE: Final = 1 << 24
"""Longest finding, in bytes."""


class Process:
    """A worker; it starts as soon as this is made, within a running event loop.

    Attributes:
        is_alive: Whether it may still answer.
    """

    def __init__(self) -> None:
        """Start the process."""
        self.is_alive = True
        self._commands: asyncio.Queue[dict[str, Any]] = asyncio.Queue()
        self._found: Callable[[dict[str, Any]], None] | None = None
        self._lost: Callable[[], None] | None = None
        self._process: asyncio.subprocess.Process | None = None
        self._task = asyncio.ensure_future(self._run())

    def listen(self, take: Callable[[dict[str, Any]], None], gone: Callable[[], None]) -> None:
        """Say who takes what is found, and who is told of the end."""
        self._found, self._lost = take, gone

    def send(self, **command: object) -> None:
        """Give the process something to do; it is done after all that was given before."""
        self._commands.put_nowait(command)

    def close(self) -> asyncio.Task[None]:
        """End the process; nothing of it is heard any more. Returns what to wait for."""
        self._found = self._lost = None
        self.is_alive = False
        self._kill()
        return self._task

    def _kill(self) -> None:
        process = self._process
        if process is not None and process.returncode is None:
            # Its own kill would look whether it has ended, and so take that from asyncio.
            with suppress(OSError):
                os.kill(process.pid, getattr(signal, "SIGKILL", signal.SIGTERM))

    async def _run(self) -> None:
        path = os.pathsep.join(filter(None, sys.path))
        self._process = process = await asyncio.create_subprocess_exec(
            sys.executable,
            "-m",
            "gdl.ggp.worker",
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            env={**os.environ, "PYTHONPATH": path},
            limit=MAX_LINE,
        )
        assert process.stdin is not None
        assert process.stdout is not None
        if not self.is_alive:
            self._kill()
        feeding = asyncio.ensure_future(self._feed(process.stdin))
        try:
            while line := await process.stdout.readline():
                if self._found is not None:
                    self._found(json.loads(line))
        finally:
            feeding.cancel()
            self.is_alive = False
            self._kill()
            if self._lost is not None:
                self._lost()
            process.stdin.close()
            await process.wait()
            with suppress(OSError):
                await process.stdin.wait_closed()

    async def _feed(self, stdin: asyncio.StreamWriter) -> None:
        with suppress(OSError):
            while True:
                command = await self._commands.get()
                stdin.write(json.dumps(command).encode() + b"\n")
                await stdin.drain()
