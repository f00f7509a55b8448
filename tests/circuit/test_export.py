"""Circuits written as AIGER and Graphviz, read back by a reader of a few lines."""

from __future__ import annotations

import pytest

from gdl.circuit.aiger import model_bytes, model_of, model_text
from gdl.circuit.dot import dot_text
from gdl.circuit.evaluate import evaluate
from gdl.compile import GameCircuit, build
from gdl.compile.gates.game_network import game_network
from gdl.compile.grounding.ground_game import ground
from gdl.compile.pipeline import game_circuit
from gdl.compile.rules.logic_program import needed_clauses
from gdl.language.clauses import clauses
from gdl.language.parse import parse, read
from tests.circuit.aiger_file import bit, read_aiger
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


@pytest.fixture(scope="module")
def tictactoe() -> GameCircuit:
    return build(read(ROOT / "rulesets" / "tictactoe" / "tictactoe.kif"))


def test_a_small_file_is_written_as_the_format_says() -> None:
    as_written = needed_clauses(clauses(parse(TOGGLE, syntax="kif")))
    circuit = game_circuit(game_network(ground(as_written)))
    assert model_text(model_of(circuit)) == (ROOT / SAMPLE).read_text()


SAMPLE = "tests/circuit/toggle.aag"


def test_both_forms_say_the_same(tictactoe: GameCircuit) -> None:
    assert read_aiger(model_text(model_of(tictactoe)).encode()) == read_aiger(
        model_bytes(model_of(tictactoe))
    )


def test_an_aiger_file_plays_the_game(tictactoe: GameCircuit) -> None:
    model = read_aiger(model_text(model_of(tictactoe)).encode())
    state = model.start()
    facts = [tictactoe.facts[index] for index in sorted(tictactoe.initial)]
    names = [name for key, name in model.names.items() if key.startswith("o")]
    for _ in range(5):
        says = evaluate(tictactoe, facts)
        joint = [row[-1] for row in says.legal]
        chosen = {
            f"(does {role} {move})" for role, move in zip(tictactoe.roles, joint, strict=True)
        }
        inputs = [int(model.names[f"i{index}"] in chosen) for index in range(len(model.inputs))]
        value = model.values(state, inputs)
        true = {name for name, edge in zip(names, model.outputs, strict=True) if bit(value, edge)}
        assert ("terminal" in true) == says.terminal
        for role, moves in zip(tictactoe.roles, says.legal, strict=True):
            assert {name for name in true if name.startswith(f"(legal {role} ")} == {
                f"(legal {role} {move})" for move in moves
            }
        state = [bit(value, follows) for _, follows, _ in model.latches]
        facts = sorted(evaluate(tictactoe, facts, joint).next)
        true_now = [f"(true {fact})" for fact in facts]
        assert [model.names[f"l{i}"] for i, held in enumerate(state) if held] == true_now


def test_a_picture_has_every_name_once_and_quotes_it() -> None:
    text = dot_text(build(parse(TOGGLE, syntax="kif")))
    assert text.startswith("digraph circuit {\n")
    assert text.endswith("}\n")
    assert text.count('label="(true off)"') == 1
    assert 'label="(does robot |push \\"hard\\"|)"' in text
