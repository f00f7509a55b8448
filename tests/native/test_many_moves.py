"""Games of tens of thousands of moves: their code is made in seconds and draws from all."""

from __future__ import annotations

import ctypes
import time

import numpy as np
import pytest

from gdl.circuit.game import GameCircuit
from gdl.compile import build
from gdl.language.parse import parse
from gdl.native.code import llvm as engine
from gdl.native.code.target import declarations, native_target
from gdl.native.kernel.batch import Batch
from gdl.native.kernel.kernel import Kernel, compile_kernel
from gdl.native.kernel.sample import emit_sample


def pairs(numbers: int) -> GameCircuit:
    """Return a game of one ply in which every pair of numbers is a legal move."""
    known = " ".join(f"(number {i})" for i in range(numbers))
    return build(
        parse(
            f"""(role a) (init start) {known}
            (<= (legal a (pair ?x ?y)) (number ?x) (number ?y))
            (<= (next (same ?x)) (does a (pair ?x ?x)))
            (<= terminal (not (true start)))
            (<= (goal a 100) (true (same ?x))) (goal a 0)"""
        )
    )


@pytest.mark.sample(2)
@pytest.mark.parametrize("moves", [300, 65_535, 65_536, 90_000])
def test_any_number_of_moves_can_be_drawn_from(moves: int) -> None:
    target = native_target(64)
    code = engine.Code(engine.assemble(declarations(target) + emit_sample(target, moves)))
    pointer, number = ctypes.c_void_p, ctypes.c_int64
    sample = ctypes.CFUNCTYPE(None, pointer, number, number, pointer, pointer)(
        code.address("sample")
    )
    legal = np.arange(moves) % 3 != 0
    rows = np.repeat(legal[:, None], 64, axis=1)
    chance = np.linspace(0, 0.9999, 64, dtype=np.float32)
    drawn = np.zeros(64, np.int32)
    sample(rows.ctypes.data, moves, 64, chance.ctypes.data, drawn.ctypes.data)
    names = np.flatnonzero(legal)
    ranks = (chance.astype(np.float64) * (1 << 24)).astype(np.int64) * len(names) >> 24
    assert drawn.tolist() == names[ranks].tolist()


@pytest.mark.slow
def test_code_for_many_moves_that_are_always_legal_is_made_in_seconds() -> None:
    few, many = pairs(20), pairs(100)
    times = []
    for circuit in (few, many):
        begun = time.process_time()
        kernel = Kernel(compile_kernel(circuit, target=native_target(64)))
        times.append(time.process_time() - begun)
        batch = Batch(kernel, 3)
        moves = len(circuit.moves[0])
        assert batch.legal[0].all()
        batch.step([0, 1, moves - 1])
        assert batch.terminal.all()
        same = [
            circuit.moves[0][move].args[0] == circuit.moves[0][move].args[1]  # type: ignore[union-attr]  # pairs
            for move in (0, 1, moves - 1)
        ]
        assert batch.goals[:, 0].tolist() == [-1 if one else 0 for one in same]
    assert times[1] < 25 * times[0] + 1
