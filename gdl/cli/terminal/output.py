"""Where a command writes a text: the terminal, or the file that ``--output`` names."""

from __future__ import annotations

import errno
import os
import shutil
import sys
import tempfile
from pathlib import Path


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
    path = Path(output).resolve()
    if not path.parent.is_dir():
        raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), output)
    _replace(path, content)


def _replace(path: Path, content: bytes) -> None:
    """Write a file beside its place and rename it, so that a full disk loses nothing."""
    if path.exists() and not path.is_file():  # a device, say
        path.write_bytes(content)
        return
    handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content)
        if path.exists():
            shutil.copymode(path, temporary)
        else:
            umask = os.umask(0)
            os.umask(umask)
            Path(temporary).chmod(0o666 & ~umask)
        Path(temporary).replace(path)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise
