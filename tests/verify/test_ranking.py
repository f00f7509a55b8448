"""Sums that every move lowers: their bounds are known by counting steps to the far side."""

import random
from itertools import pairwise
from pathlib import Path

import pytest

from gdl.circuit.game import GameCircuit
from gdl.compile.pipeline import build
from gdl.language.parse import parse
from gdl.reason.machine import Reasoner
from gdl.ruleset import find
from gdl.verify.properties import examination, ranking
from gdl.verify.properties.ranking import Gain, Ranking, find_ranking, proved
from gdl.verify.proving.invariants import Invariants
from gdl.verify.proving.prove import Prover
from gdl.verify.solvers.budget import Budget
from gdl.verify.systems.system import game_system
from gdl.verify.verification import verify
from tests.shared import GAMES, needs_games

WALK = """
(role walker)
(init (at a 1)) (init (at b 1))
(<= (legal walker (go ?token ?from ?to)) (true (at ?token ?from)) (reach ?from ?to))
(<= (next (at ?token ?to)) (does walker (go ?token ?from ?to)))
(<= (next (at ?token ?at)) (true (at ?token ?at)) (does walker (go ?other ?from ?to))
    (distinct ?token ?other))
(<= terminal (true (at a 5)) (true (at b 5)))
(goal walker 100)
(reach 1 2) (reach 2 3) (reach 3 4) (reach 4 5)
(reach 1 3)
"""


def ranked(text: str) -> tuple[GameCircuit, Ranking | None]:
    circuit = build(parse(text))
    return circuit, found_for(circuit)


def found_for(circuit: GameCircuit) -> Ranking | None:
    prover = Prover(game_system(circuit), Budget(120))
    prover.play()
    prover.learn()
    return find_ranking(prover.system, prover.invariants, prover.budget)


def test_two_tokens_take_four_steps_each() -> None:
    _, found = ranked(WALK)
    assert found is not None
    assert found.bound == 8


@pytest.mark.parametrize(
    "more",
    [
        "(reach 3 2)",  # a step back
        "(reach 2 2)",  # a step on the spot
        "(legal walker wait) (<= (next ?fact) (true ?fact) (does walker wait))",
    ],
)
def test_a_token_that_may_stay_is_under_no_bound(more: str) -> None:
    assert ranked(WALK + more)[1] is None


def test_who_moves_counts_where_only_one_of_two_makes_progress() -> None:
    """The other one waits; so each step of the walker is one of two plies, the first his."""
    text = WALK.replace("(true (at ?token ?from))", "(true (at ?token ?from)) (true (turn walker))")
    text += """
    (role waiter) (goal waiter 0) (init (turn walker))
    (<= (legal walker rest) (true (turn waiter)))
    (legal waiter rest)
    (<= (next (turn waiter)) (true (turn walker)))
    (<= (next (turn walker)) (true (turn waiter)))
    (<= (next (at ?token ?at)) (true (at ?token ?at)) (does walker rest))
    """
    _, found = ranked(text)
    assert found is not None
    assert found.bound == 16


def test_weights_that_are_wrong_prove_nothing() -> None:
    gains = [Gain(((0, -1), (1, 1)), ()), Gain(((1, -1),), (((0, 1),),))]
    assert proved(gains, {0: 2, 1: 1}, (True, False)) is None  # the second may gain 1
    assert proved(gains, {0: 1, 1: 1}, (True, False)) is None
    gains[1] = Gain(((1, -1),), (((0, -1),),))
    assert proved(gains, {0: 2, 1: 1}, (True, False)) == Ranking({0: 2, 1: 1}, 2, 0, 1)


def test_too_many_choices_are_not_looked_at(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ranking, "MAX_JOINT", 3)
    assert ranked(WALK)[1] is None


def test_no_invariants_are_needed_where_rules_say_it_all() -> None:
    system = game_system(build(parse(WALK)))
    found = find_ranking(system, Invariants({}, ()), Budget(60))
    assert found is not None
    assert found.bound == 8


@pytest.mark.slow
@needs_games
def test_pawns_go_no_further_than_the_last_row() -> None:
    """White's pawns can make 8 * 7 and 8 * 6 steps, each of them every second move."""
    path = next(path for path in GAMES if path.stem == "breakthrough")
    verdict = verify(str(path), seconds=60)["terminating"]
    assert (verdict.status, verdict.depth) == ("proved", 2 * (8 * 7 + 8 * 6))
    assert verdict.text == (
        "no play is longer than 208 moves: each move lowers a weighted sum of 57 facts, from 208, "
        "by 1"
    )


@pytest.mark.slow
@needs_games
@pytest.mark.parametrize("game", ["breakthroughSmall", "knightThrough"])
def test_the_sum_falls_along_every_play_of_the_reasoner(game: str) -> None:
    path = next(path for path in GAMES if path.stem == game)
    description = find(str(path)).description
    circuit = build(description)
    found = found_for(circuit)
    assert found is not None
    machine, chance = Reasoner(description), random.Random(5)
    for _ in range(3):
        state = machine.initial()
        sums = [valued(circuit, found, state)]
        assert sums == [found.start]
        while not machine.is_terminal(state):
            joint = tuple(chance.choice(machine.legal(state, role)) for role in machine.roles)
            state = machine.successor(state, joint)
            sums.append(valued(circuit, found, state))
        assert all(a - b >= found.drop for a, b in pairwise(sums))
        assert min(sums) >= found.least
        assert len(sums) - 1 <= found.bound


def valued(circuit: GameCircuit, found: Ranking, state: object) -> int:
    held = {str(fact) for fact in state}  # type: ignore[attr-defined]  # a state holds facts
    return sum(w for fact, w in found.weights.items() if str(circuit.facts[fact]) in held)


def test_a_bound_is_a_verdict(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(examination, "MAX_STATES", 1)
    path = tmp_path / "walk.kif"
    path.write_text(WALK, encoding="utf-8")
    verdict = verify(path, seconds=60)["terminating"]
    assert (verdict.status, verdict.depth) == ("proved", 8)
