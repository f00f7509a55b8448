"""Where output goes: consoles, and text that any terminal can take.

In go strings that may come from rule files nobody has vouched for; out comes text
without control characters, in colour on a terminal and plain in a pipe. Colour
follows the environment as rich does: ``NO_COLOR``, ``FORCE_COLOR``, ``TERM``.

Source: https://no-color.org.
"""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from contextlib import suppress
from io import TextIOWrapper
from typing import TYPE_CHECKING, Final, NoReturn

from gdl.language.source import harmless

if TYPE_CHECKING:
    from rich.console import Console, RenderableType
    from rich.live import Live
    from rich.text import Text

PIPE_WIDTH: Final = 100
"""Columns of a table that goes to a pipe or a file, where nobody says how wide it is."""

_HEAD: Final = re.compile(r"^(?P<place>.*?:\d+:\d+: )?(?P<word>error|warning|hint)(?P<slug>\[|:)")
_GUTTER: Final = re.compile(r"^ +\d* \| ")
_LABEL: Final = re.compile(r"^  (?P<label>expected|help|note):")
_STYLE_OF: Final = {"error": "bold red", "warning": "bold yellow", "hint": "bold cyan"}


def prepare_streams() -> None:
    """Let no character that a terminal lacks stop the program: ``?`` stands for it."""
    for stream in (sys.stdin, sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            with suppress(OSError, ValueError):
                stream.reconfigure(errors="replace")


def console(*, stderr: bool = False) -> Console:
    """Return a console for standard output, or for standard error."""
    import os

    from rich.console import Console

    stream = Console(stderr=stderr, highlight=False, emoji=False, markup=False)
    if not stream.is_terminal and "COLUMNS" not in os.environ:
        stream.width = PIPE_WIDTH
    stream.on_broken_pipe = _no_reader  # type: ignore[method-assign]  # rich would leave with 1
    return stream


def _no_reader() -> NoReturn:
    """Let the command line leave as programs do whose output is no longer read."""
    raise BrokenPipeError


def live_line() -> Live:
    """Return a display on standard error that goes away; it is drawn when it is told to."""
    from rich.live import Live

    return Live(
        console=console(stderr=True),
        transient=True,
        auto_refresh=False,
        redirect_stdout=False,
        redirect_stderr=False,
    )


def is_watched() -> bool:
    """Return whether somebody sees standard error, so that progress is worth showing."""
    return sys.stderr.isatty()


def can_draw(terminal: Console, text: str) -> bool:
    """Return whether the terminal's encoding has every character of a text."""
    try:
        text.encode(terminal.encoding)
    except (UnicodeEncodeError, LookupError):
        return False
    return True


def shell_words(*words: str) -> str:
    """Return words as the shell of this machine takes them."""
    return subprocess.list2cmdline(words) if os.name == "nt" else shlex.join(words)


def say(text: str | Text, *, style: str = "", stderr: bool = False, end: str = "\n") -> None:
    """Write a text as it is: no wrapping, no markup, no control characters."""
    from rich.text import Text

    line = Text(harmless(text), style=style) if isinstance(text, str) else text
    console(stderr=stderr).print(line, soft_wrap=True, end=end)


def show(*renderables: RenderableType) -> None:
    """Write tables and the like to standard output, without blanks at the ends of lines."""
    terminal = console()
    if terminal.is_terminal:
        terminal.print(*renderables, sep="\n")
        return
    with terminal.capture() as captured:
        terminal.print(*renderables, sep="\n")
    terminal.file.write("".join(f"{line.rstrip()}\n" for line in captured.get().splitlines()))


def say_json(value: object) -> None:
    """Write a value as JSON, ASCII only, so that any program can read it."""
    import json

    say(json.dumps(value, indent=2))


def paint(drawn: str) -> Text:
    """Return a drawn diagnostic, or several, in colour; the characters stay the same."""
    from rich.text import Text

    text = Text()
    for number, line in enumerate(harmless(drawn).split("\n")):
        text.append("\n" if number else "")
        text.append_text(_paint_line(line))
    return text


def _paint_line(line: str) -> Text:
    from rich.text import Text

    painted = Text(line)
    if match := _GUTTER.match(line):
        painted.stylize("blue", 0, match.end())
        if set(line[match.end() :]) <= {" ", "^"}:
            painted.stylize("bold red", match.end())
    elif match := _HEAD.match(line):
        painted.stylize("bold", 0, match.end("word"))
        painted.stylize(_STYLE_OF[match["word"]], match.start("word"), match.end("word"))
    elif match := _LABEL.match(line):
        painted.stylize("bold", match.start("label"), match.end())
    return painted
