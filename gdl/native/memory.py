"""Memory that vectors can be loaded from. Source: ours."""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

ALIGNMENT: Final = 64
"""Bytes of the widest vector."""


def aligned(size: int) -> NDArray[np.uint8]:
    """Return so many zeroed bytes at an address that is a multiple of `ALIGNMENT`."""
    raw = np.zeros(size + ALIGNMENT, np.uint8)
    offset = -raw.ctypes.data % ALIGNMENT
    return raw[offset : offset + size]
