"""How much room the cache takes, and how it stays small.

In goes its folder; out come its entries. When they take more than the limit, those go first that
were not used for longest: reading an entry sets its time (`gdl._cache`). Several processes may do
this at once, and any of them may be killed: removing is one step of the file system, an entry that
is already gone is no error, and one that goes while another process reads it stays readable there.

The folder may be anybody's (``GDL_CACHE=~/things``), so only files are ever removed whose names are
those of entries.
"""

from __future__ import annotations

import contextlib
import os
import re
import time
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

LIMIT_VARIABLE: Final = "GDL_CACHE_LIMIT"
"""Environment variable that says how large the cache may become."""
DEFAULT_LIMIT: Final = 1 << 30
"""Bytes."""
UNFINISHED: Final = "unfinished"
"""Kind of an entry that is being written, or whose writer was killed."""
ABANDONED: Final = 3600.0
"""Seconds after which an unfinished entry is taken for one that nobody will finish."""
SIZES_EXPECTED: Final = "a number of bytes, or of K, M, G or T (powers of 1024), or none"

_ENTRY: Final = re.compile(r"[0-9a-f]{64}\.(?:[^/]*?\.)?([a-z]+)\d*")
_PART: Final = re.compile(r"[0-9a-f]{64}\.[^/]*\.part")
_SIZE: Final = re.compile(r"(\d+(?:\.\d+)?)\s*(?:([kmgt])(?:i?b)?|b)?", re.IGNORECASE)
_EXPONENTS: Final = {"": 0, "k": 1, "m": 2, "g": 3, "t": 4}


class SizeError(ValueError):
    """A text that says no size; a `GdlError` in a room below that one.

    Attributes:
        message: What is wrong.
        expected: What would have been right.
    """

    def __init__(self, message: str, expected: str = SIZES_EXPECTED) -> None:
        """Keep the parts beside the text."""
        super().__init__(f"{message}\n  expected: {expected}")
        self.message = message
        self.expected = expected


@dataclass(frozen=True, slots=True)
class Entry:
    """A file of the cache.

    Attributes:
        path: Where it is.
        kind: What is in it, for instance ``kernel``.
        size: Bytes.
        used: When it was last read or written, in seconds since 1970; exact to an hour.
    """

    path: Path
    kind: str
    size: int
    used: float


def entries(folder: Path) -> list[Entry]:
    """Return what is in the cache, longest unused first; nothing where there is no folder."""
    return sorted(_entries(folder), key=lambda entry: (entry.used, entry.path))


def _entries(folder: Path) -> Iterator[Entry]:
    try:
        files = os.scandir(folder)
    except OSError:
        return
    with files:
        for file in files:
            kind = _kind(file.name)
            if kind is None:
                continue
            with contextlib.suppress(OSError):  # gone meanwhile
                about = file.stat(follow_symlinks=False)
                yield Entry(Path(file.path), kind, about.st_size, about.st_mtime)


def _kind(name: str) -> str | None:
    """Return what an entry of such a name holds, None for a name that is not one of ours."""
    if _PART.fullmatch(name):
        return UNFINISHED
    matched = _ENTRY.fullmatch(name)
    return matched[1] if matched else None


def shrink(folder: Path, limit: int | None) -> list[Entry]:
    """Remove entries, longest unused first, until at most ``limit`` bytes are left.

    Entries whose writer was killed go too, whatever the limit.

    Args:
        folder: The folder of the cache.
        limit: Bytes; None for no limit.

    Returns:
        What was removed.
    """
    there = entries(folder)
    abandoned = time.time() - ABANDONED
    going = [entry for entry in there if entry.kind == UNFINISHED and entry.used < abandoned]
    left = sum(entry.size for entry in there) - sum(entry.size for entry in going)
    for entry in there:
        if limit is None or left <= limit:
            break
        if entry.kind != UNFINISHED:
            going.append(entry)
            left -= entry.size
    return remove(going)


def remove(going: Iterable[Entry]) -> list[Entry]:
    """Remove entries; return those that are gone now by our doing."""
    gone: list[Entry] = []
    for entry in going:
        with contextlib.suppress(OSError):  # another process was first, or it may not be removed
            entry.path.unlink()
            gone.append(entry)
    return gone


def size_limit() -> int | None:
    """Return how many bytes the cache may take, None for as many as there are.

    Raises:
        SizeError: The environment variable does not say a size.
    """
    text = os.environ.get(LIMIT_VARIABLE, "")
    return parse_size(text, LIMIT_VARIABLE) if text else DEFAULT_LIMIT


def parse_size(text: str, name: str) -> int | None:
    """Return the bytes that a text says, None for ``none``.

    Args:
        text: For instance ``500M`` or ``1.5 GiB``.
        name: Where it was written, for the message.

    Raises:
        SizeError: It says no size.

    Example:
        >>> parse_size("1.5 GiB", "size")
        1610612736
    """
    if text.strip().lower() == "none":
        return None
    matched = _SIZE.fullmatch(text.strip())
    if matched is None:
        raise SizeError(f"{name} is {text!r}, which is no size")
    return int(float(matched[1]) * 1024 ** _EXPONENTS[(matched[2] or "").lower()])


def total_size(counted: Collection[Entry]) -> int:
    """Return the bytes that entries take together."""
    return sum(entry.size for entry in counted)
