"""Wide conditions become walks through decision diagrams, and mean the same."""

from __future__ import annotations

from itertools import product

import pytest

from gdl.circuit.evaluate import evaluate
from gdl.circuit.game import GameCircuit
from gdl.compile import build
from gdl.compile.gates.game_network import game_network
from gdl.compile.grounding.ground_game import ground
from gdl.compile.pipeline import game_circuit
from gdl.compile.rules.decision_diagrams import diagram, through_diagrams
from gdl.compile.rules.logic_program import needed_clauses
from gdl.compile.rules.rule_decomposition import split
from gdl.language.clauses import Clause, clauses
from gdl.language.parse import parse, parse_term, read
from gdl.language.syntax import Constant, Term
from gdl.reason.machine import Reasoner
from tests.compile.lockstep import disagreement
from tests.shared import SHARED, needs_games

ROW = """
(role robot) (cell 1) (cell 2) (cell 3) (cell 4) (cell 5)
(digit a) (digit b) (digit c) (same a a) (same b b) (same c c)
(init (mark 1 a)) (init (mark 2 b)) (init (mark 3 c)) (init (mark 4 c)) (init (mark 5 a))
(<= (legal robot (put ?i ?m)) (cell ?i) (digit ?m))
(<= (next (mark ?i ?m)) (does robot (put ?i ?m)))
(<= (next (mark ?i ?m)) (true (mark ?i ?m)) (not (does robot (put ?i ?m))))
(<= (first ?z ?p ?q ?r ?s ?t) (same ?z ?p)
    (digit ?q) (digit ?r) (digit ?s) (digit ?t)
    (not (same ?z ?q)) (not (same ?z ?r)) (distinct ?s ?z) (not (same ?z ?t)))
(<= (once ?z ?p ?q ?r ?s ?t) (first ?z ?p ?q ?r ?s ?t))
(<= (once ?z ?p ?q ?r ?s ?t) (first ?z ?q ?p ?r ?s ?t))
(<= (once ?z ?p ?q ?r ?s ?t) (first ?z ?r ?p ?q ?s ?t))
(<= (once ?z a ?q ?r ?s ?t) (first ?z ?t a ?q ?r ?s) (same ?q c))
(<= (good ?k) (cell ?k) (true (mark 1 ?p)) (true (mark 2 ?q)) (true (mark ?k ?r))
    (true (mark 4 ?s)) (true (mark 5 ?t)) (once a ?p ?q ?r ?s ?t) (once b ?p ?q ?r ?s ?t)
    (not (true (mark 3 ?p))) (distinct ?s ?t))
(<= terminal (good 3) (good ?k) (distinct ?k 3))
(<= (goal robot 100) (good 3)) (<= (goal robot 0) (not (good 3)))
"""


def rules(text: str) -> list[Clause]:
    return needed_clauses(clauses(parse(text, syntax="kif")))


def circuit(found: list[Clause]) -> GameCircuit:
    return game_circuit(game_network(ground(split(needed_clauses(found)))))


def test_a_row_in_which_digits_stand_once_is_played_as_before() -> None:
    after = needed_clauses(through_diagrams(rules(ROW), many=1))
    assert not any(str(clause.head).startswith("(once") for clause in after)
    reasoner = Reasoner(parse(ROW, syntax="kif"))
    assert disagreement(circuit(after), reasoner, states=400, seed=1) is None


def test_a_relation_that_no_rule_is_about_is_none_of_those_that_are_made() -> None:
    text = ROW + "(<= (goal robot 50) (|diagram 0 0| ?node ?digit ?after))"
    reasoner = Reasoner(parse(text, syntax="kif"))
    after = circuit(through_diagrams(rules(text), many=1))
    assert disagreement(after, reasoner, states=10, seed=1) is None


def test_two_walks_in_one_rule_are_taken_apart() -> None:
    both = ROW.replace(
        "(once b ?p ?q ?r ?s ?t)\n",
        "(once b ?p ?q ?r ?s ?t)\n (true (mark 2 ?v)) (once a ?p ?v ?r ?s ?t)"
        " (true (mark 3 ?w)) (once b ?p ?q ?w ?s ?t)",
    )
    assert both != ROW
    after = needed_clauses(through_diagrams(rules(both), many=1))
    assert not any(str(clause.head).startswith("(once") for clause in after)
    reasoner = Reasoner(parse(both, syntax="kif"))
    assert disagreement(circuit(after), reasoner, states=400, seed=2) is None


def test_the_walks_of_a_diagram_are_the_rows_that_meet_all_conditions() -> None:
    values: tuple[Term, ...] = tuple(map(Constant, "abc"))
    some = frozenset(values[:2]), frozenset(values[1:]), frozenset(values[:1])
    first = frozenset({some, (some[2], some[2], some[1])})
    second = frozenset({(some[1], frozenset(values), some[0]), (some[2], some[0], some[1])})
    walks: set[tuple[tuple[Term, ...], int]] = {((), 0)}
    arcs = diagram([first, second])
    assert arcs is not None
    for layer in range(3):
        walks = {
            ((*row, value), target)
            for row, node in walks
            for at, source, value, target in arcs
            if (at, source) == (layer, node)
        }
    expected = {
        row
        for row in product(values, repeat=3)
        if all(
            any(all(v in part for v, part in zip(row, box, strict=True)) for box in boxes)
            for boxes in (first, second)
        )
    }
    assert expected
    assert {row for row, _ in walks} == expected
    assert len({node for _, node in walks}) == 1


def test_conditions_that_cannot_be_met_leave_a_diagram_without_arcs() -> None:
    a, b = frozenset({Constant("a")}), frozenset({Constant("b")})
    assert diagram([frozenset({(a, b)}), frozenset({(a, a)})]) == []


@pytest.mark.parametrize(
    "wide",
    [
        "(<= (once ?z ?p ?q ?r ?s ?t) (true (all ?z ?p ?q ?r ?s)) (digit ?s) (digit ?t))",
        "(<= (once ?z ?p ?q ?r ?s ?t) (same ?p ?q) (digit ?z) (digit ?r) (digit ?s) (digit ?t))",
        "(<= (once ?z ?p ?q ?r ?s ?t) (once ?z ?q ?p ?r ?s ?t))",
        "(<= (once ?z ?p ?p ?r ?s ?t) (digit ?z) (digit ?p) (digit ?r) (digit ?s) (digit ?t))",
        "(once a ?p ?q ?r ?s ?t)",
    ],
    ids=["a state", "two variables", "itself", "one variable twice", "any value"],
)
def test_what_is_no_union_of_boxes_stays(wide: str) -> None:
    head = "(role r) (digit a) (digit b) (same a a) (same b b)"
    asks = "(<= terminal (true (all ?p ?q ?r ?s ?t)) (once a ?p ?q ?r ?s ?t))"
    found = rules(f"{head} {wide} {asks}")
    assert through_diagrams(found, many=1) == found


def test_a_condition_of_few_instances_stays() -> None:
    found = rules(ROW)
    assert through_diagrams(found) == found


@pytest.mark.slow
@needs_games
def test_sudoku_agrees_with_the_reasoner() -> None:
    description = read(SHARED / "games" / "sudoku.kif")
    built = build(description)
    assert disagreement(built, Reasoner(description), states=170, seed=1) is None
    solved = {(i, j): (3 * i + i // 3 + j) % 9 + 1 for i, j in product(range(9), repeat=2)}
    assert goal(built, solved) == 100
    assert goal(built, solved | {(0, 0): solved[0, 1], (0, 1): solved[0, 0]}) == 0


def goal(built: GameCircuit, grid: dict[tuple[int, int], int]) -> int:
    marks = [f"(mark {i + 1} {j + 1} {digit})" for (i, j), digit in grid.items()]
    ((value,),) = evaluate(built, list(map(parse_term, marks))).goals
    return value
