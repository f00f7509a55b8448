"""A question asked in a process of its own: one that dies tells so and takes nothing along."""

from __future__ import annotations

import multiprocessing
from collections.abc import Callable
from contextlib import suppress
from typing import Any

Report = dict[str, Any]


def report_of(ask: Callable[..., None], *args: Any) -> Report | int | None:  # noqa: ANN401  # of any question
    """Return what a function sends to the connection that is its last argument.

    What it sends later is put to what it sent before, so a process that dies loses only the rest.

    Returns:
        The report, or the exit code of its process where that ended without one.
    """
    forked = multiprocessing.get_context("fork")
    into, out = forked.Pipe(duplex=False)
    child = forked.Process(target=ask, args=(*args, out))
    child.start()
    out.close()
    report: Report | None = None
    with suppress(EOFError):
        while True:
            report = (report or {}) | into.recv()
    child.join()
    return child.exitcode if report is None else report
