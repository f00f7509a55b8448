"""Random state from a seed is that of numpy."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gdl.native.code.seed_sequence import random_words


@pytest.mark.later
@given(st.lists(st.integers(0, 2**200), min_size=1, max_size=6), st.integers(0, 9))
def test_words_are_those_of_numpy(entropy: list[int], count: int) -> None:
    theirs = np.random.SeedSequence(entropy).generate_state(count, np.uint64)
    assert random_words(tuple(entropy), count) == [int(word) for word in theirs]


def test_a_negative_seed_is_refused() -> None:
    with pytest.raises(ValueError, match=r"^a seed must be at least 0, not -1$"):
        random_words((3, -1), 1)
