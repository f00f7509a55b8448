"""A bar that grows while something takes long, for the callbacks of playouts, perft, solve, train.

In: how much there is to do, if that is known. Out: a function that takes whatever such a callback
is given, and shows it: as a bar in a notebook, as nothing where there is none.

Source: IPython's documentation, "Rich Outputs" (displays that are updated by their name).
"""

from __future__ import annotations

import time
from collections.abc import Callable
from html import escape
from importlib.util import find_spec
from typing import Any, Final

EVERY: Final = 0.2
"""Seconds from one picture of the bar to the next, at least."""


def progress(what: str, total: int | None = None) -> Callable[..., None]:
    """Return a callback that shows how far something is.

    What it is called with may be anything: of a value with a number ``n`` (playouts) that is how
    far it is, else it is the last number, and the words and numbers before it are shown beside.

    Args:
        what: What is counted, for instance ``games``.
        total: How many there are; None where nobody knows.

    Example:
        >>> import gdl
        >>> game = gdl.load("tictactoe")
        >>> game.perft(2, on_level=progress("positions"))[-1].nodes  # a bar in a notebook
        72
    """
    shown = _display()
    begun, last = time.monotonic(), -EVERY

    def told(*news: Any) -> None:  # noqa: ANN401  # whatever a callback is given
        nonlocal last
        now = time.monotonic()
        *beside, count = [getattr(value, "n", value) for value in news] or [0]
        is_done = total is not None and isinstance(count, int) and count >= total
        if shown is not None and (is_done or now - last >= EVERY):
            last = now
            shown(bar_html(what, count, total, beside=beside, seconds=now - begun))

    return told


def bar_html(
    what: str,
    count: object,
    total: int | None,
    *,
    beside: list[object] | None = None,
    seconds: float = 0.0,
) -> str:
    """Return a bar as HTML.

    Example:
        >>> bar_html("games", 500, 1000, seconds=2)
        '<div><progress value="500" max="1000"></progress> 500 of 1,000 games, 2 s</div>'
    """
    is_number = isinstance(count, int | float)
    said = f"{count:,}" if is_number else str(count)
    of = f" of {total:,}" if total is not None else ""
    words = " ".join(map(str, beside or ()))
    text = f"{f'{words}: ' if words else ''}{said}{of} {what}, {seconds:.0f} s"
    bar = f'<progress value="{count}" max="{total}"></progress> ' if is_number and total else ""
    return f"<div>{bar}{escape(text)}</div>"


def _display() -> Callable[[str], None] | None:
    """Return what shows HTML in the place of what it showed before; None outside of notebooks."""
    if find_spec("IPython") is None:
        return None
    from IPython import get_ipython
    from IPython.display import HTML, display

    if getattr(get_ipython(), "kernel", None) is None:  # a plain shell, or no shell at all
        return None
    handle = display(HTML(""), display_id=True)
    return lambda html: handle.update(HTML(html))
