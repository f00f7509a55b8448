"""Rules to circuit: ground them, build an and-inverter graph, make it small."""

from gdl.compile.build import build
from gdl.compile.circuit import Aig, GameCircuit
from gdl.compile.limits import CompileError, CompileLimits, GroundingLimitError

__all__ = ["Aig", "CompileError", "CompileLimits", "GameCircuit", "GroundingLimitError", "build"]
