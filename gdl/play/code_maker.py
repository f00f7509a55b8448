"""The machine code of the search, made once for all games by a process of its own.

What a package brings is ready but for its last step (`gdl.native.precompiled`), which takes LLVM
some two seconds. Where the search was changed since, or LLVM is an older one, numba makes it, which
takes half a minute, in Python: who searches beside that in the same process would wait for the
interpreter most of the time, and who ends the process would end what was made. So another process
makes it, and what it makes is kept for every game: the types of the search are the same in all.
Where numba has to, that process plays a small game, and a file beside the code says that it is all
there.

    python -m gdl.play.code_maker

makes it, if it is not there. And

    python -m gdl.play.code_maker ready

is for who changes the search: it writes anew what a package brings.
"""

from __future__ import annotations

import os
import subprocess
import sys
from contextlib import suppress
from pathlib import Path
from threading import Event, Lock
from typing import Final

from gdl.native.precompiled import READY_VARIABLE, precompiled_code, sources_of, write

GAME: Final = "tictactoe"
"""Roles that take turns, goals of a constant sum: every search of the room is for it, too."""


ROOM: Final = Path(__file__).parent
"""Whose code it is."""
_ONE_AT_A_TIME: Final = Lock()
_FAILED: Final = Event()


def await_code() -> None:
    """Return when the code is kept, or cannot be made elsewhere: then whoever needs it makes it.

    Costs a file look-up where it is kept, two seconds of another process where it is ready, else
    half a minute: of one process, however many threads wait for it.
    """
    with _ONE_AT_A_TIME:
        if not _FAILED.is_set() and not _is_kept():
            _make_elsewhere()
            if not _is_kept():
                _FAILED.set()


def _is_kept() -> bool:
    return precompiled_code(ROOM).is_kept or _marker().exists()


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
    if precompiled_code(ROOM).function("search") is not None:
        return
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


def make_ready() -> None:
    """Write the code that is ready for any processor; costs two minutes."""
    # What numba knows of the processor it asks when it is loaded.
    os.environ["NUMBA_CPU_NAME"], os.environ["NUMBA_CPU_FEATURES"] = "generic", ""
    os.environ[READY_VARIABLE] = ""
    sources = sources_of(ROOM)
    from gdl.game import load
    from gdl.native import precompiled_linking
    from gdl.play import (
        compiled_alphabeta,
        compiled_search,
        dfpn,
        lanes,
        null_window,
        recycle,
        shared_search,
        tree,
        tree_search,
    )
    from gdl.play.workspace import Settings, Workspace

    native = load(GAME, backend="native").back_end.native
    assert native is not None
    state = native.machine.initial()
    for threads in (1, 2):
        workspace = Workspace(native, settings=Settings(threads=threads), seed=0)
        compiled_search.rehearse(workspace)
        compiled_alphabeta.rehearse(workspace)
    words = workspace.lanes.pack(state)
    tree.find(workspace.tree, words)
    null_window.place_of(workspace.null_window(0), words)
    bitcode, kinds = precompiled_linking.link(
        (
            tree_search.search,
            tree_search.add_root,
            tree.find,
            lanes.mean_goals,
            recycle.recycle,
            shared_search.search_shared,
            dfpn.prove,
            null_window.test,
            null_window.place_of,
        )
    )
    write(ROOM, sources, kinds, bitcode)


if __name__ == "__main__":
    if sys.argv[1:] == ["ready"]:
        make_ready()
    else:
        make_code()
