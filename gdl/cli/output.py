"""Where a command writes a text: the terminal, or the file that ``--output`` names."""

from __future__ import annotations

import sys
from pathlib import Path


def write_text(text: str, output: str | None) -> None:
    """Write a text as it is, to standard output (``None`` or ``-``) or to a file.

    Pipes and files get UTF-8, whatever the terminal speaks.

    Raises:
        OSError: The file cannot be written.
    """
    if output is None or output == "-":
        if sys.stdout.isatty():
            sys.stdout.write(text)
        else:
            sys.stdout.flush()
            sys.stdout.buffer.write(text.encode("utf-8", "replace"))
        sys.stdout.flush()
    else:
        Path(output).write_text(text, encoding="utf-8", errors="replace", newline="\n")
