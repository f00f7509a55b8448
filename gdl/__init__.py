"""A framework for the Game Description Language: read, check, understand and run rule files.

Example:
    >>> import gdl
    >>> state = gdl.load("pentago/strict").initial()
    >>> state = state.play("E5 Q01 CW")
    >>> state.is_terminal
    False
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from gdl._lazy import deferred

if TYPE_CHECKING:
    from gdl.game import Game, check, load
    from gdl.language.diagnostics import (
        Diagnostic,
        GdlError,
        InvalidDescriptionError,
        LimitError,
        Severity,
    )
    from gdl.language.limits import Limits
    from gdl.language.parse import parse, read
    from gdl.language.preconditions import ArgumentError
    from gdl.language.render import render
    from gdl.language.syntax import GdlSyntaxError
    from gdl.machine import IllegalMoveError
    from gdl.notebook import load_ipython_extension
    from gdl.ruleset import NotationError, Ruleset, UnknownRulesetError, rulesets
    from gdl.state import AmbiguousMoveError, State, UnknownRoleError
    from gdl.verify.answer import Difference
    from gdl.verify.diff import diff
    from gdl.verify.systems.matching import CorrespondenceError

    MatchError = CorrespondenceError  # its old name, see below

    __version__: str

__all__ = [
    "AmbiguousMoveError",
    "ArgumentError",
    "CorrespondenceError",
    "Diagnostic",
    "Difference",
    "Game",
    "GdlError",
    "GdlSyntaxError",
    "IllegalMoveError",
    "InvalidDescriptionError",
    "LimitError",
    "Limits",
    "NotationError",
    "Ruleset",
    "Severity",
    "State",
    "UnknownRoleError",
    "UnknownRulesetError",
    "check",
    "diff",
    "load",
    "load_ipython_extension",
    "parse",
    "read",
    "render",
    "rulesets",
]

_HOMES: Final = {
    "gdl.game": ("Game", "check", "load"),
    "gdl.language.preconditions": ("ArgumentError",),
    "gdl.language.diagnostics": (
        "Diagnostic",
        "GdlError",
        "InvalidDescriptionError",
        "LimitError",
        "Severity",
    ),
    "gdl.language.limits": ("Limits",),
    "gdl.language.parse": ("parse", "read"),
    "gdl.language.render": ("render",),
    "gdl.language.syntax": ("GdlSyntaxError",),
    "gdl.machine": ("IllegalMoveError",),
    "gdl.notebook": ("load_ipython_extension",),
    "gdl.ruleset": ("NotationError", "Ruleset", "UnknownRulesetError", "rulesets"),
    "gdl.state": ("AmbiguousMoveError", "State", "UnknownRoleError"),
    "gdl.verify.answer": ("Difference",),
    "gdl.verify.diff": ("diff",),
    "gdl.verify.systems.matching": ("CorrespondenceError",),
}


def _version() -> str:
    """Return the version of what was installed."""
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version("gdl-framework")
    except PackageNotFoundError:  # a checkout that is not installed
        return "0+unknown"


__getattr__, __dir__ = deferred(
    __name__,
    _HOMES,
    renamed={"MatchError": "CorrespondenceError"},
    computed={"__version__": _version},
)
