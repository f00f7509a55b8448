"""Where a command writes a text: the terminal, or the file that ``--output`` names."""

from __future__ import annotations

import errno
import os
import sys
from pathlib import Path

from gdl._files import replaced


def write_text(text: str, output: str | None) -> None:
    """Write a text as it is, to standard output (``None`` or ``-``) or to a file.

    Pipes and files get UTF-8, whatever the terminal speaks.

    Raises:
        OSError: The file cannot be written.
    """
    if output in {None, "-"} and sys.stdout.isatty():
        sys.stdout.write(text)
        sys.stdout.flush()
    else:
        write_bytes(text.encode("utf-8", "replace"), output)


def write_bytes(content: bytes, output: str | None) -> None:
    """Write bytes as they are, to standard output (``None`` or ``-``) or to a file.

    Raises:
        OSError: The file cannot be written.
    """
    if output is None or output == "-":
        sys.stdout.flush()
        sys.stdout.buffer.write(content)
        sys.stdout.flush()
        return
    check_output(output)
    with replaced(Path(output).resolve()) as file:
        file.write(content)


def check_output(output: str) -> None:
    """Make sure that a file can stand there, before anybody works for what it shall hold.

    Raises:
        OSError: There is no such folder, or the name is that of a folder.
    """
    path = Path(output).resolve()
    if not path.parent.is_dir():
        raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), output)
    if path.is_dir():
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), output)
