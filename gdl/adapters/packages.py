"""Packages of other people that a doorway needs, asked for before they are imported."""

from __future__ import annotations

from importlib.util import find_spec

from gdl.language.packages import MissingPackageError

__all__ = ["MissingPackageError", "require"]


def require(what: str, *packages: str, extra: str) -> None:
    """Refuse, with a help, where packages are missing.

    Args:
        what: What needs them, the beginning of the sentence.
        packages: As they are imported.
        extra: The extra of this project that installs them.

    Raises:
        MissingPackageError: Names the missing ones and the extra.
    """
    missing = [name for name in packages if find_spec(name) is None]
    if missing:
        raise MissingPackageError(
            f"{what} need packages that are not installed: {', '.join(missing)}",
            help=f"pip install 'gdl-framework[{extra}]'",
        )
