"""Python's collector of garbage, held back while millions of objects are made.

Networks and circuits are tuples and lists without cycles: each look at them all finds
nothing, and together the looks take up to a third of the time.

Source: Python documentation, ``gc``.
"""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def collector_paused() -> Iterator[None]:
    """Let no collection of garbage begin meanwhile. May be nested."""
    collects = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if collects:
            gc.enable()
