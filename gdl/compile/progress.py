"""What a build is at, told to whoever wants to know.

In: nothing. Out: a `Stage` each time that one is done. A survey of many games, a progress
bar and a profile all want the same: which stage, how long, how large.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Literal, NamedTuple, TypeAlias

StageName: TypeAlias = Literal["ground", "network", "simplify", "circuit"]


class Stage(NamedTuple):
    """A stage that is done.

    Attributes:
        name: ``ground`` (size: ground rules), ``network`` (gates as the rules give them),
            ``simplify`` (gates after that) or ``circuit`` (two-input gates).
        seconds: Wall-clock time that it took, in seconds.
        size: How large its result is.
    """

    name: StageName
    seconds: float
    size: int


Listener: TypeAlias = Callable[[Stage], None]


class StageTimer:
    """Tells a listener of each stage, with the time since the one before."""

    def __init__(self, listener: Listener | None) -> None:
        """Begin to count."""
        self._listener = listener
        self._since = time.perf_counter()

    def done(self, name: StageName, size: int) -> None:
        """Tell that a stage is done."""
        now = time.perf_counter()
        if self._listener is not None:
            self._listener(Stage(name, now - self._since, size))
        self._since = now
