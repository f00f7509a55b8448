"""Files to sources.

In: a path. Out: the text with its name, or a `FileError` that says what is not there, or what the
system said.
"""

from __future__ import annotations

from pathlib import Path

from gdl.language.diagnostics import GdlError
from gdl.language.preconditions import PATH, ArgumentError
from gdl.language.source import Source


class FileError(GdlError, OSError):
    """A file that cannot be read; an `OSError` too, with its number, reason and file name."""

    def __init__(self, error: OSError, path: Path | str) -> None:
        """Say which file or folder is not there, or else what the system said."""
        said, expected, near = f"{error.strerror or error}: {path}", None, None
        if isinstance(error, FileNotFoundError):
            said, near = _missing(Path(path))
        elif isinstance(error, IsADirectoryError):
            said, expected = f"{path} is a folder", "a file"
        super().__init__(said, expected=expected, help=near)
        self.errno, self.strerror, self.filename = error.errno, error.strerror, str(path)

    def __str__(self) -> str:
        """Return the text of a `GdlError`, not that of an `OSError`."""
        return str(self.args[0])

    def __reduce__(self) -> tuple[type[FileError], tuple[OSError, str]]:
        """Pickle what the system said."""
        return type(self), (OSError(self.errno, self.strerror), str(self.filename))


def _missing(path: Path) -> tuple[str, str | None]:
    """Return what is said of a file that is not there, and the nearest name beside it, if any."""
    if not path.parent.is_dir():
        return f"there is no folder {path.parent} for {path}", None
    from difflib import get_close_matches  # only who mistyped waits for it

    near = get_close_matches(path.name, sorted(file.name for file in path.parent.iterdir()), n=1)
    return f"there is no file {path}", f"did you mean {near[0]}?" if near else None


def as_typed(path: Path) -> Path:
    """Return a path as one types it here: relative where it lies below the current folder."""
    here = Path.cwd()
    return path.relative_to(here) if path.is_relative_to(here) else path


def read_bytes(path: Path | str, *, most: int = -1) -> bytes:
    """Return what a file holds, or the first so many bytes of it.

    Raises:
        FileError: It cannot be read.
        ArgumentError: The path has characters that no name of a file has.
    """
    try:
        with Path(path).open("rb") as file:
            return file.read(most)
    except OSError as error:
        raise FileError(error, path) from error
    except ValueError:
        raise ArgumentError("path", path, PATH) from None


def read_source(path: Path | str, *, most: int = -1) -> Source:
    """Return the text of a file; see `read_bytes`, and `Source.from_bytes` for the encoding."""
    return Source.from_bytes(str(path), read_bytes(path, most=most))
