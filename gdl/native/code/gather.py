"""Bytes made of the bits of one row, by a table: what numpy takes a dozen calls for, in one.

In: for each byte the bits of which one must be set, and whether it is then 0 instead of 1. Out: a
`Gather`, which turns packed rows into arrays. The code is the same for every table, made once a
machine, and takes about a nanosecond a bit.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Sequence
from functools import cache
from itertools import accumulate, chain
from threading import Lock
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from gdl._cache import cache_folder, cached, digest
from gdl.native.code import llvm as engine

TEXT: Final = """
define void @gather(ptr %bits, ptr %table) {
entry:
  %starts = load ptr, ptr %table
  %sources_at = getelementptr inbounds i64, ptr %table, i64 1
  %sources = load ptr, ptr %sources_at
  %flips_at = getelementptr inbounds i64, ptr %table, i64 2
  %flips = load ptr, ptr %flips_at
  %bytes_at = getelementptr inbounds i64, ptr %table, i64 3
  %bytes = load ptr, ptr %bytes_at
  %count_at = getelementptr inbounds i64, ptr %table, i64 4
  %count = load i64, ptr %count_at
  br label %each
each:
  %i = phi i64 [ 0, %entry ], [ %next, %store ]
  %start_at = getelementptr inbounds i64, ptr %starts, i64 %i
  %start = load i64, ptr %start_at
  %next = add i64 %i, 1
  %stop_at = getelementptr inbounds i64, ptr %starts, i64 %next
  %stop = load i64, ptr %stop_at
  %own_flip = getelementptr inbounds i8, ptr %flips, i64 %i
  %flip = load i8, ptr %own_flip
  %none = icmp eq i64 %start, %stop
  br i1 %none, label %store, label %any
any:
  %j = phi i64 [ %start, %each ], [ %j1, %any ]
  %so_far = phi i8 [ 0, %each ], [ %both, %any ]
  %own_source = getelementptr inbounds i64, ptr %sources, i64 %j
  %source = load i64, ptr %own_source
  %which = lshr i64 %source, 3
  %from_left = and i64 %source, 7
  %place = xor i64 %from_left, 7
  %shift = trunc i64 %place to i8
  %byte_at = getelementptr inbounds i8, ptr %bits, i64 %which
  %byte = load i8, ptr %byte_at
  %shifted = lshr i8 %byte, %shift
  %bit = and i8 %shifted, 1
  %both = or i8 %so_far, %bit
  %j1 = add i64 %j, 1
  %more = icmp ult i64 %j1, %stop
  br i1 %more, label %any, label %store
store:
  %found = phi i8 [ 0, %each ], [ %both, %any ]
  %value = xor i8 %found, %flip
  %to = getelementptr inbounds i8, ptr %bytes, i64 %i
  store i8 %value, ptr %to
  %again = icmp ult i64 %next, %count
  br i1 %again, label %each, label %done
done:
  ret void
}
"""
"""Bits are counted as `numpy.packbits` lays them, the highest of each byte first."""


class Gather:
    """A table by which packed rows become arrays. It never changes; any thread may use it."""

    def __init__(
        self, shape: tuple[int, ...], sources: Sequence[Sequence[int]], flips: Sequence[int]
    ) -> None:
        """Prepare.

        Args:
            shape: Of the arrays.
            sources: For each of their bytes, bits of a row, of which one must be set.
            flips: For each of their bytes, 1 where it is to be 0 then, else 0.
        """
        self._made_of = shape, sources, flips
        starts = list(accumulate(map(len, sources), initial=0))
        self._bytes = np.zeros(shape, np.int8)
        self._tables = (
            np.array(starts, np.int64),
            np.array([*chain.from_iterable(sources), 0], np.int64),
            np.array(flips, np.int8),
            self._bytes,
        )
        addresses = [table.ctypes.data for table in self._tables]
        self._table = (ctypes.c_int64 * 5)(*addresses, len(flips))
        self._run, self._code = _loaded()
        self._lock = Lock()

    def __reduce__(self) -> tuple[Callable[..., Gather], tuple[Any, ...]]:
        """Pickle what it was made of."""
        return Gather, self._made_of

    def __call__(self, packed: bytes) -> NDArray[np.int8]:
        """Return the array of a row that has a bit wherever the table looks, a new one."""
        with self._lock:  # one room for all: nobody may write between the call and the copy
            self._run(packed, self._table)
            return self._bytes.copy()


@cache
def _loaded() -> tuple[Callable[..., None], engine.Code]:
    """Return the function, and what it lives in."""
    name = digest([TEXT, engine.version(), str(engine.host())])
    code = engine.Code(
        cached(
            f"{name}.gather",
            bytes,
            lambda: engine.assemble(TEXT, level=2, optimize=True),
            folder=cache_folder(),
        )
    )
    # holds the interpreter's lock: a call is over before that could be handed on and taken back
    prototype = ctypes.PYFUNCTYPE(None, ctypes.c_char_p, ctypes.c_void_p)
    return prototype(code.address("gather")), code
