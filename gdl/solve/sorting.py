"""Keys in order, each once: what a set of states is here.

A key is a row of words, the last word the highest; keys of one word are sorted by numpy, which
does it with vectors, longer ones word by word from the lowest up.
"""

# numba finds the types
from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from gdl.native.jit import compiled, entry
from gdl.solve.expand import find, is_less

Keys = NDArray[np.uint64]
"""States, ``uint64[N, words]``."""


def in_order(keys: Keys) -> Keys:
    """Return keys sorted, each once; the array that is given may be changed. Cost O(N log N)."""
    if keys.shape[1] == 1:
        keys.ravel().sort()
    else:
        keys = keys[np.lexsort(keys.T)]
    return keys[: drop_equal(keys)]


@entry
@compiled
def drop_equal(keys: Any) -> int:
    """Move each of some sorted keys to the front once; return how many there are."""
    n = 0
    for i in range(len(keys)):
        if n == 0 or is_less(keys, n - 1, keys, i):
            for part in range(keys.shape[1]):
                keys[n, part] = keys[i, part]
            n += 1
    return n


@entry
@compiled
def drop_known(keys: Any, old: Any) -> int:
    """Move those of some sorted keys to the front that are not among sorted known ones."""
    n = 0
    finger = 0
    for i in range(len(keys)):
        finger = find(old, keys, i, finger)
        if finger == len(old) or is_less(keys, i, old, finger):
            for part in range(keys.shape[1]):
                keys[n, part] = keys[i, part]
            n += 1
    return n


@entry
@compiled
def merge(left: Any, right: Any, out: Any) -> None:
    """Write two sorted arrays without a common key as one."""
    i = 0
    j = 0
    for k in range(len(out)):
        take = j == len(right) or (i < len(left) and is_less(left, i, right, j))
        for part in range(out.shape[1]):
            out[k, part] = left[i, part] if take else right[j, part]
        if take:
            i += 1
        else:
            j += 1
