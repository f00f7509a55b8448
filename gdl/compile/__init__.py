"""Rules to circuit: ground them, build an and-inverter graph, make it small."""

from gdl.compile.circuit import Aig, GameCircuit
from gdl.compile.limits import CompileError, CompileLimits, GroundingLimitError
from gdl.compile.pipeline import build

__all__ = ["Aig", "CompileError", "CompileLimits", "GameCircuit", "GroundingLimitError", "build"]
