"""A game as one file of WebAssembly: playouts in 128 lanes, and one game by hand.

In goes a `GameCircuit`; out comes a module that needs nothing from outside. It exports its memory
and the functions ``run`` and ``ply_0``, ``ply_1`` ... (lanes), ``look`` and ``ply`` (one game),
and says in a section of its own, ``gdl``, as JSON, what is where: names of roles, moves and
facts, and addresses. ``docs/playground/machine.js`` reads that and plays.

Source: WebAssembly core specification 2.0 (vectors of 128 bits).
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final

from gdl.compile.limits import CompileError
from gdl.native.code import llvm as engine
from gdl.native.code.ir import Target
from gdl.native.kernel.assembly import one_game_text
from gdl.native.kernel.layout import KernelLayout, desk_layout
from gdl.native.lanes.layout import GoalTableError
from gdl.native.lanes.playouts import LaneCode, plan_lanes
from gdl.native.wasm.link import begin_of_heap, link, size_of_data
from gdl.playouts import MAX_PLIES

if TYPE_CHECKING:
    from gdl.circuit.game import GameCircuit

WIDTH: Final = 128
"""Bits of a vector."""
FORM: Final = 1
"""Number of this form of a module; a reader refuses others."""
TARGET: Final = Target(WIDTH, ternary=False)


def wasm_module(circuit: GameCircuit, *, max_plies: int = MAX_PLIES) -> bytes:
    """Return a game as a module.

    Args:
        circuit: The game.
        max_plies: Where a playout is cut off.

    Raises:
        CompileError: The goals of all roles have too many combinations to be counted.
    """
    try:
        text, lanes = plan_lanes(circuit, TARGET, max_plies, is_quick=False)
    except GoalTableError as error:
        raise CompileError(f"no WebAssembly of these rules: {error}") from None
    kernel, one_game = one_game_text(circuit, TARGET)
    code = engine.assemble(f"{text}\n{one_game}", cpu=engine.webassembly())
    at = begin_of_heap(size_of_data(code))
    places: dict[str, int] = {}
    desk = desk_layout(kernel, len(circuit.facts))
    for name, size in (
        ("lanes", lanes.size),
        ("kernel", kernel.slots * TARGET.bytes),
        ("desk", desk.end),
        ("state", -(-len(circuit.facts) // 8)),
    ):
        places[name] = at
        at = -(-(at + size) // TARGET.bytes) * TARGET.bytes
    notes = {"gdl": json.dumps(_notes(circuit, lanes, kernel, places)).encode()}
    functions = ["run", *(f"ply_{number}" for number in range(lanes.period)), "look", "ply"]
    return link(code, functions, at, notes)


def _notes(
    circuit: GameCircuit, lanes: LaneCode, kernel: KernelLayout, places: dict[str, int]
) -> dict[str, Any]:
    """Return what a reader must know; slots are vectors of 16 bytes."""
    desk = desk_layout(kernel, len(circuit.facts))
    first, _ = kernel.seen
    counters, lengths, goals = lanes.tables
    layout = lanes.layout
    return {
        "form": FORM,
        "roles": [str(role) for role in circuit.roles],
        "moves": [[str(move) for move in moves] for moves in circuit.moves],
        "facts": [str(fact) for fact in circuit.facts],
        "initial": sorted(circuit.initial),
        "goals": [[value for value, _ in pairs] for pairs in circuit.goals],
        "hides": any(circuit.sees),
        "memory": places,
        "desk": {"state": desk.state, "seen": desk.seen},
        "seen": {
            "legal": [slot - first for slot in kernel.legal],
            "terminal": kernel.terminal - first,
            "goals": kernel.goals - first,
        },
        "lanes": {
            **{
                name: getattr(layout, name)
                for name in ("live", "quota", "seed", "waits", "facts", "turns", "pending")
            },
            "turn_bits": layout.turn_bits,
            "phase_bits": layout.phase_bits,
            "goal_bits": layout.goal_bits,
            "is_listed": layout.is_listed,
            "counters": counters,
            "lengths": lengths,
            "goals": goals,
            "size": lanes.size,
            "stored": lanes.stored,
            "clock": lanes.clock,
            "phases": [sorted(held) for held in lanes.phases],
            "widths": lanes.goal_widths,
            "values": lanes.goal_values,
            "ended": lanes.ended,
        },
    }
