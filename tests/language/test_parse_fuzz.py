"""Whatever the text: a description or a GdlError, and nothing else."""

from __future__ import annotations

import random
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.lark import from_lark
from hypothesis.strategies import SearchStrategy
from lark import Lark

from gdl.language.diagnostics import GdlError
from gdl.language.files import read_source
from gdl.language.parse import Syntax, parse, parse_term, read
from gdl.language.render import render
from gdl.language.render.format import format_text
from gdl.language.syntax import Description
from tests.shared import GAMES, needs_games

SYNTAXES = get_args(Syntax)
PIECES = [
    *("(", ")", "<=", ":-", "not", "or", "and", "distinct", "~", "|", "&", ",", ".", "'", '"'),
    *("?x", "?", "X", "_", "p", "role", "1", "-", ";", "%", "\n", "\r", "\t", " ", "\\", "\x00"),
]


def attempt(text: str, syntax: Syntax) -> Description | None:
    """Parse a text; None when it is refused, and then with a well-drawn reason."""
    try:
        description = parse(text, syntax=syntax)
    except GdlError as error:
        refusal = error
    else:
        assert parse(render(description, syntax=syntax), syntax=syntax) == description
        return description
    assert refusal.diagnostics
    for diagnostic in refusal.diagnostics:
        assert diagnostic.slug in str(refusal)
        assert diagnostic.span is not None
        assert 0 <= diagnostic.span.start <= diagnostic.span.stop <= len(text)
    return None


@cache
def grammatical(syntax: Syntax) -> SearchStrategy[str]:
    """Texts of the grammar; comments end with their line, so that they swallow nothing."""
    # KIF is read without its grammar, which stands beside these tests.
    own = Path(__file__).with_name("kif.lark")
    path = own if syntax == "kif" else files("gdl.language.parse").joinpath(f"{syntax}.lark")
    grammar = Lark(
        path.read_text("utf-8"),
        start=["start", "term"] if syntax == "hrf" else "start",
    )
    comment = {"kif": ";", "hrf": "%"}[syntax]
    comments = st.just(f"{comment} remark\n")
    return from_lark(grammar, start="start", explicit={"COMMENT": comments})


@pytest.mark.parametrize("syntax", SYNTAXES)
@given(text=st.text())
def test_any_text(syntax: Syntax, text: str) -> None:
    attempt(text, syntax)


@pytest.mark.parametrize("syntax", SYNTAXES)
@given(pieces=st.lists(st.sampled_from(PIECES)))
def test_any_pieces_of_the_language(syntax: Syntax, pieces: list[str]) -> None:
    attempt("".join(pieces), syntax)
    attempt(" ".join(pieces), syntax)


@pytest.mark.slow
@pytest.mark.parametrize("syntax", SYNTAXES)
@given(choice=st.data())
def test_any_text_of_the_grammar(syntax: Syntax, choice: st.DataObject) -> None:
    text = choice.draw(grammatical(syntax))
    if attempt(text, syntax) is not None:
        assert format_text(format_text(text, syntax), syntax) == format_text(text, syntax)


@pytest.mark.parametrize("syntax", SYNTAXES)
@given(text=st.text(st.sampled_from("(),?'|a1X_ ;%"), max_size=12))
def test_any_text_as_a_term(syntax: Syntax, text: str) -> None:
    try:
        term = parse_term(text, syntax=syntax)
    except GdlError:
        return
    assert parse_term(str(term)) is term


def mutated(text: str, chance: random.Random) -> str:
    """Delete, double, swap or replace a few stretches of a text."""
    for _ in range(chance.randint(1, 4)):
        start = chance.randrange(len(text))
        stop = min(len(text), start + chance.choice([1, 1, 1, 5, 50]))
        middle = text[start:stop]
        middle = chance.choice(["", middle * 2, middle[::-1], chance.choice(PIECES), "()", "))"])
        text = text[:start] + middle + text[stop:]
    return text


@pytest.mark.sample(5)
@needs_games
@pytest.mark.parametrize("path", random.Random(3).sample(GAMES, min(25, len(GAMES))), ids=str)
def test_a_damaged_game(path: Path) -> None:
    chance = random.Random(str(path)[-20:])
    text = read_source(path).text[:6_000]
    infix = render(Description(read(path).rules[:60]), syntax="hrf")
    for _ in range(8):
        attempt(mutated(text, chance), "kif")
        attempt(mutated(infix, chance), "hrf")
