"""Large circuits run as lists of gates: the same games, state by state and seed by seed."""

from __future__ import annotations

from array import array
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import pytest

import gdl.ruleset
from gdl.circuit.game import GameCircuit
from gdl.compile import build
from gdl.machine import IllegalMoveError
from gdl.native.code import gate_list, schedule
from gdl.native.code import llvm as engine
from gdl.native.code.ir import Target
from gdl.native.code.schedule import GateList
from gdl.native.code.target import native_target
from gdl.native.game import FEW, NativeGame
from gdl.native.kernel.kernel import compile_kernel
from gdl.native.kernel.state_machine import NativeMachine
from gdl.native.lanes.playouts import LaneCode, Lanes, compile_lanes
from gdl.reason.machine import Reasoner
from tests.native.stages import Step, machine_difference, play

NAMES = ("tictactoe", "connectfour", "pentago/strict", "pentago/phased")
WIDTHS = (64, 128, 256, 512)


@cache
def circuit(name: str) -> GameCircuit:
    return build(gdl.ruleset.find(name).description)


@cache
def known(name: str, states: int) -> list[Step]:
    return play(Reasoner(gdl.ruleset.find(name).description), states=states, seed=8)


@pytest.fixture
def lists(monkeypatch: pytest.MonkeyPatch) -> None:
    """Make a list of gates of every circuit, however small."""
    monkeypatch.setattr(schedule, "LISTED_FROM", 1)


@cache
def as_code(name: str, width: int) -> LaneCode:
    return compile_lanes(circuit(name), target=native_target(width))


@pytest.mark.sample(1)
@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("width", WIDTHS)
def test_every_playout_is_the_one_of_the_machine_code(
    request: pytest.FixtureRequest, name: str, width: int
) -> None:
    """Same seed, same games: lengths and goals are equal, not only alike."""
    code = as_code(name, 512)
    request.getfixturevalue("lists")
    listed = compile_lanes(circuit(name), target=native_target(width))
    assert b"_rows" in listed.code
    assert Lanes(listed).playouts(20_000, seed=5) == Lanes(code).playouts(20_000, seed=5)


@pytest.mark.sample(1)
@pytest.mark.parametrize("name", NAMES)
def test_lanes_made_quickly_play_the_same(name: str) -> None:
    quick = compile_lanes(circuit(name), target=native_target(512), is_quick=True)
    assert b"_rows" in quick.code
    assert Lanes(quick).playouts(20_000, seed=4) == Lanes(as_code(name, 512)).playouts(
        20_000, seed=4
    )


def test_few_playouts_never_wait_for_machine_code() -> None:
    game = NativeGame("ttt", lambda: circuit("tictactoe"), keep=False)
    few = game.playouts(FEW // 2, seed=7)
    assert game.playouts(FEW // 2, seed=7) == few
    assert "lanes" not in vars(game)
    many = game.playouts(1, seed=8)  # together they are more than a few
    assert "lanes" in vars(game)
    assert game.playouts(FEW // 2, seed=7) == few
    assert game.quick_lanes.playouts(1, seed=8) == many


@pytest.mark.usefixtures("lists")
def test_a_list_that_is_made_in_any_case_is_made_once(tmp_path: Path) -> None:
    game = NativeGame("ttt", lambda: circuit("tictactoe"), folder=tmp_path)
    game.playouts(1)
    assert game.lanes is game.quick_lanes
    again = NativeGame("ttt", lambda: circuit("tictactoe"), folder=tmp_path)
    assert again.lanes is again.quick_lanes


@pytest.mark.later
@pytest.mark.parametrize("name", NAMES)
def test_rows_are_the_same_however_many_a_stage_has(
    monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    quick = compile_lanes(circuit(name), target=native_target(256), is_quick=True)
    monkeypatch.setattr(gate_list, "MANY_GATES", 1)
    monkeypatch.setattr(schedule, "MANY_GATES", 1)
    again = compile_lanes(circuit(name), target=native_target(256), is_quick=True)
    assert again.code == quick.code


def test_machine_code_that_lies_on_disk_runs_few_playouts_too(tmp_path: Path) -> None:
    first = NativeGame("ttt", lambda: circuit("tictactoe"), folder=tmp_path)
    counts = first.playouts(FEW + 1, seed=7)
    again = NativeGame("ttt", lambda: circuit("tictactoe"), folder=tmp_path)
    again.playouts(1)
    assert "quick_lanes" not in vars(again)
    assert again.playouts(FEW + 1, seed=7) == counts


@pytest.mark.later
@pytest.mark.sample(2)
@pytest.mark.usefixtures("lists")
@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("width", WIDTHS)
def test_every_state_is_the_one_of_the_reasoner(name: str, width: int) -> None:
    machine = NativeMachine(compile_kernel(circuit(name), target=native_target(width)))
    assert machine_difference(machine, known(name, 150)) is None


@dataclass
class Fault:
    """Counts rows, and turns one bit of one of them."""

    row: int
    entry: int
    bit: int
    rows: int = 0

    def of(self, target: Target, listed: GateList, stage: int) -> array[int]:
        found = PLAIN_ROWS(target, listed, stage)
        here = 3 * (self.row - self.rows)
        if 0 <= here < len(found):
            found[here + self.entry] ^= self.bit
        self.rows += len(found) // 3
        return found


PLAIN_ROWS = gate_list.rows


@pytest.mark.later
@pytest.mark.sample(8)
@pytest.mark.usefixtures("lists")
@pytest.mark.parametrize("entry", range(3))
@pytest.mark.parametrize("row", range(0, 60, 6))
def test_a_sign_that_is_wrong_in_one_row_is_found(
    monkeypatch: pytest.MonkeyPatch, row: int, entry: int
) -> None:
    fault = Fault(row, entry, bit=1)
    monkeypatch.setattr(gate_list, "rows", fault.of)
    machine = NativeMachine(compile_kernel(circuit("tictactoe"), target=native_target(64)))
    assert fault.rows > row
    try:
        found = machine_difference(machine, known("tictactoe", 1_000))
    except IllegalMoveError:
        return
    assert found is not None


@pytest.mark.later
@pytest.mark.sample(2)
@pytest.mark.parametrize("name", NAMES)
def test_code_of_a_long_text_is_other_code_for_the_same_games(
    monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    code = as_code(name, 512)
    monkeypatch.setattr(engine, "LONG_TEXT", 0)
    quickly = compile_lanes(circuit(name), target=native_target(512))
    assert quickly.code != code.code
    assert Lanes(quickly).playouts(20_000, seed=6) == Lanes(code).playouts(20_000, seed=6)
