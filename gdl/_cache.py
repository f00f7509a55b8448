"""What takes long to make on disk, compiled games most of all, so that it is made once a machine.

In goes a name made of everything that the content was made from, and a function that
makes it; out comes the content, from disk when it is there and whole. A file is
written beside its place and then renamed, so that nobody ever sees half of one; each
has a checksum, and one that is torn or foreign is made anew. Two processes that make
the same file at once both end with a whole one. A disk that cannot be written costs
nothing but the time to compile. Where nothing is kept, nothing is loaded for it either.

The folder is the user's own, as private as the compiled modules that Python itself
keeps: what lies in it is trusted once its checksum is right. It has a size limit; what
was not used for longest goes first (`gdl._cache_space`).
"""

from __future__ import annotations

import contextlib
import os
import sys
import time
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Final, TypeVar

T = TypeVar("T")

MAGIC: Final = b"gdl-native-1\n"
"""First bytes of a file; changes with the format."""
DIGEST: Final = 32
"""Bytes of a checksum."""
NAME: Final = "gdl-framework"
ELSEWHERE: Final = {"XDG_CACHE_HOME", "ANDROID_ROOT"}
"""Environment variables that name another place for caches, or another system."""
FOLDER_VARIABLE: Final = "GDL_CACHE"
"""Environment variable that names another folder; empty turns the cache off."""
FRESH: Final = 3600.0
"""Seconds for which a use need not be noted again."""
LOOK_AFTER: Final = 1 << 24
"""Bytes that a process writes until it looks again whether the cache has become too large."""
_written: dict[Path, int] = {}
"""Bytes that this process wrote to a folder since it last looked."""


def cache_folder() -> Path | None:
    """Return where compiled games are kept, None when the cache is turned off."""
    named = os.environ.get(FOLDER_VARIABLE)
    if named is not None:
        return Path(named) if named else None
    home = os.environ.get("HOME", "")
    if sys.platform == "linux" and home.startswith("/") and not ELSEWHERE & os.environ.keys():
        return Path(home, ".cache", NAME)  # what platformdirs says, without loading it (5 ms)
    from platformdirs import user_cache_path

    return user_cache_path(NAME, appauthor=False)


def digest(texts: Iterable[str | bytes]) -> str:
    """Return a name for a sequence of texts, of any characters; no two sequences share one."""
    from hashlib import sha256

    total = sha256()
    for text in texts:
        content = text.encode("utf-8", "surrogatepass") if isinstance(text, str) else text
        total.update(len(content).to_bytes(8, "little"))
        total.update(content)
    return total.hexdigest()


def cached(name: str, kind: type[T], make: Callable[[], T], *, folder: Path | None) -> T:
    """Return what ``make`` gives, from disk where it is there.

    Args:
        name: Name of the file; must tell apart everything that ``make`` depends on.
        kind: Type of the content; a file with another one is made anew.
        make: Makes the content.
        folder: Where files are; None to keep nothing.
    """
    if folder is None:
        return make()
    path = folder / name
    content = _read(path, kind)
    if content is None:
        content = make()
        with contextlib.suppress(OSError):
            _write(path, content)
    return content


def _read(path: Path, kind: type[T]) -> T | None:
    try:
        with path.open("rb") as file:
            content = file.read()
            if abs(time.time() - os.fstat(file.fileno()).st_mtime) > FRESH:
                os.utime(path)  # what is used stays
    except OSError:
        return None
    start = len(MAGIC) + DIGEST
    body = content[start:]
    if content[: len(MAGIC)] != MAGIC or content[len(MAGIC) : start] != _checksum(body):
        return None
    import pickle

    try:
        loaded = pickle.loads(body)  # noqa: S301  # our own file in the user's own folder
    except Exception:  # noqa: BLE001  # written by another version of Python or of this package
        return None
    return loaded if isinstance(loaded, kind) else None


def _write(path: Path, content: object) -> None:
    import pickle
    import tempfile

    from gdl._cache_space import shrink

    body = pickle.dumps(content, protocol=5)
    limit = _limit()
    if limit is not None and len(body) > limit:
        return
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=path.name, suffix=".part")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(MAGIC + _checksum(body) + body)
        Path(temporary).replace(path)
    except BaseException:
        with contextlib.suppress(OSError):
            Path(temporary).unlink()
        raise
    written = _written.get(path.parent)
    _written[path.parent] = (written or 0) + len(body)
    if written is None or written + len(body) >= LOOK_AFTER:
        _written[path.parent] = 0
        shrink(path.parent, limit)


def _limit() -> int | None:
    from gdl._cache_space import DEFAULT_LIMIT, SizeError, size_limit

    try:
        return size_limit()
    except SizeError as error:  # no reason not to play
        import warnings

        warnings.warn(f"{error}\n  note: the limit is 1G until then", RuntimeWarning, stacklevel=2)
        return DEFAULT_LIMIT


def _checksum(body: bytes) -> bytes:
    from hashlib import sha256

    return sha256(body).digest()
