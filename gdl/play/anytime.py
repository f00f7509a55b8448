"""A search that goes on in slices, and the thread that keeps its time.

`Thinker.think` runs a `Search` beside the caller until it is finished, the budget is spent or
somebody stops it. The caller waits for the time and not for the search: where one slice takes
longer than all the time there is (a slow rule file), the best that was found before it is the
answer. While it waits it measures how late the machine wakes it and how long an answer takes, and
keeps so much in hand; and it keeps the last answer, for the case that it is woken too late to look
for a better one.
"""

from __future__ import annotations

import atexit
import ctypes
import gc
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Event, Thread
from typing import Final, Protocol
from weakref import WeakSet, ref

from gdl._gc_pause import collector_paused
from gdl.play.budget import Budget
from gdl.play.thoughts import Thoughts

LOOKS: Final = 20
"""How often the caller wakes within one budget, at least."""
LEAST_LOOK, MOST_LOOK = 0.004, 0.02
"""Bounds of the seconds between two of these looks."""
RESERVE: Final = 0.1
"""Part of the budget after which the answer that is kept is renewed."""
FADING: Final = 0.9
"""Part of a delay that is still expected at the next move."""
SETTLE: Final = 0.5
"""Part of a budget for which a search is waited for that has not ended since the last move."""
MANY: Final = 100_000
"""New objects that the collector looks at in less than a hundredth of a second."""

LAST_PATIENCE: Final = 2.0
"""Seconds for which the end of the process waits for searches that go on."""

_is_aside: Final = Event()
"""Whether objects are set aside; who else freezes them in this process keeps them so."""


class NotSequentialError(Exception):
    """Several roles have a choice at the same time, in a search that is for taking turns."""


class UnsuitedError(Exception):
    """None for alpha-beta: more roles, choices at the same time, chance, or no constant sum."""


class Search(Protocol):
    """What can be thought about a little longer."""

    def go_on(self) -> bool:
        """Search for some milliseconds more; False when there is nothing left to find."""

    def halt(self) -> None:
        """End the slice that is under way, as soon as may be; called from another thread."""

    def thoughts(self) -> Thoughts | None:
        """Return what is found so far; may be called while another thread goes on."""


class Thinker:
    """Runs searches one after the other in a thread of their own."""

    def __init__(self) -> None:
        """Begin with nothing to think about."""
        self._thread: Thread | None = None
        self._search: ref[Search] | None = None
        self._quit = Event()
        self._error: BaseException | None = None
        self._delay = 0.0

    def is_idle(self, budget: Budget) -> bool:
        """Return whether the search before has ended; wait for that while time is left."""
        budget.expect(self._delay * FADING)
        return self.wait(max(0.0, budget.left) * SETTLE)

    def wait(self, seconds: float) -> bool:
        """Return whether the search before has ended; wait so long for that."""
        thread = self._thread
        if thread is not None:
            thread.join(None if seconds == float("inf") else seconds)
            if thread.is_alive():
                return False
            self._thread = None
        return True

    def stop(self) -> None:
        """End the search, if one goes on, as soon as may be."""
        self._quit.set()
        search = None if self._search is None else self._search()
        if search is not None:
            search.halt()

    def think(self, search: Search, budget: Budget) -> Thoughts | None:
        """Run a search until it or the budget is spent; return what was found, if anything.

        Raises:
            BaseException: Whatever the search raises.
        """
        self._quit = quit_event = Event()
        self._error = None
        thread = Thread(target=self._work, args=(search, quit_event), daemon=True)
        self._thread, self._search = thread, ref(search)
        _THINKERS.add(self)
        watch = _Watch(search, budget)
        thread.start()
        try:
            watch.wait(thread)
        finally:
            quit_event.set()
            search.halt()
            self._delay = max(watch.delay, self._delay * FADING)
        error, self._error = self._error, None
        try:
            if error is not None:
                raise error
        finally:
            del error  # its frames hold this one: nothing else may, or all of them wait as garbage
        thoughts = watch.answer()
        if thoughts is not None:
            budget.tell(thoughts)
        return thoughts

    def _work(self, search: Search, quit_event: Event) -> None:
        try:
            while not quit_event.is_set() and search.go_on():
                pass
        except BaseException as error:  # noqa: BLE001  # it is raised again where it is waited for
            self._error = error


_THINKERS: Final[WeakSet[Thinker]] = WeakSet()
_MAKERS: Final[WeakSet[Thread]] = WeakSet()


def begin_making(thread: Thread) -> None:
    """Begin a thread that makes machine code; the process may end before it does."""
    _MAKERS.add(thread)
    thread.start()


@atexit.register
def _end_all() -> None:
    """End all searches before the interpreter does.

    Who comes back from machine code after that is torn out of it, and the process is aborted. So it
    is where LLVM is at work, which nobody can end, while its memory is taken away.
    """
    thinkers, until = list(_THINKERS), time.monotonic() + LAST_PATIENCE
    for thinker in thinkers:
        thinker.stop()
    for thinker in thinkers:
        thinker.wait(max(0.0, until - time.monotonic()))
    if any(thread.is_alive() for thread in _MAKERS):
        _leave_memory()


def _leave_memory() -> None:
    """Let the process end without taking away the memory of libraries, where the system can."""
    if os.name != "posix":
        return
    libc = ctypes.CDLL(None)
    if hasattr(libc, "on_exit"):
        libc.on_exit(libc["_exit"], None)  # who registers last is called first, with the exit code


class _Watch:
    """Who waits for one search: looks at the time, tells, measures delays, keeps an answer.

    Attributes:
        delay: Longest time, in seconds, from the wish to answer to the answer.
    """

    def __init__(self, search: Search, budget: Budget) -> None:
        self._search, self._budget = search, budget
        self._late = self._closing = 0.0
        self._kept: Thoughts | None = None
        self._due = budget.spent + LEAST_LOOK

    @property
    def delay(self) -> float:
        return self._late + self._closing

    def wait(self, thread: Thread) -> None:
        """Wait until a thread or the budget is spent."""
        budget = self._budget
        look = min(max(budget.seconds / LOOKS, LEAST_LOOK), MOST_LOOK)
        while thread.is_alive() and (left := budget.left) > 0:
            wanted = time.monotonic() + min(left, look)
            thread.join(min(left, look))
            self._late = max(self._late, time.monotonic() - wanted)
            if budget.is_watched:
                self._tell()
            elif budget.spent >= self._due and not budget.is_over:
                self._keep()
            budget.expect(self.delay)

    def answer(self) -> Thoughts | None:
        """Return what was found; what was kept, where it is too late to look again."""
        budget = self._budget
        if self._kept is not None and budget.spent + self._closing > budget.seconds:
            return self._kept
        return self._search.thoughts()

    def _keep(self) -> None:
        started = time.monotonic()
        self._kept = self._search.thoughts() or self._kept
        self._closing = max(self._closing, time.monotonic() - started)
        self._due = self._budget.spent + min(RESERVE * self._budget.seconds, 1.0)

    def _tell(self) -> None:
        self._keep()
        if self._kept is not None:
            self._budget.tell(self._kept)


@contextmanager
def without_collections() -> Iterator[None]:
    """Let no collection of garbage run meanwhile; one may take longer than all margins.

    A search of plain Python makes millions of objects, and none of them in cycles. Where it did,
    all is set aside at the end, so that no collection looks at it right then; the next search
    takes it back. What is set aside is not collected: garbage of before waits there too, for
    `collect_aside`.
    """
    _take_back()
    with collector_paused():
        try:
            yield
        finally:
            if gc.get_count()[0] > MANY:
                gc.freeze()
                _is_aside.set()


def collect_aside() -> None:
    """Collect what searches have set aside, when there is time for it: before a game begins.

    Costs some tenths of a second a million objects, and nothing where nothing is aside.
    """
    if _take_back():
        gc.collect()


def _take_back() -> bool:
    """Let the collector see again what was set aside; return whether anything was."""
    if not _is_aside.is_set():
        return False
    gc.unfreeze()
    _is_aside.clear()
    return True
