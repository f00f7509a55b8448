"""What grounding finds, and what it says when it cannot."""

from __future__ import annotations

import pytest

from gdl.circuit.evaluate import evaluate
from gdl.compile import CompileError, CompileLimits, GroundingLimitError, build
from gdl.compile.grounding.ground_game import GroundGame, ground
from gdl.compile.rules.grounder_names import GrounderNames, split_arguments
from gdl.compile.rules.logic_program import needed_clauses
from gdl.compile.rules.rule_decomposition import split
from gdl.language.clauses import clauses
from gdl.language.parse import parse
from gdl.language.syntax import Compound, Constant

COUNTER = """
(role robot)
(init (step 1))
(succ 1 2) (succ 2 3) (succ 3 4) (succ 7 8)
(<= (legal robot wait) (true (step ?n)))
(<= (next (step ?m)) (true (step ?n)) (succ ?n ?m))
(<= terminal (true (step 4)))
(<= (goal robot 100) (true (step 4)))
(<= (goal robot 0) (not (true (step 4))))
"""


def grounded(text: str) -> GroundGame:
    return ground(needed_clauses(clauses(parse(text, syntax="kif"))))


def test_only_facts_that_relaxed_reachability_finds_are_there() -> None:
    game = grounded(COUNTER)
    assert [str(fact) for fact in game.facts] == ["(step 1)", "(step 2)", "(step 3)", "(step 4)"]
    assert game.initial == {0}


def test_relations_that_nothing_needs_are_not_grounded() -> None:
    huge = " ".join(f"(n {i})" for i in range(200))
    text = COUNTER + huge + "(<= (cube ?x ?y ?z ?w) (n ?x) (n ?y) (n ?z) (n ?w))"
    assert grounded(text).program.rule_count < 100


def test_names_of_any_spelling_come_back_as_they_were() -> None:
    odd = ["X", "x", "_", "+", "1-2", "01", "1", "not1", "#show", "a.b", '"', "%*", "'", "é", "c0"]
    facts = "".join(f"(init (has |{name}|))" for name in odd)
    game = grounded(COUNTER + facts + "(<= (next (has ?x)) (true (has ?x)))")
    assert {fact.args[0] for fact in game.facts if fact.name == "has"} == set(map(Constant, odd))  # type: ignore[union-attr]  # all compounds


def test_function_terms_and_arities_are_kept_apart() -> None:
    game = grounded(
        COUNTER
        + "(init (f a)) (init f) (init (f (f a) b)) (p a) (p a b)"
        + "(<= (next (both ?x)) (p ?x) (p ?x ?y))"
    )
    assert {"f", "(f a)", "(f (f a) b)", "(both a)"} <= {str(fact) for fact in game.facts}


def test_statics_are_exact_under_stratified_negation() -> None:
    game = grounded(
        COUNTER
        + "(d 1) (d 2) (d 3) (<= (odd 1)) (<= (odd 3)) (<= (even ?x) (d ?x) (not (odd ?x)))"
        + "(<= (next (mark ?x)) (even ?x))"
    )
    assert [str(f) for f in game.facts if "mark" in str(f)] == ["(mark 2)"]


def test_roles_keep_the_order_of_the_rules() -> None:
    game = grounded(COUNTER.replace("(role robot)", "(role z) (role robot) (role a)"))
    assert [str(role) for role in game.roles] == ["z", "robot", "a"]


def test_moves_of_strangers_are_left_out() -> None:
    game = grounded(COUNTER + "(<= (legal nobody wait) (true (step ?n)))")
    assert [list(map(str, row)) for row in game.moves] == [["wait"]]


def test_a_game_without_roles_is_refused() -> None:
    with pytest.raises(CompileError, match=r"^the rules name no role, so nobody can play$"):
        grounded("(<= (legal robot wait) (true s)) (init s)")


@pytest.mark.alone
def test_an_explosion_names_the_rule_and_its_instances() -> None:
    many = " ".join(f"(n {i})" for i in range(60))
    text = COUNTER + many + "(<= (next (q ?x ?y ?z ?w)) (n ?x) (n ?y) (n ?z) (n ?w))"
    with pytest.raises(GroundingLimitError) as caught:
        build(parse(text, syntax="kif"), limits=CompileLimits(seconds=1))
    error = caught.value
    assert error.rule is not None
    assert str(error.rule.head.sentence) == "(next (q ?x ?y ?z ?w))"
    assert error.instances > 1000
    lines = str(error).splitlines()
    assert lines[0] == ("the rules have too many instances: grounding was stopped after 1 seconds")
    assert lines[1].endswith(
        f"error[limit-grounding]: this rule for next/1 has too many: {error.instances:,} "
        "after the first 1 seconds, and growing"
    )
    assert lines[-1] == (
        "  help: raise the limit with CompileLimits(seconds=...), "
        "or let the reasoner play this game"
    )


@pytest.mark.alone
def test_what_grows_is_named_not_what_was_large_before() -> None:
    """Two relations are large and done with; one rule of the third is the one that grows."""
    text = (
        COUNTER
        + " ".join(f"(n {i})" for i in range(25))
        + " ".join(f"(m {i})" for i in range(200))
        + "(<= (cube ?x ?y ?z) (n ?x) (n ?y) (n ?z) (true (step 1)))"
        + "(<= (far ?x ?y) (cube ?x ?y 1)) (<= (far ?x ?y) (cube ?x 1 ?y))"
        + "(<= (big ?x ?x ?x ?x) (far ?x ?x))"
        + "(<= (big ?x ?y ?z ?w) (far ?x ?y) (m ?z) (m ?w))"
        + "(<= (next (seen ?x ?y ?z ?w)) (big ?x ?y ?z ?w)) (<= terminal (big ?x ?y ?x ?y))"
    )
    with pytest.raises(GroundingLimitError) as caught:
        build(parse(text, syntax="kif"), limits=CompileLimits(seconds=2))
    assert caught.value.rule is not None
    assert str(caught.value.rule.head.sentence) == "(big ?x ?y ?z ?w)"
    assert caught.value.instances > 1000


@pytest.mark.slow
def test_the_number_of_ground_rules_is_limited() -> None:
    many = " ".join(f"(n {i})" for i in range(60))
    text = COUNTER + many + "(<= (next (q ?x ?y ?z)) (n ?x) (n ?y) (n ?z))"
    with pytest.raises(GroundingLimitError, match="stopped after 1,000 ground rules"):
        build(parse(text, syntax="kif"), limits=CompileLimits(ground_rules=1000))


TOWER = "(init (tower zero)) (<= (next (tower (s ?x))) (true (tower ?x)) (true (step ?n)) {stop})"


@pytest.mark.alone
def test_terms_that_grow_for_ever_are_stopped_and_named() -> None:
    text = COUNTER + TOWER.format(stop="")
    with pytest.raises(GroundingLimitError) as caught:
        build(parse(text, syntax="kif"), limits=CompileLimits(seconds=1))
    assert caught.value.rule is not None
    assert str(caught.value.rule.head.sentence) == "(next (tower (s ?x)))"


@pytest.mark.slow
def test_deep_terms_are_refused() -> None:
    chain = "".join(f"(deeper {nested(i)} {nested(i + 1)})" for i in range(120))
    text = COUNTER + chain + "(<= (next (at ?y)) (true (at ?x)) (deeper ?x ?y)) (init (at z))"
    with pytest.raises(GroundingLimitError) as caught:
        build(parse(text, syntax="kif"))
    assert str(caught.value) == (
        "the rules derive terms nested more than 100 deep\n"
        "  help: raise the limit with CompileLimits(term_depth=...), "
        "or let the reasoner play this game"
    )


def nested(depth: int) -> str:
    return "(s " * depth + "z" + ")" * depth


def test_the_number_of_gates_is_limited() -> None:
    with pytest.raises(GroundingLimitError) as caught:
        build(parse(COUNTER, syntax="kif"), limits=CompileLimits(gates=1))
    assert str(caught.value) == (
        "the rules take 3 gates, more than the limit of 1\n"
        "  help: raise the limit with CompileLimits(gates=...), "
        "or let the reasoner play this game"
    )


def test_a_variable_that_nothing_binds_is_pointed_at() -> None:
    text = "(role robot)\n(<= (next (near ?x)) (true s) (distinct ?x a))\n(init s)"
    with pytest.raises(CompileError) as caught:
        build(parse(text, syntax="kif", name="bad.kif"))
    assert str(caught.value) == (
        "bad.kif:2:1: error[unsafe-variable]: this rule for next/1 cannot be compiled: "
        "nothing gives ?x a value\n"
        "  2 | (<= (next (near ?x)) (true s) (distinct ?x a))\n"
        "    | ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^\n"
        "  expected: a positive condition in which ?x occurs\n"
        "  help: add a literal that binds ?x, or let the reasoner play this game"
    )


def test_split_rules_mean_the_same() -> None:
    text = COUNTER + (
        "(e 1 2) (e 2 3) (e 3 4) (e 4 1)"
        "(init (at 1)) (init (at 3))"
        "(<= (next (at ?d)) (true (at ?a)) (e ?a ?b) (e ?b ?c) (e ?c ?d) (true (at ?c)))"
    )
    whole = needed_clauses(clauses(parse(text, syntax="kif")))
    short = split(whole)
    assert max(len(clause.body) for clause in short) < max(len(clause.body) for clause in whole)
    facts = [Compound("at", (Constant(str(i)),)) for i in range(1, 5)]
    circuit = build(parse(text, syntax="kif"))
    held = [*facts[:3], Compound("step", (Constant("1"),))]
    says = evaluate(circuit, held, [Constant("wait")])
    assert {str(fact) for fact in says.next} == {"(at 2)", "(at 4)", "(step 2)"}


def test_the_example_of_split_arguments() -> None:
    assert split_arguments("c1,f0(c2,f1(c3,c4)),c5") == ["c1", "f0(c2,f1(c3,c4))", "c5"]


def test_a_vocabulary_keeps_constants_functions_and_relations_apart() -> None:
    words = GrounderNames()
    one = words.term(Compound("a", (Constant("a"),)), {})
    assert str(words.decode(one)) == "(a a)"
    assert words.sentence(Constant("a"), {}) != words.sentence(Compound("a", (Constant("a"),)), {})
