"""What solving may take, who does it, and who is told how far it is."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from gdl.language.diagnostics import GdlError

Progress = Callable[[str, int, int], None]
"""Told the phase (``expand``, ``link`` or ``value``; ``help`` where another process leads), how far
it is (a layer, states, tasks) and how many states are known; what it raises ends the work."""


class TooLargeError(GdlError):
    """The game has more positions, or histories, than memory or time allow."""


class FolderError(GdlError):
    """A folder keeps the layers of another game, or somebody else works in it."""


@dataclass(frozen=True, slots=True)
class WorkLimits:
    """What solving may take.

    Attributes:
        memory: Bytes for positions, moves and values.
        seconds: Processor time.
        disk: Bytes that files may take.
    """

    memory: int = 8 << 30
    seconds: float = math.inf
    disk: int = 1 << 50


DEFAULT_WORK_LIMITS: Final = WorkLimits()


@dataclass(frozen=True, slots=True)
class Hands:
    """Who does tasks in a folder.

    Attributes:
        workers: Processes.
        ray: Address of a Ray cluster, where tasks are done there.
        is_shared: Whether others work in the folder by themselves (`gdl.solve.job_array`).
    """

    workers: int = 1
    ray: str | None = None
    is_shared: bool = False

    @property
    def is_here(self) -> bool:
        """Whether this process does all."""
        return self.workers == 1 and self.ray is None


ALONE: Final = Hands()
