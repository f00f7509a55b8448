"""The least key of each orbit, for blocks of keys: the loop of `gdl.solve.group.Action`."""

# numba finds the types
from __future__ import annotations

from typing import Any

import numpy as np

from gdl.native.jit import compiled, entry
from gdl.solve.expand import is_less


@entry
@compiled
def make_least(keys: Any, chunks: Any, tables: Any, used: Any) -> None:
    """Put the least key of its orbit in the place of each key.

    Args:
        keys: ``uint64[N, words]``, written over.
        chunks: See `Action`.
        tables: Likewise.
        used: The element that was used for each, ``int32[N]``, or no room at all.
    """
    rows = np.zeros(len(chunks), np.int64)
    image = np.zeros((1, keys.shape[1]), np.uint64)
    best = np.zeros((1, keys.shape[1]), np.uint64)
    for i in range(len(keys)):
        for c in range(len(chunks)):
            part = keys[i, chunks[c, 0]] >> np.uint64(chunks[c, 1])
            rows[c] = chunks[c, 3] + np.int64(part & np.uint64(chunks[c, 2]))
        element = (
            least_word(keys, i, rows, tables)
            if keys.shape[1] == 1
            else least_row(keys, i, rows, tables, image, best)
        )
        if len(used):
            used[i] = element


@compiled
def least_word(keys: Any, i: int, rows: Any, tables: Any) -> int:
    """Do so for a key of one word, whose chunks are in these rows; return the element."""
    best = keys[i, 0]
    element = 0
    for g in range(1, len(tables)):
        word = np.uint64(0)
        for c in range(len(rows)):
            word |= tables[g, rows[c], 0]
        if word < best:
            best = word
            element = g
    keys[i, 0] = best
    return element


@compiled
def least_row(keys: Any, i: int, rows: Any, tables: Any, image: Any, best: Any) -> int:
    """Do so for a longer key, with room for two."""
    words = keys.shape[1]
    best[0] = keys[i]
    element = 0
    for g in range(1, len(tables)):
        for w in range(words):
            word = np.uint64(0)
            for c in range(len(rows)):
                word |= tables[g, rows[c], w]
            image[0, w] = word
        if is_less(image, 0, best, 0):
            element = g
            best[0] = image[0]
    keys[i] = best[0]
    return element


@entry
@compiled
def count_orbits(keys: Any, chunks: Any, tables: Any) -> int:
    """Return how many keys the orbits of some keys have in all.

    An orbit has as many keys as the group has elements for each that leaves the key as it is.
    """
    total = 0
    for i in range(len(keys)):
        still = 0
        for g in range(len(tables)):
            is_same = True
            for w in range(keys.shape[1]):
                word = np.uint64(0)
                for c in range(len(chunks)):
                    part = keys[i, chunks[c, 0]] >> np.uint64(chunks[c, 1])
                    word |= tables[g, chunks[c, 3] + np.int64(part & np.uint64(chunks[c, 2])), w]
                is_same &= word == keys[i, w]
            still += is_same
        total += len(tables) // still
    return total


@entry
@compiled
def find_rows(keys: Any, layers: Any, wanted: Any, rows: Any) -> None:
    """Write the row of each wanted key; those that are not there are left alone.

    Args:
        keys: ``uint64[N, words]``, sorted within each layer.
        layers: First row of each layer, and the end.
        wanted: ``uint64[M, words]``.
        rows: To be written, ``int64[M]``.
    """
    for i in range(len(wanted)):
        for layer in range(len(layers) - 1):
            low = layers[layer]
            high = layers[layer + 1]
            while low < high:
                middle = (low + high) >> 1
                if is_less(keys, middle, wanted, i):
                    low = middle + 1
                else:
                    high = middle
            if low < layers[layer + 1] and not is_less(wanted, i, keys, low):
                rows[i] = low
                break
