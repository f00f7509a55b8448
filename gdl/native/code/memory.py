"""Memory that vectors can be loaded from, with numpy and without."""

from __future__ import annotations

import ctypes
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:  # loading numpy takes longer than loading a compiled game
    import numpy as np
    from numpy.typing import NDArray

ALIGNMENT: Final = 64
"""Bytes of the widest vector."""


def aligned(size: int) -> NDArray[np.uint8]:
    """Return so many zeroed bytes at an address that is a multiple of `ALIGNMENT`."""
    import numpy as np

    raw = np.zeros(size + ALIGNMENT, np.uint8)
    offset = -raw.ctypes.data % ALIGNMENT
    return raw[offset : offset + size]


class Memory:
    """So many zeroed bytes likewise, for who needs no arithmetic on arrays.

    Attributes:
        size: Bytes.
        address: Where they begin.
    """

    def __init__(self, size: int) -> None:
        """Take the memory."""
        self.size = size
        self._raw = (ctypes.c_char * (size + ALIGNMENT))()
        begin = ctypes.addressof(self._raw)
        self._offset = -begin % ALIGNMENT
        self.address = begin + self._offset

    def words(self, start: int, count: int) -> ctypes.Array[ctypes.c_uint64]:
        """Return so many words of 64 bits from a byte on; a view."""
        return (ctypes.c_uint64 * count).from_buffer(self._raw, self._offset + start)

    def bytes(self) -> memoryview:
        """Return all bytes; a view."""
        return memoryview(self._raw).cast("B")[self._offset : self._offset + self.size]
