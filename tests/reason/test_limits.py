"""Rules that would run away end in an error that names the rule; large ones that do not, run."""

from __future__ import annotations

import time

import pytest

from gdl.language.diagnostics import LimitError
from gdl.language.limits import Limits
from gdl.language.parse import parse, parse_term
from gdl.language.syntax import Term
from gdl.meaning.machine import Meaning
from gdl.reason.machine import Reasoner

FRAME = "(role r)\n(legal r noop)\n"
NOTHING: frozenset[Term] = frozenset()


def reasoner(text: str, limits: Limits | None = None) -> Reasoner:
    return Reasoner(parse(FRAME + text, syntax="kif", name="big.kif"), limits=limits or Limits())


def state(*facts: str) -> frozenset[Term]:
    return frozenset(map(parse_term, facts))


def test_terms_that_grow_without_end_name_the_rule_and_the_limit() -> None:
    game = reasoner("(p a)\n(<= (p (f ?x)) (p ?x))\n(<= terminal (p ?x))", Limits(term_depth=9))
    with pytest.raises(LimitError) as caught:
        game.is_terminal(NOTHING)
    assert str(caught.value) == (
        "big.kif:4:5: error[limit-term-depth]: a rule for p/1 derives a term that is nested "
        "too deep: (f (f (f (f (f (f (f (f (f (f a))))))))))\n"
        "  4 | (<= (p (f ?x)) (p ?x))\n"
        "    |     ^^^^^^^^^^\n"
        "  expected: terms of at most 9 levels\n"
        "  help: a rule that wraps what it derives in a function must not feed itself; "
        "or raise Limits.term_depth"
    )


@pytest.mark.parametrize(
    "condition",
    [
        "(not (true (f (f (f ?x)))))",
        "(distinct ?x (f (f (f ?x))))",
        "(q ?y) (not (distinct ?y (f (f (f ?x)))))",
        "(q (f (f (f ?x))))",
    ],
)
def test_a_term_that_is_merely_asked_for_may_be_deeper_than_what_rules_derive(
    condition: str,
) -> None:
    text = f"(q (f (f (f a))))\n(<= (p ?x) (true ?x) {condition})\n(<= terminal (p a))"
    limits = Limits(term_depth=2)
    assert reasoner(text, limits).is_terminal(state("a"))
    assert Meaning(parse(FRAME + text), limits=limits).is_terminal(state("a"))


def test_what_was_asked_for_does_not_let_a_rule_derive_it() -> None:
    rules = "(p a)\n(<= (p (f ?x)) (p ?x) (distinct a (f (f ?x))))\n(<= terminal (p ?x))"
    with pytest.raises(LimitError, match="derives a term that is nested too deep"):
        reasoner(rules, Limits(term_depth=9)).is_terminal(NOTHING)


def test_facts_without_number_name_the_rule_and_the_limit() -> None:
    numbers = " ".join(f"(n {number})" for number in range(40))
    game = reasoner(
        f"{numbers}\n(<= (pair ?x ?y) (n ?x) (n ?y))\n(<= (next (at ?x ?y)) (pair ?x ?y))",
        Limits(facts=1_000),
    )
    with pytest.raises(LimitError) as caught:
        game.successor(NOTHING, (parse_term("noop"),))
    assert str(caught.value) == (
        "big.kif:4:5: error[limit-facts]: a rule for pair/2 derives too many facts\n"
        "  4 | (<= (pair ?x ?y) (n ?x) (n ?y))\n"
        "    |     ^^^^^^^^^^^^\n"
        "  expected: at most 1,000 facts for one state\n"
        "  help: bound what the rule can derive, or raise Limits.facts"
    )


def test_the_facts_of_a_recursion_are_counted_while_it_runs() -> None:
    numbers = " ".join(f"(s {number} {number + 1})" for number in range(200))
    rules = "(<= (lt ?x ?y) (s ?x ?y))\n(<= (lt ?x ?z) (lt ?x ?y) (lt ?y ?z))"
    game = reasoner(f"{numbers}\n{rules}\n(<= terminal (lt ?x ?y))", Limits(facts=2_000))
    with pytest.raises(LimitError, match=r"big.kif:\d:5: error\[limit-facts\]: a rule for lt/2"):
        game.is_terminal(NOTHING)


def test_facts_are_counted_for_the_moves_that_they_follow_from() -> None:
    """However many moves are tried in a state, each may have as many facts as the limit says."""
    numbers = " ".join(f"(n {number})" for number in range(10))
    rules = "(<= (moved ?x) (n ?x) (does r noop))\n(<= (next (at ?x)) (moved ?x))"
    game = reasoner(f"{numbers}\n{rules}\n(<= (sees r ?x) (moved ?x))", Limits(facts=50))
    for _ in range(10):
        assert len(game.successor(NOTHING, (parse_term("noop"),))) == 10
        assert len(game.percepts(NOTHING, (parse_term("noop"),), parse_term("r"))) == 10


@pytest.mark.slow
def test_too_little_time_names_the_rule_that_ran() -> None:
    numbers = " ".join(f"(n {number})" for number in range(300))
    game = reasoner(
        f"{numbers}\n(<= (m ?x ?y ?z) (n ?x) (n ?y) (n ?z))\n"
        "(<= (next (at ?x ?y ?z)) (m ?x ?y ?z))",
        Limits(seconds=0.3),
    )
    begin = time.monotonic()
    with pytest.raises(LimitError) as caught:
        game.successor(NOTHING, (parse_term("noop"),))
    assert time.monotonic() - begin < 30  # whole, it takes minutes
    assert str(caught.value) == (
        "big.kif:4:5: error[limit-seconds]: evaluation takes too long; when the time was over, "
        "a rule for m/3 was running\n"
        "  4 | (<= (m ?x ?y ?z) (n ?x) (n ?y) (n ?z))\n"
        "    |     ^^^^^^^^^^^^\n"
        "  expected: at most 0.3 seconds for one state\n"
        "  help: give the rule conditions that bind its variables sooner, "
        "or raise Limits.seconds"
    )


HEIGHT = 2_000


@pytest.mark.slow
def test_a_tower_of_rules_does_not_exhaust_the_stack() -> None:
    rules = "\n".join(f"(<= (p{n + 1} ?x) (p{n} ?x))" for n in range(HEIGHT))
    game = reasoner(f"(p0 a)\n{rules}\n(<= terminal (p{HEIGHT} a))")
    assert game.is_terminal(NOTHING)


@pytest.mark.slow
def test_a_tower_of_negations_does_not_exhaust_the_stack() -> None:
    rules = "\n".join(f"(<= (p{n + 1} ?x) (true (at ?x)) (not (p{n} ?x)))" for n in range(HEIGHT))
    game = reasoner(f"(p0 a)\n{rules}\n(<= terminal (p{HEIGHT} a))")
    assert game.is_terminal(state("(at a)"))
    assert not game.is_terminal(state("(at b)"))


@pytest.mark.slow
def test_a_tower_that_cannot_be_evaluated_whole_is_a_limit_error() -> None:
    rules = "\n".join(f"(<= (p{n + 1} ?x) (not (p{n} ?x)))" for n in range(HEIGHT))
    game = reasoner(f"(<= (p0 a) (true (at a)))\n{rules}\n(<= terminal (p{HEIGHT} a))")
    with pytest.raises(LimitError) as caught:
        game.is_terminal(NOTHING)
    assert str(caught.value) == (
        "the rules rest on each other too deeply for the stack that is left\n"
        "  help: ask from a shallower place in your program, or raise sys.setrecursionlimit"
    )


def test_a_long_recursion_does_not_exhaust_the_stack() -> None:
    facts = "\n".join(f"(s {n} {n + 1})" for n in range(HEIGHT))
    rules = "(<= (lt ?x ?y) (s ?x ?y)) (<= (lt ?x ?z) (s ?x ?y) (lt ?y ?z))"
    game = reasoner(f"{facts}\n{rules}\n(<= terminal (lt 0 {HEIGHT}))")
    assert game.is_terminal(NOTHING)


@pytest.mark.parametrize("length", [11, 12, 13, 25, 40])
def test_a_rule_may_have_more_loops_than_python_nests(length: int) -> None:
    path = " ".join(f"(true (edge ?x{n} ?x{n + 1}))" for n in range(length))
    ends = f"(<= (path ?x0 ?x{length}) {path})"
    game = reasoner(f"{ends}\n(<= terminal (path a ?x) (true (last ?x)))")
    ring = [f"(edge {'abc'[n]} {'abc'[(n + 1) % 3]})" for n in range(3)]
    assert game.is_terminal(state(*ring, f"(last {'abc'[length % 3]})"))
    assert not game.is_terminal(state(*ring, f"(last {'abc'[(length + 1) % 3]})"))


@pytest.mark.parametrize("length", [11, 12, 13, 25, 40])
def test_a_recursive_rule_may_have_more_loops_than_python_nests(length: int) -> None:
    path = " ".join(f"(true (edge ?x{n} ?x{n + 1}))" for n in range(length))
    rule = f"(<= (far ?x0 ?y) {path} (far ?x{length} ?y) {path.replace('?x', '?z')} (last ?z0))"
    game = reasoner(f"(last c) {rule}\n(<= (far ?x ?x) (true (goal ?x)))\n(<= terminal (far a b))")
    ring = [f"(edge {'abc'[n]} {'abc'[(n + 1) % 3]})" for n in range(3)]
    reachable = length % 3 != 0
    assert game.is_terminal(state(*ring, "(goal b)")) == reachable


@pytest.mark.slow
def test_long_bodies_without_variables_are_no_burden() -> None:
    literals = [f"(true (on {n}))" for n in range(3_000)]
    game = reasoner(f"(<= terminal {' '.join(literals)})")
    everything = [f"(on {n})" for n in range(3_000)]
    assert game.is_terminal(state(*everything))
    assert not game.is_terminal(state(*everything[1:]))


def test_terms_as_deep_as_a_file_may_have_them() -> None:
    deep = "(f " * 150 + "{}" + ")" * 150
    game = reasoner(
        f"(<= (next (at {deep.format('?x')})) (true (at ?x)))"
        f"(<= terminal (true (at {deep.format('?x')})))",
        Limits(term_depth=200),
    )
    after = game.successor(state("(at a)"), (parse_term("noop"),))
    assert after == state(f"(at {deep.format('a')})")
    assert game.is_terminal(after)
    assert not game.is_terminal(state("(at a)"))
