"""Files that are there whole or not at all, that one process at a time has, and files of arrays."""

from __future__ import annotations

import io
import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

if TYPE_CHECKING:
    from numpy.typing import NDArray


@contextmanager
def replaced(path: Path) -> Iterator[BinaryIO]:
    """Yield a file that takes the place of another once it is whole: a full disk loses nothing.

    A new file gets the permissions that the user's files get, another those of the old one. What
    is no file, a device, say, is written to as it is.

    Raises:
        OSError: It cannot be written.
    """
    path = path.resolve()
    if path.exists() and not path.is_file():
        with path.open("wb") as file:
            yield file
        return
    handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(handle, "wb") as file:
            yield file
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


@contextmanager
def locked(path: Path, *, waits: bool) -> Iterator[None]:
    """Hold a file that no other process can lock meanwhile. Windows has no such locks.

    Raises:
        BlockingIOError: Another process has it, and this one does not wait.
        OSError: It cannot be opened.
    """
    with path.open("a", encoding="utf-8") as file:
        try:
            import fcntl
        except ImportError:
            yield
            return
        fcntl.flock(file, fcntl.LOCK_EX | (0 if waits else fcntl.LOCK_NB))
        try:
            yield
        finally:  # a process that was forked meanwhile has the file open still
            fcntl.flock(file, fcntl.LOCK_UN)


def arrays_in(data: bytes) -> dict[str, NDArray[Any]]:
    """Return the arrays of an ``.npz`` file by their names. Needs numpy.

    Raises:
        ValueError: The bytes are no such file, or damaged.
    """
    import numpy as np

    try:
        with np.load(io.BytesIO(data), allow_pickle=False) as file:
            return {name: file[name] for name in file.files}
    except Exception as error:  # a wrong bit may meet zipfile, any packer, or numpy
        raise ValueError("no arrays, or damaged ones") from error
