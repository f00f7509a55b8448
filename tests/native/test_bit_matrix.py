"""Matrices of bits are turned as their definition says."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tests.shared import missing

pytest.importorskip("numba", reason=missing("play"))

from gdl.native import bit_matrix


@pytest.mark.parametrize("words", [1, 2])
def test_turning_bits_twice_gives_them_back(words: int) -> None:
    machine_code: Any = bit_matrix.transpose
    transpose = machine_code.py_func  # Python cannot call what only machine code calls
    block = np.random.default_rng(1).integers(0, 2**63, (64, 2), np.uint64)
    turned = block.copy()
    transpose(turned, words)
    for column in range(words):
        bits = [[int(word) >> place & 1 for word in block[:, column]] for place in range(64)]
        rows = [sum(bit << i for i, bit in enumerate(row)) for row in bits]
        assert rows == turned[:, column].tolist()
    assert np.array_equal(turned[:, words:], block[:, words:])
    transpose(turned, words)
    assert np.array_equal(turned, block)
