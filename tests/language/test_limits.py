"""Hostile texts are refused within seconds, and within the memory of a small machine."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import get_args

import pytest

from gdl.language.diagnostics import LimitError
from gdl.language.limits import DEFAULT_LIMITS, Limits
from gdl.language.parse import Syntax, parse, parse_term, read
from gdl.language.render import render
from gdl.language.render.format import format_text
from gdl.language.syntax import Compound, Constant, GdlSyntaxError, Term, sort_key

SYNTAXES = get_args(Syntax)
DEPTH = DEFAULT_LIMITS.depth
LARGE = replace(DEFAULT_LIMITS, bytes=20_000_000)


def refusal(text: str, syntax: Syntax, limits: Limits = DEFAULT_LIMITS) -> str:
    with pytest.raises(LimitError) as error:
        parse(text, syntax=syntax, limits=limits)
    (diagnostic,) = error.value.diagnostics
    return diagnostic.slug


@pytest.mark.later
@pytest.mark.sample(4)
@pytest.mark.timeout(120)
@pytest.mark.parametrize(
    ("text", "syntax", "slug"),
    [
        ("(" * 10_000_000, "kif", "limit-depth"),
        ("(p (not " * 1_000_000, "kif", "limit-depth"),
        ("a" * 1_000_000, "kif", "limit-symbol-length"),
        (f"(p |{'a' * 1_000_000}|)", "kif", "limit-symbol-length"),
        (f"(p ?{'a' * 1_000_000})", "kif", "limit-symbol-length"),
        ("(p a)\n" * 1_000_000, "kif", "limit-rules"),
        ("p " * 1_000_000, "kif", "limit-rules"),
        (f"(p {'a ' * 1_000_000})", "kif", "limit-rule-length"),
        ("(p a)" * 10_000_000, "kif", "limit-bytes"),
        ("p(" * 5_000_000, "hrf", "limit-depth"),
        ("p :- " + "~" * 10_000_000, "hrf", "limit-depth"),
        ("p :- " + "(" * 10_000_000, "hrf", "limit-depth"),
        ("a" * 1_000_000, "hrf", "limit-symbol-length"),
        (f"p('{'a' * 1_000_000}')", "hrf", "limit-symbol-length"),
        ("p(a).\n" * 1_000_000, "hrf", "limit-rules"),
        ("p\n" * 1_000_000, "hrf", "limit-rules"),
        (f"p({'a,' * 1_000_000}a)", "hrf", "limit-rule-length"),
        ("p(a)." * 10_000_000, "hrf", "limit-bytes"),
    ],
    ids=lambda value: value[:12] if isinstance(value, str) else None,
)
def test_a_text_beyond_a_limit_is_refused(text: str, syntax: Syntax, slug: str) -> None:
    assert refusal(text, syntax, LARGE) == slug


@pytest.mark.slow
@pytest.mark.timeout(120)
@pytest.mark.parametrize("syntax", SYNTAXES)
@pytest.mark.parametrize(
    "text",
    [
        ")" * 1_000_000,
        "(?)" * 1_000_000,
        "|" * 1_000_000,
        "'" * 1_000_000,
        "(a\n" * 150,
        "(\n" * 1_000_000,
        "p(\n" * 1_000_000,
        "(a |\n" * 1_000_000,
        "?" * 1_000_000,
        "&" * 500_000,
    ],
    ids=lambda text: text[:4],
)
def test_a_text_with_a_million_errors_is_refused(text: str, syntax: Syntax) -> None:
    with pytest.raises((GdlSyntaxError, LimitError)) as error:
        parse(text, syntax=syntax, limits=LARGE)
    assert len(error.value.diagnostics) <= 101


@pytest.mark.slow
@pytest.mark.timeout(120)
@pytest.mark.parametrize("syntax", SYNTAXES)
def test_a_long_text_of_nothing_is_no_problem(syntax: Syntax) -> None:
    sign = {"kif": ";", "hrf": "%"}[syntax]
    for text in [" " * 4_000_000, "\n \t" * 1_000_000, sign * 4_000_000, f"{sign}\n" * 200_000]:
        assert parse(text, syntax=syntax).rules == ()


@pytest.mark.parametrize(
    ("limits", "text", "slug"),
    [
        (Limits(bytes=11), "(role white)", "limit-bytes"),
        (Limits(symbol_length=4), "(role white)", "limit-symbol-length"),
        (Limits(depth=2), "(p (q (r a)))", "limit-depth"),
        (Limits(rule_length=11), "(role white)", "limit-rule-length"),
        (Limits(rules=1), "p q", "limit-rules"),
        (Limits(seconds=0), "(role white)", "limit-seconds"),
    ],
)
def test_each_limit_can_be_set(limits: Limits, text: str, slug: str) -> None:
    assert refusal(text, "kif", limits) == slug
    assert parse(text, syntax="kif").rules


def test_a_limit_counts_bytes_not_characters() -> None:
    limits = replace(DEFAULT_LIMITS, bytes=8)
    assert len(parse("(p é)", syntax="kif", limits=limits).rules) == 1
    assert refusal("(p 漢字)", "kif", limits) == "limit-bytes"


def test_a_file_too_large_is_not_read_to_its_end(tmp_path: Path) -> None:
    path = tmp_path / "large.kif"
    with path.open("wb") as file:
        file.truncate(1 << 40)  # a sparse file: a terabyte of nothing
    with pytest.raises(LimitError, match="limit-bytes"):
        read(path)


NESTED = {
    "kif": [f"(<= p {'(not ' * n}q{')' * n})" for n in (DEPTH - 1,)]
    + [f"(p {'(f ' * n}a{')' * n})" for n in (DEPTH - 1,)],
    "hrf": [f"p :- {'~' * DEPTH}q", f"p({'f(' * (DEPTH - 1)}a{')' * DEPTH}"],
}


def in_deep_stack(action: Callable[[], object], spare: int = 150) -> object:
    """Call with only ``spare`` frames left of those that the interpreter allows."""

    def descend(left: int) -> object:
        return descend(left - 1) if left else action()

    used, frame = 0, sys._getframe()
    while frame.f_back is not None:
        used, frame = used + 1, frame.f_back
    return descend(sys.getrecursionlimit() - used - spare)


@pytest.mark.parametrize("syntax", SYNTAXES)
@pytest.mark.parametrize("index", [0, 1])
def test_the_deepest_text_needs_no_deep_stack(syntax: Syntax, index: int) -> None:
    text = NESTED[syntax][index]
    format_text("p", syntax)  # what is loaded on first use may need more

    def go() -> str:
        description = parse(text, syntax=syntax)
        return render(description, syntax="kif") + render(description, syntax="hrf")

    assert in_deep_stack(go) == go()
    assert in_deep_stack(lambda: format_text(text, syntax)) == format_text(text, syntax)
    with pytest.raises(LimitError, match="limit-depth"):
        parse(text.replace("q", "~~q").replace("f", "f(f", 1), syntax="hrf")


def test_a_deep_term_is_refused_too() -> None:
    with pytest.raises(LimitError, match="limit-depth"):
        parse_term("(f " * 1_000 + "a" + ")" * 1_000)


def test_a_refusal_names_the_limit_and_how_to_raise_it() -> None:
    with pytest.raises(LimitError) as error:
        parse("(p (q (r a)))", limits=Limits(depth=2), name="deep.kif")
    assert str(error.value) == (
        "deep.kif:1:7: error[limit-depth]: 3 brackets are open: the limit is 2\n"
        "  1 | (p (q (r a)))\n"
        "    |       ^\n"
        "  help: if the text is to be trusted, raise the limit: Limits(depth=...)"
    )
    with pytest.raises(LimitError) as error:
        parse("(p (q (r a)))", limits=Limits(bytes=2), name="large.kif")
    assert str(error.value) == (
        "error[limit-bytes]: large.kif has 13 bytes: the limit is 2\n"
        "  help: if the text is to be trusted, raise the limit: Limits(bytes=...)"
    )


@pytest.mark.timeout(120)
@pytest.mark.parametrize("write", [str, sort_key])
def test_a_term_that_shares_its_parts_is_not_written_out(write: Callable[[Term], object]) -> None:
    term: Term = Constant("x")
    for _ in range(90):
        term = Compound("f", (term, term))
    with pytest.raises(LimitError) as error:
        write(term)
    assert str(error.value) == (
        "a term f, 90 levels deep, has more than 1,000,000 symbols\n"
        "  expected: terms that can be written out\n"
        "  help: a rule that doubles what it derives, as in (f ?x ?x), must not feed itself"
    )
