"""The ready code of the search is that of its modules as they are."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.shared import missing

pytest.importorskip("numba", reason=missing("play"))

from gdl.native.precompiled import pieces_of, read, sources_of
from gdl.native.scalar.gate_blocks import BLOCK
from gdl.play import dfpn, lanes, null_window, recycle, shared_search, tree, tree_search
from gdl.play.code_maker import ROOM

DECORATED = rb"^@(?:entry|compiled|inlined|lean)\n(?:@.*\n)*def (\w+)"


def test_it_was_made_of_the_modules_as_they_are() -> None:
    head, _ = read(ROOM)
    assert head["sources"] == sources_of(ROOM), "say python -m gdl.play.code_maker ready"


def test_every_function_that_numba_makes_counts() -> None:
    """And a change of what Python alone runs does not."""
    for path in ROOM.glob("*.py"):
        text = path.read_bytes()
        pieces = pieces_of(text)
        made = re.findall(DECORATED, text, re.MULTILINE)
        functions = [piece for piece in pieces if b"def " in piece.partition(b"(")[0]]
        assert [piece.partition(b"(")[0].split()[-1] for piece in functions] == made
    text = Path(tree.__file__).read_bytes()
    assert pieces_of(text.replace(b"np.zeros(3, np.int64)", b"np.zeros(4)")) == pieces_of(text)
    assert pieces_of(text.replace(b"NONE: Final = -1", b"NONE: Final = -2")) != pieces_of(text)
    assert pieces_of(text.replace(b"tree.visits[node] = 0", b"tree.visits[node] = 1")) != (
        pieces_of(text)
    )


def test_a_constant_of_another_room_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    before = sources_of(ROOM)
    monkeypatch.setattr("gdl.native.scalar.gate_blocks.BLOCK", 2 * BLOCK)
    assert sources_of(ROOM) != before


def test_nothing_that_a_search_calls_is_missing() -> None:
    head, _ = read(ROOM)
    entries = (
        tree_search.search,
        tree_search.add_root,
        tree.find,
        lanes.mean_goals,
        recycle.recycle,
        shared_search.search_shared,
        dfpn.prove,
        null_window.test,
        null_window.place_of,
    )
    assert set(head["entries"]) == {entry.__name__ for entry in entries}
