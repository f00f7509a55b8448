"""A bound on the processor time of one test: what is over it is skipped and says so."""

from __future__ import annotations

import signal
import threading
import weakref
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

import pytest

AGAIN = 0.01
"""Seconds after which a test that could not be ended is asked again."""


class _OutOfTimeError(BaseException):
    """Raised wherever the test is, also in instructions that stand in no line.

    Only where it is caught is it made a skip: a report of one needs a line.
    """


@contextmanager
def budget(seconds: float, what: str) -> Iterator[None]:
    """Skip the test once it has taken so much processor time.

    Time of the processor, so that a busy machine skips no more than a quiet one. Does
    nothing where the system has no such timer, and outside the main thread.
    """
    if not hasattr(signal, "SIGPROF") or threading.current_thread() is not threading.main_thread():
        yield
        return

    def give_up(_signal: int, frame: FrameType | None) -> None:
        if frame is not None and frame.f_code.co_filename == weakref.__file__:
            signal.setitimer(signal.ITIMER_PROF, AGAIN)  # Python loses what is raised in a callback
            return
        raise _OutOfTimeError

    before = signal.signal(signal.SIGPROF, give_up)
    signal.setitimer(signal.ITIMER_PROF, seconds)
    try:
        yield
    except _OutOfTimeError:
        pytest.skip(f"{what} takes more than {seconds:g} s of processor time")
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)
