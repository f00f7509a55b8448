"""Random games of every kind beside what the definition of the rules makes of all positions."""

from __future__ import annotations

from fractions import Fraction
from random import Random

import pytest

import gdl
from gdl.ruleset import Ruleset
from tests.shared import missing, some
from tests.solve.board_games import board_rules
from tests.solve.exhaustive import Exhaustive, hold_to_the_definition
from tests.solve.exhaustive import matrix_value as exact_value
from tests.solve.rule_games import Kind, rules

pytest.importorskip("numba", reason=missing("solve"))
pytest.importorskip("scipy", reason=missing("solve"))

import numpy as np

from gdl.solve import solve
from gdl.solve.matrices import direct_value, matrix_value, undominated

ROLES = (("a",), ("a", "b"), ("a", "b", "c"), ("a", "random"), ("random", "a", "b"))
KINDS = [
    Kind(roles, turns, is_shared=is_shared, has_clock=has_clock, faults=faults)
    for roles in ROLES
    for turns in ("turns", "place", "once")
    for is_shared in (True, False)
    for has_clock in (True, False)
    for faults in (0.0, 0.3)
]
SHARED = [
    Kind(roles, "once", has_clock=has_clock)
    for roles in (("a", "b"), ("a", "random", "b"))
    for has_clock in (True, True, False)
]


def _held_to_the_definition(kind: Kind, seed: int) -> None:
    hold_to_the_definition(rules(kind, seed), seed)


@pytest.mark.slow
@pytest.mark.parametrize("seed", some(range(2), 1))
@pytest.mark.parametrize("kind", KINDS, ids=str)
def test_every_kind_of_game(kind: Kind, seed: int) -> None:
    _held_to_the_definition(kind, seed)


@pytest.mark.sample(2)
@pytest.mark.parametrize("seed", some(range(10, 20), 3))
@pytest.mark.parametrize("kind", SHARED, ids=str)
def test_moves_at_once_for_a_constant_sum(kind: Kind, seed: int) -> None:
    _held_to_the_definition(kind, seed)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(24))
def test_boards_with_their_symmetries(seed: int) -> None:
    written = Ruleset(id="board", paths=(), text=board_rules(seed))
    known = Exhaustive(gdl.load(written, backend="meaning"), most=1_000)
    known.check(solve(gdl.load(written, backend="native")).table)


def test_nature_needs_no_goal() -> None:
    text = """
        (role a) (role random) (init (at 0)) (legal a noop) (legal random (roll 1))
        (legal random (roll 2)) (<= (next (at ?n)) (does random (roll ?n)))
        (<= terminal (not (true (at 0)))) (<= (goal a 20) (true (at 1)))
        (<= (goal a 70) (true (at 2)))"""
    solution = solve(Ruleset(id="dice", paths=(), text=text))
    assert solution.initial.goals == {"a": 45}
    assert str(solution.initial) == "a 45, in 1 move"


def test_of_two_ways_equally_good_while_nature_draws_the_other_roles_are_told() -> None:
    """Both moves of a bring it 50 on average; b gets 0 by one and 100 by the other."""
    text = """
        (role a) (role b) (role random) (init (at 0 0)) (legal b noop) (way 1) (way 2)
        (<= (legal ?r (go ?w)) (way ?w) (role ?r) (distinct ?r b))
        (<= (next (at ?v ?w)) (does a (go ?v)) (does random (go ?w)))
        (<= terminal (not (true (at 0 0))))
        (<= (goal a 0) (true (at ?v 1))) (<= (goal a 100) (true (at ?v 2)))
        (<= (goal b 0) (true (at 1 ?w))) (<= (goal b 100) (true (at 2 ?w)))"""
    value = solve(Ruleset(id="ways", paths=(), text=text)).initial
    assert value.goals["a"] == 50
    assert value.is_tied


@pytest.mark.later
@pytest.mark.parametrize("seed", range(40))
def test_values_of_matrices_are_exact(seed: int) -> None:
    rng = Random(seed)
    for _ in range(10):
        rows, columns = rng.randint(1, 4), rng.randint(1, 4)
        goals = rng.choice(((0, 100), (0, 50, 100), range(101)))
        matrix = [[rng.choice(goals) for _ in range(columns)] for _ in range(rows)]
        exact = exact_value([[Fraction(goal) for goal in row] for row in matrix])
        assert matrix_value(np.array(matrix, float)) == pytest.approx(float(exact), abs=1e-7)


def test_most_matrices_need_no_linear_program() -> None:
    assert undominated(np.array([[1.0, 1, 3], [1, 1, 3], [0, 0, 2]])).tolist() == [[1]]
    pennies = np.array([[100.0, 0], [0, 100]])
    assert direct_value(pennies) == (True, 50)
    roshambo = np.array([[50.0, 0, 100], [100, 50, 0], [0, 100, 50]])
    assert direct_value(roshambo)[0]
    partly_mixed = np.array([[0.0, 10, 4], [10, 0, 4]])
    assert not direct_value(partly_mixed)[0]
    assert matrix_value(partly_mixed) == 4
