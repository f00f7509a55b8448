"""Solve in a folder with others, as one of many processes, cut into very many tasks.

    python -m tests.solve.sharing GAME FOLDER LEASE

What it prints is the way, the layers, the positions, and how many tasks it did for others.
"""

from __future__ import annotations

import sys
from pathlib import Path

from gdl.solve import disk, job_array, positions, solve, table_solver
from gdl.solve.limits import WorkLimits


def make_small(lease: float) -> None:
    """Cut work into many tasks, and take who does nothing for so many seconds for dead."""
    table_solver.LEAST_RUN, table_solver.RUN_TIMES = 100, 1 << 20  # type: ignore[misc]
    positions.ROOM, disk.PART, disk.ROWS = 1 << 10, 64, 50  # type: ignore[misc]
    job_array.LEASE, job_array.PAUSE = lease, 0.01  # type: ignore[misc]


def main(game: str, folder: Path, lease: float) -> None:
    """Solve a game with whoever else does."""
    make_small(lease)
    helped = 0

    def tell(phase: str, place: int, _states: int) -> None:
        nonlocal helped
        helped = place if phase == "help" else helped

    limits = WorkLimits(memory=1 << 10)
    found = solve(game, folder=folder, limits=limits, progress=tell, shared=True)
    sys.stdout.write(f"{found.way} {found.layers} {found.positions} {found.bits} {helped}\n")


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]), float(sys.argv[3]))
