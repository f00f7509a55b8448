"""The dependency graph, strata and layers: their laws on random rules, and known games."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gdl.language import graphs
from gdl.language.clauses import Clause, clauses
from gdl.language.dependencies import TRUE, UnstratifiedError, dependency_graph
from gdl.language.graphs import reachable
from gdl.language.matching import may_unify
from gdl.language.parse import parse
from gdl.language.strata import strata
from gdl.language.syntax import Atom, Compound, Constant, Literal, Not, Rule, Signature

NAMES = "abcdef"


def read(text: str) -> tuple[Clause, ...]:
    return clauses(parse(text, syntax="kif"))


def sig(text: str) -> Signature:
    name, arity = text.split("/")
    return Signature(name, int(arity))


def test_edges_know_their_sign_and_their_place() -> None:
    graph = dependency_graph(read("(<= (p ?x) (q ?x) (not (r ?x)) (not (q b)))"))
    assert set(graph.positive[sig("p/1")]) == {sig("q/1")}
    assert set(graph.negative[sig("p/1")]) == {sig("q/1"), sig("r/1")}
    edge = graph.negative[sig("p/1")][sig("r/1")]
    assert edge.is_negative
    assert edge.literal.place is not None
    assert edge.literal.place.span.text == "(not (r ?x))"


def test_relations_with_different_arities_are_different() -> None:
    graph = dependency_graph(read("(<= (p ?x) (p ?x ?y)) (<= (p ?x ?y) (q ?x ?y))"))
    assert not graph.are_mutual(sig("p/1"), sig("p/2"))


def test_what_depends_on_the_state() -> None:
    graph = dependency_graph(
        read("(<= terminal over) (<= over (true (step 9))) (<= fixed (succ 1 2)) (succ 1 2)")
    )
    assert graph.dependents([TRUE]) == {TRUE, sig("over/0"), sig("terminal/0")}
    assert reachable(graph.successors, graph.successors[sig("terminal/0")]) == {TRUE, sig("over/0")}


def test_a_shortest_path_is_found_edge_by_edge() -> None:
    graph = dependency_graph(read("(<= a b) (<= b c) (<= c d) (<= a x) (<= x d)"))
    path = graph.path(sig("a/0"), frozenset({sig("d/0")}))
    assert [(step.head.name, step.body.name) for step in path] == [("a", "x"), ("x", "d")]
    assert graph.path(sig("d/0"), frozenset({sig("a/0")})) == ()


def test_strata_come_bottom_up_with_cycles_together() -> None:
    graph = dependency_graph(read("(<= a (not b)) (<= b c) (<= c b) (<= c d)"))
    assert not graph.negative_cycles()
    assert graph.components == (
        frozenset({sig("d/0")}),
        frozenset({sig("b/0"), sig("c/0")}),
        frozenset({sig("a/0")}),
    )


def test_an_unstratified_description_shows_each_cycle() -> None:
    with pytest.raises(UnstratifiedError) as caught:
        strata(read("(<= p (not q)) (<= q p) (<= s (not s)) (<= fine (not p))"))
    assert [problem.message for problem in caught.value.diagnostics] == [
        "p depends on its own negation: p -> not q -> p",
        "s depends on its own negation: s -> not s",
    ]


def test_layers_order_the_parts_of_a_relation_where_that_gives_it_a_meaning() -> None:
    goals = "(<= (goal ?r 50) (role ?r) (not (goal ?r 100))) (<= (goal ?r 100) (won ?r))"
    assert dependency_graph(read(goals)).negative_cycles()
    heads = [[str(clause.head) for clause in layer] for layer in strata(read(goals))]
    assert heads == [["(goal ?r 100)"], ["(goal ?r 50)"]]


def test_layers_refuse_what_has_no_meaning() -> None:
    with pytest.raises(UnstratifiedError):
        strata(read("(<= (p a) (not (p ?x)) (q ?x)) (<= (p b) (p a))"))


def atom(name: str) -> Atom:
    return Atom(Constant(name))


literals: st.SearchStrategy[Literal] = st.sampled_from(NAMES).flatmap(
    lambda name: st.sampled_from([atom(name), Not(atom(name))])
)


def build(head: str, body: list[Literal]) -> Clause:
    return Clause(Constant(head), tuple(body), Rule(atom(head)))


programs = st.lists(st.builds(build, st.sampled_from(NAMES), st.lists(literals, max_size=3)))


@given(programs)
def test_a_clause_depends_on_earlier_layers_and_through_not_only_on_those(
    program: list[Clause],
) -> None:
    try:
        found = strata(program)
    except UnstratifiedError:
        return
    last = {clause.head: number for number, layer in enumerate(found) for clause in layer}
    for number, layer in enumerate(found):
        for literal in (literal for clause in layer for literal in clause.body):
            match literal:
                case Atom(sentence):
                    assert last.get(sentence, -1) <= number
                case Not(Atom(sentence)):
                    assert last.get(sentence, -1) < number


@given(programs)
def test_a_program_is_unstratified_exactly_when_following_edges_closes_a_cycle_through_not(
    program: list[Clause],
) -> None:
    names = {
        (clause.head, sentence, isinstance(item, Not))
        for clause in program
        for item in clause.body
        for sentence in [
            item.operand.sentence  # type: ignore[union-attr]  # built from atoms
            if isinstance(item, Not)
            else item.sentence  # type: ignore[union-attr]  # built from atoms
        ]
    }
    reach = {(head, body) for head, body, _ in names}
    for middle in map(Constant, NAMES):
        for one in map(Constant, NAMES):
            for other in map(Constant, NAMES):
                if (one, middle) in reach and (middle, other) in reach:
                    reach.add((one, other))
    has_bad_cycle = any(
        is_negative and ((body, head) in reach or head is body) for head, body, is_negative in names
    )
    assert bool(dependency_graph(program).negative_cycles()) == has_bad_cycle


@given(programs)
def test_layers_hold_every_clause_once(program: list[Clause]) -> None:
    try:
        found = strata(program)
    except UnstratifiedError:
        return
    flat = sorted(str(clause.head) for layer in found for clause in layer)
    assert flat == sorted(str(clause.head) for clause in program)
    assert all(found)


graph_edges = st.lists(st.tuples(st.integers(0, 7), st.integers(0, 7)))


@given(graph_edges)
def test_components_are_the_classes_of_mutual_reach_in_dependency_order(
    edges: list[tuple[int, int]],
) -> None:
    successors = {node: [b for a, b in edges if a == node] for node in range(8)}
    found = graphs.components(successors)
    assert sorted(node for part in found for node in part) == list(range(8))
    position = {node: index for index, part in enumerate(found) for node in part}
    for one in range(8):
        for other in graphs.reachable(successors, [one]):
            assert position[other] <= position[one]
            back = one in graphs.reachable(successors, [other])
            assert (position[one] == position[other]) == back


@pytest.mark.later
@pytest.mark.parametrize("length", [10_000, pytest.param(100_000, marks=pytest.mark.slow)])
def test_a_chain_of_a_hundred_thousand_relations_needs_no_recursion(length: int) -> None:
    program = [build(f"p{n}", [Not(atom(f"p{n + 1}"))]) for n in range(length)]
    found = strata(program)
    assert found[0] == (program[-1],)
    assert found[-1] == (program[0],)


def test_terms_that_can_never_be_equal_do_not_match() -> None:
    a, b = Constant("a"), Constant("b")
    assert not may_unify(Compound("p", (a,)), Compound("p", (b,)))
    assert not may_unify(Compound("p", (a,)), Compound("p", (a, a)))
    assert may_unify(Compound("p", (a,)), Compound("p", (a,)))
