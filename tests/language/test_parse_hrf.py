from __future__ import annotations

import pytest

from gdl.language.parse import parse, parse_term
from gdl.language.render import render_rule
from gdl.language.syntax import Compound, Constant, GdlSyntaxError, Variable


def in_kif(text: str) -> list[str]:
    return [render_rule(rule) for rule in parse(text, syntax="hrf").rules]


def errors(text: str) -> list[tuple[str, int | None, int | None]]:
    with pytest.raises(GdlSyntaxError) as error:
        parse(text, syntax="hrf")
    return [(found.slug, found.line, found.column) for found in error.value.diagnostics]


@pytest.mark.parametrize(
    ("hrf", "kif"),
    [
        ("role(white).", "(role white)"),
        ("role(white)", "(role white)"),
        ("terminal", "terminal"),
        ("p:-q", "(<= p q)"),
        ("p <= q", "(<= p q)"),
        ("p :- .", "(<= p)"),
        ("p :- q & r", "(<= p q r)"),
        ("p :- q, r.", "(<= p q r)"),
        ("p :- (q & r)", "(<= p (and q r))"),
        ("p :- (q)", "(<= p q)"),
        ("p :- ((q & r))", "(<= p (and q r))"),
        ("p :- q | r", "(<= p (or q r))"),
        ("p :- q & r | s", "(<= p (or (and q r) s))"),
        ("p :- q & (r | s)", "(<= p q (or r s))"),
        ("p :- ~q & not r & not(s)", "(<= p (not q) (not r) (not s))"),
        ("p :- ~~(q | r)", "(<= p (not (not (or q r))))"),
        ("p :- or() & and() & or(q) & and(q | r, s & t)", ""),
        ("p :- distinct(X,Y)", "(<= p (distinct ?x ?y))"),
        (
            "legal(Player,mark(X,1)) :- role(Player)",
            "(<= (legal ?player (mark ?x 1)) (role ?player))",
        ),
        ("p(-1,'two words',_x,?X,?'x++')", "(p -1 |two words| ?_x ?X ?x++)"),
        ("nothing(android,oracle)", "(nothing android oracle)"),
        ("p(distinct(a,b))", "(p (distinct a b))"),
        ("tRUE(x)", "(true x)"),
    ],
)
def test_each_form_has_its_meaning(hrf: str, kif: str) -> None:
    expected = kif or "(<= p (or) (and) (or q) (and (or q r) (and s t)))"
    assert " ".join(render_rule(parse(hrf, syntax="hrf").rules[0], width=200).split()) == expected


def test_each_lone_underscore_is_a_variable_of_its_own() -> None:
    assert in_kif("p :- q(_,_).\nr :- q(_,_1).") == ["(<= p (q ?_2 ?_3))", "(<= r (q ?_2 ?_1))"]


def test_a_rule_ends_with_a_period_or_where_the_next_begins() -> None:
    text = "role(white)\nrole(black). p :- q. terminal :-\n  line(x)\n    & r\nlegal(x,y)"
    assert in_kif(text) == [
        "(role white)",
        "(role black)",
        "(<= p q)",
        "(<= terminal (line x) r)",
        "(legal x y)",
    ]


def test_comments_stand_anywhere() -> None:
    text = "% roles\nrole(white) % one\np :- % two\n  % own\n  q\n"
    description = parse(text, syntax="hrf")
    assert [(comment.text, comment.own_line) for comment in description.comments] == [
        (" roles", True),
        (" one", False),
        (" two", False),
        (" own", True),
    ]
    assert len(description.rules) == 2


def test_every_node_knows_its_place() -> None:
    text = "legal(P,mark(1)) :- ~(role(P) | (open)) & distinct(P,'a b')."
    (rule,) = parse(text, syntax="hrf").rules
    assert rule.place is not None
    assert rule.place.span.text == text
    head, negation, distinct = rule.place.parts
    assert [part.span.text for part in head.parts] == ["P", "mark(1)"]
    assert negation.span.text == "~(role(P) | (open))"
    assert [part.span.text for part in negation.parts] == ["(role(P) | (open))"]
    assert [part.span.text for part in negation.parts[0].parts] == ["role(P)", "(open)"]
    assert [part.span.text for part in distinct.parts] == ["P", "'a b'"]


@pytest.mark.parametrize(
    ("text", "slug", "column"),
    [
        ("role(white", "unclosed-bracket", 5),
        ("p :- (q | (r", "unclosed-bracket", 11),
        ("p(a. q", "unclosed-bracket", 2),
        ("role(white))", "unexpected-bracket", 12),
        ("p :- 'abc", "unclosed-quote", 6),
        ("p('a'b)", "glued-symbols", 3),
        ("p(a'b')", "glued-symbols", 3),
        ("p(?)", "empty-variable", 3),
        ("p(move-b)", "unexpected-token", 3),
        ("p(1a)", "unexpected-token", 3),
        ("p :- q r", "unexpected-token", 8),
        ("role(white) role(black)", "unexpected-token", 13),
        ("p :- q\n  r(X)", "unexpected-token", 3),
        ("p :- q &.", "unexpected-token", 9),
        ("p :- q &", "unfinished-rule", 8),
        ("p :-", "unfinished-rule", 4),
        ("Legal(X) :- q", "unexpected-token", 1),
        ("p :- X(a)", "unexpected-token", 6),
        ("p(a,)", "unexpected-token", 5),
        ("p()", "unexpected-token", 3),
        ("~p", "unexpected-token", 1),
        ("p :- q :- r", "unexpected-token", 8),
        ("p :- distinct(a)", "distinct-arity", 6),
        ("distinct(a,b)", "connective-outside-body", 1),
        ("p :- distinct", "bare-connective", 6),
    ],
)
def test_each_syntax_error_is_found(text: str, slug: str, column: int) -> None:
    ((found, _, at),) = errors(text)
    assert (found, at) == (slug, column)


def test_a_broken_rule_hides_no_error_in_the_others() -> None:
    text = "role(white\nrole(black) role(red).\np :- q &.\nq(a))\nok :- p.\np(X :- q(X).\nX.\n"
    text += "p :- r |\n"
    assert errors(text) == [
        ("unclosed-bracket", 1, 5),
        ("unexpected-token", 2, 13),
        ("unexpected-token", 3, 9),
        ("unexpected-bracket", 4, 5),
        ("unclosed-bracket", 6, 2),
        ("unexpected-token", 7, 1),
        ("unfinished-rule", 8, 8),
    ]


def test_a_term_is_exactly_one() -> None:
    assert parse_term("f(X, a)", syntax="hrf") is Compound("f", (Variable("x"), Constant("a")))
    for text in ["", "a b", "f(", "f()", "a.", "~a", "a & b"]:
        with pytest.raises(GdlSyntaxError):
            parse_term(text, syntax="hrf")


@pytest.mark.parametrize(
    ("missing", "brackets"), [(1, ")"), (2, "))"), (5, ")))))"), (6, "6 )"), (17, "17 )")]
)
def test_all_missing_brackets_are_asked_for(missing: int, brackets: str) -> None:
    with pytest.raises(GdlSyntaxError) as error:
        parse("p(" * missing, syntax="hrf")
    (found,) = error.value.diagnostics
    assert found.help == f"add {brackets} where it ends, before the end of line 1"
