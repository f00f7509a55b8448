"""Solve in a folder and be killed at random moments, again and again, until it is done.

    python -m tests.solve.killing FOLDER KILLS SEED

A process of its own: children are forked from it with all code loaded, so that fifty of them take
seconds. It prints how many were killed, and how many folders were finished; each was compared.
"""

from __future__ import annotations

import os
import random
import signal
import sys
import time
from pathlib import Path

from gdl.solve import disk, positions, solve, table_solver
from gdl.solve.limits import WorkLimits

GAME = "hex?size=3"


def main(place: Path, kills: int, seed: int) -> None:
    """Kill so many; every table that was finished must be that of undisturbed work."""
    rng = random.Random(seed)
    solve(GAME).table.save(place / "memory")
    wanted = (place / "memory").read_bytes()
    table_solver.LEAST_RUN, table_solver.RUN_TIMES = 100, 1 << 20  # type: ignore[misc]
    positions.ROOM, disk.PART, disk.ROWS = 1 << 10, 64, 50  # type: ignore[misc]
    begun = time.monotonic()
    solve(GAME, folder=place / "whole", limits=WorkLimits(memory=1 << 10))
    seconds = time.monotonic() - begun
    killed = finished = 0
    while killed < kills:
        folder = place / str(finished)
        child = os.fork()
        if not child:
            solve(GAME, folder=folder, limits=WorkLimits(memory=1 << 10))
            os._exit(0)
        time.sleep(rng.random() * seconds / 2)
        os.kill(child, signal.SIGKILL)
        _, status = os.waitpid(child, 0)
        killed += os.WIFSIGNALED(status)
        if (folder / "table").exists():
            assert (folder / "table").read_bytes() == wanted
            finished += 1
    solve(GAME, folder=place / str(finished), limits=WorkLimits(memory=1 << 10))
    assert (place / str(finished) / "table").read_bytes() == wanted
    sys.stdout.write(f"{killed} killed, {finished + 1} finished\n")


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]))
