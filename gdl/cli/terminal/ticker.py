"""A line that says how far a long computation is, on standard error and only on a terminal.

It never takes hold of standard output, so that a pipe gets results alone.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Final

from gdl.cli.terminal.console import is_watched, live_line

PERIOD: Final = 0.1
"""Seconds between two pictures."""


class Ticker:
    """The line; does nothing where nobody would see it."""

    def __init__(self) -> None:
        """Make a line that is not drawn yet."""
        self._live = live_line() if is_watched() else None
        self._drawn = 0.0

    def tick(self, text: Callable[[], str]) -> None:
        """Show a text, which is only made when it is time for a new picture."""
        now = time.monotonic()
        if self._live is None or now - self._drawn < PERIOD:
            return
        from rich.text import Text

        self._drawn = now
        self._live.start()
        self._live.update(Text(text(), style="dim"), refresh=True)

    def hide(self) -> None:
        """Take the line away, so that a result can be written; the next tick shows it again."""
        if self._live is not None:
            self._live.stop()


@contextmanager
def ticker() -> Iterator[Ticker]:
    """Return a line that goes away at the end, however it ends."""
    line = Ticker()
    try:
        yield line
    finally:
        line.hide()
