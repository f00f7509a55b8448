"""Memory by name says the same as those who count and play for everybody."""

from __future__ import annotations

import numpy as np
import pytest

from gdl.circuit.game import GameCircuit
from gdl.native.kernel.kernel import Kernel, compile_kernel
from gdl.native.lanes.playouts import Lanes, compile_lanes
from gdl.native.memory_views import KernelMemory, LaneMemory
from tests.native.circuits import marbles, stuck, tictactoe
from tests.native.plain import PlainMachine

ONES = np.uint64(0xFFFF_FFFF_FFFF_FFFF)


@pytest.mark.parametrize("circuit", [tictactoe(), marbles(), stuck()])
def test_lanes_dealt_by_hand_count_what_playouts_count(circuit: GameCircuit) -> None:
    lanes = Lanes(compile_lanes(circuit))
    expected = lanes.playouts(64, seed=5)
    memory = LaneMemory(lanes)
    assert not any(part.any() for part in memory.progress)
    memory.seed(5)
    memory.deal([64] + [0] * (memory.words - 1))
    while not memory.run(4):
        pass
    assert not memory.live.any()
    assert sorted(memory.ends[memory.ends > 0]) == sorted(expected.goals.values())
    assert memory.lengths.sum() == expected.lengths.total()
    came_through = sum((length + 1) * n for length, n in expected.lengths.items())
    assert memory.positions() == came_through


def test_a_play_looked_at_ply_by_ply_is_a_play_of_the_game() -> None:
    circuit = tictactoe()
    lanes, plain = Lanes(compile_lanes(circuit)), PlainMachine(circuit)
    compiled, memory = lanes.compiled, LaneMemory(lanes)
    memory.seed(1)
    memory.deal(1)
    memory.start()
    state, one = plain.initial(), np.uint64(1)
    for ply in range(200):
        memory.ply(ply % compiled.period)
        if not memory.moved[0] & one:
            continue  # it sits out, see `gdl.native.lanes.random_rank`
        held = {f for f, row in zip(compiled.stored, memory.facts, strict=True) if row[0] & one}
        held |= compiled.phases[(ply + 1) % compiled.period]
        joints = (
            (a, b)
            for a in plain.legal(state, plain.roles[0])
            for b in plain.legal(state, plain.roles[1])
        )
        assert held in [plain.successor(state, joint) for joint in joints]
        state = frozenset(held)
        assert bool(memory.over[0] & one) == plain.is_terminal(state)
        if plain.is_terminal(state):
            break
    assert plain.is_terminal(state)


@pytest.mark.parametrize("circuit", [tictactoe(), marbles()])
def test_a_vector_of_states_holds_legal_moves_and_goals_by_role(circuit: GameCircuit) -> None:
    kernel, plain = Kernel(compile_kernel(circuit)), PlainMachine(circuit)
    memory = KernelMemory(kernel)
    state = plain.initial()
    for _ in range(9):
        kernel.observe(memory.at)
        held = {f for f, row in enumerate(memory.facts) if row.all()}
        assert held == state
        assert bool(memory.terminal.all()) == plain.is_terminal(state)
        legal = [memory.legal[a:b] for a, b in zip(memory.first, memory.first[1:], strict=False)]
        goals = [
            memory.goals[a:b]
            for a, b in zip(memory.first_goal, memory.first_goal[1:], strict=False)
        ]
        for r, role in enumerate(plain.roles):
            moves = [circuit.moves[r][i] for i, row in enumerate(legal[r]) if row.all()]
            assert tuple(moves) == plain.legal(state, role)
            values = [circuit.goals[r][i][0] for i, row in enumerate(goals[r]) if row.all()]
            assert tuple(values) == plain.goals(state, role)
        if plain.is_terminal(state):
            break
        chosen = [int(np.flatnonzero(rows.all(axis=1))[-1]) for rows in legal]
        memory.moves[:] = 0
        for first, move in zip(memory.first, chosen, strict=False):
            memory.moves[first + move] = ONES
        memory.hold[:] = 0
        kernel.advance(memory.at)
        joint = tuple(circuit.moves[r][i] for r, i in enumerate(chosen))
        state = plain.successor(state, joint)
    assert len(memory.moves) == len(memory.legal) == memory.first[-1]
