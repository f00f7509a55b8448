"""Recursion in all its forms, against closures computed by hand, on random graphs."""

from __future__ import annotations

from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gdl.language.parse import parse, parse_term
from gdl.language.syntax import Compound, Constant, Sentence, Variable
from gdl.reason.explanation import Proof, Refutation
from gdl.reason.machine import Reasoner
from gdl.reason.why import explain
from tests.reason.verifier import check_proof, check_refutation
from tests.shared import examples

NODES = "abcdef"
Edges = frozenset[tuple[str, str]]

FORMS = {
    "right": "(<= (path ?x ?z) (true (edge ?x ?y)) (path ?y ?z))",
    "left": "(<= (path ?x ?z) (path ?x ?y) (true (edge ?y ?z)))",
    "double": "(<= (path ?x ?z) (path ?x ?y) (path ?y ?z))",
    "mutual": "(<= (path ?x ?z) (true (edge ?x ?y)) (way ?y ?z)) (<= (way ?x ?y) (path ?x ?y))",
    "both ways": "(<= (path ?x ?z) (true (edge ?x ?y)) (path ?y ?z))"
    "(<= (path ?x ?z) (path ?x ?y) (true (edge ?y ?z)))",
    "with a test": "(<= (path ?x ?z) (path ?x ?y) (path ?y ?z) (not (hole ?y)))"
    "(<= (hole ?y) (true (edge ?y nowhere)))",
}

edges = st.frozensets(st.tuples(*[st.sampled_from(NODES)] * 2), max_size=14)


def closure(graph: Edges) -> Edges:
    found = set(graph)
    for middle, start, end in product(NODES, repeat=3):
        if (start, middle) in found and (middle, end) in found:
            found.add((start, end))
    return frozenset(found)


def pairs(name: str, graph: Edges) -> set[Sentence]:
    return {Compound(name, (Constant(one), Constant(other))) for one, other in graph}


@pytest.mark.parametrize("form", FORMS)
@settings(max_examples=examples(40))
@given(graph=edges)
def test_every_form_of_the_closure_is_the_closure(form: str, graph: Edges) -> None:
    rules = f"(role r) (<= (path ?x ?y) (true (edge ?x ?y))) {FORMS[form]}"
    reasoner = Reasoner(parse(rules, syntax="kif"))
    state = frozenset(pairs("edge", graph))
    expected = pairs("path", closure(graph))
    x, y = Variable("x"), Variable("y")
    for one in NODES:  # bound questions first, so that they do not profit from the whole
        node = Constant(one)
        for query in (Compound("path", (node, x)), Compound("path", (x, node))):
            place = 0 if query.args[0] is node else 1
            fitting = {s for s in expected if isinstance(s, Compound) and s.args[place] is node}
            assert set(reasoner.instances(state, query)) == fitting
    circles = {s for s in expected if isinstance(s, Compound) and s.args[0] is s.args[1]}
    assert set(reasoner.instances(state, Compound("path", (x, x)))) == circles
    assert set(reasoner.instances(state, Compound("path", (x, y)))) == expected


@pytest.mark.later
@pytest.mark.parametrize("form", ["left", "double", "mutual"])
@settings(max_examples=examples(20))
@given(graph=edges)
def test_every_path_has_a_proof_and_every_other_pair_a_refutation(form: str, graph: Edges) -> None:
    rules = f"(role r) (<= (path ?x ?y) (true (edge ?x ?y))) {FORMS[form]}"
    reasoner = Reasoner(parse(rules, syntax="kif"))
    state = frozenset(pairs("edge", graph))
    holds = closure(graph)
    known = pairs("path", holds) | {Compound("true", (fact,)) for fact in state}
    known |= pairs("way", holds) if form == "mutual" else set()
    for pair in product(NODES, repeat=2):
        found = explain(reasoner, state, Compound("path", tuple(map(Constant, pair))))
        if pair in holds:
            assert isinstance(found, Proof)
            check_proof(found, known, above=frozenset())
        else:
            assert isinstance(found, Refutation)
            check_refutation(found, known)


def test_the_same_generation_is_found_from_both_sides() -> None:
    tree = "".join(f"(parent {child} {child // 2})" for child in range(2, 32))
    rules = (
        "(role r) (<= (same ?x ?x) (parent ?x ?y))"
        "(<= (same ?x ?y) (parent ?x ?p) (same ?p ?q) (parent ?y ?q)) (same 1 1)"
    )
    reasoner = Reasoner(parse(rules + tree, syntax="kif"))
    query = parse_term("(same 9 ?y)")
    assert isinstance(query, Compound)
    assert reasoner.instances(frozenset(), query) == tuple(
        parse_term(f"(same 9 {other})") for other in range(8, 16)
    )
