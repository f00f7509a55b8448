"""Machine code of a game, made by a process of its own beside play by the rules as written.

In: a ruleset. Out: the game as machine code, later. A process can be ended at any moment, gives its
memory back, and has a priority of its own; what it builds it keeps on disk, where this one and all
later ones find it.
"""

from __future__ import annotations

import json
import math
import os
import pickle
import subprocess
import sys
import threading
import weakref
from contextlib import suppress
from typing import TYPE_CHECKING, Final

from gdl import backend as backends
from gdl._cache import cache_folder
from gdl.game import Game
from gdl.language.diagnostics import GdlError

if TYPE_CHECKING:
    from gdl.language.limits import Limits
    from gdl.ruleset import Ruleset

PATIENCE: Final = 900.0
"""Seconds that a circuit may take beside the play."""


class Compilation:
    """The making of one game's machine code; it begins at once and holds up nobody.

    Attributes:
        game: The game as machine code, None until it is there.
        why: Why it cannot be had, in one line; empty as long as it may come.
    """

    def __init__(self, ruleset: Ruleset, limits: Limits) -> None:
        """Begin."""
        self.game: Game | None = None
        self.why = ""
        self._process: subprocess.Popen[bytes] | None = None
        if missing := backends.missing_packages():
            self.why = f"machine code needs {' and '.join(missing)}"
        elif cache_folder() is not None:
            self._process = _started(ruleset, limits)
            # The process ends when its input does: with us, or with the last who wanted this.
            weakref.finalize(self, _close, self._process)
        me = weakref.ref(self)
        self._thread = threading.Thread(
            target=_follow, args=(me, self._process, ruleset, limits), daemon=True
        )
        if not self.why:
            self._thread.start()

    @property
    def is_over(self) -> bool:
        """Whether nothing more will come of it."""
        return self.game is not None or bool(self.why)

    def wait(self, seconds: float) -> bool:
        """Wait until it is over, at most so many seconds (or ``inf``); return whether it is."""
        if not self.is_over:
            self._thread.join(None if seconds == math.inf else max(0.0, seconds))
        return self.is_over


def _started(ruleset: Ruleset, limits: Limits) -> subprocess.Popen[bytes]:
    process = subprocess.Popen(
        [sys.executable, "-m", "gdl.play.compilation_process"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
    )
    assert process.stdin is not None
    task = pickle.dumps((ruleset, limits))
    with suppress(OSError):
        process.stdin.write(len(task).to_bytes(8, "little") + task)
        process.stdin.flush()
    return process


def _close(process: subprocess.Popen[bytes]) -> None:
    with suppress(OSError):
        process.kill()
    process.wait()
    for pipe in (process.stdin, process.stdout):
        if pipe is not None:
            with suppress(OSError):
                pipe.close()


def _follow(
    me: weakref.ref[Compilation],
    process: subprocess.Popen[bytes] | None,
    ruleset: Ruleset,
    limits: Limits,
) -> None:
    """Wait for the process, and read what it built; make it here where nothing can be kept.

    The compilation is only named at the end, so that it is given up when nobody wants it.
    """
    game, why = None, ""
    try:
        if process is not None:
            assert process.stdout is not None
            said = process.stdout.read()
            why = json.loads(said)["why"] if said else "the process that makes it died"
        game = None if why else compiled(ruleset, limits)
    except GdlError as error:
        why = error.headline
    except Exception as error:  # noqa: BLE001  # the rules as written do it as well
        why = f"{type(error).__name__}: {error}"
    compilation = me()
    if compilation is not None:
        compilation.game, compilation.why = game, why


def compiled(ruleset: Ruleset, limits: Limits) -> Game:
    """Return a game as machine code, with all that a search of it loads, from disk where it is.

    Raises:
        CompileError: It cannot be had.
    """
    from gdl.native.lanes.layout import GoalTableError

    game = Game(
        ruleset,
        backends.choose(ruleset, "native", limits=limits, seconds=PATIENCE),
        limits=limits,
    )
    native = game.back_end.native
    assert native is not None
    game.initial().legal(game.roles[0])
    _ = native.kernel
    with suppress(GoalTableError):  # then it is played one game at a time
        _ = native.lanes
    return game


_running: weakref.WeakValueDictionary[tuple[Ruleset, Limits], Compilation] = (
    weakref.WeakValueDictionary()
)
_lock: Final = threading.Lock()


def compilation_of(ruleset: Ruleset, limits: Limits) -> Compilation:
    """Return the compilation of a game, begun now where none is; players of one game share it."""
    with _lock:
        compilation = _running.get((ruleset, limits))
        if compilation is None:
            compilation = _running[ruleset, limits] = Compilation(ruleset, limits)
        return compilation
