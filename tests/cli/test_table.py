"""Tables as lines."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from gdl.cli.terminal.table import table_lines

CELL = st.text(alphabet="ab1\u6f22", min_size=1, max_size=6)
ROWS = st.integers(1, 4).flatmap(
    lambda width: st.lists(st.lists(CELL, min_size=width, max_size=width), min_size=1, max_size=5)
)


@given(ROWS)
def test_cells_come_back_by_splitting_and_lines_end_without_blanks(rows: list[list[str]]) -> None:
    lines = table_lines(rows)
    assert [line.split() for line in lines] == rows
    assert all(line == line.rstrip() for line in lines)


def test_columns_stand_below_one_another() -> None:
    rows = [("name", "n"), ("a", "1,000"), ("\u6f22\u5b57", "7")]
    assert table_lines(rows, right=[1]) == ["name       n", "a      1,000", "\u6f22\u5b57       7"]
