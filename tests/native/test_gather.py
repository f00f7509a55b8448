"""Bits to bytes by a table, beside the same said in Python."""

from __future__ import annotations

import pickle
import random

import numpy as np
import pytest

from tests.shared import missing

pytest.importorskip("numpy", reason=missing("native"))
pytest.importorskip("llvmlite", reason=missing("native"))

from gdl.native.code.gather import Gather


@pytest.mark.parametrize("seed", range(5))
def test_a_byte_is_one_where_any_of_its_bits_is_set_and_turned_where_the_table_says(
    seed: int,
) -> None:
    rng = random.Random(seed)
    size = rng.randrange(1, 40)
    shape = rng.choice([(7,), (2, 3, 4)])
    sources = [rng.choices(range(size), k=rng.randrange(4)) for _ in range(int(np.prod(shape)))]
    flips = [rng.randrange(2) for _ in sources]
    gather = Gather(shape, sources, flips)
    for packs in (gather, pickle.loads(pickle.dumps(gather))):
        bits = [rng.randrange(2) for _ in range(size)]
        wanted = [
            flip ^ any(bits[i] for i in row) for row, flip in zip(sources, flips, strict=True)
        ]
        found = packs(np.packbits(bits).tobytes())
        assert found.dtype == np.int8
        assert found.tolist() == np.array(wanted, np.int8).reshape(shape).tolist()
        found[...] = 5  # the array is the caller's own
        assert packs(np.packbits(bits).tobytes()).ravel().tolist() == wanted
