"""Clausal form: what it says, that it says the same, and that it cannot grow out of hand."""

from __future__ import annotations

import time
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gdl.language.clauses import Clause, clauses
from gdl.language.diagnostics import LimitError
from gdl.language.limits import Limits
from gdl.language.parse import parse
from gdl.language.syntax import (
    And,
    Atom,
    Constant,
    Description,
    Distinct,
    Formula,
    Literal,
    Not,
    Or,
    Rule,
)

NAMES = "pqrs"


def text(literal: Literal) -> str:
    match literal:
        case Atom(sentence):
            return str(sentence)
        case Not(operand):
            return f"~{text(operand)}"  # type: ignore[arg-type]  # a literal negates an atom
        case Distinct(left, right):
            return f"{left}!={right}"


def written(source: str) -> list[str]:
    """Return clauses as `head: literal literal`."""
    return [
        f"{clause.head}: {' '.join(map(text, clause.body))}".rstrip(": ")
        for clause in clauses(parse(source, syntax="kif"))
    ]


def test_a_fact_and_a_plain_rule_stay_as_they_are() -> None:
    assert written("(p a) (<= q (p ?x) (not r))") == ["(p a)", "q: (p ?x) ~r"]


def test_or_becomes_one_clause_an_alternative_in_order() -> None:
    assert written("(<= h a (or b c) d)") == ["h: a b d", "h: a c d"]


def test_two_ors_make_every_pair_the_last_one_fastest() -> None:
    assert written("(<= h (or a b) (or c d))") == ["h: a c", "h: a d", "h: b c", "h: b d"]


def test_not_is_pushed_inwards_by_the_laws_of_de_morgan() -> None:
    assert written("(<= h (not (or a b)))") == ["h: ~a ~b"]
    assert written("(<= h (not (and a (not b))))") == ["h: ~a", "h: b"]
    assert written("(<= h (not (not a)))") == ["h: a"]


def test_an_empty_or_never_holds_and_an_empty_and_always_does() -> None:
    assert written("(<= h (or))") == []
    assert written("(<= h a (and))") == ["h: a"]
    assert written("(<= h (not (or)))") == ["h"]


def test_a_negated_distinct_makes_its_sides_equal_throughout() -> None:
    assert written("(<= (h ?x ?y) (p ?x ?y) (not (distinct ?x (f ?y))))") == [
        "(h (f ?y) ?y): (p (f ?y) ?y)"
    ]
    assert written("(<= h (not (distinct a b)))") == []
    assert written("(<= h (p ?x) (not (distinct ?x (f ?x))))") == []
    assert written("(<= h p (not (distinct a a)))") == ["h: p"]


def test_literals_keep_their_places_and_clauses_their_rule() -> None:
    description = parse("(<= h (or (not b) c))", syntax="kif")
    first, second = clauses(description)
    assert isinstance(first.body[0], Not)
    assert first.body[0].place is not None
    assert first.body[0].place.span.text == "(not b)"
    assert isinstance(second.body[0], Atom)
    assert second.body[0].place is not None
    assert second.body[0].place.span.text == "c"
    assert first.rule is second.rule is description.rules[0]


formulas: st.SearchStrategy[Formula] = st.recursive(
    st.sampled_from(NAMES).map(lambda name: Atom(Constant(name))),
    lambda inner: (
        st.builds(Not, inner)
        | st.builds(And, st.lists(inner, max_size=3).map(tuple))
        | st.builds(Or, st.lists(inner, max_size=3).map(tuple))
    ),
    max_leaves=8,
)


def holds(formula: Formula, true: frozenset[str]) -> bool:
    match formula:
        case Atom(Constant(name)):
            return name in true
        case Not(operand):
            return not holds(operand, true)
        case And(operands):
            return all(holds(operand, true) for operand in operands)
        case Or(operands):
            return any(holds(operand, true) for operand in operands)
        case _:
            raise AssertionError(formula)


@given(st.lists(formulas, max_size=3))
def test_clauses_mean_what_the_rule_means_whatever_is_true(body: list[Formula]) -> None:
    rule = Rule(Atom(Constant("h")), tuple(body))
    found = clauses(Description((rule,)))
    for choice in product([False, True], repeat=len(NAMES)):
        true = frozenset(name for name, is_true in zip(NAMES, choice, strict=True) if is_true)
        expected = all(holds(formula, true) for formula in body)
        assert any(all(holds(item, true) for item in clause.body) for clause in found) == expected


@given(st.lists(formulas, max_size=3))
def test_every_literal_is_an_atom_or_a_negated_atom(body: list[Formula]) -> None:
    for clause in clauses(Description((Rule(Atom(Constant("h")), tuple(body)),))):
        for literal in clause.body:
            atom = literal.operand if isinstance(literal, Not) else literal
            assert isinstance(atom, Atom)


def test_growth_is_refused_before_it_happens_and_names_the_rule_and_the_count() -> None:
    rule = "(<= terminal " + "(or a b)" * 60 + ")"
    start = time.process_time()
    with pytest.raises(LimitError) as caught:
        clauses(parse(rule, syntax="kif"))
    assert time.process_time() - start < 1
    (problem,) = caught.value.diagnostics
    assert problem.slug == "limit-rules"
    assert "terminal/0" in problem.message
    assert "more than 1,000,000,000,000,000 rules" in problem.message


def test_growth_that_an_empty_or_would_throw_away_is_refused_too() -> None:
    with pytest.raises(LimitError):
        clauses(parse("(<= p (and " + "(or a b)" * 40 + ") (or))", syntax="kif"))


def test_the_number_of_clauses_is_limited_over_all_rules() -> None:
    description = parse("(<= p (or a b)) " * 3, syntax="kif")
    assert len(clauses(description, limits=Limits(rules=6))) == 6
    with pytest.raises(LimitError, match="at most 5 rules"):
        clauses(description, limits=Limits(rules=5))


def test_a_unifier_that_would_be_exponential_is_refused() -> None:
    pairs = [f"(not (distinct ?x{n + 1} (f ?x{n} ?x{n})))" for n in range(40)]
    with pytest.raises(LimitError, match="grow too large"):
        clauses(parse(f"(<= (p ?x40) {' '.join(pairs)})", syntax="kif"))


@pytest.mark.slow
def test_deep_formulas_need_no_recursion() -> None:
    formula: Formula = Atom(Constant("p"))
    for _ in range(50_001):
        formula = Not(formula)
    (clause,) = clauses(Description((Rule(Atom(Constant("h")), (formula,)),)))
    assert [text(literal) for literal in clause.body] == ["~p"]


def test_a_rule_of_a_million_literals_is_one_clause() -> None:
    body = (Atom(Constant("p")),) * 1_000_000
    (clause,) = clauses(Description((Rule(Atom(Constant("h")), body),)))
    assert clause == Clause(Constant("h"), body, clause.rule)
