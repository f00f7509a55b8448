"""What many ask of the database at the same time, in one go: entries to write, matches to look at.

In: entries, each of its own match, or matches. Out: each entry is on the disk when its writer is
told so, or is not there and he is told why; of each match what the database says of it after it was
asked for. A disk waits as long for one as for all, and each thread at the database holds up the
event loop. While one batch is on its way, what comes next gathers for the one after it; nobody
waits for more than these two.

Source: "group commit", D. DeWitt et al., "Implementation Techniques for Main Memory Database
Systems", SIGMOD 1984.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from typing import Final, Generic, TypeVar

AT_ONCE: Final = 200
"""Entries of one commit, matches of one look."""

A = TypeVar("A")
R = TypeVar("R")


class Together(Generic[A, R]):
    """What waits to be done in one go, in a thread, in the order in which it was asked."""

    def __init__(
        self, work: Callable[[Sequence[A]], Sequence[R | Exception]], *, pause: float = 0.0
    ) -> None:
        """Begin with nothing.

        Args:
            work: Returns an answer, or what went wrong, for each that it does.
            pause: Seconds between one batch and the next, in which more gathers.
        """
        self._work = work
        self._pause = pause
        self._waiting: list[tuple[A, asyncio.Future[R]]] = []
        self._working: asyncio.Task[None] | None = None

    async def do(self, asked: A) -> R:
        """Return the answer; the work on it begins after this is called.

        Raises:
            Exception: What the work gave in place of an answer, or what ended it.
        """
        answered: asyncio.Future[R] = asyncio.get_running_loop().create_future()
        self._waiting.append((asked, answered))
        if self._working is None:
            self._working = asyncio.get_running_loop().create_task(self._do_all())
        return await answered

    async def _do_all(self) -> None:
        """Work until nothing waits any more."""
        try:
            while self._waiting:
                now, self._waiting = self._waiting[:AT_ONCE], self._waiting[AT_ONCE:]
                answers = await self._do([asked for asked, _ in now])
                for (_, answered), answer in zip(now, answers, strict=True):
                    if answered.done():  # whoever asked has left; the work is done all the same
                        continue
                    if isinstance(answer, Exception):
                        answered.set_exception(answer)
                    else:
                        answered.set_result(answer)
                if self._pause:
                    await asyncio.sleep(self._pause)
        finally:
            self._working = None

    async def _do(self, asked: Sequence[A]) -> Sequence[R | Exception]:
        try:
            return await asyncio.to_thread(self._work, asked)
        except Exception as error:  # noqa: BLE001  # of the database: nothing was done
            return [error] * len(asked)
