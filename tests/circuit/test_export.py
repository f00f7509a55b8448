"""Circuits written as AIGER and Graphviz, read back by a reader of a few lines."""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from gdl.circuit.aiger import aiger_bytes, aiger_text
from gdl.circuit.dot import dot_text
from gdl.circuit.evaluate import evaluate
from gdl.compile import GameCircuit, build
from gdl.compile.game_network import game_network
from gdl.compile.ground import ground
from gdl.compile.pipeline import game_circuit
from gdl.compile.program import needed_clauses
from gdl.language.clauses import clauses
from gdl.language.parse import parse, read
from tests.shared import ROOT

TOGGLE = """
(role robot) (init off)
(<= (legal robot |push "hard"|) (true off))
(<= (legal robot wait) (true off))
(<= (legal robot wait) (true on))
(<= (next on) (does robot |push "hard"|))
(<= (next on) (true on))
(<= (next off) (true off) (does robot wait))
(<= terminal (true on))
(<= (goal robot 100) (true on))
(<= (goal robot 0) (true off))
"""


@dataclass
class Model:
    """An AIGER file."""

    inputs: list[int]
    latches: list[tuple[int, int, int]]
    outputs: list[int]
    gates: list[tuple[int, int, int]]
    symbols: dict[str, str]

    def values(self, state: list[int], inputs: list[int]) -> dict[int, int]:
        value = {0: 0}
        value.update(zip(self.inputs, inputs, strict=True))
        value.update((latch[0], bit) for latch, bit in zip(self.latches, state, strict=True))
        for gate, left, right in self.gates:
            value[gate] = self.bit(value, left) & self.bit(value, right)
        return value

    @staticmethod
    def bit(value: dict[int, int], edge: int) -> int:
        return value[edge & ~1] ^ (edge & 1)


def read_ascii(text: str) -> Model:
    lines = text.splitlines()
    word, largest, inputs, latches, outputs, gates = lines[0].split()
    assert word == "aag"
    assert int(largest) == int(inputs) + int(latches) + int(gates)
    rows = iter(lines[1:])
    return Model(
        inputs=[int(next(rows)) for _ in range(int(inputs))],
        latches=[tuple(map(int, next(rows).split())) for _ in range(int(latches))],  # type: ignore[misc]  # three each
        outputs=[int(next(rows)) for _ in range(int(outputs))],
        gates=[tuple(map(int, next(rows).split())) for _ in range(int(gates))],  # type: ignore[misc]  # three each
        symbols=dict(row.split(" ", 1) for row in rows),
    )


def read_binary(content: bytes) -> Model:
    position = content.index(b"\n") + 1
    _, _, inputs, latches, outputs, gates = map(bytes.decode, content[:position].split())
    rows = content[position:].split(b"\n", int(latches) + int(outputs))
    model = Model([2 * i + 2 for i in range(int(inputs))], [], [], [], {})
    for index in range(int(latches)):
        follows, start = map(int, rows[index].split())
        model.latches.append((2 * (int(inputs) + index + 1), follows, start))
    model.outputs = [int(row) for row in rows[int(latches) : -1]]
    rest = iter(rows[-1])

    def number() -> int:
        value = shift = 0
        while True:
            byte = next(rest)
            value |= (byte & 0x7F) << shift
            shift += 7
            if byte < 0x80:
                return value

    for index in range(int(gates)):
        gate = 2 * (int(inputs) + int(latches) + index + 1)
        left = gate - number()
        model.gates.append((gate, left, left - number()))
    model.symbols = dict(row.split(" ", 1) for row in bytes(rest).decode().splitlines())
    return model


@pytest.fixture(scope="module")
def tictactoe() -> GameCircuit:
    return build(read(ROOT / "rulesets" / "tictactoe" / "tictactoe.kif"))


def test_a_small_file_is_written_as_the_format_says() -> None:
    as_written = needed_clauses(clauses(parse(TOGGLE, syntax="kif")))
    circuit = game_circuit(game_network(ground(as_written)))
    assert aiger_text(circuit) == (ROOT / SAMPLE).read_text()


SAMPLE = "tests/circuit/toggle.aag"


def test_both_forms_say_the_same(tictactoe: GameCircuit) -> None:
    assert read_ascii(aiger_text(tictactoe)) == read_binary(aiger_bytes(tictactoe))


def test_an_aiger_file_plays_the_game(tictactoe: GameCircuit) -> None:
    model = read_ascii(aiger_text(tictactoe))
    state = [start for _, _, start in model.latches]
    facts = [tictactoe.facts[index] for index in sorted(tictactoe.initial)]
    names = [name for key, name in model.symbols.items() if key.startswith("o")]
    for _ in range(5):
        says = evaluate(tictactoe, facts)
        joint = [row[-1] for row in says.legal]
        chosen = {
            f"(does {role} {move})" for role, move in zip(tictactoe.roles, joint, strict=True)
        }
        inputs = [int(model.symbols[f"i{index}"] in chosen) for index in range(len(model.inputs))]
        value = model.values(state, inputs)
        true = {
            name for name, edge in zip(names, model.outputs, strict=True) if model.bit(value, edge)
        }
        assert ("terminal" in true) == says.terminal
        for role, moves in zip(tictactoe.roles, says.legal, strict=True):
            assert {name for name in true if name.startswith(f"(legal {role} ")} == {
                f"(legal {role} {move})" for move in moves
            }
        state = [model.bit(value, follows) for _, follows, _ in model.latches]
        facts = sorted(evaluate(tictactoe, facts, joint).next)
        held = [f"(true {fact})" for fact in facts]
        assert [model.symbols[f"l{i}"] for i, bit in enumerate(state) if bit] == held


def test_a_picture_has_every_name_once_and_quotes_it() -> None:
    text = dot_text(build(parse(TOGGLE, syntax="kif")))
    assert text.startswith("digraph circuit {\n")
    assert text.endswith("}\n")
    assert text.count('label="(true off)"') == 1
    assert 'label="(does robot |push \\"hard\\"|)"' in text
