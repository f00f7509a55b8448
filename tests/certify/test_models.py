"""What certificates speak of is the game: the definition plays through `model.aig`, state by state.

Simulated by a reader of AIGER of the tests, and by aigsim where that is installed. And what is
proved by induction holds by the witness circuit alone, as Certifaiger asks about it.
"""

from __future__ import annotations

import random
import shutil
import subprocess
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from gdl.certify.closure import PLAY
from gdl.circuit.aiger import model_bytes
from gdl.compile.pipeline import build
from gdl.machine import Fact
from gdl.meaning.machine import Meaning
from gdl.ruleset import Ruleset, find
from gdl.verify import verify
from gdl.verify.correspondence.compared_game import prepare_game
from gdl.verify.correspondence.correspondence import find_matching
from gdl.verify.export import system_model
from gdl.verify.properties import examination
from gdl.verify.solvers.budget import Budget
from gdl.verify.systems.product import product
from gdl.verify.systems.system import Bad, System, game_system
from tests.certify.forged import claims_of
from tests.circuit.aiger_file import Machine, bit, read_aiger
from tests.shared import some
from tests.verify.planted import equal

State = frozenset[Fact]
AIGSIM = shutil.which("aigsim")
GAMES = ["tictactoe", "hex?size=3", "connectfour", "breakthrough", "rockpaperscissors",
         "kuhnpoker", "lightsout", "tron", "clobber"]  # fmt: skip


def written(system: System, path: Path) -> Machine:
    data = model_bytes(system_model(system.asking([Bad("over", system.stop)])))
    path.write_bytes(data)
    return read_aiger(data)


def edges_set(values: dict[int, int], edges: Sequence[int]) -> list[int]:
    """Return the numbers of those edges that are true."""
    return [number for number, edge in enumerate(edges) if bit(values, edge)]


class Sides:
    """One game or two, as the definition plays them, beside a file that says what they do."""

    def __init__(self, machine: Machine, games: Sequence[tuple[str, Meaning]]) -> None:
        self.machine, self.games = machine, games
        self.met: Counter[str] = Counter()
        self.states: list[str] = []
        self.rows: list[str] = []

    def play(self, chance: random.Random, *, is_guided: bool, most: int = 60) -> int:
        """Play once; guided is to make moves that were made least. Return how many moves."""
        machine, bits = self.machine, self.machine.start()
        states = [meaning.initial() for _, meaning in self.games]
        self.states, self.rows = [], []
        for ply in range(most):
            facts = {
                f"{side}: {fact}"
                for (side, meaning), state in zip(self.games, states, strict=True)
                for fact in meaning.facts(state)
            }
            assert machine.facts(bits) == facts | {PLAY}
            self.states.append("".join(map(str, bits)))
            values = machine.values(bits, [0] * len(machine.inputs))
            shown = {machine.names[f"o{n}"] for n in edges_set(values, machine.outputs)}
            first, state = self.games[0][1], states[0]
            legal = [sorted(map(str, first.legal(state, role))) for role in first.roles]
            names = [f"legal (does {r} {m})" for r, row in zip(first.roles, legal, strict=True)
                     for m in row]  # fmt: skip
            is_over = first.is_terminal(state)
            assert [bool(bit(values, edge)) for edge in machine.bads] == [is_over]
            if is_over:
                return ply
            if len(self.games) == 1:
                assert shown == set(names)
            joint = [self._chosen(row, chance, is_guided=is_guided) for row in legal]
            states = [
                self._after(g, s, joint) for (_, g), s in zip(self.games, states, strict=True)
            ]
            chosen = {
                self._input(role, move) for role, move in zip(first.roles, joint, strict=True)
            }
            inputs = (machine.names[f"i{n}"] for n in range(len(machine.inputs)))
            self.rows.append("".join(str(int(name in chosen)) for name in inputs))
            _, bits = machine.step(bits, chosen)
        return most

    def _chosen(self, moves: list[str], chance: random.Random, *, is_guided: bool) -> str:
        least = min(self.met[move] for move in moves) if is_guided else None
        move = chance.choice([m for m in moves if least is None or self.met[m] == least])
        self.met[move] += 1
        return move

    def _after(self, meaning: Meaning, state: State, joint: list[str]) -> State:
        moves = [
            next(m for m in meaning.legal(state, role) if str(m) == move)
            for role, move in zip(meaning.roles, joint, strict=True)
        ]
        return meaning.successor(state, tuple(moves))

    def _input(self, role: object, move: str) -> str:
        other = f" & {move}" if len(self.games) > 1 else ""
        return f"(does {role} {move}{other})"

    def simulated(self, model: Path) -> None:
        """Let aigsim go through the last play, if it is there."""
        if AIGSIM is None:
            return
        stimulus = model.with_suffix(".stim")
        stimulus.write_text("\n".join([*self.rows, "."]) + "\n", encoding="ascii")
        command = [AIGSIM, str(model), str(stimulus)]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        lines = [line.split() for line in done.stdout.splitlines() if line[:1] in "01"]
        assert [line[0] for line in lines] == self.states[: len(self.rows)], done.stderr


@pytest.mark.sample(1)
@pytest.mark.parametrize("name", some(GAMES, 3))
def test_a_model_is_the_game_as_it_is_defined(name: str, tmp_path: Path) -> None:
    ruleset = find(name)
    machine = written(game_system(build(ruleset.description)), tmp_path / "model.aig")
    sides = Sides(machine, [("a", Meaning(ruleset.description))])
    chance = random.Random(name)
    for number in range(3):
        assert sides.play(chance, is_guided=number > 0) > 0
        sides.simulated(tmp_path / "model.aig")


@pytest.mark.parametrize("seed", some(range(8), 1))
def test_a_model_of_two_games_is_both_of_them(seed: int, tmp_path: Path) -> None:
    pair = equal(seed, 4)
    rulesets = [Ruleset(n, (), text=text) for n, text in (("one", pair.one), ("other", pair.other))]
    sides = prepare_game(rulesets[0]), prepare_game(rulesets[1])
    (one, other), matching = find_matching(sides, Budget(60))
    machine = written(product(one.circuit, other.circuit, matching).system, tmp_path / "model.aig")
    games = [Meaning(ruleset.description) for ruleset in rulesets]
    both = Sides(machine, [("a", games[0]), ("b", games[1])])
    chance = random.Random(seed)
    for number in range(3):
        assert both.play(chance, is_guided=number > 0) > 0
        both.simulated(tmp_path / "model.aig")


# ---------------------------------------------------------------------- witness circuits


class Copies:
    """Copies of files in one formula: what Certifaiger asks of a model and a witness."""

    def __init__(self) -> None:
        self.clauses: list[list[int]] = [[1]]
        self.count = 1

    def fresh(self) -> int:
        self.count += 1
        return self.count

    def copy(self, machine: Machine, leaves: dict[int, int]) -> dict[int, int]:
        """Add the gates of a file over literals of its inputs and latches."""
        literals = {0: -1, **leaves}

        def of(edge: int) -> int:
            return -literals[edge & ~1] if edge & 1 else literals[edge & ~1]

        for gate, left, right in machine.gates:
            literals[gate] = out = self.fresh()
            self.clauses += [[-out, of(left)], [-out, of(right)], [out, -of(left), -of(right)]]
        return {
            edge | flip: -lit if flip else lit for edge, lit in literals.items() for flip in (0, 1)
        }

    def any_of(self, literals: Sequence[int]) -> int:
        """Return a literal that is true just where one of some is."""
        out = self.fresh()
        self.clauses += [[-out, *literals], *([out, -lit] for lit in literals)]
        return out

    def is_satisfiable(self, *more: Sequence[int]) -> bool:
        from pysat.solvers import Solver

        with Solver(name="cadical153", bootstrap_with=[*self.clauses, *more]) as solver:
            return bool(solver.solve())


def refuted_checks(model: Machine, witness: Machine) -> list[str]:
    """Return which of the five checks of a witness fail."""
    shared = {int(name.removeprefix("= ")): edge for edge, name in named(witness).items()}
    formula = Copies()
    state = {edge: formula.fresh() for edge in named(witness)}
    later = {edge: formula.fresh() for edge in named(witness)}
    mine, then = (formula.copy(witness, leaves) for leaves in (state, later))
    its = formula.copy(model, {edge: state[shared[edge]] for edge in leaves_of(model)})
    its_then = {edge: later[shared[edge]] for edge in leaves_of(model)}

    def unequal(pairs: list[tuple[int, int]]) -> int:
        outs = []
        for one, other in pairs:
            out = formula.fresh()
            formula.clauses += [[-out, one, other], [-out, -one, -other], [out, -one, other],
                                [out, one, -other]]  # fmt: skip
            outs.append(out)
        return formula.any_of(outs)

    def first(machine: Machine, literals: dict[int, int]) -> int:
        return unequal([(literals[edge], 1 if value else -1) for edge, _, value in machine.latches])

    resets, own_resets = first(model, its), first(witness, mine)
    moves = unequal([(its_then[edge], its[after]) for edge, after, _ in model.latches])
    own_moves = unequal([(later[edge], mine[after]) for edge, after, _ in witness.latches])
    bad = formula.any_of([its[edge] for edge in model.bads])
    own_bad, own_bad_then = (formula.any_of([c[e] for e in witness.bads]) for c in (mine, then))
    checks = {
        "reset": [[-resets], [own_resets]],
        "transition": [[-moves], [own_moves]],
        "safety": [[-own_bad], [bad]],
        "base": [[-own_resets], [own_bad]],
        "inductive": [[-own_moves], [-own_bad], [own_bad_then]],
    }
    return [name for name, clauses in checks.items() if formula.is_satisfiable(*clauses)]


def leaves_of(machine: Machine) -> list[int]:
    return [*machine.inputs, *(latch[0] for latch in machine.latches)]


def named(witness: Machine) -> dict[int, str]:
    """Return the edges of inputs and latches, each with its name."""
    inputs = {edge: witness.names[f"i{n}"] for n, edge in enumerate(witness.inputs)}
    return inputs | {latch[0]: witness.names[f"l{n}"] for n, latch in enumerate(witness.latches)}


@pytest.mark.slow
@pytest.mark.parametrize("name", some(["tictactoe", "hex?size=3", "kuhnpoker"], 1))
def test_a_witness_is_what_certifaiger_wants(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(examination, "MAX_STATES", 1)  # else all states are looked at
    folder = tmp_path / "certificates"
    verify(name, certificates=folder, seconds=30)
    found = [folder / c["folder"] for c in claims_of(folder) if c.get("kind") == "induction"]
    assert found
    for place in found:
        model, witness = (
            read_aiger((place / f"{n}.aig").read_bytes()) for n in ("model", "witness")
        )
        assert refuted_checks(model, witness) == []
        flipped = replace(witness, bads=[witness.bads[0] ^ 1])
        assert {"safety", "base"} & set(refuted_checks(model, flipped))
        (edge, after, value), *others = witness.latches
        other = replace(witness, latches=[(edge, after ^ 1, value), *others])
        assert "transition" in refuted_checks(model, other)
        other = replace(witness, latches=[(edge, after, 1 - value), *others])
        assert "reset" in refuted_checks(model, other)
        reached = replace(model, bads=[model.latches[-1][0]])  # that all was play: true at first
        assert refuted_checks(reached, witness) == ["safety"]
