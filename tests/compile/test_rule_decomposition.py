"""Long rules are cut into short ones that mean the same."""

from __future__ import annotations

import os

import pytest

from gdl.compile import build
from gdl.compile.rules.rule_decomposition import MOST_ALIKE, split
from gdl.language.clauses import clauses
from gdl.language.parse import parse
from gdl.language.syntax import Description
from gdl.reason.machine import Reasoner
from tests.compile.lockstep import disagreement

SQUARES = 400


def board(squares: int, literal: str) -> Description:
    """Return a game that ends when a literal holds of each square; a move fills one."""
    numbers = range(squares)
    every = " ".join(literal.format(i) for i in numbers)
    return parse(
        f"""(role a) (role b) {" ".join(f"(square {i}) (init (cell {i} a))" for i in numbers)}
        (<= (legal a (fill ?i ?r)) (square ?i) (role ?r) (true (cell ?i b))) (legal a begin)
        (legal b noop)
        (<= (next (cell ?i b)) (does a begin) (square ?i))
        (<= (next (cell ?i ?r)) (does a (fill ?i ?r)))
        (<= (next (cell ?i ?s)) (true (cell ?i ?s)) (does a (fill ?j ?r)) (distinct ?i ?j))
        (<= (full ?r) (role ?r) {every})
        (<= terminal (full b))
        (<= (goal ?r 100) (full ?r)) (<= (goal ?r 0) (role ?r) (not (full ?r)))"""
    )


@pytest.mark.sample(1)
@pytest.mark.parametrize(
    "literal", ["(true (cell {} b))", "(true (cell {} ?r))", "(not (true (cell {} a)))"]
)
def test_rules_about_every_square_mean_the_same_when_they_are_cut(literal: str) -> None:
    description = board(2 * MOST_ALIKE + 3, literal)
    cut = split(clauses(description))
    assert max(len(clause.body) for clause in cut) <= MOST_ALIKE + 1
    assert disagreement(build(description), Reasoner(description), states=60, seed=1) is None


def test_a_relation_that_no_rule_is_about_is_none_of_those_that_are_made() -> None:
    description = parse(
        "(role r) (init (at 1)) (e 1 2) (e 2 3) (e 3 1) (legal r go)"
        "(<= (next (at ?d)) (true (at ?a)) (e ?a ?b) (e ?b ?c) (e ?c ?d))"
        "(<= (legal r (stay ?x)) (e ?x ?y) (not (|split 0| ?x)))"
    )
    assert disagreement(build(description), Reasoner(description), states=10, seed=1) is None


@pytest.mark.slow
def test_a_rule_about_every_square_of_a_large_board_is_ground_in_seconds() -> None:
    """Seconds of the processor: by the clock a busy machine takes many times as long."""
    begun = sum(os.times()[:4])
    circuit = build(board(SQUARES, "(true (cell {} ?r))"))
    assert sum(os.times()[:4]) - begun < 15
    assert len(circuit.facts) == 2 * SQUARES
