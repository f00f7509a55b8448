"""Packages that not everybody has, asked for before they are imported: one wording for all.

In: who needs them, their names, the extra that brings them. Out: nothing, or an error with the
command that installs them.
"""

from __future__ import annotations

from collections.abc import Iterable
from importlib.util import find_spec

from gdl.language.diagnostics import GdlError


class MissingPackageError(GdlError):
    """A package that is not installed; the help is the command that installs it."""


def need_packages(what: str, names: Iterable[str], extra: str) -> None:
    """Refuse what needs packages that are not installed.

    Args:
        what: What needs them.
        names: Packages, as they are imported.
        extra: The extra of this project that brings them.

    Raises:
        MissingPackageError: Some are missing; says how to install them.
    """
    if missing := [name for name in names if find_spec(name) is None]:
        raise MissingPackageError(
            f"{what} needs {' and '.join(missing)}", help=f"pip install 'gdl-framework[{extra}]'"
        )
