"""``gdl`` on a system whose clock is put forward and back: what ``time.time`` says is moved.

The file that the environment names holds by how many seconds. Workers run this module too, since a
new process begins with the module of the one that started it.
"""

from __future__ import annotations

import mmap
import os
import struct
import time
from pathlib import Path
from typing import Final

VARIABLE: Final = "TESTS_CLOCK_MOVED_BY"
SECONDS: Final = struct.Struct("d")


def move(file: Path, seconds: float) -> None:
    """Put the clock of all processes that look at this file forward, or back."""
    file.touch()
    with file.open("r+b") as opened:  # never shorter than it was: others have it in their memory
        opened.write(SECONDS.pack(seconds))


def _begin(name: str) -> None:
    with Path(name).open("rb") as file:
        moved_by = mmap.mmap(file.fileno(), SECONDS.size, access=mmap.ACCESS_READ)
    real, real_ns = time.time, time.time_ns

    def seconds() -> float:
        moved: float = SECONDS.unpack(moved_by[:])[0]
        return moved

    time.time = lambda: real() + seconds()
    time.time_ns = lambda: real_ns() + int(seconds() * 1e9)


if VARIABLE in os.environ:
    _begin(os.environ[VARIABLE])

if __name__ == "__main__":
    from gdl.cli.main import main

    main()
