"""From rules to circuit, stage after stage, held against the reasoner and recorded matches."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from random import Random

import pytest

import gdl.compile.gates.simplify as simplify_module
from gdl.circuit.evaluate import Evaluation, evaluate
from gdl.circuit.game import GameCircuit
from gdl.circuit.validate import validate_circuit
from gdl.compile import build
from gdl.compile.gates.game_network import GameNetwork, game_network
from gdl.compile.gates.simplify import simplify
from gdl.compile.grounding.aspif import GroundProgram
from gdl.compile.grounding.ground_game import GroundGame, ground
from gdl.compile.pipeline import game_circuit
from gdl.compile.rules.logic_program import needed_clauses
from gdl.compile.rules.rule_decomposition import split
from gdl.language.clauses import Clause, clauses
from gdl.language.parse import parse, read
from gdl.language.syntax import Description, Term
from gdl.reason.machine import Reasoner
from gdl.ruleset import find
from tests.compile.lockstep import disagreement
from tests.compile.replays import differences, trace
from tests.shared import SHARED, needs_games

SHIPPED = [
    "tictactoe",
    "connectfour",
    "pentago/phased",
    "pentago/strict",
    "pentago/utwente",
    "pentago/classic",
    "gomoku/freestyle",
]
PLAYED = ["ticTacToe", "connectFour", "pentago", "breakthrough", "3pffa", "biddingTicTacToe"]
RECORDED = ["ticTacToeSerial", "connectFour", "breakthrough", "quad_7x7", "hodgepodge", "3pffa"]
GATES = {
    "ticTacToe": 127,
    "connectFour": 672,
    "pentago": 836,
    "breakthrough": 1_539,
    "gomoku_15x15": 6_045,
    "reversi": 18_344,
}
"""Gates of a prototype that went the same way; more would be a step back."""


def game(name: str) -> Description:
    return read(SHARED / "games" / f"{name}.kif")


def gates(circuit: GameCircuit) -> int:
    return len(list(circuit.aig.ands()))


@pytest.mark.sample(1)
@pytest.mark.parametrize("name", SHIPPED)
def test_shipped_rulesets_agree_with_the_reasoner(name: str) -> None:
    description = find(name).description
    assert disagreement(build(description), Reasoner(description), states=200, seed=1) is None


GUESS = """
(role random) (role guesser) (init start)
(number 1) (number 2) (number 3)
(<= (legal random (think ?n)) (number ?n) (true start))
(<= (legal random noop) (not (true start)))
(<= (legal guesser noop) (true start))
(<= (legal guesser (say ?n)) (number ?n) (not (true start)))
(<= (next (secret ?n)) (does random (think ?n)))
(<= (next (secret ?n)) (true (secret ?n)))
(<= (next (said ?n)) (does guesser (say ?n)))
(<= (sees guesser (right ?n)) (does guesser (say ?n)) (true (secret ?n)))
(<= (sees guesser wrong) (does guesser (say ?n)) (not (true (secret ?n))))
(<= (sees random ?m) (does guesser ?m))
(<= terminal (true (said ?n)) (true (secret ?n)))
(<= (goal guesser 100) terminal) (<= (goal guesser 050) (not terminal))
(<= (goal guesser 50) (true start)) (goal random 0) (goal random many)
"""


def test_percepts_and_odd_goals_agree_with_the_reasoner() -> None:
    description = parse(GUESS, syntax="kif")
    circuit = build(description)
    assert [value for value, _ in circuit.goals[1]] == [50, 100]
    assert disagreement(circuit, Reasoner(description), states=300, seed=7) is None


@pytest.mark.sample(2)
@needs_games
@pytest.mark.parametrize("name", PLAYED)
def test_published_games_agree_with_the_reasoner(name: str) -> None:
    description = game(name)
    assert disagreement(build(description), Reasoner(description), states=100, seed=2) is None


@pytest.mark.sample(1)
@needs_games
@pytest.mark.parametrize("name", RECORDED)
def test_recorded_matches_replay_without_a_difference(name: str) -> None:
    assert differences(build(game(name)), trace(name)) == []


@pytest.mark.slow
@needs_games
@pytest.mark.parametrize("name", ["ticTacToe", "pentago", "ghostMaze2p"])
@pytest.mark.parametrize("is_split", [False, True])
@pytest.mark.parametrize("is_small", [False, True])
def test_each_stage_agrees_with_the_reasoner(name: str, is_split: bool, is_small: bool) -> None:  # noqa: FBT001  # cases
    description = game(name)
    rules: Sequence[Clause] = needed_clauses(clauses(description))
    network = game_network(ground(split(rules) if is_split else rules))
    circuit = game_circuit(simplify(network) if is_small else network)
    validate_circuit(circuit)
    assert disagreement(circuit, Reasoner(description), states=60, seed=3) is None


@pytest.mark.sample(1)
@needs_games
@pytest.mark.parametrize("name", GATES)
def test_circuits_stay_small(name: str) -> None:
    assert gates(build(game(name))) <= GATES[name]


@pytest.mark.slow
@needs_games
def test_a_clause_left_out_is_noticed() -> None:
    description = game("ticTacToe")
    rules = needed_clauses(clauses(description))
    reasoner = Reasoner(description)
    dynamic = [index for index, clause in enumerate(rules) if clause.body]
    unnoticed = [
        str(rules[index].head)
        for index in dynamic
        if disagreement(
            game_circuit(simplify(game_network(ground(rules[:index] + rules[index + 1 :])))),
            reasoner,
            states=400,
            seed=4,
            ask=_forgiving,
        )
        is None
    ]
    assert unnoticed == []


@pytest.mark.sample(3)
@needs_games
@pytest.mark.parametrize("seed", range(12))
def test_a_fault_in_a_ground_rule_is_noticed(seed: int) -> None:
    description = game("ticTacToe")
    faulty = _with_fault(ground(needed_clauses(clauses(description))), Random(seed))
    circuit = game_circuit(simplify(game_network(faulty)))
    assert disagreement(circuit, Reasoner(description), states=600, seed=5) is not None


@pytest.mark.sample(3)
@needs_games
@pytest.mark.parametrize("seed", range(12))
def test_an_output_inverted_is_noticed(seed: int) -> None:
    description = game("connectFour")
    network = _with_inversion(game_network(ground(needed_clauses(clauses(description)))), seed)
    circuit = game_circuit(network)
    assert disagreement(circuit, Reasoner(description), states=200, seed=6) is not None


def _with_fault(found: GroundGame, random: Random) -> GroundGame:
    """Return the game with one literal of one rule for a next fact inverted."""
    atoms = [atom for atom in found.next if found.program.bodies.get(atom, ((),))[0]]
    atom = random.choice(atoms)
    first, *rest = found.program.bodies[atom]
    bodies = {**found.program.bodies, atom: [(-first[0], *first[1:]), *rest]}
    program = found.program
    return found._replace(
        program=GroundProgram(bodies, program.choices, program.shown, program.rule_count)
    )


def _with_inversion(network: GameNetwork, seed: int) -> GameNetwork:
    outputs = network.outputs()
    index = Random(seed).randrange(len(outputs))
    outputs[index] ^= 1
    return network.with_outputs(network.network, outputs)


def _forgiving(
    circuit: GameCircuit, facts: Collection[Term], joint_move: Sequence[Term] | None = None
) -> Evaluation:
    """Evaluate; facts and moves that a faulty circuit does not know are a difference."""
    try:
        return evaluate(circuit, facts, joint_move)
    except (KeyError, ValueError):
        return Evaluation((), frozenset(), terminal=False, goals=(), sees=())


@pytest.mark.sample(1)
@needs_games
@pytest.mark.parametrize("name", ["connectFour", "3pffa", "biddingTicTacToe", "ghostMaze2p"])
def test_large_games_in_small_agree_with_the_reasoner(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is done for games of many moves only, done for small ones."""
    wide = build(game(name))
    monkeypatch.setattr(simplify_module, "_WIDE_BITS", 0)
    narrow = build(game(name))
    assert gates(narrow) < 1.2 * gates(wide)
    assert disagreement(narrow, Reasoner(game(name)), states=80, seed=8) is None
