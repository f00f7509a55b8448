"""One name for the code that makes what is kept on disk: another compiler, another name.

Out comes a digest over every file of the package that may decide what a compiled game looks like:
modules, templates of machine code, grammars. What was made by other code has another name in the
cache and is never read again.

Reading all files takes longer than a warm start may cost, so the digest itself is kept, under a
name made of each file's path, size, times and inode. When any of these changes the files are read
anew; if they say the same as before (the package was installed again, or a branch was left and
come back to), so does the digest, and games need not be compiled again.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Final, TypeAlias

from gdl._cache import cache_folder, cached, digest

Stamp: TypeAlias = tuple[str, int, int, int, int]
"""Path below the package, size in bytes, time of the last change of content and of anything
(nanoseconds), inode."""

ABOVE: Final = frozenset(
    (
        *("adapters", "bench", "cli", "conform", "ggp", "learn", "lsp"),
        *("match", "play", "solve", "testing", "verify", "web"),
    )
)
"""Rooms above the back ends, which only use what is kept. A room that is not named here counts:
to forget one makes games be compiled once too often, never run on another compiler's code."""
SKIPPED: Final = ABOVE | {"__pycache__", "_rulesets", "_engine"}
COMPILED: Final = (".pyc", ".pyo", ".nbi", ".nbc")
"""Made from other files, while they are used."""
STARTED: Final = time.time_ns()


@cache
def code_key() -> str:
    """Return the name for the code that this process runs."""
    return key_of(Path(__file__).parent, cache_folder(), started=STARTED)


def key_of(package: Path, folder: Path | None, *, started: int) -> str:
    """Return the name for the code of a package.

    Args:
        package: Its folder.
        folder: Where the digest is kept; None to keep nothing.
        started: When the code was loaded, in nanoseconds. A file that has changed since then is
            not what this process runs, so the name is then one that nobody shares.
    """
    try:
        stamps = sorted(_stamps(str(package), ""))
        if any(changed >= started for *_, changed, _ in stamps):
            return _unshared()
        name = digest(["code", str(package), *map(repr, stamps)])
        return cached(f"{name}.code", str, lambda: _content_key(package, stamps), folder=folder)
    except OSError:  # a file went away meanwhile, or the package lies in an archive
        return _unshared()


def _unshared() -> str:
    return digest(["of this process alone", os.urandom(16)])


def _content_key(package: Path, stamps: list[Stamp]) -> str:
    texts: list[str | bytes] = []
    for path, *_ in stamps:
        texts += [path, (package / path).read_bytes()]
    return digest(texts)


def _stamps(folder: str, below: str) -> Iterator[Stamp]:
    """Yield a stamp of each file that counts, in any order."""
    with os.scandir(folder) as entries:
        for entry in entries:
            path = f"{below}{entry.name}"
            if entry.is_dir():
                if path not in SKIPPED and entry.name not in SKIPPED:
                    yield from _stamps(entry.path, f"{path}/")
            elif not entry.name.endswith(COMPILED):
                about = entry.stat()
                yield path, about.st_size, about.st_mtime_ns, about.st_ctime_ns, about.st_ino
