"""Arguments that a relation does not look at are taken out of it, and nothing means another thing.

The last word has the definition, in random play.
"""

from __future__ import annotations

import pytest

from gdl.circuit.game import GameCircuit
from gdl.compile.gates.game_network import game_network
from gdl.compile.grounding.ground_game import ground
from gdl.compile.pipeline import game_circuit
from gdl.compile.rules.argument_kinds import ArgumentKinds
from gdl.compile.rules.indifferent_arguments import ANY, OWN, without_indifferent
from gdl.compile.rules.logic_program import needed_clauses
from gdl.compile.rules.magic_sets import demanded, relaxed
from gdl.compile.rules.rule_decomposition import split
from gdl.compile.rules.unfold import unfold
from gdl.language.clauses import Clause, clauses
from gdl.language.parse import parse
from gdl.language.syntax import Atom, Compound, Constant, Variable, signature
from gdl.reason.machine import Reasoner
from tests.compile.lockstep import disagreement

SQUARES = 10
ROW = """
(role white) (role black) (init (on white s1)) (init (on black s9)) (init (control white))
(init (stone s4)) (init (stone s7))
(other white black) (other black white)
(<= (clear ?x ?y ?put-aside) (next-to ?x ?y) (square ?put-aside))
(<= (clear ?x ?y ?put-aside) (next-to ?x ?z) (not (true (stone ?z))) (clear ?z ?y ?put-aside))
(<= (clear ?x ?y ?put-aside) (next-to ?x ?put-aside) (clear ?put-aside ?y ?put-aside))

(<= (attacked ?r ?put-aside) (other ?r ?q) (true (on ?q ?x)) (true (on ?r ?y))
    (clear ?x ?y ?put-aside))
(<= (attacked ?r ?put-aside) (other ?r ?q) (true (on ?q ?x)) (true (on ?r ?y))
    (clear ?y ?x ?put-aside))
(<= (attacked ?r ?put-aside) (true (on ?r s3)) (square ?put-aside))
(<= (legal ?r (lift ?x)) (true (control ?r)) (true (stone ?x)) (not (attacked ?r ?x)))
(<= (legal ?r (step ?y)) (true (control ?r)) (true (on ?r ?x)) (near ?x ?y))
(<= (legal ?r wait) (role ?r))
(<= (near ?x ?y) (next-to ?x ?y)) (<= (near ?x ?y) (next-to ?y ?x))
(<= (next (stone ?x)) (true (stone ?x)) (not (lifted ?x)))
(<= (lifted ?x) (does ?r (lift ?x)))
(<= (next (stone ?x)) (does ?r (step ?y)) (true (on ?r ?x)) (attacked ?r ?x))
(<= (next (on ?r ?y)) (does ?r (step ?y)))
(<= (next (on ?r ?x)) (true (on ?r ?x)) (does ?r wait))
(<= (next (on ?r ?x)) (true (on ?r ?x)) (does ?r (lift ?y)))
(<= (next (control ?q)) (true (control ?r)) (other ?r ?q))
(<= terminal (true (on white ?x)) (true (on black ?x)))
(<= (goal ?r 100) (role ?r) (not (attacked ?r nowhere)))
(<= (goal ?r 0) (attacked ?r nowhere))
""" + "".join(f"(square s{i}) (next-to s{i} s{i + 1})" for i in range(1, SQUARES))


def rules(text: str) -> list[Clause]:
    return needed_clauses(clauses(parse(text, syntax="kif")))


def circuit(found: list[Clause]) -> GameCircuit:
    return game_circuit(game_network(ground(found)))


def apart(text: str) -> list[Clause]:
    return needed_clauses(without_indifferent(rules(text), many=SQUARES - 1))


def test_what_looks_at_the_square_is_kept_apart_from_what_does_not() -> None:
    names = {str(signature(clause.head)) for clause in apart(ROW)}
    assert {f"{ANY}3 clear/2", f"{OWN}clear/3", f"{ANY}2 attacked/1", f"{OWN}attacked/2"} <= names
    assert "clear/3" not in names  # nobody asks for both at once


def test_there_are_fewer_instances_and_the_same_facts_and_moves() -> None:
    plain, less = ground(split(rules(ROW))), ground(split(apart(ROW)))
    assert (less.facts, less.moves) == (plain.facts, plain.moves)
    assert less.program.rule_count * 3 < 2 * plain.program.rule_count


@pytest.mark.parametrize("seed", range(2))
def test_a_game_that_is_taken_apart_is_played_as_before(seed: int) -> None:
    meaning = Reasoner(parse(ROW, syntax="kif"))
    assert disagreement(circuit(split(apart(ROW))), meaning, states=120, seed=seed) is None


@pytest.mark.later
@pytest.mark.parametrize("left_out", ["any", "own"])
def test_either_part_left_out_is_found(left_out: str) -> None:
    meaning = Reasoner(parse(ROW, syntax="kif"))
    prefix = {"any": f"{ANY}2 attacked", "own": f"{OWN}attacked"}[left_out]
    fewer = [c for c in apart(ROW) if not signature(c.head).name.startswith(prefix)]
    assert disagreement(circuit(split(fewer)), meaning, states=300, seed=1) is not None


def test_what_is_of_no_such_kind_is_never_met() -> None:
    """Whoever is on s3 is attacked whichever square is put aside, and ``nowhere`` is none."""
    assert "(not (attacked ?r nowhere))" in ROW
    kinds = ArgumentKinds(rules(ROW))
    square = Atom(Compound("square", (Constant("nowhere"),)))
    assert not kinds.hold(square, ())


def test_a_kind_is_known_of_variables_that_facts_and_moves_bind() -> None:
    found = rules(ROW)
    kinds = ArgumentKinds(found)
    (lift,) = (c for c in found if "lift" in str(c.head) and signature(c.head).name == "legal")
    (step,) = (c for c in found if str(c.head) == "(next (on ?r ?y))")
    square, last = (
        Atom(Compound("square", (Variable("x"),))),
        Atom(Compound("square", (Variable("y"),))),
    )
    assert kinds.hold(square, lift.body)
    assert not kinds.hold(last, step.body)  # s10 is next to s9, and nobody says it is a square
    assert not kinds.hold(square, step.body)  # nothing binds it there


WITHIN = """
(role a) (init (at 1)) (init on) (digit 1) (digit 2) (digit (f 7)) (place (f 1)) (place 2)
(mark 1) (mark 7)
(<= (taken ?v) (true on) (digit ?v)) (<= (taken ?v) (true (at ?v)))
(<= (legal a (go ?v)) (place ?v) (not (taken ?v)))
(<= (legal a (tell ?v)) (digit (f ?v)) (mark ?v) (not (taken ?v)))
(<= (next (at ?v)) (does a (go ?v))) (<= (next (at ?v)) (does a (tell ?v)))
(<= (next on) (not (true on)))
(<= terminal (true (at 2))) (goal a 100)
"""


def test_what_stands_within_something_else_is_of_no_kind_by_that() -> None:
    """``(f 1)`` is no digit though 1 is, and 7 is none though ``(f 7)`` is."""
    found = rules(WITHIN)
    kinds = ArgumentKinds(found)
    digit = Atom(Compound("digit", (Variable("v"),)))
    for clause in found:
        if signature(clause.head).name == "legal":
            assert not kinds.hold(digit, clause.body)
    less = needed_clauses(without_indifferent(found, many=1))
    assert len(less) > len(found)
    meaning = Reasoner(parse(WITHIN, syntax="kif"))
    assert disagreement(circuit(split(less)), meaning, states=60, seed=0) is None


def test_all_that_is_done_to_rules_that_are_too_many_keeps_their_meaning() -> None:
    found = needed_clauses(unfold(apart(ROW), is_thorough=True))
    found = needed_clauses(split(demanded(found), relaxed(found, demanded(found))))
    meaning = Reasoner(parse(ROW, syntax="kif"))
    assert disagreement(circuit(found), meaning, states=150, seed=3) is None


@pytest.mark.parametrize("name", ["any 3 clear", "own clear"])
def test_relations_of_rules_are_kept_apart_from_the_parts(name: str) -> None:
    """Bars may hold any name, also one of those that parts have."""
    text = ROW.replace("(near", f"(|{name}|")
    meaning = Reasoner(parse(text, syntax="kif"))
    assert disagreement(circuit(split(apart(text))), meaning, states=60, seed=0) is None


def test_few_values_are_not_worth_it() -> None:
    found = rules(ROW)
    assert without_indifferent(found, many=SQUARES) == found
