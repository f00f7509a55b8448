"""A Ctrl-C that a callback of the interpreter swallows still ends the loop."""

from __future__ import annotations

import signal
import weakref

import pytest

from gdl.cli.terminal.interrupts import noticed_interrupts


class Thing:
    """Something that may die."""


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_an_interrupt_that_is_swallowed_is_raised_by_the_loop() -> None:
    thing = Thing()
    _watch = weakref.ref(thing, lambda _: signal.raise_signal(signal.SIGINT))
    with noticed_interrupts() as check:
        check()
        del thing  # the exception is lost here
        with pytest.raises(KeyboardInterrupt):
            check()
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_an_interrupt_elsewhere_is_raised_at_once() -> None:
    with noticed_interrupts(), pytest.raises(KeyboardInterrupt):
        signal.raise_signal(signal.SIGINT)


def test_another_handler_is_left_alone() -> None:
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        with noticed_interrupts() as check:
            signal.raise_signal(signal.SIGINT)
            check()
        assert signal.getsignal(signal.SIGINT) is signal.SIG_IGN
    finally:
        signal.signal(signal.SIGINT, before)
