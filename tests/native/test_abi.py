"""What Python and `events.ll` share is declared once: neither side knows the order."""

from __future__ import annotations

import random
from dataclasses import fields, make_dataclass
from importlib.resources import files

import numpy as np
import pytest

from gdl.circuit.phases import find_phases
from gdl.native.code import llvm as engine
from gdl.native.scalar import abi, events
from gdl.native.scalar import game as scalar
from gdl.native.scalar.abi import READER, Record, completed
from gdl.native.scalar.events import make_tables
from gdl.native.scalar.game import Scalar, scalar_code
from tests.native.circuits import marbles, tictactoe


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(3))
def test_a_changed_order_still_works(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Fields of the record and of readers in any order give the same games, code made anew."""
    circuit = (tictactoe(), marbles())[seed % 2]
    game = Scalar(make_tables(circuit, find_phases(circuit)), scalar_code())
    expected = game.rollouts(game.initial(), 300, seed=seed)

    rng = random.Random(seed)
    mixed = rng.sample(fields(Record), len(fields(Record)))
    other = make_dataclass("Record", [(field.name, field.type) for field in mixed])
    monkeypatch.setattr(scalar, "Record", other)
    names = list(READER.names or ())[:: -1 if seed else 1]
    names[0], names[-1] = names[-1], names[0]
    row = np.dtype([(name, READER[name]) for name in names], align=True)
    monkeypatch.setattr(scalar, "READER", row)
    monkeypatch.setattr(events, "READER", row)

    again = Scalar(make_tables(circuit, find_phases(circuit)), scalar_code())
    assert again.rollouts(again.initial(), 300, seed=seed) == expected
    first, second = (g.play(g.initial(), int(g.legal(g.initial())[0])) for g in (game, again))
    assert game.goals(first) == again.goals(second)


def function(*lines: str) -> str:
    return "\n".join(["define void @f(ptr %t) {", *lines, "  ret void", "}", "!0 = !{}", ""])


@pytest.mark.parametrize("name", ["tables.node", "reader.nodes", "tables.gates"])
def test_a_name_that_is_not_declared_is_an_error(name: str) -> None:
    with pytest.raises(NameError, match=f"reads {name}, which is not declared"):
        completed(function(f"  %x = call @{name}(ptr %t)"), Record, READER)


@pytest.mark.parametrize(
    ("name", "use"),
    [
        ("tables.nodes", "%y = add i64 %x, 1"),
        ("tables.roles", "%y = load i64, ptr %x"),
        ("reader.counts", "%y = add i64 %x, 1"),
    ],
)
def test_a_field_taken_for_another_kind_is_an_error(name: str, use: str) -> None:
    text = function(f"  %x = call @{name}(ptr %t)", f"  {use}")
    with pytest.raises(RuntimeError, match="'%x' defined with type"):
        engine.assemble(completed(text, Record, READER))


def test_the_record_must_be_filled_by_its_names() -> None:
    with pytest.raises(TypeError, match="unexpected keyword argument 'node'"):
        Record(node=0)  # type: ignore[call-arg]


def test_every_field_is_read() -> None:
    """What nothing reads is not declared."""
    folder = files("gdl.native.scalar")
    text = "".join(folder.joinpath(n).read_text() for n in ("events.ll", "events_avx512.ll"))
    assert {f"@tables.{f.name}(" for f in fields(abi.Record)} <= {
        word + "(" for part in text.split() for word in [part.split("(")[0]]
    }
