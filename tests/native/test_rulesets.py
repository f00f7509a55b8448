"""Reasoner, kernel, scalar and lanes in lockstep on the shipped rulesets."""

from __future__ import annotations

import random
from functools import cache

import numpy as np
import pytest
from numpy.typing import NDArray

import gdl.ruleset
from gdl.compile import build
from gdl.compile.circuit import GameCircuit
from gdl.native.events import make_tables
from gdl.native.kernel import Kernel, compile_kernel
from gdl.native.lanes import compile_lanes
from gdl.native.machine import NativeMachine
from gdl.native.perft import Expander
from gdl.native.phases import find_clock
from gdl.native.scalar import Scalar, scalar_code
from gdl.native.target import native_target
from gdl.playouts import playout
from gdl.reason.machine import Reasoner
from tests.native.test_lanes_lockstep import Probe

RULESETS = (
    "tictactoe",
    "connectfour",
    "pentago/strict",
    "pentago/utwente",
    "pentago/classic",
    "pentago/phased",
    "gomoku/freestyle",
)


@cache
def circuit(name: str) -> GameCircuit:
    return build(gdl.ruleset.find(name).description)


@pytest.mark.parametrize("name", RULESETS)
def test_every_back_end_agrees_with_the_reasoner(name: str) -> None:
    reasoner = Reasoner(gdl.ruleset.find(name).description)
    game = circuit(name)
    native = NativeMachine(compile_kernel(game, target=native_target(64)))
    scalar = Scalar(make_tables(game, find_clock(game)), scalar_code())
    stored = frozenset(scalar.tables.fact_index)
    rng = random.Random(3)
    for _ in range(2):
        here, position = native.initial(), scalar.initial()

        def compare(state: frozenset[object], joint_move: tuple[object, ...]) -> None:
            nonlocal here, position
            facts = native.facts(here)
            assert facts == state
            held = frozenset(i for i in stored if game.facts[i] in facts)
            assert scalar.facts(position) == held
            assert native.is_terminal(here) == scalar.is_terminal(position) is False
            mover = scalar.mover(position)
            names = scalar.tables.moves[position.phase]
            for r, role in enumerate(native.roles):
                legal = reasoner.legal(state, role)  # type: ignore[arg-type]
                assert native.legal(here, role) == legal
                if r == mover:
                    assert tuple(game.moves[r][names[i]] for i in scalar.legal(position)) == legal
            number = game.moves[mover].index(joint_move[mover])
            position = scalar.play(position, names.index(number))
            here = native.successor(here, joint_move)  # type: ignore[arg-type]

        last, _ = playout(reasoner, reasoner.initial(), rng, on_step=compare)
        assert native.facts(here) == last
        assert (
            native.is_terminal(here) == scalar.is_terminal(position) == reasoner.is_terminal(last)
        )
        goals = tuple(reasoner.goals(last, role) for role in reasoner.roles)
        assert tuple(native.goals(here, role) for role in native.roles) == goals
        assert scalar.goals(position) == goals


@pytest.mark.parametrize("name", RULESETS)
@pytest.mark.parametrize("width", [64, 512])
def test_every_lane_goes_where_a_legal_move_leads(name: str, width: int) -> None:
    game = circuit(name)
    probe = Probe(game, compile_lanes(game, target=native_target(width)))
    needed = np.zeros(len(game.facts), np.bool_)
    needed[[*probe.program.stored, *probe.clock.facts]] = True
    expander = Expander(Kernel(compile_kernel(game)))
    cycles = 70 // probe.clock.period
    for ply, (phase, before) in enumerate(probe.plies(cycles)):
        if ply % 17:
            continue
        after = _packed(game, probe.states(phase + 1), needed)
        went = np.flatnonzero(probe.lanes(probe.compiled.layout.go)[0])[:16]
        ended = probe.lanes(probe.compiled.layout.terminal)[0]
        states = _packed(game, [before[lane] for lane in went], needed)
        legal, over = expander.look(states)
        assert not over.any()
        for i, lane in enumerate(went):
            choices = [np.flatnonzero(mask[i]) for mask in legal]
            joints = np.stack(np.meshgrid(*choices, indexing="ij"), -1).reshape(-1, len(choices))
            children, terminal, _ = expander.play(
                np.repeat(states[i : i + 1], len(joints), axis=0), list(joints.T)
            )
            same = (
                np.unpackbits(children, axis=1, count=len(needed)) & needed
                == np.unpackbits(after[lane], count=len(needed))
            ).all(axis=1)
            assert same.any()
            assert set(terminal[same]) == {ended[lane]}


def _packed(
    game: GameCircuit, states: list[frozenset[int]], needed: NDArray[np.bool_]
) -> NDArray[np.uint8]:
    bits = np.zeros((len(states), len(game.facts)), np.bool_)
    for row, state in zip(bits, states, strict=True):
        row[list(state)] = True
    return np.packbits(bits & needed, axis=1)
