"""Positions of the protocol and offsets: one-to-one, whatever the characters."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.shared import missing

if missing("lsp"):
    pytest.skip(missing("lsp"), allow_module_level=True)

from lsprotocol import types

from gdl.lsp.positions import Lines

ENCODINGS = ("utf-8", "utf-16", "utf-32")
WIDTH = {"utf-8": ("utf-8", 1), "utf-16": ("utf-16-le", 2), "utf-32": ("utf-32-le", 4)}
TEXTS = st.text(st.sampled_from("ab(é東😀\n\r\u2028\x0b\x85"), max_size=30)


@given(TEXTS, st.sampled_from(ENCODINGS))
def test_a_position_counts_code_units_of_its_line(text: str, encoding: str) -> None:
    lines = Lines(text, encoding)
    codec, width = WIDTH[encoding]
    for offset in range(len(text) + 1):
        if text[offset - 1 : offset + 1] == "\r\n":
            continue  # within a line end there is no position
        before = text[:offset].replace("\r\n", "\n").replace("\r", "\n")
        line, _, column = before.count("\n"), None, before.rpartition("\n")[2]
        wanted = types.Position(line, len(column.encode(codec)) // width)
        assert lines.position(offset) == wanted
        assert lines.offset(wanted) == offset


@given(TEXTS, st.integers(0, 40), st.integers(0, 40), TEXTS, st.sampled_from(ENCODINGS))
def test_an_edit_replaces_what_is_between(
    text: str, start: int, stop: int, new: str, encoding: str
) -> None:
    start, stop = sorted((min(start, len(text)), min(stop, len(text))))
    lines = Lines(text, encoding)
    where = lines.range(start, stop)
    begin, end = lines.offset(where.start), lines.offset(where.end)
    edited = lines.edited([types.TextDocumentContentChangePartial(range=where, text=new)])
    assert edited.text == text[:begin] + new + text[end:]


PLACES = st.builds(types.Position, st.integers(0, 4), st.integers(0, 9))
CHANGES = st.one_of(
    st.builds(types.TextDocumentContentChangeWholeDocument, TEXTS),
    st.builds(
        types.TextDocumentContentChangePartial, st.builds(types.Range, PLACES, PLACES), TEXTS
    ),
)


@given(TEXTS, st.lists(CHANGES, max_size=4), st.sampled_from(ENCODINGS))
def test_edits_at_once_are_edits_one_by_one(
    text: str, changes: list[types.TextDocumentContentChangeEvent], encoding: str
) -> None:
    one_by_one = Lines(text, encoding)
    for change in changes:
        one_by_one = one_by_one.edited([change])
    assert Lines(text, encoding).edited(changes).text == one_by_one.text


def test_edits_of_many_cursors_cost_one_look_at_the_text() -> None:
    lines = Lines("(<= (legal ?p (go ?x)) (role ?p))\n" * 20_000, "utf-16")
    changes = [
        types.TextDocumentContentChangePartial(
            types.Range(types.Position(line, 5), types.Position(line, 10)), "moves"
        )
        for line in range(19_999, 0, -10)
    ]
    begin = time.process_time()
    edited = lines.edited(changes)
    assert time.process_time() - begin < 4  # seconds; a look for each takes half a minute
    assert edited.text.count("moves") == len(changes)


def test_beyond_the_end_is_the_end() -> None:
    lines = Lines("a\nb", "utf-16")
    assert lines.offset(types.Position(0, 99)) == 1
    assert lines.offset(types.Position(9, 0)) == 3


def test_a_place_in_one_long_line_costs_no_walk_along_it() -> None:
    text = "(p é😀 " + "a " * 100_000 + ")"
    lines = Lines(text, "utf-16")
    begin = time.process_time()
    for offset in range(0, len(text), 10):
        assert lines.offset(lines.position(offset)) == offset
    assert time.process_time() - begin < 2  # seconds; a walk for each takes minutes
