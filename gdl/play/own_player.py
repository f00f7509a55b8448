"""A player of one's own, from a file or a module: ``./mine.py``, ``module:name``.

In: such a name. Out: what makes the player, called as ``make(role=..., seed=...)``; a class is one.
A file that says no name has ``make``, ``Player`` or ``player``; a ``player`` is the player itself.
Whoever names a file runs it: there is nothing between it and the machine.
"""

from __future__ import annotations

import importlib
import inspect
import sys
from collections.abc import Callable
from difflib import get_close_matches
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType
from typing import Any, Final

from gdl.language.diagnostics import GdlError
from gdl.play.player import describe_error

NAMES: Final = ("make", "Player", "player")
"""What is looked for where no name is given, the first that is there."""


class OwnPlayerError(GdlError):
    """A file or module that brings no player."""


def split_own(spec: str) -> tuple[str, str] | None:
    """Return the name and the options of a player of one's own; None if the text names none."""
    before, dot_py, after = spec.partition(".py")
    if dot_py and after[:1] in {"", ":"}:
        home, rest = before + dot_py, after[1:]
    else:
        home, _, rest = spec.partition(":")
        if not rest or not all(part.isidentifier() for part in home.split(".")):
            return None
        if "=" in rest.partition(":")[0]:
            return None
    word, _, options = rest.partition(":")
    if "=" in word:
        word, options = "", rest
    return (f"{home}:{word}" if word else home), options


def find_own(name: str) -> Callable[..., Any]:
    """Return what makes the player of such a name.

    Raises:
        OwnPlayerError: There is no such file, module or name, or it cannot be loaded.
    """
    home, colon, wanted = name.rpartition(":") if not name.endswith(".py") else (name, "", "")
    module = _module(home)
    for candidate in (wanted,) if colon else NAMES:
        target = getattr(module, candidate, None)
        if target is not None:
            return _maker(target, candidate, name)
    there = [attribute for attribute in vars(module) if not attribute.startswith("_")]
    near = get_close_matches(wanted, there, n=1)
    raise OwnPlayerError(
        f"{home} has no {wanted or 'player'}",
        expected=f"a function {' or '.join(NAMES)}, or {home}:NAME" if not colon else None,
        help=f"did you mean {home}:{near[0]}?" if near else None,
    )


def _module(home: str) -> ModuleType:
    path = Path(home)
    if path.suffix == ".py" and not path.is_file():
        near = get_close_matches(path.name, [file.name for file in path.parent.glob("*.py")], n=1)
        hint = f"did you mean {near[0]}?" if near else None
        raise OwnPlayerError(
            f"there is no file {home}",
            expected="a Python file that has make, Player or player",
            help=hint,
        )
    try:
        return _loaded(path) if path.suffix == ".py" else _imported(home)
    except Exception as error:
        if isinstance(error, ModuleNotFoundError) and f"{home}.".startswith(f"{error.name}."):
            raise OwnPlayerError(
                f"there is no module {error.name}",
                expected="one that Python finds from here, or a file such as ./mine.py",
            ) from None
        raise OwnPlayerError(f"{home} cannot be loaded", notes=[describe_error(error)]) from error


def _loaded(path: Path) -> ModuleType:
    """Return a file as a module."""
    spec = spec_from_file_location(path.stem, path)
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    sys.modules.setdefault(path.stem, module)  # as pickle and dataclasses expect it
    spec.loader.exec_module(module)
    return module


def _imported(home: str) -> ModuleType:
    """Return a module; the folder where one stands is looked in, too."""
    here = str(Path.cwd())
    sys.path.insert(0, here)
    try:
        return importlib.import_module(home)
    finally:
        sys.path.remove(here)


def _maker(target: Any, called: str, name: str) -> Callable[..., Any]:  # noqa: ANN401  # anybody's
    """Return what makes the player; one that is a player already makes itself."""
    if not callable(target):
        raise OwnPlayerError(
            f"{name} is {type(target).__name__}, and makes no player",
            expected="a function of role and seed, or a player: a function of game, state, budget",
        )
    makes = inspect.isclass(target) or called == "make" or _takes_role(target)

    def make(**settings: Any) -> Any:  # noqa: ANN401  # anybody's
        return target(**settings) if makes else target

    return make


def _takes_role(target: Callable[..., Any]) -> bool:
    try:
        return "role" in inspect.signature(target).parameters
    except (TypeError, ValueError):
        return False
