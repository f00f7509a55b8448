"""Reasoner, circuit, kernel, game for search and lanes in lockstep, fact by fact.

Every ruleset that is shipped in full; of the published files a sample, or all of them with
``GDL_CORPUS=all`` (``make test-corpus``). A fault seeded into any one stage is found.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import gdl.ruleset
from gdl.circuit.cone import cone
from gdl.circuit.game import GameCircuit
from gdl.circuit.phases import find_phases
from gdl.compile import CompileLimits, build
from gdl.compile.limits import CompileError
from gdl.language.parse import read
from gdl.language.syntax import Description
from gdl.machine import IllegalMoveError
from gdl.native.code import llvm as engine
from gdl.native.code.target import native_target
from gdl.native.kernel.kernel import KernelCode, compile_kernel
from gdl.native.kernel.state_machine import NativeMachine
from gdl.native.lanes.layout import GoalTableError
from gdl.native.lanes.playouts import compile_lanes
from gdl.native.scalar.effects import NoTablesError
from gdl.native.scalar.events import IDLE, Tables, make_tables
from gdl.native.scalar.game import Scalar, scalar_code
from gdl.reason.machine import Reasoner
from tests.native.budget import budget
from tests.native.circuits import urn
from tests.native.lane_stage import LaneStage, Seen
from tests.native.stages import (
    Step,
    circuit_difference,
    machine_difference,
    play,
    scalar_difference,
)
from tests.native.test_lanes_lockstep import _spoil
from tests.shared import GAMES, IS_WHOLE_CORPUS, needs_games, some

RULESETS = (
    "tictactoe",
    "connectfour",
    "pentago/strict",
    "pentago/utwente",
    "pentago/classic",
    "pentago/phased",
    "gomoku/freestyle",
)
STATES = 10_000 if IS_WHOLE_CORPUS else 3_000
FEW_STATES = 250
CORPUS_STATES = 500
CORPUS_SAMPLE = 12
CORPUS_SECONDS = 60.0 if IS_WHOLE_CORPUS else 6.0
"""Processor time for the reasoner of one file, and as much for its lanes."""
FILE_SECONDS = 300.0 if IS_WHOLE_CORPUS else 40.0
"""Processor time for a file in all."""
CORPUS = some(GAMES, CORPUS_SAMPLE)
CORPUS_LIMITS = CompileLimits(
    seconds=60.0 if IS_WHOLE_CORPUS else 10.0,
    bytes=4 << 30 if IS_WHOLE_CORPUS else 2 << 30,
    gates=10_000_000 if IS_WHOLE_CORPUS else 150_000,
)


@cache
def circuit(name: str) -> GameCircuit:
    return build(gdl.ruleset.find(name).description)


@cache
def reasoner(name: str) -> Reasoner:
    return Reasoner(gdl.ruleset.find(name).description)


@cache
def few_steps(name: str) -> list[Step]:
    return play(reasoner(name), states=FEW_STATES, seed=3)


def first_difference(
    game: GameCircuit,
    steps: list[Step],
    *,
    tables: Tables | None,
    kernel: KernelCode | None = None,
) -> str | None:
    native = NativeMachine(kernel or compile_kernel(game, target=native_target(64)))
    found = circuit_difference(game, steps) or machine_difference(native, steps)
    if found is not None or tables is None:
        return found
    return scalar_difference(Scalar(tables, scalar_code()), game, steps)


def tables_of(game: GameCircuit) -> Tables:
    return make_tables(game, find_phases(game))


def check_lanes(  # noqa: PLR0913  # each keyword is one size of the check
    game: GameCircuit,
    meaning: Reasoner,
    *,
    width: int,
    moves: int,
    confirm: int,
    per_ply: int = 64,
    seconds: float = 1e9,
    kernel: KernelCode | None = None,
) -> Seen:
    lanes = compile_lanes(game, target=native_target(width))
    stage = LaneStage(game, lanes, kernel or compile_kernel(game), meaning)
    return stage.check(moves=moves, confirm=confirm, per_ply=per_ply, seconds=seconds)


@pytest.mark.sample(1)
@pytest.mark.parametrize("name", RULESETS)
def test_a_few_states_of_a_ruleset(name: str) -> None:
    assert first_difference(circuit(name), few_steps(name), tables=tables_of(circuit(name))) is None


@pytest.mark.sample(1)
@pytest.mark.parametrize(
    ("name", "width"),
    [
        *((name, 64) for name in RULESETS[:-1]),
        ("tictactoe", 512),
        ("connectfour", 256),
        ("pentago/phased", 512),
        *(
            pytest.param("gomoku/freestyle", width, marks=pytest.mark.slow)
            for width in (64, 256, 512)
        ),
    ],
)
def test_lanes_go_where_a_legal_move_leads_and_count_how_they_end(name: str, width: int) -> None:
    seen = check_lanes(
        circuit(name), reasoner(name), width=width, moves=500, confirm=50, per_ply=12
    )
    assert seen.moves >= 500
    assert seen.confirmed == 50
    assert seen.counted is not None
    assert seen.counted.total() >= width


@pytest.mark.slow
@pytest.mark.parametrize("name", RULESETS)
def test_very_many_states_of_a_ruleset(name: str) -> None:
    steps = play(reasoner(name), states=STATES, seed=4)
    assert len(steps) == STATES
    assert first_difference(circuit(name), steps, tables=tables_of(circuit(name))) is None


@pytest.mark.slow
@pytest.mark.parametrize("name", RULESETS)
def test_very_many_states_of_lanes(name: str) -> None:
    seen = check_lanes(circuit(name), reasoner(name), width=64, moves=STATES, confirm=STATES // 10)
    assert seen.moves >= STATES
    assert seen.counted is not None


@pytest.mark.slow
@needs_games
@pytest.mark.parametrize("path", CORPUS, ids=lambda path: path.stem)
def test_published_files(path: Path) -> None:
    with budget(FILE_SECONDS, path.name):
        compare_file(path)


def compare_file(path: Path) -> None:
    description = read(path)
    game = compiled(description)
    meaning = Reasoner(description)
    steps = play(meaning, states=CORPUS_STATES, seed=5, seconds=CORPUS_SECONDS)
    try:
        tables = tables_of(game)
    except NoTablesError:
        tables = None
    kernel = compile_kernel(game, target=native_target(64))
    found = first_difference(game, steps, tables=tables, kernel=kernel)
    assert found is None
    if steps[0].terminal or steps[0].joint is None:
        return  # lanes never move
    try:
        seen = check_lanes(
            game,
            meaning,
            width=64,
            moves=len(steps),
            confirm=len(steps) // 10,
            per_ply=12,
            seconds=CORPUS_SECONDS,
            kernel=kernel,
        )
    except GoalTableError as error:
        pytest.skip(f"all but the lanes agree: {error}")
    if not seen.moves:
        pytest.skip("all but the lanes agree: too many joint moves to tell which one a lane made")
    if len(steps) < CORPUS_STATES:
        pytest.skip(f"all agree in {len(steps)} states, and more take the reasoner too long")


def compiled(description: Description) -> GameCircuit:
    try:
        return build(description, limits=CORPUS_LIMITS)
    except CompileError as error:
        pytest.skip(f"does not compile within the limits of this test: {error}")


def spoilt_assembler(function: str, number: int) -> Callable[..., bytes]:
    """Return an assembler that stores nothing but zeros at one place.

    Args:
        function: What the names of the functions begin with in which that is.
        number: Which of their stores, by number from the first on.
    """
    assemble = engine.assemble

    def spoil(text: str, *, level: int | None = None) -> bytes:
        parts = re.split(r"(?m)^(?=define )", text)
        places = [
            (i, found)
            for i, part in enumerate(parts)
            if re.match(rf"define [^(]*@{function}", part)
            for found in re.finditer(r"(?m)^store <\d+ x i64> (%\w+)", part)
        ]
        i, found = places[number % len(places)]
        parts[i] = parts[i][: found.start(1)] + "zeroinitializer" + parts[i][found.end(1) :]
        return assemble("".join(parts), level=level)

    return spoil


@pytest.fixture(scope="module")
def known() -> list[Step]:
    return play(reasoner("tictactoe"), states=1_000, seed=6)


@pytest.mark.slow
def test_without_a_fault_nothing_is_found(known: list[Step]) -> None:
    game = circuit("tictactoe")
    assert first_difference(game, known, tables=tables_of(game)) is None
    assert check_lanes(game, reasoner("tictactoe"), width=64, moves=500, confirm=0).moves >= 500


@pytest.mark.slow
def test_a_fault_in_a_gate_of_the_circuit_is_found(known: list[Step]) -> None:
    game = circuit("tictactoe")
    gates = cone(game.aig, list(game.outputs()))
    missed = [gate for gate in gates if circuit_difference(_spoil(game, gate), known) is None]
    assert missed == []


@pytest.mark.sample(3)
@pytest.mark.parametrize("function", ["observe_", "advance_"])
@pytest.mark.parametrize("number", range(0, 9, 2))
def test_a_fault_in_the_code_of_the_kernel_is_found(
    known: list[Step], monkeypatch: pytest.MonkeyPatch, function: str, number: int
) -> None:
    monkeypatch.setattr(engine, "assemble", spoilt_assembler(function, number))
    native = NativeMachine(compile_kernel(circuit("tictactoe"), target=native_target(64)))
    try:
        found = machine_difference(native, known)
    except IllegalMoveError:
        return
    assert found is not None


@pytest.mark.later
@pytest.mark.sample(4)
@pytest.mark.parametrize("function", ["phase0_1", "phase1_1", "score"])
@pytest.mark.parametrize("number", range(0, 9, 2))
def test_a_fault_in_the_code_of_the_lanes_is_found(
    monkeypatch: pytest.MonkeyPatch, function: str, number: int
) -> None:
    """In the half of a ply that moves; what skews the draw is found by the tests of chance."""
    game = circuit("tictactoe")
    kernel = compile_kernel(game)
    monkeypatch.setattr(engine, "assemble", spoilt_assembler(function, number))
    lanes = compile_lanes(game, target=native_target(64))
    stage = LaneStage(game, lanes, kernel, reasoner("tictactoe"))
    with pytest.raises(AssertionError):
        stage.check(moves=3_000, confirm=0, per_ply=64)


@pytest.fixture(scope="module")
def well_known() -> list[Step]:
    """Enough to see each square as the last one that is empty and nobody with a line."""
    return play(reasoner("tictactoe"), states=5_000, seed=6)


@pytest.mark.slow
def test_a_fault_in_one_of_very_many_joint_moves_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """Three players draw one of forty balls each: 64,000 joint moves, of which one is told."""
    game = urn(40, [range(40)] * 3)
    kernel = compile_kernel(game)

    def seen() -> int:
        lanes = compile_lanes(game, target=native_target(64))
        stage = LaneStage(game, lanes, kernel, reasoner("tictactoe"))
        return stage.check(moves=200, confirm=0, per_ply=4).moves

    assert seen() >= 200
    monkeypatch.setattr(engine, "assemble", spoilt_assembler("phase0_1", 0))
    with pytest.raises(AssertionError):
        seen()


@pytest.mark.slow
@pytest.mark.parametrize("what", ["effects", "readers", "terminal", "goals", "counts"])
def test_a_fault_in_a_table_for_search_is_found(well_known: list[Step], what: str) -> None:
    game = circuit("tictactoe")
    tables = make_tables(game, find_phases(game))
    code = scalar_code()
    spoilt = [Scalar(spoilt_table(tables, what, number), code) for number in range(8)]
    assert [i for i, s in enumerate(spoilt) if scalar_difference(s, game, well_known) is None] == []


def spoilt_table(tables: Tables, what: str, number: int) -> Tables:
    """Return the tables with one bit of one entry turned."""

    def turned(rows: NDArray[Any], bit: int) -> NDArray[Any]:
        odd = rows.copy()
        odd[number * 5 % len(odd)] ^= bit
        return odd

    match what:
        case "effects":
            spoilt = tables.effects[1].copy()
            spoilt[:, 1] = turned(spoilt[:, 1], 1)
            return replace(tables, effects=(tables.effects[0], spoilt))
        case "readers":
            readers = tables.readers.copy()
            rows = np.flatnonzero(readers["gates"])
            row = rows[number * 5 % len(rows)]
            readers["gates"][row] &= readers["gates"][row] - np.uint64(1)
            return replace(tables, readers=readers)
        case "terminal":
            return replace(tables, terminal=turned(tables.terminal, 1))
        case "goals":
            at = number % len(tables.tapes)
            tape = tables.tapes[at]
            odd = replace(tape, goals=tuple(tuple(e ^ 1 for e in row) for row in tape.goals))
            return replace(tables, tapes=(*tables.tapes[:at], odd, *tables.tapes[at + 1 :]))
        case _:
            counts = tables.counts.copy()
            gates = np.flatnonzero(counts.reshape(-1) != IDLE)
            counts.reshape(-1)[gates[number * 5 % len(gates)]] ^= 1
            return replace(tables, counts=counts)
