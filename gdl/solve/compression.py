"""Compression of layers that are not needed for a while.

In: sorted keys, or values and distances. Out: frames of bytes, each read by itself. Of a key only
what it is more than the one before is written, seven bits a byte (LEB128): of keys that lie near
each other most bits are the same. Values repeat, and are left to zlib.

Source: differences of sorted lists as in Witten, Moffat and Bell, "Managing Gigabytes", 1999;
variable-length integers as in DWARF (LEB128).
"""

# numba finds the types
from __future__ import annotations

import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from gdl.native.jit import compiled, entry
from gdl.solve.sorting import Keys

FRAME: Final = 1 << 16
"""Rows of a frame, at most: to read one of them all are unpacked, and each has a head."""
HEAD: Final = 2
"""Numbers before a frame: its rows and its bytes."""
BYTES: Final = 10
"""Bytes that a word takes, at most."""
LEVEL: Final = 1
"""How hard zlib tries; the next levels take twice as long for a tenth."""
LOW = np.uint64(0x7F)
MORE = np.uint64(0x80)
SEVEN = np.uint64(7)
REST = np.uint64(57)
ZERO = np.uint64(0)
ONE = np.uint64(1)


@entry
@compiled
def encode(keys: Any, out: Any) -> int:
    """Write sorted keys as differences; return how many bytes they take."""
    words = keys.shape[1]
    more = np.zeros(words, np.uint64)
    n = 0
    for i in range(len(keys)):
        borrow = ZERO
        for part in range(words):
            mine = keys[i, part]
            before = keys[i - 1, part] if i else ZERO
            more[part] = mine - before - borrow
            borrow = ONE if mine < before or (mine == before and borrow) else ZERO
        while True:
            low = more[0] & LOW
            rest = ZERO
            for part in range(words - 1):
                more[part] = (more[part] >> SEVEN) | (more[part + 1] << REST)
                rest |= more[part]
            more[words - 1] >>= SEVEN
            rest |= more[words - 1]
            if not rest:
                out[n] = low
                n += 1
                break
            out[n] = low | MORE
            n += 1
    return n


@entry
@compiled
def decode(data: Any, keys: Any) -> None:
    """Write the keys that `encode` wrote as bytes."""
    words = keys.shape[1]
    n = 0
    for i in range(len(keys)):
        for part in range(words):
            keys[i, part] = ZERO
        bit = 0
        while True:
            byte = np.uint64(data[n])
            n += 1
            part = bit >> 6
            shift = np.uint64(bit & 63)
            keys[i, part] |= (byte & LOW) << shift
            if shift > REST and part + 1 < words:
                keys[i, part + 1] |= (byte & LOW) >> (np.uint64(64) - shift)
            bit += 7
            if byte < MORE:
                break
        carry = ZERO
        for part in range(words):
            before = keys[i - 1, part] if i else ZERO
            total = keys[i, part] + before
            over = ONE if total < before else ZERO
            keys[i, part] = total + carry
            carry = ONE if over or (carry and keys[i, part] == ZERO) else ZERO


def shrink_keys(keys: Keys) -> Iterator[NDArray[Any]]:
    """Yield the frames of sorted keys."""
    room = np.empty(BYTES * keys.shape[1] * min(len(keys), FRAME), np.uint8)
    for start in range(0, len(keys), FRAME):
        part = np.ascontiguousarray(keys[start : start + FRAME])
        size = int(encode(part, room))
        yield np.array([len(part), size], np.uint64)
        yield room[:size].copy()


def grow_keys(file: Path, words: int) -> Iterator[Keys]:
    """Yield the keys of frames."""
    for rows, data in _frames(file):
        keys = np.empty((rows, words), np.uint64)
        decode(data, keys)
        yield keys


def shrink(numbers: NDArray[Any]) -> Iterator[NDArray[Any]]:
    """Yield the frames of small numbers."""
    for start in range(0, len(numbers), FRAME):
        part = np.ascontiguousarray(numbers[start : start + FRAME])
        data = np.frombuffer(zlib.compress(part.tobytes(), LEVEL), np.uint8)
        yield np.array([len(part), len(data)], np.uint64)
        yield data


def grow(file: Path, kind: np.dtype[Any]) -> Iterator[NDArray[Any]]:
    """Yield the numbers of frames."""
    for _, data in _frames(file):
        yield np.frombuffer(zlib.decompress(data.tobytes()), kind)


def rows_in(file: Path) -> int:
    """Return how many rows frames have, without reading them."""
    rows = 0
    with file.open("rb") as stream:
        while head := stream.read(8 * HEAD):
            count, size = np.frombuffer(head, np.uint64).tolist()
            rows += count
            stream.seek(size, 1)
    return rows


def _frames(file: Path) -> Iterator[tuple[int, NDArray[np.uint8]]]:
    with file.open("rb") as stream:
        while head := stream.read(8 * HEAD):
            rows, size = np.frombuffer(head, np.uint64).tolist()
            yield rows, np.frombuffer(stream.read(size), np.uint8)
