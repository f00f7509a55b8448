"""The hand-written reference engines, wherever they are.

In a checkout they are the folder ``engine`` beside the package; an installed package carries them
as ``gdl/_engine``. Either way they are imported as ``gdl._engine``: a package of somebody else that
is called ``engine`` is never taken for them, nor they for it.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from functools import cache
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from typing import Any, Final

from gdl.conform import Reference

NAME: Final = "gdl._engine"


@cache
def engines() -> Mapping[str, Reference[Any, Any]]:
    """Return the reference engine of each ruleset that has one."""
    package = Path(__file__).resolve().parents[2]
    installed = package / "_engine"
    folder = installed if installed.is_dir() else package.parent / "engine"
    # The engines import one another relatively, so they can stand under any name.
    spec = spec_from_file_location(
        NAME, folder / "__init__.py", submodule_search_locations=[str(folder)]
    )
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    sys.modules[NAME] = module
    try:
        spec.loader.exec_module(module)
    except BaseException:
        del sys.modules[NAME]
        raise
    games: Mapping[str, Reference[Any, Any]] = module.GAMES
    return games
