"""Running the grounder: a logic program in, its ground program out, both as text.

The grounder is clingo's. It is one long call into C that nothing can interrupt, so it
runs in a process of its own, which has a limit on memory and is ended when its time is
up, or when whoever asked for it has died. What comes back is aspif, a line a rule,
numbers only; `aspif` reads it. Starting the process costs 35 ms; reading its text is five
times faster than being called back for every rule.

Source: Gebser, Kaminski, Kaufmann, Schaub, "Multi-shot ASP solving with clingo", 2019;
aspif: Gebser et al., "Theory Solving Made Easy with Clingo 5", 2016, appendix A.
"""

from __future__ import annotations

import math
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import IO, Final, Literal, NamedTuple, TypeAlias

from gdl.compile.limits import CompileError

_CHILD: Final = """\
import _thread, sys, time
def end_with(parent):
    time.sleep(0.5)
    import os
    while os.getppid() == parent:
        time.sleep(0.5)
    os._exit(1)
_thread.start_new_thread(end_with, (int(sys.argv[3]),))
limit = int(sys.argv[1])
try:
    import resource
    resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
    for seconds in map(int, sys.argv[4:]):
        resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds + 1))
except (ImportError, ValueError, OSError, OverflowError):
    pass
arguments = ["--mode=gringo", "--output=" + sys.argv[2], "--warn=none", "-"]
try:
    package = type(sys)("clingo")
    package.__path__ = [CLINGO]
    sys.modules["clingo"] = package
    from clingo._clingo import ffi, lib
    texts = [ffi.new("char[]", text.encode()) for text in arguments]
    run = lambda: lib.clingo_main(ffi.new("clingo_application_t*"), texts, len(texts), ffi.NULL)
except (ImportError, AttributeError, TypeError):
    del sys.modules["clingo"]
    from clingo import Application, clingo_main
    run = lambda: clingo_main(Application(), arguments)
sys.exit(int(run()))
"""
"""What the process runs: clingo's C function where it lies at hand, which saves the import of all
of its Python package (25 ms), else by its public door."""
Form: TypeAlias = Literal["intermediate", "text"]

GROUND_RULES: Final = "ground_rules"
"""The limit that a grounder met whose output may be asked for on."""
_CHUNK: Final = 1 << 20
_GOOD_EXITS: Final = frozenset({0, 10, 20, 30})
_EXIT_MEMORY: Final = 33
_COUNTS_SECONDS: Final = hasattr(signal, "SIGXCPU")
"""Whether a process can be given seconds of the processor."""
_STOPPED: Final = "INTERRUPTED by signal"
"""What the grounder says when it has taken these."""
_NO_MEMORY: Final = ("bad_alloc", "memoryerror", "out of memory", "cannot allocate memory")
"""What a process says, in small letters, when it gets no more memory."""
_RULE_BYTES: Final = 60
"""A ground rule takes about twenty bytes of text, rarely more than this."""


class GrounderOutput(NamedTuple):
    """What the grounder said.

    Attributes:
        text: Ground program in aspif; cut short, or nothing, when it was stopped.
        stopped: Which limit stopped it (``seconds``, ``bytes`` or ``ground_rules``), else None.
    """

    text: bytes
    stopped: str | None


def run_grounder(  # noqa: PLR0913  # the limits are one argument each
    program: str,
    *,
    seconds: float,
    memory: int,
    ground_rules: int,
    of_processor: bool = False,
    form: Form = "intermediate",
    sink: Callable[[bytes], None] | None = None,
) -> GrounderOutput:
    """Return the ground program of a logic program.

    Args:
        program: In the grounder's notation.
        seconds: Time after which it is stopped, by the wall clock.
        memory: Bytes that it may use.
        ground_rules: Rules after which it is stopped (counted by the length of the text).
        of_processor: Count what it takes of the processor instead, in whole seconds, where the
            system can.
        form: Numbers only (aspif), or text with the names of the program.
        sink: Is given the text piece by piece; what is returned then has none.

    Raises:
        CompileError: The grounder is not installed, or does not take the program.
    """
    with closing(
        Grounder(program, seconds=seconds, memory=memory, of_processor=of_processor, form=form)
    ) as grounder:
        return grounder.output(ground_rules, sink)


class Grounder:
    """A grounder at work: it waits where nobody reads what it writes."""

    def __init__(
        self,
        program: str,
        *,
        seconds: float,
        memory: int,
        of_processor: bool = False,
        form: Form = "intermediate",
    ) -> None:
        """Start it; the arguments are those of `run_grounder`.

        Raises:
            CompileError: The grounder is not installed.
        """
        # Seconds of the processor the system counts, which ends the child; of the wall a timer.
        self._counts = of_processor and _COUNTS_SECONDS
        asked = (str(max(1, math.ceil(seconds))),) if self._counts else ()
        self._child = child = _start(memory, form, asked)
        assert child.stdin is not None
        assert child.stdout is not None
        assert child.stderr is not None
        self._form, self._stdout, self._stderr = form, child.stdout, child.stderr
        self._text: list[bytes] = []
        self._size = 0
        self._said: list[bytes] = []
        self._is_late = threading.Event()
        self._left = threading.TIMEOUT_MAX if self._counts else max(seconds, 0.0)
        stderr = child.stderr
        self._listener = threading.Thread(
            target=lambda: self._said.append(stderr.read()), daemon=True
        )
        feeder = threading.Thread(target=_feed, args=(child.stdin, program.encode()), daemon=True)
        for thread in (feeder, self._listener):
            thread.start()

    def _stop(self) -> None:
        self._is_late.set()
        self._child.kill()

    def output(
        self, ground_rules: int, sink: Callable[[bytes], None] | None = None
    ) -> GrounderOutput:
        """Return what it has said by the end, or by so many rules: it may be asked for more then.

        Raises:
            CompileError: It does not take the program.
        """
        keep = self._text.append if sink is None else sink
        with self._counted():
            if not self._is_read(ground_rules * _RULE_BYTES, keep):
                return GrounderOutput(b"", GROUND_RULES)
            code = self._child.wait()
        self._listener.join()
        why = b"".join(self._said).decode(errors="replace")
        text = b"".join(self._text)
        if self._is_late.is_set() or (self._counts and _STOPPED in why):
            return GrounderOutput(text, "seconds")
        if self._form == "text" and code in _GOOD_EXITS:
            return GrounderOutput(text, None)
        return _judged(text, code, why)

    @contextmanager
    def _counted(self) -> Iterator[None]:
        """Stop it when its seconds are over; while it waits for a reader none go by."""
        began = time.monotonic()
        timer = threading.Timer(min(self._left, threading.TIMEOUT_MAX), self._stop)
        timer.start()
        try:
            yield
        finally:
            timer.cancel()
            self._left = max(self._left - (time.monotonic() - began), 0.0)

    def _is_read(self, most: int, keep: Callable[[bytes], None]) -> bool:
        while self._size <= most:
            chunk = self._stdout.read(_CHUNK)
            if not chunk:
                return True
            keep(chunk)
            self._size += len(chunk)
        return False

    def close(self) -> None:
        """End it, if it has not ended."""
        self._child.kill()  # does nothing to a child that has ended
        self._child.wait()
        self._listener.join()
        self._stdout.close()
        self._stderr.close()


def _start(memory: int, form: Form, seconds: tuple[str, ...]) -> subprocess.Popen[bytes]:
    arguments = [str(memory), form, str(os.getpid()), *seconds]
    return subprocess.Popen(  # noqa: S603  # our own interpreter and our own program
        [sys.executable, "-S", "-E", "-c", _bootstrap() + _CHILD, *arguments],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env={**os.environ, "PYTHONHASHSEED": "0"},
    )


def _judged(text: bytes, code: int, said: str) -> GrounderOutput:
    if text.endswith(b"\n0\n") and code in _GOOD_EXITS:
        return GrounderOutput(text, None)
    if code < 0 or code == _EXIT_MEMORY or any(word in said.lower() for word in _NO_MEMORY):
        return GrounderOutput(text, "bytes")
    raise CompileError(f"the grounder does not take the rules: {said.strip() or code}")


def _bootstrap() -> str:
    """Return code that lets a bare interpreter find the grounder, which saves its start-up."""
    clingo = find_spec("clingo")
    if clingo is None or clingo.origin is None:
        raise CompileError(
            "compiling needs the grounder clingo, which is not installed; "
            "install this package with its extra 'native'"
        )
    folders = [str(Path(clingo.origin).parent.parent)]
    binding = find_spec("_cffi_backend")
    if binding is not None and binding.origin is not None:
        folders.append(str(Path(binding.origin).parent))
    package = str(Path(clingo.origin).parent)
    return f"import sys; sys.path[:0] = {folders!r}; CLINGO = {package!r}\n"


def _feed(pipe: IO[bytes], text: bytes) -> None:
    try:
        with pipe:
            pipe.write(text)
    except BrokenPipeError:
        pass  # it ended early; its exit code says why
