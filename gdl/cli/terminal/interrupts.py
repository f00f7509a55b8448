"""Ctrl-C that is not lost.

Python raises `KeyboardInterrupt` wherever the main thread happens to be. Where that is a callback
of the interpreter (a weak reference that dies, say) the exception is printed and forgotten, and a
loop of hours goes on.

Source: Python documentation, ``signal`` ("Note on Signal Handlers and Exceptions").
"""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType


@contextmanager
def noticed_interrupts() -> Iterator[Callable[[], None]]:
    """Yield a function for the loop to call: it raises what was lost of a Ctrl-C.

    Raises:
        KeyboardInterrupt: By that function, when Ctrl-C was pressed before.
    """
    is_pressed = False

    def press(number: int, frame: FrameType | None) -> None:
        nonlocal is_pressed
        is_pressed = True
        signal.default_int_handler(number, frame)

    def check() -> None:
        if is_pressed:
            raise KeyboardInterrupt

    is_main = threading.current_thread() is threading.main_thread()
    if not is_main or signal.getsignal(signal.SIGINT) is not signal.default_int_handler:
        yield check  # others look after the signal
        return
    signal.signal(signal.SIGINT, press)
    try:
        yield check
    finally:
        signal.signal(signal.SIGINT, signal.default_int_handler)
