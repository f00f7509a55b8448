"""What `check` says of whole descriptions, and that no input makes it stumble."""

from __future__ import annotations

import gc
import os
import subprocess
import sys
import time
from collections.abc import Callable
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gdl.language.checks.check import MAX_DIAGNOSTICS, check
from gdl.language.checks.explanations import explanations
from gdl.language.diagnostics import Diagnostic, Severity
from gdl.language.limits import Limits
from gdl.language.parse import parse
from gdl.language.syntax import (
    And,
    Atom,
    Compound,
    Constant,
    Description,
    Distinct,
    Formula,
    Not,
    Or,
    Rule,
    Term,
    Variable,
    sentence,
)
from tests.shared import ROOT

GAME = """
(role white) (role black)
(init (step 1))
(<= (next (step 2)) (true (step 1)))
(<= (legal ?r noop) (role ?r))
(<= (goal ?r 50) (role ?r))
(<= terminal (true (step 2)))
"""


def slugs(text: str) -> list[str]:
    return [problem.slug for problem in check(parse(text, syntax="kif"))]


def errors(problems: list[Diagnostic]) -> set[tuple[str, str]]:
    return {
        (problem.slug, problem.message)
        for problem in problems
        if problem.severity is Severity.ERROR
    }


def test_of_places_in_several_files_the_first_is_in_the_first_file() -> None:
    one = parse("; far from the beginning\n(init (at 1)) (<= lost (true (at 1)) found)", name="1")
    two = parse("(<= found lost) (<= terminal found)", name="2")
    (circle,) = (each for each in check(one + two) if each.slug == "never-holds")
    assert circle.span is not None
    assert (circle.span.source.name, circle.message) == (
        "1",
        "lost never holds: all its rules need found, which needs lost",
    )


def test_nothing_is_said_of_a_good_game() -> None:
    assert slugs(GAME) == []


def test_of_an_empty_description_there_is_one_thing_to_say() -> None:
    assert slugs("") == slugs("; to be written") == ["no-rules"]
    assert [problem.slug for problem in check(Description(()))] == ["no-rules"]


def test_a_description_of_a_relation_of_its_own_lacks_everything() -> None:
    assert set(slugs("(<= p p)")) >= {
        "missing-role",
        "missing-init",
        "missing-legal",
        "missing-goal",
        "missing-terminal",
    }


def test_a_description_without_places_is_checked_all_the_same() -> None:
    found = check(Description((Rule(Atom(Constant("p"), None)),)))
    assert {problem.slug for problem in found} >= {"missing-role", "unused-relation"}
    assert all(problem.span is None for problem in found)


def test_a_run_says_the_same_as_the_next() -> None:
    """Names of one likeness are told in the order of the rules, not in that of their hashes."""
    program = """
from gdl.language.checks.check import check
from gdl.language.parse import parse
rules = "(a1 x) (scorea) (scoreb) (score) (init cell) (init (cell a b)) (init (stepa 1))"
rules += "(<= p (true (cell a b c)) (scorea) (scoreb) (true (stepsa 2)) (true (stepsb 2)))"
print(*check(parse(rules)))
"""
    told = {
        subprocess.run(
            [sys.executable, "-c", program],
            env={**os.environ, "PYTHONHASHSEED": seed},
            cwd=ROOT,
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in "0123"
    }
    assert len(told) == 1
    assert "did you mean scorea?" in told.pop()


def test_problems_come_sorted_by_place() -> None:
    text = GAME + "(goal white 101) (p ?x) (<= q (not (r ?y))) (legal white)"
    places = [problem.span.start for problem in check(parse(text, syntax="kif")) if problem.span]
    assert places == sorted(places)
    assert len(places) > 4


@pytest.mark.parametrize(
    "rules",
    [
        "(succ 1 2) (<= (next (step ?y)) (true (step ?x)) (succ ?x ?y))",
        "(<= (next ?f) (true ?f) (not (gone ?f))) (<= (gone ?f) (does ?r noop) (true ?f))",
        "(<= (far ?x) (edge ?x)) (<= (far ?x) (far ?x)) (edge a) (<= (next (step 2)) (far a))",
        "(<= (goal ?r 0) (role ?r) (true (step ?n)) (distinct ?n 1))",
        "(<= (legal ?r (go ?x)) (role ?r) (or (true (step ?x)) (and (true (step ?x)) (role b))))",
        "(<= (next (step 1)) (role ?r) (not (does ?r noop)))",
        "(<= (base (step ?n)) (n ?n)) (n 1) (n 2) (<= (input ?r noop) (role ?r))",
        "(<= (goal white ?v) (worth ?n ?v) (true (step ?n))) (worth 2 100)",
        "(role random) (<= (sees ?r (moved ?s)) (role ?r) (does ?s noop))",
        "(<= (next (step ?n)) (does ?r (f (g ?n)))) (<= (legal ?r (f (g 1))) (role ?r))",
    ],
)
def test_nothing_is_said_of_rules_that_games_are_made_of(rules: str) -> None:
    assert slugs(GAME + rules) == []


@pytest.mark.parametrize(
    ("rules", "slug"),
    [
        # Each is a small change of a rule above.
        ("(<= (next (step ?y)) (true (step ?x)))", "unsafe-variable"),
        (
            "(<= (goal ?r 0) (role ?r) (or (true (step 1)) (not (true (step ?n)))))",
            "unsafe-negation",
        ),
        ("(<= (next (done ?r)) (not (does ?r noop)))", "unsafe-variable"),
        ("(<= (legal ?r ?m) (role ?r) (not (does ?r ?m)))", "legal-depends-on-does"),
        ("(<= terminal (true (step 2)) (not terminal))", "unstratified-negation"),
        ("(<= (goal ?r 0) (goal ?r (not 1)))", "keyword-as-name"),
        ("(goal white one)", "goal-value"),
        ("(goal white 1e2)", "goal-value"),
        ("(<= (far (f ?x ?y)) (far ?x) (true (step ?y)))", "recursion-restriction"),
        ("(<= (a (f ?x)) (b ?x)) (<= (b ?x) (a ?x)) (a 1)", "recursion-restriction"),
        ("(init (true (step 1)))", "keyword-as-name"),
        ("(<= (sees white ?m) (does black ?m)) (<= terminal (sees white noop))", "keyword-in-body"),
    ],
)
def test_each_of_these_is_an_error(rules: str, slug: str) -> None:
    found = check(parse(GAME + rules, syntax="kif"))
    assert slug in {problem.slug for problem in found if problem.severity is Severity.ERROR}


def test_a_recursion_that_cannot_grow_is_only_a_warning() -> None:
    rules = "(<= (way ?x ?z) (way ?x ?y) (way ?y ?z)) (way a b) (<= terminal (way a b))"
    (problem,) = check(parse(GAME + rules, syntax="kif"))
    assert (problem.slug, problem.severity) == ("recursion-restriction", Severity.WARNING)


def test_the_span_is_the_offending_term_and_not_the_rule() -> None:
    found = check(parse(GAME + "(<= (goal ?r 101) (role ?r) (not (p ?z)))", syntax="kif"))
    texts = {problem.slug: problem.span.text for problem in found if problem.span}
    assert texts["goal-value"] == "101"
    assert texts["unsafe-negation"] == "?z"


# ---- any input ----

names = st.sampled_from(
    ["p", "q", "role", "true", "next", "init", "legal", "does", "goal", "terminal"]
)
terms: st.SearchStrategy[Term] = st.recursive(
    st.builds(Constant, st.sampled_from(["a", "b", "role", "100", "101"]))
    | st.builds(Variable, st.sampled_from("xy")),
    lambda inner: st.builds(Compound, names, st.lists(inner, min_size=1, max_size=2).map(tuple)),
    max_leaves=3,
)
atoms = st.builds(
    lambda name, args: Atom(sentence(name, tuple(args))), names, st.lists(terms, max_size=2)
)
bodies: st.SearchStrategy[Formula] = st.recursive(
    atoms | st.builds(Distinct, terms, terms),
    lambda inner: (
        st.builds(Not, inner)
        | st.builds(Or, st.lists(inner, max_size=2).map(tuple))
        | st.builds(And, st.lists(inner, max_size=2).map(tuple))
    ),
    max_leaves=4,
)
rules = st.builds(Rule, atoms, st.lists(bodies, max_size=3).map(tuple), has_arrow=st.booleans())
descriptions = st.builds(Description, st.lists(rules, max_size=6).map(tuple))


@given(descriptions)
def test_check_returns_explained_problems_of_any_description(description: Description) -> None:
    for problem in check(description):
        assert problem.slug in explanations()
        assert problem.message
        assert str(problem)


@given(descriptions.filter(lambda each: bool(each.rules)))  # that there are none the first mends
def test_a_safe_rule_about_something_else_mends_no_error(description: Description) -> None:
    fresh = Rule(Atom(Compound("entirely_new", (Constant("thing"),))))
    longer = Description((*description.rules, fresh))
    assert errors(check(description)) <= errors(check(longer))


@given(descriptions, st.randoms(use_true_random=False))
def test_the_order_of_rules_changes_no_kind_of_error(
    description: Description, random: Random
) -> None:
    shuffled = list(description.rules)
    random.shuffle(shuffled)
    before = {slug for slug, _ in errors(check(description))}
    assert {slug for slug, _ in errors(check(Description(tuple(shuffled))))} == before


# ---- hostile input ----


def seconds(description: Description) -> float:
    """Return what the check takes of the processor, in which nothing else is looked through."""
    gc.collect()
    gc.freeze()
    try:
        start = time.process_time()
        check(description)
        return time.process_time() - start
    finally:
        gc.unfreeze()


def long_rule(length: int) -> Description:
    body = tuple(Atom(Compound("p", (Variable(f"x{n}"),))) for n in range(length))
    return Description((Rule(Atom(Constant("q")), body),))


def misspelt_names(length: int) -> Description:
    return Description(
        tuple(
            Rule(Atom(Constant(f"relation{n}x")), (Atom(Constant(f"relatoin{n}x")),))
            for n in range(length)
        )
    )


def chain_of_negations(length: int) -> Description:
    return Description(
        tuple(
            Rule(Atom(Constant(f"p{n}")), (Not(Atom(Constant(f"p{n + 1}"))),))
            for n in range(length)
        )
    )


def relations_that_never_hold(length: int) -> Description:
    facts = "".join(f"(init (g{n} 1))" for n in range(length))
    rules = "".join(f"(<= (p{n} a) (p{n} a) (true (g1 1)))" for n in range(length))
    return parse(facts + rules, syntax="kif")


def goals_from_facts(length: int) -> Description:
    facts = "".join(f"(score {n % 100} k{n})" for n in range(length))
    rules = "".join(f"(<= (goal r ?v) (score ?v k{n}))" for n in range(length))
    return parse(facts + rules, syntax="kif")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("rules", "length"),
    [
        (long_rule, 6_000),
        (misspelt_names, 2_500),
        (chain_of_negations, 4_000),
        (relations_that_never_hold, 500),
        (goals_from_facts, 500),
    ],
)
def test_the_check_of_large_rules_grows_as_they_do(
    rules: Callable[[int], Description], length: int
) -> None:
    # Eight times as many would take 64 times as long, were each compared with each.
    seconds(rules(length))  # what is imported and made once
    assert seconds(rules(8 * length)) < 32 * seconds(rules(length))


@pytest.mark.slow
def test_a_cycle_of_negations_five_thousand_long_is_shown_in_part() -> None:
    length = 5_000
    cycle = tuple(
        Rule(Atom(Constant(f"p{n}")), (Not(Atom(Constant(f"p{(n + 1) % length}"))),))
        for n in range(length)
    )
    found = [p for p in check(Description(cycle)) if p.slug == "unstratified-negation"]
    assert found
    assert len(str(found[0])) < 5_000


@pytest.mark.slow
def test_too_deep_terms_and_formulas_get_a_problem() -> None:
    term: Term = Constant("a")
    formula: Formula = Atom(Constant("p"))
    for _ in range(100_000):
        term = Compound("f", (term,))
        formula = Not(formula)
    deep = [
        Description((Rule(Atom(Compound("p", (term,)))),)),
        Description((Rule(Atom(Constant("q")), (formula,)),)),
    ]
    for description in deep:
        assert [problem.slug for problem in check(description)] == ["limit-depth"]


@pytest.mark.later
def test_terms_as_deep_as_a_limit_that_was_raised_are_checked() -> None:
    term = "(f " * 3_000 + "a" + ")" * 3_000
    rules = f"(role r) (init (p {term} b)) (<= (legal r m) (true (p {term} c))) (base (p {term} d))"
    limits = Limits(depth=10_000)
    found = check(parse(rules, syntax="kif", limits=limits), limits=limits)
    assert {"no-first-move", "missing-base"} <= {problem.slug for problem in found}


def test_time_is_limited() -> None:
    found = check(parse(GAME, syntax="kif"), limits=Limits(seconds=0.0))
    assert "limit-seconds" in {problem.slug for problem in found}


def test_a_flood_of_one_problem_is_cut() -> None:
    flood = "(goal white 101)" * 3 + " ".join(f"(goal white {n})" for n in range(200, 2_000))
    found = [problem.slug for problem in check(parse(GAME + flood, syntax="kif"))]
    assert found.count("goal-value") <= MAX_DIAGNOSTICS
    assert found.count("limit-problems") == 1


@pytest.mark.parametrize(
    ("facts", "gaps"),
    [
        ([(n, n + 1) for n in range(9) if n != 4], ["add (succ 4 5)"]),
        ([(n + 1, n) for n in range(9) if n != 4], ["add (succ 5 4)"]),
        ([(n, n + 1) for n in range(9)], []),
        ([(n, n + 1) for n in range(9) if n not in {3, 5}], []),
        ([(n, n + 1) for n in range(4) if n != 2], []),
        ([(n, n + 1) for n in (1, 2, 3, 4, 5, 6, 999_999_998)], []),
        ([(n, (n + 1) % 9) for n in range(9) if n != 4], []),
    ],
)
def test_a_chain_that_lacks_one_link_says_which(
    facts: list[tuple[int, int]], gaps: list[str]
) -> None:
    text = " ".join(f"(succ {one} {other})" for one, other in facts)
    found = [each.help for each in check(parse(text)) if each.slug == "chain-gap"]
    assert found == gaps
