"""A bar for work that can be counted, on standard error and only on a terminal."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from gdl.cli.terminal.console import console, is_watched

if TYPE_CHECKING:
    from rich.progress import Progress, ProgressColumn


@contextmanager
def counting_bar(what: str) -> Iterator[Progress]:
    """Return a bar that shows done and total, time gone and time left; it goes away at the end."""
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        TextColumn,
        TimeElapsedColumn,
        TimeRemainingColumn,
    )

    columns = (
        TextColumn(what),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        TextColumn("left"),
        TimeRemainingColumn(),
    )
    with bar(*columns) as progress:
        yield progress


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
