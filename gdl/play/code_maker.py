"""The machine code of the search, made once for all games by a process of its own.

numba takes half a minute for it, in Python: who searches beside that in the same process would wait
for the interpreter most of the time, and who ends the process would end what was made. So another
process plays a small game, and what numba compiles for that is kept for every game: the types of
the search are the same in all. A file beside the code says that it is all there.

    python -m gdl.play.code_maker

makes it, if it is not there.
"""

from __future__ import annotations

import os
import subprocess
import sys
from contextlib import suppress
from pathlib import Path
from threading import Event, Lock
from typing import Final

GAME: Final = "tictactoe"
"""Roles that take turns, goals of a constant sum: every search of the room is for it, too."""


_ONE_AT_A_TIME: Final = Lock()
_FAILED: Final = Event()


def await_code() -> None:
    """Return when the code is kept, or cannot be made elsewhere: then whoever needs it makes it.

    Costs a file look-up where it is kept, else half a minute of another process: one, however many
    threads wait for it.
    """
    with _ONE_AT_A_TIME:
        if not _FAILED.is_set() and not _marker().exists():
            _make_elsewhere()
            if not _marker().exists():
                _FAILED.set()


def _make_elsewhere() -> None:
    if not sys.executable:
        return
    with suppress(OSError):
        subprocess.run(  # this interpreter, this module
            [sys.executable, "-m", "gdl.play.code_maker"],
            env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,  # it goes on when the one who asked is interrupted
            check=False,
        )


def _marker() -> Path:
    """Return the file that says that all code is there, for this numba and this processor."""
    import numba
    from llvmlite.binding import get_host_cpu_name

    from gdl.play.tree_search import search

    folder = Path(search.stats.cache_path)  # type: ignore[attr-defined]  # numba has no types
    version = ".".join(map(str, sys.version_info[:2]))
    return folder / f"made-{numba.__version__}-{version}-{get_host_cpu_name()}"


def make_code() -> None:
    """Make and keep all code of the search; of several processes one does, the others wait."""
    from gdl._files import locked
    from gdl.game import load
    from gdl.play import compiled_alphabeta, compiled_search
    from gdl.play.workspace import Settings, Workspace

    marker = _marker()
    marker.parent.mkdir(parents=True, exist_ok=True)
    with locked(marker.with_name("making"), waits=True):
        if marker.exists():
            return
        native = load(GAME, backend="native").back_end.native
        assert native is not None
        workspace = Workspace(native, settings=Settings(), seed=0)
        compiled_search.rehearse(workspace)
        compiled_alphabeta.rehearse(workspace)
        marker.touch()


if __name__ == "__main__":
    make_code()
