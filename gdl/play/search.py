"""A search that goes on in slices, and the thread that keeps its time.

`think` runs a `Search` beside the caller until it is finished, the clock is over or somebody stops
it. The caller waits for the clock and not for the search: where one slice takes longer than all the
time there is (a slow rule file), the best that was found before it is the answer.

Source: ours.
"""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Event, Thread
from typing import Final, Protocol

from gdl.compile.collector import collector_paused
from gdl.play.clock import Clock
from gdl.play.player import Thoughts

LOOK_SECONDS: Final = 0.1
"""Longest time between two looks at whether somebody stopped or watches, in seconds."""


class NotSequentialError(Exception):
    """Several roles have a choice at the same time, in a search that is for taking turns."""


class Search(Protocol):
    """What can be thought about a little longer."""

    def go_on(self) -> bool:
        """Search for some milliseconds more; False when there is nothing left to find."""
        ...

    def thoughts(self) -> Thoughts | None:
        """Return what is found so far; may be called while another thread goes on."""
        ...


class Thinker:
    """Runs searches one after the other in a thread of their own."""

    def __init__(self) -> None:
        """Begin with nothing to think about."""
        self._thread: Thread | None = None
        self._quit = Event()
        self._error: BaseException | None = None

    def is_idle(self, clock: Clock) -> bool:
        """Return whether the search before has ended; wait for that while the clock runs."""
        if self._thread is not None:
            self._thread.join(max(0.0, clock.left) / 2)
            if self._thread.is_alive():
                return False
            self._thread = None
        return True

    def think(self, search: Search, clock: Clock) -> Thoughts | None:
        """Run a search until it or the clock is over; return what was found, if anything.

        Raises:
            BaseException: Whatever the search raises.
        """
        self._quit = quit_event = Event()
        self._error = None
        thread = Thread(target=self._work, args=(search, quit_event), daemon=True)
        self._thread = thread
        thread.start()
        try:
            self._wait(thread, search, clock)
        finally:
            quit_event.set()
            thread.join(clock.margin / 4)
        if self._error is not None:
            raise self._error
        found = search.thoughts()
        if found is not None:
            clock.tell(found)
        return found

    def _wait(self, thread: Thread, search: Search, clock: Clock) -> None:
        while thread.is_alive() and not clock.is_over:
            thread.join(min(clock.left, LOOK_SECONDS))
            if clock.is_watched:
                self._tell(search, clock)

    def _work(self, search: Search, quit_event: Event) -> None:
        try:
            while not quit_event.is_set() and search.go_on():
                pass
        except BaseException as error:  # noqa: BLE001  # it is raised again where it is waited for
            self._error = error

    @staticmethod
    def _tell(search: Search, clock: Clock) -> None:
        found = search.thoughts()
        if found is not None:
            clock.tell(found)


@contextmanager
def without_collections() -> Iterator[None]:
    """Let no collection of garbage run meanwhile; one may take longer than all margins.

    A search of plain Python makes millions of objects, and none of them in cycles. They are set
    aside at the end, so that no collection looks at them right then; the next search takes
    them back.
    """
    gc.unfreeze()
    with collector_paused():
        try:
            yield
        finally:
            gc.freeze()
