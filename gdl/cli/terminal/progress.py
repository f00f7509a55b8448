"""Progress on standard error: a bar on a terminal, a line now and then where there is none."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final

from gdl.cli.terminal.console import console, is_watched, say

if TYPE_CHECKING:
    from rich.progress import Progress, ProgressColumn


FIRST, LAST = 10.0, 60.0
"""Seconds before the first line, and between two lines in the long run."""
SLOWER: Final = 1.5
"""How much longer each line takes than the one before."""


def counting_bar(what: str) -> Progress:
    """Return a bar that shows done and total, time gone and time left; it goes away at the end."""
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        TextColumn,
        TimeElapsedColumn,
        TimeRemainingColumn,
    )

    return bar(
        TextColumn(what),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        TextColumn("left"),
        TimeRemainingColumn(),
    )


def bar(*columns: ProgressColumn) -> Progress:
    """Return a bar of some columns on standard error, where that is a terminal."""
    from rich.progress import Progress

    return Progress(
        *columns,
        console=console(stderr=True),
        transient=True,
        disable=not is_watched(),
        redirect_stdout=False,
        redirect_stderr=False,
    )


@contextmanager
def lines() -> Iterator[Callable[[str], None]]:
    """Give a function that is told what is done; it is said in a line now and then, with the time.

    A thread of its own says it, as long as nobody watches a terminal: also while an engine thinks
    about one answer for minutes. Work that is done before the first line says nothing.
    """
    told, over, begin = [""], threading.Event(), time.monotonic()

    def tell(text: str) -> None:
        told[0] = text

    def talk() -> None:
        pause = FIRST
        while not over.wait(pause):
            pause = min(pause * SLOWER, LAST)
            say(f"{told[0]}, {time.monotonic() - begin:.0f} s", stderr=True)

    thread = threading.Thread(target=talk, daemon=True)
    if not is_watched():
        thread.start()
    try:
        yield tell
    finally:
        over.set()
        if thread.is_alive():
            thread.join()
