"""Rules to circuit: ground them, build an and-inverter graph, make it small.

The entrance is `build`; it is imported when it is first asked for, since a game that has
been compiled before needs none of it. `pipeline` has all stages in a row: ``rules/`` (fit for the
grounder), ``grounding/``, ``gates/``; they share `budget`, `limits` and `progress` (which
stage a build is at). The circuit itself is in `gdl.circuit`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from gdl._lazy import deferred

if TYPE_CHECKING:
    from gdl.circuit.aig import Aig
    from gdl.circuit.game import GameCircuit
    from gdl.compile.limits import CompileError, CompileLimits, GroundingLimitError
    from gdl.compile.pipeline import build

__all__ = ["Aig", "CompileError", "CompileLimits", "GameCircuit", "GroundingLimitError", "build"]

_HOMES: Final = {
    "gdl.circuit.aig": ("Aig",),
    "gdl.circuit.game": ("GameCircuit",),
    "gdl.compile.limits": ("CompileError", "CompileLimits", "GroundingLimitError"),
    "gdl.compile.pipeline": ("build",),
}
__getattr__, __dir__ = deferred(__name__, _HOMES)
