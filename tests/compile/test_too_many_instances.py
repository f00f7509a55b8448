"""What is done to rules that have too many instances means the same on rules that have few.

Only a handful of published files come to it by themselves, where no definition can follow far.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

import pytest

from gdl.circuit.game import GameCircuit
from gdl.compile import CompileError, CompileLimits, build, pipeline
from gdl.compile.grounding import ground_game
from gdl.compile.rules.indifferent_arguments import without_indifferent
from gdl.language.clauses import Clause
from gdl.language.parse import parse, read
from gdl.language.syntax import Description
from gdl.reason.machine import Reasoner
from gdl.ruleset import find
from tests.compile.lockstep import disagreement
from tests.compile.random_rules import random_rules
from tests.shared import GAMES, needs_games, some

TURNS = """(role a) (role b) (init (turn a)) (init (full p)) (init (full q)) (init (full s))
    (owner a p) (owner b q) (owner b s)
    (<= (some ?r) (owner ?r ?p) (true (full ?p)))
    (<= (empty ?r) (role ?r) (not (some ?r)))
    (<= (legal ?r (pick ?p)) (true (turn ?r)) (owner ?r ?p) (true (full ?p))
        (role ?o) (distinct ?r ?o) (not (empty ?o)))
    (<= (legal ?r noop) (role ?r) (true (turn ?o)) (distinct ?r ?o))
    (<= (next (turn ?o)) (true (turn ?r)) (role ?o) (distinct ?o ?r))
    (<= (next (full ?p)) (true (full ?p)) (not (does a (pick ?p))) (not (does b (pick ?p))))
    (<= terminal (role ?r) (empty ?r))
    (<= (goal ?r 100) (some ?r)) (<= (goal ?r 0) (empty ?r))"""
"""Nothing here is found on demand, so that nothing says what may hold."""


@pytest.fixture(params=[0, 1], ids=["cut", "on demand"])
def built(
    request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch
) -> Callable[[Description], GameCircuit]:
    """Return what makes a circuit by the clauses that are tried second, or third."""
    number: int = request.param

    def instead_of(
        _: object, *, instead: Sequence[Callable[[], Sequence[Clause]]], **limits: object
    ) -> object:
        return ground_game.ground(instead[number](), **limits)  # type: ignore[arg-type]

    monkeypatch.setattr(pipeline, "ground", instead_of)
    monkeypatch.setattr(pipeline, "_within_bounds", lambda *_, **__: None)
    monkeypatch.setattr(pipeline, "without_indifferent", partial(without_indifferent, many=1))
    return partial(build, limits=CompileLimits(seconds=20.0))


def test_nothing_is_asked_that_no_clause_tells(
    built: Callable[[Description], GameCircuit],
) -> None:
    description = parse(TURNS, syntax="kif")
    assert disagreement(built(description), Reasoner(description), states=60, seed=1) is None


@pytest.mark.sample(2)
@pytest.mark.parametrize("name", ["tictactoe", "breakthrough", "kalah", "hex?size=3", "tron"])
def test_shipped_rules_mean_the_same(
    built: Callable[[Description], GameCircuit], name: str
) -> None:
    description = find(name).description
    assert disagreement(built(description), Reasoner(description), states=40, seed=2) is None


@needs_games
@pytest.mark.slow
@pytest.mark.parametrize("path", some(GAMES, 10), ids=lambda path: path.stem)
def test_published_rules_mean_the_same(
    built: Callable[[Description], GameCircuit], path: Path
) -> None:
    description = read(path)
    try:
        circuit = built(description)
    except CompileError:
        pytest.skip("too many instances in 20 s")
    assert disagreement(circuit, Reasoner(description), states=20, seed=3) is None


@pytest.mark.sample(4)
@pytest.mark.parametrize("seed", some(range(80), 50))
def test_random_rules_mean_the_same(built: Callable[[Description], GameCircuit], seed: int) -> None:
    description = parse(random_rules(seed, widest=4 + seed % 3), syntax="kif")
    assert disagreement(built(description), Reasoner(description), states=40, seed=seed) is None
