"""Three processes share a folder, and are killed, or stopped for longer than a lease, at random.

    python -m tests.solve.sharing_killed FOLDER TIMES SEED

One that was stopped goes on when others lead already. It prints how often that was done, and how
many folders were finished; each was compared with the table of a work that nobody disturbed.
"""

from __future__ import annotations

import os
import random
import signal
import sys
import time
from contextlib import suppress
from pathlib import Path

from gdl.solve import solve
from gdl.solve.limits import WorkLimits
from tests.solve.sharing import make_small

GAME, JOBS, LEASE = "hex?size=3", 3, 0.5


def _work(folder: Path) -> int:
    """Do a share in a child of this process, with all code loaded."""
    child = os.fork()
    if not child:
        try:
            solve(GAME, folder=folder, limits=WorkLimits(memory=1 << 10), shared=True)
        except BaseException as error:  # noqa: BLE001  # a child must not go on as its parent
            sys.stderr.write(f"{error!r}\n")
            os._exit(1)
        os._exit(0)
    return child


def main(place: Path, times: int, seed: int) -> None:
    """Disturb so many; every table that is finished must be that of undisturbed work."""
    rng = random.Random(seed)
    solve(GAME).table.save(place / "memory")
    wanted = (place / "memory").read_bytes()
    make_small(LEASE)
    solve(GAME, folder=place / "whole", limits=WorkLimits(memory=1 << 10), shared=True)
    assert (place / "whole" / "table").read_bytes() == wanted
    disturbed = finished = 0
    working: dict[int, float] = {}  # when each is to go on; 0 for those that were not stopped
    while disturbed < times or working:
        folder = place / str(finished)
        while len(working) < JOBS and disturbed < times and not (folder / "table").exists():
            working[_work(folder)] = 0.0
        time.sleep(rng.random() * 0.2)
        for child, until in list(working.items()):
            if until and time.monotonic() > until:
                os.kill(child, signal.SIGCONT)
                working[child] = 0.0
        running = [child for child, until in working.items() if not until]
        if disturbed < times and running:
            child = rng.choice(running)
            is_stopped = rng.random() < 0.5
            os.kill(child, signal.SIGSTOP if is_stopped else signal.SIGKILL)
            if is_stopped:
                working[child] = time.monotonic() + rng.random() * 4 * LEASE
            disturbed += 1
        for child in list(working):
            with suppress(ChildProcessError):
                over, status = os.waitpid(child, os.WNOHANG)
                if over:
                    del working[child]
                    assert not os.WIFEXITED(status) or os.WEXITSTATUS(status) == 0
        if (folder / "table").exists() and not working:
            assert (folder / "table").read_bytes() == wanted
            finished += 1
    solve(GAME, folder=place / str(finished), limits=WorkLimits(memory=1 << 10), shared=True)
    assert (place / str(finished) / "table").read_bytes() == wanted
    sys.stdout.write(f"{disturbed} killed or stopped, {finished + 1} finished\n")


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]))
