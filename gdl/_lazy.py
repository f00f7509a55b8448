"""Public names that are imported when they are first used.

A package that offers much stays cheap to import this way: nobody waits for what he does not
use. ``import gdl`` takes milliseconds, and a game that was compiled before is ready without the
parts that draw boards.

Source: PEP 562.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any


def deferred(
    package: str, homes: Mapping[str, tuple[str, ...]]
) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """Return ``__getattr__`` and ``__dir__`` of a package.

    Args:
        package: Its name.
        homes: For each module the public names that live in it.
    """
    home_of = {name: home for home, names in homes.items() for name in names}

    def attribute(name: str) -> Any:  # noqa: ANN401  # whatever the name stands for
        if name not in home_of:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        return getattr(import_module(home_of[name]), name)

    return attribute, lambda: sorted(home_of)


__all__ = ["deferred"]
