"""Explanations in pieces: what a piece says is known from the tree, not from its letters."""

from __future__ import annotations

from pathlib import Path

import pytest

import gdl
from gdl.cli.positions.explanation import _STYLES
from gdl.reason.explanation import Part, explanation_lines
from gdl.state import State

RULES = """
(role r)
(init no) (init (cell a))
(<= (legal r go) no)
(<= (legal r stay) (true (cell b)))
(<= (legal r stay) (true (cell c)))
(<= no (true (cell a)) (not but))
(<= but (true (cell b)))
(<= (next (cell a)) (does r go))
(<= (goal r 100) no)
(<= terminal (not no) (true (cell b)) (true (cell a)))
"""


@pytest.fixture
def state(tmp_path: Path) -> State:
    path = tmp_path / "words.kif"
    path.write_text(RULES, encoding="utf-8")
    return gdl.load(path).initial()


@pytest.mark.parametrize(
    "query", ["legal r go", "legal r stay", "terminal", "no", "but", "goal r 100", "true (cell a)"]
)
def test_the_pieces_are_the_text(state: State, query: str) -> None:
    found = state.why(query)
    lines = ["".join(piece.text for piece in line) for line in explanation_lines(found)]
    assert "\n".join(lines) == str(found)


def parts(state: State, query: str) -> list[list[tuple[str, str]]]:
    return [
        [(text, part.name) for text, part in line if part is not Part.TEXT]
        for line in explanation_lines(state.why(query))
    ]


def test_a_fact_with_the_name_of_a_mark_is_a_fact(state: State) -> None:
    assert str(state.why("legal r go")).splitlines()[1] == "  no  [words.kif:7]"
    assert parts(state, "legal r go") == [
        [("[words.kif:4]", "PLACE")],
        [("[words.kif:7]", "PLACE")],
        [],
        [],
    ]


def test_marks_and_places_of_a_refutation(state: State) -> None:
    assert parts(state, "legal r stay") == [
        [],
        [("words.kif:5", "PLACE")],
        [("no", "FAILS")],
        [("instead", "ASIDE")],
        [("nor", "NOR"), ("words.kif:6", "PLACE")],
    ]
    assert parts(state, "terminal")[-1] == [("?", "ASIDE")]


def test_every_part_but_words_has_a_style() -> None:
    assert set(_STYLES) == {part.name for part in Part} - {"TEXT"}
