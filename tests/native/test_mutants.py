"""Mutants of rule files, in-error ones too: each back end agrees with the reasoner, or refuses.

Nothing else may happen: no other answer, and no exception that is not a `GdlError`.
"""

from __future__ import annotations

import zlib
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from random import Random

import pytest

import gdl.ruleset
from gdl.circuit.game import GameCircuit
from gdl.compile import CompileLimits, build, pipeline
from gdl.language.diagnostics import GdlError
from gdl.language.limits import Limits
from gdl.language.parse import parse, read
from gdl.language.render import render_rule
from gdl.language.syntax import Description
from gdl.native.code.target import native_target
from gdl.native.kernel.kernel import compile_kernel
from gdl.native.kernel.state_machine import NativeMachine
from gdl.native.lanes.layout import GoalTableError
from gdl.native.scalar.effects import NoTablesError
from gdl.native.scalar.game import Scalar, scalar_code
from gdl.reason.machine import Reasoner
from tests.compile.lockstep import disagreement
from tests.mutants import EDITS, changed_rules, mutant
from tests.native.budget import budget
from tests.native.stages import (
    Step,
    circuit_difference,
    machine_difference,
    play,
    scalar_difference,
)
from tests.native.test_lockstep import check_lanes, tables_of
from tests.shared import GAMES, needs_games, some

LIMITS = Limits(seconds=5.0, facts=100_000, term_depth=20)
COMPILE_LIMITS = CompileLimits(seconds=10.0, bytes=1 << 30, gates=20_000, term_depth=20)
STATES = 60
SECONDS = 5.0
"""Processor time for the reasoner of one mutant, and as much for its lanes."""
SMALL = 9_000
"""Bytes of a published file that is changed."""
MUTANTS = 5
"""Mutants of each file."""
CODE_OF = 4
"""Of so many mutants one is made into machine code."""
FILE_SECONDS = 120.0

LAMPS = """
(role left) (role right)
(init (n 1)) (init (off a)) (init (off b))
(succ 1 2) (succ 2 3) (succ 3 4) (lamp a) (lamp b)
(<= (less ?x ?y) (succ ?x ?y))
(<= (less ?x ?z) (succ ?x ?y) (less ?y ?z))
(<= (legal left (press ?l)) (true (off ?l)))
(<= (legal left wait) (not (dark)))
(<= (legal right (guess ?l)) (lamp ?l))
(<= (dark) (true (off a)) (true (off b)))
(<= (pressed ?l) (does left (press ?l)))
(<= (next (off ?l)) (true (off ?l)) (not (pressed ?l)))
(<= (next (n ?y)) (true (n ?x)) (succ ?x ?y))
(<= (next (hit ?r)) (role ?r) (does right (guess ?l)) (pressed ?l))
(<= (sees right ?l) (pressed ?l))
(<= terminal (true (n ?x)) (less 3 ?x))
(<= (goal right 100) (true (hit right)))
(<= (goal right 0) (not (true (hit right))))
(<= (goal left ?g) (worth ?g) (true (n ?n)) (not (true (off ?g))))
(worth 1) (worth 2)
"""
"""What a mutant may spoil: two who move at once, percepts, what both a move and a state tell."""
TOWN = """
(role walker) (init (at a)) (init (time 3))
(road a b) (road b c) (road c d) (road d b)
(later 3 2) (later 2 1) (later 1 0)
(base (at ?x)) (<= (base (time ?t)) (later ?t ?s)) (<= (base (time ?s)) (later ?t ?s))
(<= (input walker (go ?y)) (road ?x ?y)) (input walker rest)
(<= (linked ?x ?y) (or (road ?x ?y) (road ?y ?x)))
(<= (reach ?x ?y) (linked ?x ?y))
(<= (reach ?x ?z) (reach ?x ?y) (linked ?y ?z))
(<= (legal walker (go ?y)) (true (at ?x)) (linked ?x ?y))
(<= (legal walker rest) (true (at ?x)) (not (true (seen ?x))))
(<= (next (at ?y)) (does walker (go ?y)))
(<= (next (at ?x)) (true (at ?x)) (does walker rest))
(<= (next (seen ?x)) (true (at ?x)))
(<= (next (seen ?x)) (true (seen ?x)))
(<= (next (time ?s)) (true (time ?t)) (later ?t ?s))
(<= terminal (true (time 0)))
(<= (goal walker 100) (true (seen d)) (reach a d))
(<= (goal walker 50) (not (goal walker 100)))
"""


@dataclass(frozen=True, slots=True)
class Verdict:
    """What came of a mutant.

    Attributes:
        refusal: Why the reasoner or the compiler refused it; None where all agree.
        states: How many states were compared.
    """

    refusal: str | None
    states: int


def compare(description: Description, *, seed: int, with_code: bool = True) -> Verdict:
    """Hold every back end against the reasoner.

    Args:
        description: The game.
        seed: Of the moves.
        with_code: Whether to make machine code, which takes longest; else the circuit alone.

    Raises:
        AssertionError: One says something else; names what.
    """
    try:
        meaning = Reasoner(description, limits=LIMITS)
        steps = play(meaning, states=STATES, seed=seed, seconds=SECONDS)
    except GdlError as error:
        return Verdict(_refused(description, error), 0)
    try:
        circuit = build(description, limits=COMPILE_LIMITS, roles=meaning.roles)
    except GdlError as error:
        return Verdict(str(error), 0)
    assert disagreement(circuit, meaning, states=len(steps) // 3, seed=seed) is None
    assert circuit_difference(circuit, steps) is None
    if with_code:
        _compare_code(circuit, meaning, steps)
    return Verdict(None, len(steps))


def _compare_code(circuit: GameCircuit, meaning: Reasoner, steps: list[Step]) -> None:
    kernel = compile_kernel(circuit, target=native_target(64))
    machine = NativeMachine(kernel)
    assert machine_difference(machine, steps) is None
    assert _percepts_difference(machine, meaning, steps) is None
    try:
        found = scalar_difference(Scalar(tables_of(circuit), scalar_code()), circuit, steps)
    except (NoTablesError, GoalTableError):
        found = None
    assert found is None
    if not steps[0].terminal and steps[0].joint is not None:
        _compare_lanes(circuit, meaning)


def _refused(description: Description, error: GdlError) -> str:
    """Return the refusal; who compiles without asking the reasoner first ends in words as well."""
    with suppress(GdlError):
        build(description, limits=COMPILE_LIMITS)
    return str(error)


def _percepts_difference(
    machine: NativeMachine, meaning: Reasoner, steps: list[Step]
) -> str | None:
    for number, step in enumerate(steps):
        if step.joint is None:
            continue
        state = machine.state(step.facts)
        for role in machine.roles:
            found = machine.percepts(state, step.joint, role)
            known = meaning.percepts(step.facts, step.joint, role)
            if found != known:
                return f"kernel, step {number}: {role} sees {found}, not {known}"
    return None


def _compare_lanes(circuit: GameCircuit, meaning: Reasoner) -> None:
    with suppress(GoalTableError):
        check_lanes(circuit, meaning, width=64, moves=STATES, confirm=6, per_ply=6, seconds=SECONDS)


def check_mutants(name: str, description: Description, seeds: range) -> list[Verdict]:
    """Compare a mutant a seed, and return what came of each.

    Raises:
        AssertionError: One back end parts from the reasoner; shows the mutant.
    """
    verdicts: list[Verdict] = []
    for seed in seeds:
        changed = mutant(description, Random(seed), edits=1 + seed % 3)
        try:
            verdicts.append(compare(changed, seed=seed, with_code=not seed % CODE_OF))
        except Exception as error:
            gone, new = (
                "".join(f"\n  {render_rule(rule).strip()}" for rule in rules)
                for rules in changed_rules(description, changed)
            )
            raise AssertionError(
                f"mutant {seed} of {name}: {error!r}\nwithout{gone}\nwith{new}"
            ) from error
    return verdicts


@pytest.mark.slow
@pytest.mark.parametrize(("name", "text"), [("lamps", LAMPS), ("town", TOWN), ("tictactoe", None)])
def test_every_back_end_agrees_on_a_mutant_or_refuses_it(name: str, text: str | None) -> None:
    description = gdl.ruleset.find(name).description if text is None else parse(text)
    verdicts = check_mutants(name, description, range(8))
    assert sum(verdict.refusal is None for verdict in verdicts) > 1, "nothing was compared"


@pytest.mark.slow
@needs_games
@pytest.mark.parametrize(
    "path",
    some([path for path in GAMES if path.stat().st_size < SMALL], 16),
    ids=lambda path: path.stem,
)
def test_mutants_of_published_files(path: Path) -> None:
    first = zlib.crc32(path.name.encode())
    with budget(FILE_SECONDS, path.name):
        check_mutants(path.name, read(path), range(first, first + MUTANTS))


@pytest.mark.slow
def test_a_back_end_that_takes_a_move_for_done_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    odd = parse(TOWN.replace("(input walker rest)", "(<= (goal walker 7) (does walker rest))"))
    assert compare(odd, seed=1).refusal is None
    monkeypatch.setattr(pipeline, "specialised", list)
    with pytest.raises(AssertionError):
        compare(odd, seed=1)


def test_edits_of_every_kind_can_be_made_and_follow_from_the_seed() -> None:
    description = gdl.ruleset.find("tictactoe").description
    for edit in EDITS:
        rules = list(description.rules)
        assert any(edit(rules, Random(seed)) for seed in range(20)), edit.__name__
        assert tuple(rules) != description.rules, edit.__name__
    assert mutant(description, Random(3)) == mutant(description, Random(3))
    assert len({mutant(description, Random(seed)) for seed in range(20)}) > 15
