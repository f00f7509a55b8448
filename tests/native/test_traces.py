"""Replay of matches that an independent reasoner recorded, on every native stage.

What can be compiled within the time that `gdl.load` gives it must play them without a
difference: circuit, kernel, and the game for search where one role at a time chooses.
"""

from __future__ import annotations

import gzip
import json
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from gdl.backend import AUTO_SECONDS
from gdl.circuit.phases import find_phases
from gdl.compile import CompileLimits, build
from gdl.compile.limits import CompileError
from gdl.language.parse import parse_term, read
from gdl.language.syntax import Term
from gdl.native.code.target import native_target
from gdl.native.kernel.kernel import compile_kernel
from gdl.native.kernel.state_machine import NativeMachine
from gdl.native.scalar.effects import NoTablesError
from gdl.native.scalar.events import make_tables
from gdl.native.scalar.game import Scalar, scalar_code
from tests.native.budget import budget
from tests.native.stages import Step, circuit_difference, machine_difference, scalar_difference
from tests.shared import SHARED, some

TRACES = sorted((SHARED / "traces").glob("*.json.gz"))
MOST_SECONDS = 100.0
"""Processor time of one file."""
QUICK = (
    "ticTacToeSerial",
    "connectFour",
    "biddingTicTacToe",
    "breakthrough",
    "hodgepodge",
)

pytestmark = pytest.mark.skipif(
    not TRACES, reason="the recorded traces are not there (set GDL_SHARED)"
)


def name(path: Path) -> str:
    return path.name.removesuffix(".json.gz")


@cache
def term(text: str) -> Term:
    return parse_term(text, syntax="kif")


def recorded(path: Path) -> tuple[dict[str, Any], list[Step]]:
    """Return a trace and its steps; a null goal is no single value, whichever."""
    with gzip.open(path, "rt", encoding="utf-8") as file:
        trace = json.load(file)
    steps = [
        Step(
            frozenset(map(term, step["state"])),
            tuple(frozenset(map(term, row)) for row in step["legal"]) if "legal" in step else None,
            step["terminal"],
            tuple(None if goal is None else (goal,) for goal in step["goals"]),
            tuple(map(term, step["joint"])) if "joint" in step else None,
        )
        for step in trace["steps"]
    ]
    return trace, steps


@pytest.mark.sample(3)
@pytest.mark.parametrize(
    "path",
    [
        *(pytest.param(path, id=name(path)) for path in TRACES if name(path) in QUICK),
        *(
            pytest.param(path, id=name(path), marks=pytest.mark.slow)
            for path in some([each for each in TRACES if name(each) not in QUICK], 25)
        ),
    ],
)
def test_replay_has_no_difference(path: Path) -> None:
    with budget(MOST_SECONDS, path.name):
        replay(path)


def replay(path: Path) -> None:
    trace, steps = recorded(path)
    try:
        circuit = build(
            read(SHARED / "games" / trace["game"]), limits=CompileLimits(seconds=AUTO_SECONDS)
        )
    except CompileError as error:
        pytest.skip(f"{trace['game']} does not compile in {AUTO_SECONDS:g} s: {error}")
    native = NativeMachine(compile_kernel(circuit, target=native_target(64)))
    assert list(native.roles) == [term(role) for role in trace["roles"]]
    assert circuit_difference(circuit, steps) is None
    assert machine_difference(native, steps) is None
    try:
        tables = make_tables(circuit, find_phases(circuit))
    except NoTablesError:
        return
    assert scalar_difference(Scalar(tables, scalar_code()), circuit, steps) is None


def test_the_quick_ones_are_there() -> None:
    assert set(QUICK) <= set(map(name, TRACES))
