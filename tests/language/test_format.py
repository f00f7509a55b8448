from __future__ import annotations

import random
import re
from pathlib import Path
from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gdl.language.files import read_source
from gdl.language.parse import Syntax, parse
from gdl.language.render import render
from gdl.language.render.format import format_text
from gdl.language.source import Source
from gdl.language.syntax import Description, GdlSyntaxError
from tests.shared import GAMES, needs_games
from tests.strategies import descriptions, plain_names

SYNTAXES = get_args(Syntax)
GAPS = {"kif": [";c\n", " ; c\n", "\n;; c\n", "\n\n; c\n\n", "\n", "\t", "\r\n"]}
GAPS["hrf"] = [gap.replace(";", "%") for gap in GAPS["kif"]]


@st.composite
def commented_texts(draw: st.DrawFn, syntax: Syntax) -> str:
    """A rendered description with comments and blanks at any blank of it."""
    text = render(draw(descriptions(plain_names)), syntax=syntax, width=40)
    pieces = re.split(r"( )", text)
    gaps = st.sampled_from([" ", *GAPS[syntax]])
    return "".join(draw(gaps) if piece == " " else piece for piece in pieces)


@pytest.mark.slow
@pytest.mark.parametrize("syntax", SYNTAXES)
@given(choice=st.data())
def test_formatting_keeps_rules_and_comments_and_has_an_end(
    syntax: Syntax, choice: st.DataObject
) -> None:
    text = choice.draw(commented_texts(syntax))
    try:
        description = parse(text, syntax=syntax)
    except GdlSyntaxError:  # a line break in HRF may part a rule
        assert syntax == "hrf"
        return
    once = format_text(text, syntax)
    again = parse(once, syntax=syntax)
    assert again == description
    assert sorted(comment.text for comment in again.comments) == sorted(
        comment.text.rstrip() for comment in description.comments
    )
    assert format_text(once, syntax) == once


@given(description=descriptions())
def test_a_text_that_was_rendered_is_formatted(description: Description) -> None:
    assert format_text(render(description), "kif") == render(description)


@pytest.mark.parametrize(
    ("text", "formatted"),
    [
        ("", ""),
        ("\n\n(ROLE\twhite)\r\n", "(role white)\n"),
        ("(p 1);a\r\n\r\n\r\n(p 2)", "(p 1) ;a\r\n\r\n(p 2)\r\n"),
        ("(p 1)\r\n(p 2)\n(p 3)\r\n", "(p 1)\r\n(p 2)\r\n(p 3)\r\n"),
        ("(p 1)\n(p 2)\r\n(p 3)\n", "(p 1)\n(p 2)\n(p 3)\n"),
        ("(p 1)\r(q  2)", "(p 1)\r(q 2)\r"),
        ("; only this", "; only this\n"),
        ("(a);b", "a ;b\n"),
        ("(p 1)(p 2) ; both\n", "(p 1) (p 2) ; both\n"),
        ("(p 1)   (q 2)\n(p 11)  (q 2) ;c\n", "(p 1)   (q 2)\n(p 11)  (q 2) ;c\n"),
        ("(p 1) (<= q (p 1)) (p 2) (p 3)", "(p 1)\n(<= q (p 1))\n(p 2) (p 3)\n"),
        ("(<= p\nq)", "(<= p\n    q)\n"),
        ("(<= p q\nr)", "(<= p q r)\n"),
        ("(p 1)\n\n\n\n(p 2)", "(p 1)\n\n(p 2)\n"),
        ("; above\n\n(p 1)", "; above\n\n(p 1)\n"),
        ("(<= p\n; (a)\n(q)\n; (r)\n)", "(<= p\n    ; (a)\n    q\n    ; (r)\n)\n"),
        ("(<= ; why\n p q)", "; why\n(<= p q)\n"),
        ("(<= p\n(or ; either\n(a) (b)))", "(<= p\n    ; either\n    (or a b))\n"),
        ("(<= p (or (a) ; 1\n(b) ; 2\n))", "(<= p\n    (or a ; 1\n        b)) ; 2\n"),
        ("(p 1 ; one\n 2 ; two\n)", "; one\n(p 1 2) ; two\n"),
        ("(<= p\n)", "(<= p)\n"),
    ],
)
def test_a_text_has_one_layout(text: str, formatted: str) -> None:
    assert format_text(text, "kif") == formatted
    assert format_text(formatted, "kif") == formatted


def test_infix_is_formatted_with_periods_and_keeps_its_lone_underscores() -> None:
    text = "% top\np(X):-q(X, _) , s(_1)\nt :- a | b & c"
    assert format_text(text, "hrf") == ("% top\np(X) :- q(X,_) & s(_1).\nt :- (a | (b & c)).\n")


def test_a_broken_text_is_not_touched() -> None:
    with pytest.raises(GdlSyntaxError, match="unclosed-bracket"):
        format_text(Source("x.kif", "(role white"))


@pytest.mark.sample(8)
@needs_games
@pytest.mark.parametrize("path", random.Random(2).sample(GAMES, min(40, len(GAMES))), ids=str)
def test_a_published_game_is_formatted_once_and_for_all(path: Path) -> None:
    once = format_text(read_source(path))
    assert format_text(Source(str(path), once)) == once


@pytest.mark.slow
@needs_games
def test_every_published_game_is_formatted_once_and_for_all() -> None:
    for path in GAMES:
        once = format_text(read_source(path))
        assert format_text(Source(str(path), once)) == once, path


def test_a_row_of_facts_is_broken_where_its_line_is_full() -> None:
    row = " ".join(f"(p {number})" for number in range(25))
    lines = format_text(row, "kif").splitlines()
    assert [len(line) <= 100 for line in lines] == [True, True]
    assert " ".join(lines) == row


@pytest.mark.slow
def test_the_shipped_rulesets_are_formatted() -> None:
    folder = Path(__file__).parents[2] / "rulesets"
    paths = sorted(folder.rglob("*.kif"))
    assert len(paths) > 90
    changed = [path for path in paths if format_text(read_source(path)) != read_source(path).text]
    assert changed == []
