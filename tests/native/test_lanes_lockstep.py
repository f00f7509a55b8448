"""Every lane, ply by ply, against the plain evaluation of the circuit."""

from __future__ import annotations

import ctypes
from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import pytest
from numpy.typing import NDArray

from gdl.circuit.aig import Aig, negate
from gdl.circuit.cone import cone
from gdl.circuit.evaluate import evaluate
from gdl.circuit.game import GameCircuit
from gdl.circuit.phases import find_phases
from gdl.native.code import llvm as engine
from gdl.native.code.ir import WORD
from gdl.native.code.memory import aligned
from gdl.native.code.target import native_target
from gdl.native.lanes.playouts import LaneCode, compile_lanes, seeds
from gdl.native.lanes.ply import build_program
from gdl.perft import joint_moves
from tests.native.circuits import marbles, tictactoe, urn, walk
from tests.native.plain import PlainMachine


class Probe:
    """Runs the plies of compiled lanes one at a time and reads their states."""

    def __init__(self, circuit: GameCircuit, compiled: LaneCode) -> None:
        clock = find_phases(circuit)
        self.program = build_program(circuit, clock)
        self.circuit, self.clock, self.compiled = circuit, clock, compiled
        self.code = engine.Code(compiled.code)
        self.memory = aligned(compiled.size)
        words = compiled.width // WORD
        size = compiled.slots * compiled.width // 8
        self.slots = self.memory[:size].view(np.uint64).reshape(compiled.slots, words)
        self.slots[compiled.layout.quota] = 1 << 40
        self.slots[compiled.layout.seed : compiled.layout.seed + 2] = seeds(7, 0, words)

    def call(self, name: str) -> None:
        function = ctypes.CFUNCTYPE(None, ctypes.c_void_p)(self.code.address(name))
        function(self.memory.ctypes.data)

    def lanes(self, slot: int, count: int = 1) -> NDArray[np.bool_]:
        """Return so many slots, a row a slot and a column a lane."""
        rows = self.slots[slot : slot + count].view(np.uint8)
        return np.unpackbits(rows, axis=1, bitorder="little").astype(bool)

    def states(self, phase: int) -> list[frozenset[int]]:
        """Return the stored facts of each lane, and those of the clock."""
        held = self.lanes(self.compiled.layout.facts, len(self.program.stored))
        constant = self.clock.phases[phase % self.clock.period]
        return [
            constant | {self.program.stored[i] for i in np.flatnonzero(column)} for column in held.T
        ]

    def plies(self, cycles: int) -> Iterator[tuple[int, list[frozenset[int]]]]:
        """Yield the phase and the states before each ply, having played it."""
        for _ in range(cycles):
            self.call("start")
            for phase in range(self.clock.period):
                before = self.states(phase)
                self.call(f"ply_{phase}")
                yield phase, before


def check_lockstep(circuit: GameCircuit, compiled: LaneCode, cycles: int) -> int:
    """Compare so many cycles and return the number of moves seen."""
    probe = Probe(circuit, compiled)
    needed = {*probe.program.stored, *probe.clock.facts}
    plain = PlainMachine(circuit)
    moves = 0
    successors: dict[frozenset[int], dict[frozenset[int], bool]] = {}
    live = np.ones(compiled.width, bool)
    for phase, before in probe.plies(cycles):
        after = probe.states(phase + 1)
        went = probe.lanes(compiled.layout.go)[0]
        ended = probe.lanes(compiled.layout.terminal)[0]
        still = probe.lanes(compiled.layout.live)[0]
        live = live | (phase == 0)
        for lane in range(compiled.width):
            old, new = before[lane], after[lane]
            if not went[lane]:
                static = set(probe.program.stored)
                assert not live[lane] or old & static == new & static
                continue
            if old not in successors:
                full = plain.complete(old)
                assert not plain.is_terminal(full)
                successors[old] = {
                    frozenset(state & needed): plain.is_terminal(state)
                    for state in (plain.successor(full, m) for m in joint_moves(plain, full))
                }
            assert new in successors[old]
            assert bool(ended[lane]) == successors[old][new]
            assert bool(still[lane]) != bool(ended[lane])
            moves += 1
        live = still
    return moves


@pytest.mark.slow
@pytest.mark.parametrize("width", [64, 256, 512])
@pytest.mark.parametrize(
    "circuit",
    [tictactoe(), walk(5), urn(6, [[0, 1, 4], [2, 3]], waits=3), marbles()],
    ids=["ttt", "walk", "urn", "marbles"],
)
def test_every_lane_plays_by_the_rules(circuit: GameCircuit, width: int) -> None:
    compiled = compile_lanes(circuit, target=native_target(width))
    assert check_lockstep(circuit, compiled, 40) > 20 * width // 2


def _spoil(circuit: GameCircuit, node: int) -> GameCircuit:
    """Invert one operand of one and-gate."""
    aig = Aig(
        [edge ^ (i == node) for i, edge in enumerate(circuit.aig.left)],
        list(circuit.aig.right),
        list(circuit.aig.inputs),
    )
    return replace(circuit, aig=aig)


@pytest.mark.slow
@pytest.mark.parametrize("step", [150, 9])
def test_a_seeded_fault_in_a_gate_is_caught(step: int) -> None:
    circuit = tictactoe()
    played = cone(circuit.aig, [circuit.terminal, *sum(circuit.legal, ()), *circuit.next])
    for gate in played[::step]:
        compiled = compile_lanes(_spoil(circuit, gate))
        with pytest.raises(AssertionError):
            check_lockstep(circuit, compiled, 100)


def test_the_plain_machine_is_the_evaluation() -> None:
    circuit = tictactoe()
    plain = PlainMachine(circuit)
    found = evaluate(circuit, [circuit.facts[f] for f in circuit.initial])
    assert plain.legal(plain.initial(), circuit.roles[0]) == found.legal[0]
    assert negate(negate(circuit.terminal)) == circuit.terminal
