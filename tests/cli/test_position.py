"""Moves on the command line: separators, roles, what goes back in comes out the same."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gdl.plies import split_plies

WORD = st.text(alphabet="abcXYZ019+-", min_size=1, max_size=5)
BRACKETED = st.one_of(
    WORD.map(lambda word: f"({word} ; {word})"),
    WORD.map(lambda word: f"{{{word};{word}}}"),
    WORD.map(lambda word: f"|{word};({word}|"),
)
MOVE = st.lists(st.one_of(WORD, BRACKETED), min_size=1, max_size=3).map(" ".join)


@pytest.mark.parametrize(
    ("text", "plies"),
    [
        ("", []),
        (" ; ;\n;", []),
        ("E5 Q01 CW", ["E5 Q01 CW"]),
        ("E5 Q01 CW;B2 Q10 CCW ; ", ["E5 Q01 CW", "B2 Q10 CCW"]),
        ("(mark 1 1)\n(mark 2 2)\r\n", ["(mark 1 1)", "(mark 2 2)"]),
        ("PLACE_STONE {7,7}; PLACE_STONE {8,8}", ["PLACE_STONE {7,7}", "PLACE_STONE {8,8}"]),
    ],
)
def test_moves_are_separated_by_semicolons_and_line_ends(text: str, plies: list[str]) -> None:
    assert split_plies(text) == plies


@given(st.lists(MOVE, max_size=6))
def test_separators_inside_brackets_belong_to_the_move(moves: list[str]) -> None:
    assert split_plies("; ".join(moves)) == moves


@given(st.text(alphabet="();&|{}[] \nab", max_size=40))
def test_any_text_can_be_split(text: str) -> None:
    kept = "".join(split_plies(text))
    assert set(kept) <= set(text)
