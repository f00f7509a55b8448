"""Tests of games: what a game must do, written beside its rules, and whether it does.

What stands where:

- `suite` reads a ``*.test.toml`` file; `discover` finds such files; `outcome`, how a test went
- `games` loads the games that tests name; `positions`, `proofs` run tests; `run` those of a file
- `firing` counts which rules fired; `suggest` writes tests for those that did not
- `reports` is JUnit and GitHub; `plugin` is for pytest
- `soundness` is ``check``: what must hold of any game, for authors in Python
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from gdl._lazy import deferred

if TYPE_CHECKING:
    from gdl.testing.run import run_suite
    from gdl.testing.soundness import check
    from gdl.testing.suite import read_suite

__all__ = ["check", "read_suite", "run_suite"]

_HOMES: Final = {
    "gdl.testing.run": ("run_suite",),
    "gdl.testing.soundness": ("check",),
    "gdl.testing.suite": ("read_suite",),
}
__getattr__, __dir__ = deferred(__name__, _HOMES)
