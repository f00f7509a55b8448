"""Matrices of bits, for functions that numba makes into machine code."""

# numba finds the types
from __future__ import annotations

from typing import Any

import numpy as np

from gdl.native.jit import compiled


@compiled
def transpose(block: Any, words: Any) -> None:
    """Transpose the 64 times 64 bits in each of the first columns of ``uint64[64, W]``, in place.

    Bit b of row i becomes bit i of row b (Warren, "Hacker's Delight", section 7-3).
    """
    shift = 32
    mask = np.uint64(0xFFFFFFFF)
    while shift:
        s = np.uint64(shift)
        k = 0
        while k < 64:
            for c in range(words):
                swap = ((block[k, c] >> s) ^ block[k + shift, c]) & mask
                block[k + shift, c] ^= swap
                block[k, c] ^= swap << s
            k = (k + shift + 1) & ~shift
        shift >>= 1
        mask ^= mask << np.uint64(shift)
