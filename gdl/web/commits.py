"""Writing entries of many matches with one commit: a disk waits as long for one as for all.

In: entries, each of its own match. Out: each is on the disk when its writer is told so, or is not
there and he is told why. While one commit is on its way, what comes next gathers for the one
after it; nobody waits for more than these two.

Source: "group commit", D. DeWitt et al., "Implementation Techniques for Main Memory Database
Systems", SIGMOD 1984.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Final

from gdl.match.records import Writing
from gdl.match.store import Store

AT_ONCE: Final = 200
"""Entries of one commit."""


class Commits:
    """What waits to be written into one store."""

    def __init__(self, store: Store) -> None:
        """Begin with nothing."""
        self._store = store
        self._waiting: list[tuple[Writing, asyncio.Future[None]]] = []
        self._writing: asyncio.Task[None] | None = None

    async def append(self, writing: Writing) -> None:
        """Add an entry to the log of a match; it is on the disk when this returns.

        Raises:
            TakenError: Another entry has that number, or that id.
            UnavailableError: The database does not answer, or takes nothing more.
        """
        written: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiting.append((writing, written))
        if self._writing is None:
            self._writing = asyncio.get_running_loop().create_task(self._write_all())
        await written

    async def _write_all(self) -> None:
        """Write until nothing waits any more."""
        try:
            while self._waiting:
                now, self._waiting = self._waiting[:AT_ONCE], self._waiting[AT_ONCE:]
                errors = await self._write([writing for writing, _ in now])
                for (_, written), error in zip(now, errors, strict=True):
                    if written.done():  # whoever asked has left; the entry stands there
                        continue
                    if error is None:
                        written.set_result(None)
                    else:
                        written.set_exception(error)
        finally:
            self._writing = None

    async def _write(self, writings: Sequence[Writing]) -> Sequence[Exception | None]:
        try:
            return await asyncio.to_thread(self._store.append_all, writings)
        except Exception as error:  # noqa: BLE001  # of the database: nothing was written
            return [error] * len(writings)
