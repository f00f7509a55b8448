"""A bar for work that can be counted, on standard error and only on a terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gdl.cli.terminal.console import console, is_watched

if TYPE_CHECKING:
    from rich.progress import Progress, ProgressColumn


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
