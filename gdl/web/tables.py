"""The tables of values that a server offers: files of ``gdl solve -o`` in one folder.

In: a folder. Out: for rules the file that has their values, found by the digest of the rules that
stands in it. Nothing of a file but its head is read here.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from gdl.language.diagnostics import GdlError
from gdl.match.pin import unpin
from gdl.ruleset import find

SUFFIX: Final = ".table"
"""How names of tables end; other files of the folder are left alone."""


class NoTablesError(GdlError):
    """The folder cannot be had, or has no tables; says why."""


class Tables:
    """Tables by the digest of their rules."""

    def __init__(self, folder: str | None) -> None:
        """Read the heads of the tables in a folder; None for no tables.

        Raises:
            NoTablesError: There is no such folder, or no table in it.
            TableError: A file whose name ends in ``.table`` is none.
        """
        self._file_of: dict[str, str] = {}
        if folder is None:
            return
        from gdl.solve import open_table

        place = Path(folder).absolute()
        try:
            files = sorted(file for file in place.iterdir() if file.suffix == SUFFIX)
        except OSError as error:
            raise NoTablesError(
                f"cannot read the folder {folder}: {error.strerror}",
                expected="a folder with tables of gdl solve",
            ) from error
        for file in files:
            self._file_of[open_table(file).head.digest] = str(file)
        if not files:
            raise NoTablesError(
                f"there is no table in {folder}",
                expected=f"files whose names end in {SUFFIX}",
                help=f"gdl solve tictactoe -o {folder}/tictactoe{SUFFIX}",
            )

    def __bool__(self) -> bool:
        """Whether there is any."""
        return bool(self._file_of)

    def file(self, pinned: Mapping[str, Any], *, is_shipped: bool) -> str | None:
        """Return the table of a ruleset that a match has pinned, None where there is none.

        Args:
            pinned: The ruleset.
            is_shipped: Whether it is exactly the shipped one of its id, as it is now.
        """
        if not self:
            return None
        if is_shipped and (file := self._file_of.get(find(pinned["id"]).digest())) is not None:
            return file
        return self._file_of.get(unpin(pinned).digest())
