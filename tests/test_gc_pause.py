"""The collector of garbage is one for the process: who holds it back last, lets it go on."""

from __future__ import annotations

import gc
from contextlib import ExitStack

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gdl._gc_pause import collector_paused


@given(st.permutations(range(4)), st.permutations(range(4)))
def test_nothing_is_collected_as_long_as_anybody_pauses(begun: list[int], ended: list[int]) -> None:
    """Pauses of several threads begin and end in any order, none in another."""
    pauses = [ExitStack() for _ in begun]
    assert gc.isenabled()
    for one in begun:
        pauses[one].enter_context(collector_paused())
        assert not gc.isenabled()
    for left, one in zip((3, 2, 1, 0), ended, strict=True):
        pauses[one].close()
        assert gc.isenabled() is (left == 0)


def test_a_collector_that_was_off_stays_off() -> None:
    gc.disable()
    try:
        with collector_paused(), pytest.raises(ValueError, match="within"), collector_paused():
            raise ValueError("within")
        assert not gc.isenabled()
    finally:
        gc.enable()
