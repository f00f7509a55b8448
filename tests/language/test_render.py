from __future__ import annotations

import random
from pathlib import Path
from typing import get_args

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from gdl.language.parse import Syntax, parse, parse_term, read
from gdl.language.render import render, render_rule
from gdl.language.render.hrf import hrf_text
from gdl.language.syntax import (
    And,
    Atom,
    Compound,
    Constant,
    Description,
    Not,
    Or,
    Rule,
    Term,
    Variable,
    kif_text,
)
from tests.shared import GAMES, needs_games
from tests.strategies import descriptions, terms

SYNTAXES = get_args(Syntax)
BODY = "(cell ?x ?y b)"


@pytest.mark.parametrize("syntax", SYNTAXES)
@given(description=descriptions(), width=st.sampled_from([1, 20, 100]))
def test_what_is_rendered_reads_back_as_the_same(
    syntax: Syntax, description: Description, width: int
) -> None:
    text = render(description, syntax=syntax, width=width)
    again = parse(text, syntax=syntax)
    assert again == description
    assert [rule.has_arrow for rule in again.rules] == [
        rule.has_arrow for rule in description.rules
    ]


@pytest.mark.parametrize("syntax", SYNTAXES)
@given(description=descriptions())
def test_rendering_twice_changes_nothing_more(syntax: Syntax, description: Description) -> None:
    once = render(description, syntax=syntax)
    assert render(parse(once, syntax=syntax), syntax=syntax) == once


@given(term=terms())
def test_a_term_reads_back_from_either_notation(term: Term) -> None:
    assert parse_term(kif_text(term)) is term
    assert parse_term(hrf_text(term), syntax="hrf") is term


@pytest.mark.later
@pytest.mark.parametrize("syntax", SYNTAXES)
@given(description=descriptions())
@example(description=Description((Rule(Atom(Constant("p")), (Or(()),)),)))
def test_the_text_of_every_node_reads_back_as_that_node(
    syntax: Syntax, description: Description
) -> None:
    parsed = parse(render(description, syntax=syntax), syntax=syntax)
    arrow = {"kif": "(<= x {})", "hrf": "x :- {}"}[syntax]
    for rule in parsed.rules:
        assert rule.place is not None
        assert parse(rule.place.span.text, syntax=syntax).rules == (rule,)
        for formula in rule.body:
            assert formula.place is not None
            (again,) = parse(arrow.format(formula.place.span.text), syntax=syntax).rules
            assert again.body == (formula,)
        sentence, place = rule.head.sentence, rule.head.place
        assert place is not None
        if isinstance(sentence, Compound):
            assert len(place.parts) == len(sentence.args)
            for argument, part in zip(sentence.args, place.parts, strict=True):
                assert parse_term(part.span.text, syntax=syntax) is argument


@pytest.mark.parametrize(
    ("kif", "hrf"),
    [
        ("(role white)", "role(white)."),
        ("terminal", "terminal."),
        ("(<= p)", "p :- ."),
        ("(<= (legal ?player noop) (role ?player))", "legal(Player,noop) :- role(Player)."),
        ("(<= p (not (q ?x)) (distinct ?x 1))", "p :- ~q(X) & distinct(X,1)."),
        ("(<= p (or q (and r s)))", "p :- (q | (r & s))."),
        ("(<= p (or) (and q))", "p :- or() & and(q)."),
        ("(<= p (not (or q r)))", "p :- ~(q | r)."),
        ("(succ -1 007)", "succ(-1,007)."),
        ("(1 2)", "'1'(2)."),
        ("(map+ White |two words|)", "'map+'('White','two words')."),
        ("(p ?X ?_x ?x++ ?_ ?1)", "p(?X,_x,?'x++',?_,?1)."),
        ('(says "well, well")', "says('\"well, well\"')."),
        ("(p |TRUE| not)", "p('TRUE','not')."),
        ("(<= p |not|)", "p :- 'not'."),
    ],
)
def test_each_notation_has_its_own_way_to_write_a_rule(kif: str, hrf: str) -> None:
    (rule,) = parse(kif, syntax="kif").rules
    assert parse(hrf, syntax="hrf").rules == (rule,)
    assert render_rule(rule, syntax="kif") == kif
    assert render_rule(rule, syntax="hrf") == hrf


def test_a_long_body_has_one_literal_a_line() -> None:
    (rule,) = parse("(<= (legal ?p (mark ?x)) (role ?p) (or (a ?x) (b ?x)) (not (c ?x)))").rules
    assert render_rule(rule).splitlines() == [
        "(<= (legal ?p (mark ?x))",
        "    (role ?p)",
        "    (or (a ?x) (b ?x))",
        "    (not (c ?x)))",
    ]
    assert render_rule(rule, syntax="hrf").splitlines() == [
        "legal(P,mark(X)) :-",
        "    role(P) &",
        "    (a(X) | b(X)) &",
        "    ~c(X).",
    ]


def test_what_does_not_fit_is_broken_at_its_operands() -> None:
    (rule,) = parse(f"(<= p (or {BODY} (not (and {BODY} {BODY}))))").rules
    assert render_rule(rule, width=30).splitlines() == [
        "(<= p",
        "    (or (cell ?x ?y b)",
        "        (not (and (cell ?x ?y b)",
        "                  (cell ?x ?y b)))))",
    ]


def test_rules_of_different_relations_are_kept_apart() -> None:
    rules = [Rule(Atom(Compound(name, (Variable("x"),)))) for name in ("a", "a", "b")]
    assert render(Description(tuple(rules))) == "(a ?x)\n(a ?x)\n\n(b ?x)\n"


def test_an_empty_description_is_an_empty_text() -> None:
    assert render(Description(())) == ""


def test_comments_come_along_into_the_other_notation() -> None:
    text = (
        ";;; Roles\n\n(role white) ; first\n(<= p ; why\n    ; what\n    q\n    ; (r)\n)\n; end\n"
    )
    assert render(parse(text), syntax="hrf").splitlines() == [
        "%%% Roles",
        "",
        "role(white). % first",
        "p :- % why",
        "    % what",
        "    q",
        "    % (r)",
        ".",
        "% end",
    ]
    assert render(parse(render(parse(text), syntax="hrf"), syntax="hrf")) == text


def test_descriptions_put_together_keep_each_its_comments() -> None:
    both = parse("; one\n(a)\n; end of one\n", name="1.kif") + parse("% two\nb.\n", name="2.hrf")
    assert render(both) == "; one\na\n; end of one\n\n; two\nb\n"


@pytest.mark.slow
def test_nesting_as_deep_as_allowed_is_rendered_without_recursion() -> None:
    formula: Atom | Not | And = Atom(Constant("q"))
    for _ in range(5_000):
        formula = And((Not(formula), Atom(Constant("r"))))
    rule = Rule(Atom(Constant("p")), (formula,))
    assert render_rule(rule, syntax="hrf").count("~") == 5_000
    assert render_rule(rule).count("(not") == 5_000


@pytest.mark.sample(6)
@needs_games
@pytest.mark.parametrize("path", random.Random(1).sample(GAMES, min(40, len(GAMES))), ids=str)
def test_a_published_game_survives_conversion_and_back(path: Path) -> None:
    description = read(path)
    infix = parse(render(description, syntax="hrf"), syntax="hrf")
    assert infix == description
    assert len(infix.comments) == len(description.comments)
    assert parse(render(infix)) == description
