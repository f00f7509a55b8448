"""Public names that are imported when they are first used.

A package that offers much stays cheap to import this way: nobody waits for what he does not
use. ``import gdl`` takes milliseconds, and a game that was compiled before is ready without the
parts that draw boards.

Source: PEP 562.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib import import_module
from types import MappingProxyType
from typing import Any


def deferred(
    package: str,
    homes: Mapping[str, tuple[str, ...]],
    *,
    renamed: Mapping[str, str] = MappingProxyType({}),
    computed: Mapping[str, Callable[[], Any]] = MappingProxyType({}),
) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """Return ``__getattr__`` and ``__dir__`` of a package.

    Args:
        package: Its name.
        homes: For each module the public names that live in it.
        renamed: For each old name the new one; the old one still works, with a warning.
        computed: For each name that lives nowhere what returns its value.
    """
    home_of = {name: home for home, names in homes.items() for name in names}

    def attribute(name: str) -> Any:  # noqa: ANN401  # whatever the name stands for
        if name in renamed:
            import warnings

            said = f"{package}.{name} is now called {package}.{renamed[name]}"
            warnings.warn(said, DeprecationWarning, stacklevel=2)
            return attribute(renamed[name])
        if name in computed:
            return computed[name]()
        if name not in home_of:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        from gdl._gc_pause import collector_paused

        with collector_paused():
            return getattr(import_module(home_of[name]), name)

    return attribute, lambda: sorted(home_of)
