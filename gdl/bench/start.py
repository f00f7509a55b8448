"""From text to the first playout: how long a fresh process takes, and how much memory.

In goes the name of a game; out come its start without anything on disk (cold) and with
the compiled game on disk (warm). Each is a process of its own.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from typing import Final

_PROGRAM: Final = """
import json, resource, sys, time
import gdl
import gdl.native.game
begin = time.perf_counter()
game = gdl.load(sys.argv[1], backend="native")
loaded = time.perf_counter()
game.back_end.native.playouts(1)
played = time.perf_counter()
game.initial().legal(game.roles[0])
told = time.perf_counter()
peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
print(json.dumps([loaded - begin + told - played, played - begin, peak]))
"""


@dataclass(frozen=True, slots=True)
class Start:
    """One start.

    Attributes:
        load: Until the first legal moves are known, in seconds; imports are not counted, nor is
            what playouts need.
        playout: Until the first playout has been played, in seconds, likewise.
        peak: Most memory of the process, in bytes.
    """

    load: float
    playout: float
    peak: int


def starts(name: str) -> tuple[Start, Start]:
    """Return a cold start and a warm one.

    Raises:
        subprocess.CalledProcessError: The game cannot be compiled.
    """
    with tempfile.TemporaryDirectory() as folder:
        return _start(name, folder), _start(name, folder)


def _start(name: str, cache: str) -> Start:
    ran = subprocess.run(  # noqa: S603  # our own program, the name is an argument
        [sys.executable, "-c", _PROGRAM, name],
        env={**os.environ, "GDL_CACHE": cache, "PYTHONPATH": os.pathsep.join(sys.path)},
        capture_output=True,
        encoding="utf-8",
        check=True,
    )
    load, playout, peak = json.loads(ran.stdout)
    return Start(load, playout, peak)
