"""Thinking while the others think: a tree grows from where the match stands.

In: a `Workspace` and a state. Out: nothing but what its tree knows by then. A thread of its own
does it, which ends when the player is asked again, when there is nothing left to find, when nobody
holds the player any more, or after `MOST_SECONDS`.

Source: pondering as in Hyatt, "Using Time Wisely", ICCA Journal 1984; here no reply is guessed: the
tree looks at all of them, and most at those it takes for the best.
"""

from __future__ import annotations

import time
from threading import Event, Thread
from typing import TYPE_CHECKING, Final
from weakref import finalize

from gdl.play.compiled_search import ROOM_ENOUGH
from gdl.play.proof_search import next_pace
from gdl.play.tree_search import DONE, FULL

if TYPE_CHECKING:
    from gdl.play.anytime import Thinker
    from gdl.play.workspace import Workspace

MOST_WAIT: Final = 1.0
"""Seconds for the last search to end."""
MOST_SECONDS: Final = 600.0
"""Longest time that nobody has asked for a move."""


class Pondering:
    """What one player does meanwhile; nobody else is in its workspace then."""

    def __init__(self) -> None:
        """Begin with nothing to do."""
        self._thread: Thread | None = None
        self._workspace: Workspace | None = None
        self._quit = Event()
        self._grown = [0]

    def begin(self, workspace: Workspace, state: bytes, thinker: Thinker) -> None:
        """Let the tree grow from a state in which play goes on, once what was thought has ended."""
        self.end()
        workspace.resume()
        self._workspace, self._quit, self._grown = workspace, Event(), [0]
        self._thread = Thread(
            target=_grow, args=(workspace, state, thinker, self._quit, self._grown), daemon=True
        )
        finalize(self, self._quit.set)
        self._thread.start()

    def end(self) -> int:
        """End it, as soon as may be; return how many simulations were made."""
        thread, workspace = self._thread, self._workspace
        if thread is None or workspace is None:
            return 0
        self._thread = None
        self._quit.set()
        # The halt stands until the thread has ended, so that one about to grow finds it as well.
        workspace.halt()
        thread.join()
        workspace.resume()
        return self._grown[0]


def _grow(
    workspace: Workspace, state: bytes, thinker: Thinker, quit_event: Event, grown: list[int]
) -> None:
    if not thinker.wait(MOST_WAIT) or quit_event.is_set():
        return
    root = workspace.root(state)
    until, pace = time.monotonic() + MOST_SECONDS, 1
    while root >= 0 and not quit_event.is_set() and time.monotonic() < until:
        before, started = int(workspace.tree.visits[root]), time.monotonic()
        code = workspace.grow(root, pace)
        simulations = int(workspace.tree.visits[root]) - before
        grown[0] += simulations
        pace = next_pace(pace, time.monotonic() - started)
        if workspace.meets_another_sum():
            root = workspace.root(state)
        elif code == FULL:
            with workspace.moving:
                root = workspace.make_room(root)
            if workspace.fullness > ROOM_ENOUGH:
                return
        elif code != DONE or simulations == 0:
            return
