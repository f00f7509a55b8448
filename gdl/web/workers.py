"""Several processes that serve one address: `gdl serve --workers`.

In: a socket that listens, a database, settings. Out: as many servers on it; one that dies is
started again. They share nothing but the database, and tell each other what they write
(`gdl.web.neighbours`); what they count is added up in files (`gdl.web.metrics`).
"""

from __future__ import annotations

import logging
import multiprocessing
import os
import signal
import socket
import tempfile
import time
from collections.abc import Callable
from dataclasses import replace
from heapq import heappop, heappush
from multiprocessing.process import BaseProcess
from pathlib import Path
from types import FrameType
from typing import Final

from gdl.language.diagnostics import GdlError
from gdl.web.settings import Settings
from gdl.web.tokens import share_clock

LOG: Final = logging.getLogger("gdl.web")
SHORTEST_LIFE: Final = 5.0
"""Seconds; in place of a worker that dies sooner another is started as much later."""
END_SECONDS: Final = 10.0
"""How long a worker may take to end."""
LOOK_SECONDS: Final = 0.2
"""How often is looked whether all of them run."""
COUNTS: Final = "PROMETHEUS_MULTIPROC_DIR"
"""The variable that tells prometheus_client where processes add up what they count."""

Run = Callable[[str, socket.socket, Settings, Path, Callable[[], None]], None]
"""What a worker does: serves a database on a socket; says so; ends when it is told to."""


class WorkersError(GdlError):
    """Several workers cannot be had; says why."""


def supervise(  # noqa: PLR0913  # what `gdl.web.server.serve` is given
    run: Run,
    database: str,
    listening: socket.socket,
    *,
    count: int,
    settings: Settings,
    on_start: Callable[[], None],
) -> None:
    """Let so many processes serve until this one is told to end (SIGINT or SIGTERM).

    Args:
        run: What each of them does; a function that another process finds by its name.
        database: The database.
        listening: The socket; whichever worker is free takes the next connection.
        count: How many.
        settings: What all of them together allow.
        on_start: Called once the first answers.

    Raises:
        WorkersError: This system cannot, or the workers die as soon as they are started.
    """
    if not hasattr(socket, "AF_UNIX"):
        raise WorkersError(
            "several workers need sockets between processes, which this system does not have",
            expected="--workers 1",
        )
    with tempfile.TemporaryDirectory(prefix="gdl-workers-") as home:
        os.environ[COUNTS] = home
        share_clock()
        Crew(run, (database, listening, share(settings, count), Path(home)), count).serve(on_start)


def share(settings: Settings, count: int) -> Settings:
    """Return what each of so many workers may take of the processes and memory of all.

    Connections and rates are counted by each for itself, as it sees only its own. Of processes
    that several clients wait for each has two where all of them together have: of a single one a
    client could have all (`gdl.web.turns`).
    """

    def part(whole: int, least: int = 1) -> int:
        return max(min(whole, least), whole // count)

    return replace(
        settings,
        matches=part(settings.matches),
        workers=part(settings.workers),
        studies=part(settings.studies, 2),
        agents=part(settings.agents, 2),
    )


class Crew:
    """The workers of one server."""

    def __init__(
        self, run: Run, args: tuple[str, socket.socket, Settings, Path], count: int
    ) -> None:
        """Prepare them."""
        self._run, self._args, self._count = run, args, count
        self._context = multiprocessing.get_context("spawn")  # of threads a fork takes only one
        self._ready = self._context.Event()
        self._running: dict[BaseProcess, float] = {}
        self._due: list[float] = []  # when others are started in place of those that have died
        self._is_over = False

    def serve(self, on_start: Callable[[], None]) -> None:
        """Start all, and again whichever dies, until this process is told to end."""
        before = {
            number: signal.signal(number, self._end) for number in (signal.SIGINT, signal.SIGTERM)
        }
        is_told = False
        try:
            for _ in range(self._count):
                self._start()
            while not self._is_over:
                time.sleep(LOOK_SECONDS)
                if not is_told and self._ready.is_set():
                    is_told = True
                    on_start()
                self._replace_the_dead()
        finally:
            self._stop()
            for number, handler in before.items():
                signal.signal(number, handler)

    def _end(self, _number: int, _frame: FrameType | None) -> None:
        self._is_over = True

    def _start(self) -> None:
        worker = self._context.Process(target=self._run, args=(*self._args, self._ready.set))
        worker.start()
        self._running[worker] = time.monotonic()

    def _replace_the_dead(self) -> None:
        for worker, since in list(self._running.items()):
            if worker.is_alive() or self._is_over:
                continue
            del self._running[worker]
            _forget(worker)
            now = time.monotonic()
            if (is_young := now - since < SHORTEST_LIFE) and not self._ready.is_set():
                raise WorkersError("the workers end as soon as they are started; the log says why")
            fields = {"worker": worker.pid, "code": worker.exitcode, "seconds": round(now - since)}
            LOG.error("a worker has died", extra={"fields": fields})
            heappush(self._due, now + SHORTEST_LIFE if is_young else now)
        while self._due and self._due[0] <= time.monotonic():
            heappop(self._due)
            self._start()

    def _stop(self) -> None:
        for worker in self._running:
            worker.terminate()
        until = time.monotonic() + END_SECONDS
        for worker in self._running:
            worker.join(max(0.0, until - time.monotonic()))
            if worker.is_alive():
                worker.kill()
                worker.join()


def _forget(worker: BaseProcess) -> None:
    """Take what a dead worker has measured last out of what is added up."""
    from prometheus_client import multiprocess

    multiprocess.mark_process_dead(worker.pid)  # type: ignore[no-untyped-call]  # of prometheus_client
