"""What the rules ask of moves where nobody moves, and of the state before there is one."""

from __future__ import annotations

import pytest

from gdl.compile import build
from gdl.compile.rules.specialise import specialised
from gdl.language.clauses import clauses
from gdl.language.parse import parse, parse_term
from gdl.language.syntax import Description, kif_text
from gdl.reason.machine import Reasoner
from tests.compile.lockstep import disagreement

STEPS = """(role white) (role black)
(init (n 1)) (succ 1 2) (succ 2 3) (succ 3 4)
(legal white a) (legal black c)
(<= (next (n ?y)) (true (n ?x)) (succ ?x ?y))
(<= terminal (true (n 4)))
(<= (goal ?r 50) (role ?r))
"""

IN_ERROR = {
    "terminal": "(<= terminal (does white a))",
    "terminal, denied": "(<= terminal (not (does black c)) (true (n 2)))",
    "legal": "(<= (legal black d) (does white a))",
    "legal for all": "(<= (legal ?r d) (role ?r) (not (does ?r a)))",
    "legal, of any move": "(<= (legal black d) (not (does ?anybody ?anything)))",
    "goal": "(<= (goal white 90) (does white a))",
    "goal, of one of two moves": "(<= (goal white 90) (does white a)) (legal white b)",
    "goal, denied": "(<= (goal white 90) (not (does white a)))",
    "through a relation": "(<= (acts ?r) (does ?r ?m)) (<= (goal ?r 90) (acts ?r))",
    "through two": (
        "(<= (acts ?r) (does ?r ?m)) (<= (idle ?r) (role ?r) (not (acts ?r)))"
        "(<= (legal ?r wait) (idle ?r)) (<= (next (waited ?r)) (does ?r wait) (acts ?r))"
    ),
    "of next and of legal": (
        "(<= (hit ?m) (does ?r ?m)) (<= (legal black d) (hit a)) (<= (next (was ?m)) (hit ?m))"
        "(<= (goal white 10) (true (was a))) (<= (goal white 20) (hit a))"
    ),
    "next asks legal": (
        "(<= (legal black d) (does white b)) (<= (next odd) (legal black d))"
        "(<= (goal black 7) (true odd))"
    ),
    "next asks terminal": (
        "(<= terminal (does white a)) (<= (next odd) terminal) (<= (goal black 7) (true odd))"
    ),
    "sees asks goal": (
        "(<= (goal white 3) (does white a)) (<= (sees black ?g) (goal white ?g))"
        "(<= (next seen) (goal white 3))"
    ),
    "recursive": (
        "(<= (up ?x) (does white a) (succ ?x ?y)) (<= (up ?y) (up ?x) (succ ?x ?y))"
        "(<= (legal black (go ?x)) (up ?x)) (<= (next (went ?x)) (up ?x))"
    ),
    "init": "(<= (init odd) (not (true (n 1)))) (<= (init even) (does white a))",
    "next asks init": "(<= (init odd) (true (n 2))) (<= (next odd) (init odd))",
    "roles": "(<= (role green) (not (true (n 2)))) (legal green g) (goal green 1)",
    "input": "(input white a) (<= (input white b) (not (does white a))) (input black c)",
    "base": "(<= (base (n ?x)) (true (n ?x))) (<= (base (n ?y)) (succ ?x ?y))",
    "legal asks input": "(<= (input black d) (does white a)) (<= (legal black d) (input black d))",
    "for does": "(<= (does white b) (true (n 2))) (does black z)",
    "for true": "(<= (true odd) (true (n 1))) (<= (legal black d) (true odd))",
    "a name of ours": (
        "(<= |STATE legal| (does white a)) (<= (legal black d) |STATE legal|)"
        "(<= (next odd) |STATE legal|) (<= (goal black 7) (true odd))"
    ),
    "a name of ours that no rule is about": (
        "(<= moved (true (n 1)) (not (does white b))) (<= (legal black d) moved)"
        "(<= (next odd) moved) (<= (goal black 7) (not |STATE moved|))"
    ),
}


def game(text: str) -> Description:
    return parse(text, syntax="kif", name="odd.kif")


@pytest.mark.later
@pytest.mark.parametrize("odd", IN_ERROR)
def test_a_circuit_does_as_the_definition_where_rules_are_in_error(odd: str) -> None:
    description = game(STEPS + IN_ERROR[odd])
    meaning = Reasoner(description)
    circuit = build(description, roles=meaning.roles)
    assert disagreement(circuit, meaning, states=40, seed=1) is None


def test_what_rests_on_moves_does_not_hold_in_a_state() -> None:
    odd = build(game(STEPS + IN_ERROR["legal"] + IN_ERROR["terminal"] + IN_ERROR["goal"]))
    assert odd.moves == ((parse_term("a"),), (parse_term("c"),))
    assert [[value for value, _ in row] for row in odd.goals] == [[50], [50]]


def test_rules_that_keep_to_the_specification_stay_as_they_are() -> None:
    found = clauses(game(STEPS + "(<= (base (n ?x)) (succ ?x ?y)) (input white a)"))
    assert specialised(found) == list(found)


def test_a_relation_asked_at_two_moments_is_two_relations() -> None:
    rules = "(<= (p) (does r a)) (<= (p) (not (true b))) (<= (legal r a) (p)) (<= (next b) (p))"
    found = specialised(clauses(game(rules)))
    assert [(c.head, *c.body) for c in found] == [
        (c.head, *c.body)
        for c in clauses(
            game(
                "(<= p (does r a)) (<= |STATE p| (not (true b))) (<= p (not (true b)))"
                "(<= (legal r a) |STATE p|) (<= (next b) p)"
            )
        )
    ]


def test_what_nobody_outside_asks_for_is_left_out() -> None:
    found = clauses(game("(role r) (p a) (<= (q ?x) (p ?x)) (<= (legal r ?x) (p ?x))"))
    assert [kif_text(c.head) for c in specialised(found)] == ["(role r)", "(p a)", "(legal r ?x)"]
