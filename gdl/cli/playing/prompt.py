"""Lines of input: from a person with editing and completion, or from a pipe."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from typing import Final

from gdl.cli.terminal.console import say
from gdl.language.source import harmless

EMPTIED: Final = "\x1b[H\x1b[2J\x1b[3J"
"""Clears a terminal, and what was scrolled away."""


def read_line(prompt: str, *, complete: Callable[[], Sequence[str]] = tuple) -> str:
    """Return the next line of standard input, stripped.

    From a pipe the line is written out too, so that the transcript reads like a dialogue.

    Args:
        prompt: What stands before the line.
        complete: Returns what the tab key may complete to.

    Raises:
        EOFError: There is no further line.
    """
    if sys.stdin.isatty():
        _set_completion(complete)
        try:
            return input(harmless(prompt)).strip()
        except EOFError:
            say("")
            raise
    say(prompt, end="")
    sys.stdout.flush()
    line = sys.stdin.readline()
    if not line:
        say("")
        raise EOFError
    say(line.strip())
    return line.strip()


def hand_over(role: str, *, is_first: bool) -> None:
    """Wait until who plays a role sits alone at the terminal; in a pipe nobody looks.

    What was shown to others before is wiped away.
    """
    if sys.stdin.isatty():
        sys.stdout.write("" if is_first else EMPTIED)
        read_line(f"{role} is next: press Enter when nobody else looks. ")


def _set_completion(complete: Callable[[], Sequence[str]]) -> None:
    try:
        import readline
    except ImportError:  # Windows has none
        return
    words: list[str] = []

    def completer(text: str, number: int) -> str | None:
        nonlocal words
        if number == 0:
            words = [word for word in complete() if word.casefold().startswith(text.casefold())]
        return words[number] if number < len(words) else None

    readline.set_completer_delims("")
    readline.set_completer(completer)
    readline.parse_and_bind("tab: complete")
