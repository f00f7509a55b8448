from __future__ import annotations

import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from gdl.language.parse import detect_syntax, parse, parse_term, read
from gdl.language.render import render
from gdl.language.source import Source
from gdl.language.syntax import (
    And,
    Atom,
    Compound,
    Constant,
    Distinct,
    GdlSyntaxError,
    Not,
    Or,
    Rule,
    Sentence,
    Variable,
)
from tests.shared import GAMES, ROOT, needs_games

P, Q = Atom(Constant("p")), Atom(Constant("q"))
X, Y = Variable("x"), Variable("y")


def slugs(text: str) -> list[str]:
    with pytest.raises(GdlSyntaxError) as error:
        parse(text, syntax="kif")
    return [diagnostic.slug for diagnostic in error.value.diagnostics]


def only_rule(text: str) -> Rule:
    (rule,) = parse(text, syntax="kif").rules
    return rule


@pytest.mark.parametrize(
    ("text", "rule"),
    [
        ("terminal", Rule(Atom(Constant("terminal")))),
        ("(terminal)", Rule(Atom(Constant("terminal")))),
        ("(role white)", Rule(Atom(Compound("role", (Constant("white"),))))),
        ("(<= p)", Rule(P)),
        ("(<= p q)", Rule(P, (Q,))),
        ("(<= (p) (q))", Rule(P, (Q,))),
        ("(<= p (not q))", Rule(P, (Not(Q),))),
        ("(<= p (NOT (Not q)))", Rule(P, (Not(Not(Q)),))),
        ("(<= p (or q (or) (and q q)))", Rule(P, (Or((Q, Or(()), And((Q, Q)))),))),
        ("(<= p (distinct ?x ?y))", Rule(P, (Distinct(X, Y),))),
    ],
)
def test_each_kind_of_rule(text: str, rule: Rule) -> None:
    assert only_rule(text) == rule


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("(LEGAL Robot (Does Noop))", "(legal Robot (does Noop))"),
        ("(p Random NOT <=)", "(p Random NOT <=)"),
        (
            "(p |True| |two words| |a\\|b| |line\\nend|)",
            "(p |True| |two words| |a\\|b| |line\\nend|)",
        ),
        ('(p "two words")', '(p "two words")'),
        ("(+ 1 ++ < 1-2 move-distinguished)", "(+ 1 ++ < 1-2 move-distinguished)"),
        ("(p ?x++ ?X ?1 ?|a b|)", "(p ?x++ ?X ?1 ?|a b|)"),
        ("(p(f(a))b)", "(p (f a) b)"),
        ("(f (not x))", "(f (not x))"),
    ],
)
def test_names_are_kept_as_written_but_for_the_case_of_keywords(text: str, sentence: str) -> None:
    assert str(only_rule(text).head.sentence) == sentence


def test_a_quoted_connective_is_a_relation() -> None:
    sentence: Sentence = Compound("not", (Constant("p"),))
    assert only_rule("(<= p (|not| p))").body == (Atom(sentence),)


def test_comments_stand_anywhere() -> None:
    text = ";; roles\n(role;one\n white);two\r\n  ; own\r(role black) ; (no)"
    description = parse(text, syntax="kif")
    assert [str(rule.head.sentence) for rule in description.rules] == [
        "(role white)",
        "(role black)",
    ]
    assert [(comment.text, comment.own_line) for comment in description.comments] == [
        ("; roles", True),
        ("one", False),
        ("two", False),
        (" own", True),
        (" (no)", False),
    ]
    assert [comment.span.text for comment in description.comments][1] == ";one"


def test_every_node_knows_its_place() -> None:
    text = "(<= (legal ?p (mark 1))\n\t(not (or (role ?p) (open))) (distinct ?p |a b|))"
    rule = only_rule(text)
    assert rule.place is not None
    assert rule.place.span.text == text
    head, negation, distinct = rule.place.parts
    assert [part.span.text for part in head.parts] == ["?p", "(mark 1)"]
    assert [part.span.text for part in head.parts[1].parts] == ["1"]
    assert [part.span.text for part in negation.parts] == ["(or (role ?p) (open))"]
    assert [part.span.text for part in negation.parts[0].parts] == ["(role ?p)", "(open)"]
    assert [part.span.text for part in distinct.parts] == ["?p", "|a b|"]
    assert (negation.span.line, negation.span.column) == (2, 2)


@pytest.mark.slow
def test_places_are_right_far_into_a_long_text() -> None:
    text = "; long\n" + "(succ 1 2)\n" * 20_000 + "(role white)"
    last = parse(text, syntax="kif").rules[-1]
    assert last.place is not None
    assert last.place.span.text == "(role white)"
    assert last.place.span.line == 20_002


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("(role white", ["unclosed-bracket"]),
        ("(role white))", ["unexpected-bracket"]),
        ("))) (p) ))", ["unexpected-bracket", "unexpected-bracket"]),
        ("(p |a)", ["unclosed-quote"]),
        ('(p "a\n")', ["unclosed-quote", "unclosed-quote"]),
        ("(p ?)", ["empty-variable"]),
        ("(p a|b|)", ["glued-symbols"]),
        ("role(white) role(black)", ["infix-notation"]),
        ("()", ["empty-list"]),
        ("(p ())", ["empty-list"]),
        ("((p) q)", ["list-as-name"]),
        ("(?x a)", ["variable-as-name"]),
        ("?x", ["variable-as-sentence"]),
        ("(<= p ?x)", ["variable-as-sentence"]),
        ("(<= p or)", ["bare-connective"]),
        ("<=", ["bare-connective"]),
        ("(not p)", ["connective-outside-body"]),
        ("(<= (distinct a b) p)", ["connective-outside-body"]),
        ("(<=)", ["missing-head"]),
        ("(<= p (<= q r))", ["nested-rule"]),
        ("(<= (<= p q) r)", ["nested-rule"]),
        ("(<= p (not))", ["not-arity"]),
        ("(<= p (not q r))", ["not-arity"]),
        ("(<= p (distinct a))", ["distinct-arity"]),
        (
            "(<= p (or (not) (not)) ?x) (<=)",
            ["not-arity"] * 2 + ["variable-as-sentence", "missing-head"],
        ),
    ],
)
def test_each_syntax_error_is_found(text: str, found: list[str]) -> None:
    assert slugs(text) == found


def test_a_broken_form_hides_no_error_in_the_others() -> None:
    text = """
(role white
(<= (legal ?p (mark ?x)
    (true (cell ?x b)))
(init (cell 1))
(<= p (not)))
(q |a)
(<= p q
"""
    with pytest.raises(GdlSyntaxError) as error:
        parse(text, syntax="kif")
    assert [(found.slug, found.line, found.column) for found in error.value.diagnostics] == [
        ("unclosed-bracket", 2, 1),
        ("unclosed-bracket", 3, 5),
        ("not-arity", 6, 7),
        ("unexpected-bracket", 6, 13),
        ("unclosed-quote", 7, 4),
        ("unclosed-bracket", 8, 1),
    ]


def test_careless_layout_is_no_error() -> None:
    text = "(<= p\n(q)\n(or\n(r)\n(s)\n))\n(role\nwhite)\n(init\n(p))"
    assert len(parse(text, syntax="kif").rules) == 3


def test_errors_have_an_end() -> None:
    assert slugs("(p ?)\n" * 1_000) == ["empty-variable"] * 100 + ["too-many-errors"]


@pytest.mark.parametrize(
    ("name", "text", "syntax"),
    [
        ("a.kif", "p :- q.", "kif"),
        ("a.GDL", "% p", "kif"),
        ("a.hrf", "(p)", "hrf"),
        ("<text>", "", "kif"),
        ("<text>", "  ; kif", "kif"),
        ("<text>", "\n(role white)", "kif"),
        ("<text>", "% hrf", "hrf"),
        ("<text>", "role(white)", "hrf"),
    ],
)
def test_the_notation_is_told_by_name_and_then_by_first_character(
    name: str, text: str, syntax: str
) -> None:
    assert detect_syntax(Source(name, text)) == syntax


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "latin-1"])
def test_a_file_is_read_in_any_common_encoding(tmp_path: Path, encoding: str) -> None:
    path = tmp_path / "x.kif"
    path.write_bytes("(role königin)\r\n".encode(encoding))
    (rule,) = read(path).rules
    assert str(rule.head.sentence) == "(role königin)"
    assert rule.place is not None
    assert rule.place.span.source.name == str(path)


def test_a_byte_order_mark_is_no_symbol() -> None:
    assert str(parse("\ufeff(role white)").rules[0].head.sentence) == "(role white)"


@pytest.mark.parametrize("text", ["", "a b", "(f", "(f ())", "(?x a)", ")", "; c"])
def test_a_term_is_exactly_one(text: str) -> None:
    with pytest.raises(GdlSyntaxError):
        parse_term(text)


def test_a_term_may_have_blanks_and_comments_around() -> None:
    assert parse_term(" (f ?x (a)) ; c") is Compound("f", (X, Constant("a")))


@pytest.mark.slow
@needs_games
def test_every_published_game_is_read() -> None:
    rules = sum(len(read(path).rules) for path in GAMES)
    assert (len(GAMES), rules) == (366, 59_450)


def test_an_unknown_notation_is_refused() -> None:
    unknown: Any = "prolog"
    with pytest.raises(ValueError, match="syntax must be 'kif' or 'hrf', not 'prolog'"):
        parse("p.", syntax=unknown)
    with pytest.raises(ValueError, match="syntax must be 'kif' or 'hrf', not 'prolog'"):
        render(parse("(p)"), syntax=unknown)


def test_the_whole_text_of_a_refused_term() -> None:
    with pytest.raises(GdlSyntaxError) as error:
        parse_term("(mark 1) 2", name="move")
    assert str(error.value) == (
        "move:1:10: error[not-one-term]: one term is expected here, not 2\n"
        "  1 | (mark 1) 2\n"
        "    |          ^\n"
        "  expected: a constant, a variable, or (name argument ...)"
    )


@pytest.mark.slow
def test_threads_may_parse_at_the_same_time() -> None:
    texts = [f"(<= (p ?x) (q {number} ?x)) ; {number}\n" * 200 for number in range(16)]
    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(parse, texts)) == [parse(text) for text in texts]


def test_importing_the_parser_does_not_load_the_grammar_library() -> None:
    program = "import sys, gdl.language.parse, gdl.language.render; print('lark' in sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, cwd=ROOT, check=True
    )
    assert done.stdout.split() == [b"False"]
