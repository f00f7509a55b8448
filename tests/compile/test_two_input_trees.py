"""Who shares a pair of operands: by arrays as by one row after the other."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gdl.compile.gates import two_input_trees

pytest.importorskip("numpy", reason="pairs are found by arrays")

ROWS = st.lists(st.sets(st.integers(2, 30) | st.integers(2**30, 2**30 + 3)), max_size=12).map(
    lambda rows: {100 + 7 * number: row for number, row in enumerate(rows)}
)


@given(rows=ROWS)
def test_arrays_find_the_rows_that_share_a_pair(rows: dict[int, set[int]]) -> None:
    with pytest.MonkeyPatch.context() as patch:
        one_by_one = two_input_trees._pair_users(rows)
        patch.setattr(two_input_trees, "_FOR_ARRAYS", 0)
        by_arrays = two_input_trees._pair_users(rows)
    assert by_arrays == one_by_one
    for pair, nodes in by_arrays.items():
        left, right = pair >> 32, pair & 0xFFFFFFFF
        assert left < right
        assert nodes == {node for node, row in rows.items() if {left, right} <= row}
        assert len(nodes) > 1
