"""Python's collector of garbage, held back while millions of objects are made.

Networks and circuits are tuples and lists without cycles, and modules that are being imported stay:
each look at them all finds nothing, and together the looks take up to a third of the time.

Source: Python documentation, ``gc``.
"""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Lock


class _Pauses:
    """How many hold the collector back, in whatever threads: the last one lets it go on."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._count = 0
        self._collects = False

    def begin(self) -> None:
        with self._lock:
            if not self._count:
                self._collects = gc.isenabled()
            self._count += 1
            gc.disable()

    def end(self) -> None:
        with self._lock:
            self._count -= 1
            if not self._count and self._collects:
                gc.enable()


_pauses = _Pauses()


@contextmanager
def collector_paused() -> Iterator[None]:
    """Let no collection of garbage begin meanwhile. May be nested, and run in several threads.

    The collector is one for the whole process: a game that is ready in one thread must not let
    it go on in the middle of a search in another, which may have no tenth of a second for it.
    """
    _pauses.begin()
    try:
        yield
    finally:
        _pauses.end()
