"""Long rules are cut into short ones that mean the same."""

from __future__ import annotations

import os

import pytest

from gdl.compile import build
from gdl.compile.gates.game_network import game_network
from gdl.compile.grounding.ground_game import ground
from gdl.compile.pipeline import game_circuit
from gdl.compile.rules.literals import literal_variables
from gdl.compile.rules.logic_program import needed_clauses
from gdl.compile.rules.magic_sets import demanded, relaxed
from gdl.compile.rules.rule_decomposition import MANY, MOST_ALIKE, split
from gdl.language.clauses import Clause, clauses
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


AMAZON = """
    (role white) (role black) (init (at 1 1 white)) (init (at 3 2 black)) (init (control white))
    (index 1) (index 2) (index 3) (<= (cell ?x ?y) (index ?x) (index ?y))
    (step 1 2) (step 2 3) (step 3 1)
    (<= (near ?x ?y ?u ?y) (step ?x ?u) (index ?y)) (<= (near ?x ?y ?x ?v) (step ?v ?y) (index ?x))
    (<= (free ?x ?y) (cell ?x ?y) (not (true (at ?x ?y white))) (not (true (at ?x ?y black)))
        (not (true (at ?x ?y arrow))))
    (<= (legal ?r (shoot ?x ?y ?u ?v ?a ?b)) (true (control ?r)) {asked})
    (<= (legal ?r noop) (role ?r)) (<= (next (control white)) (true (control black)))
    (<= (next (control black)) (true (control white)))
    (<= (next (at ?u ?v ?r)) (does ?r (shoot ?x ?y ?u ?v ?a ?b)))
    (<= (next (at ?a ?b arrow)) (does ?r (shoot ?x ?y ?u ?v ?a ?b)))
    (<= (next (at ?x ?y ?w)) (true (at ?x ?y ?w)) (not (left ?x ?y)))
    (<= (left ?x ?y) (does ?r (shoot ?x ?y ?u ?v ?a ?b)))
    (<= (moves ?r) (true (at ?x ?y ?r)) (near ?x ?y ?u ?v) (free ?u ?v))
    (<= terminal (true (control ?r)) (not (moves ?r)))
    (<= (goal ?r 100) (role ?r) (moves ?r)) (<= (goal ?r 0) (role ?r) (not (moves ?r)))"""
ASKED = {
    "in order": "(true (at ?x ?y ?r)) (near ?x ?y ?u ?v) (free ?u ?v)"
    " (near ?u ?v ?a ?b) (free ?a ?b)",
    "denials": "(true (at ?x ?y ?r)) (near ?u ?v ?x ?y) (not (true (at ?u ?v arrow))) (free ?u ?v)"
    " (near ?u ?v ?a ?b) (not (near ?a ?b ?x ?y)) (not (true (at ?a ?b ?r)))",
    "apart": "(true (at ?x ?y ?r)) (cell ?u ?v) (cell ?a ?b) (free ?a ?b) (distinct ?u ?a)"
    " (distinct ?v ?b) (not (near ?x ?y ?u ?v)) (free ?u ?v)",
    "a circle": "(true (at ?x ?y ?r)) (near ?x ?y ?u ?v) (near ?u ?v ?a ?b) (near ?a ?b ?x ?y)"
    " (or (free ?u ?v) (free ?a ?b)) (distinct ?r arrow)",
}


def cut_further(description: Description) -> list[Clause]:
    whole = needed_clauses(clauses(description))
    asked = demanded(whole)
    return needed_clauses(split(asked, relaxed(whole, asked)))


def test_what_is_asked_of_two_squares_of_three_is_asked_once_for_all_third_squares() -> None:
    cut = cut_further(parse(AMAZON.format(asked=ASKED["in order"])))
    (legal,) = (clause for clause in cut if str(clause.head).startswith("(legal ?r (shoot "))
    assert len(legal.body) == 2
    joined = [clause for clause in cut if str(clause.head).startswith("(|split ")]
    about = [{var for lit in clause.body for var in literal_variables(lit)} for clause in joined]
    assert max(map(len, about)) < MANY


def test_rules_of_few_instances_are_not_joined_step_by_step() -> None:
    """The circuit would be no smaller, and in checkers it is larger by 3%."""
    rules = clauses(parse(AMAZON.format(asked=ASKED["in order"])))
    shoot = [clause for clause in rules if "shoot" in str(clause.head)]
    assert set(shoot) <= set(split(rules))


@pytest.mark.sample(2)
@pytest.mark.parametrize("asked", ASKED.values(), ids=ASKED)
def test_rules_that_are_cut_with_what_may_hold_mean_the_same(asked: str) -> None:
    description = parse(AMAZON.format(asked=asked))
    circuit = game_circuit(game_network(ground(cut_further(description))))
    reasoner = Reasoner(description)
    assert any(len(reasoner.legal(reasoner.initial(), role)) > 1 for role in reasoner.roles)
    for built in (circuit, build(description)):
        assert disagreement(built, reasoner, states=60, seed=1) is None


KINGS = """(role r) (init (at k 1)) (init (at p 2)) (init (at q 3)) (file 1 2) (file 2 3) (file 3 1)
    (king k) (kind k a) (kind p b) (kind q b) (side r k) (side r p) (side r q)
    (<= (legal r (go ?p ?x ?y)) (true (at ?p ?x)) (file ?x ?y))
    (<= (next (at ?p ?y)) (does r (go ?p ?x ?y)))
    (<= (next (at ?p ?x)) (true (at ?p ?x)) (does r (go ?q ?y ?z)) (distinct ?p ?q))
"""


def test_pieces_are_met_with_kings_only_where_only_kings_are_asked_for() -> None:
    """Which values are there is asked where facts are joined, and not of what comes of it."""
    text = KINGS + (
        "(<= (next (check ?k ?p)) (king ?k) (true (at ?k ?x)) (file ?x ?y) (true (at ?p ?y)))"
    )
    found = needed_clauses(clauses(parse(text)))
    plain, cut = ground(split(found)), ground(split(found, relaxed={}))
    assert cut.facts == plain.facts
    assert cut.program.rule_count < plain.program.rule_count
    circuit = game_circuit(game_network(cut))
    assert disagreement(circuit, Reasoner(parse(text)), states=60, seed=1) is None


def test_alternatives_of_many_variables_are_asked_for_together() -> None:
    """A way of three steps is joined with either end once, whichever rule names the end."""
    text = KINGS + (
        "(<= (way ?p ?a ?x ?y ?z ?w) (true (at ?p ?x)) (kind ?p ?a) (file ?x ?y) (file ?y ?z)"
        " (file ?z ?w)) (<= (taken ?z) (true (at ?p ?z))) (<= (left ?z) (does r (go ?p ?z ?y)))"
        "(<= (next (on ?p ?y ?z)) (way ?p ?a ?x ?y ?z ?w) (taken ?z))"
        "(<= (next (on ?p ?y ?z)) (way ?p ?a ?x ?y ?z ?w) (left ?z))"
        "(<= (next (on ?p ?y ?z)) (way ?p ?a ?x ?y ?z ?w) (not (taken ?y)))"
    )
    found = needed_clauses(clauses(parse(text)))
    cut = split(found, relaxed={})
    assert sum("(on " in str(clause.head) for clause in cut) == 2  # the denial by itself
    circuit = game_circuit(game_network(ground(cut)))
    assert disagreement(circuit, Reasoner(parse(text)), states=60, seed=1) is None


@pytest.mark.slow
def test_a_rule_about_every_square_of_a_large_board_is_ground_in_seconds() -> None:
    """Seconds of the processor: by the clock a busy machine takes many times as long."""
    begun = sum(os.times()[:4])
    circuit = build(board(SQUARES, "(true (cell {} ?r))"))
    assert sum(os.times()[:4]) - begun < 15
    assert len(circuit.facts) == 2 * SQUARES
