"""Making, loading and dropping code again and again takes no more memory in the end."""

from __future__ import annotations

import gc
import sys

import pytest

from gdl.native.code.target import native_target
from gdl.native.kernel.kernel import Kernel, compile_kernel
from gdl.native.lanes.playouts import Lanes, compile_lanes
from tests.native.circuits import tictactoe

GROWTH = 24 << 20
"""Bytes that 150 more rounds may add; each round's code alone takes about 50 kB."""


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="counts pages as Unix does")
def test_code_that_is_dropped_is_freed() -> None:
    narrow = native_target(64)
    kernel = compile_kernel(tictactoe(), target=narrow)
    lanes = compile_lanes(tictactoe(), target=narrow)

    def round_trip() -> None:
        Kernel(kernel).memory(1)
        Lanes(lanes).playouts(2000)

    for _ in range(30):
        round_trip()
    gc.collect()
    before = _peak()
    for _ in range(150):
        round_trip()
    gc.collect()
    assert _peak() - before < GROWTH


def _peak() -> int:
    import resource  # Windows has none

    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
