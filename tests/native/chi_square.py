"""How likely what was counted is.

By Pearson's test; its distribution alone is imported, as `scipy.stats` takes half a second.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import isclose

from scipy.special import chdtrc  # type: ignore[import-untyped]  # ships no types


def p_value(counts: Sequence[float], expected: Sequence[float] = ()) -> float:
    """Return how likely counts are that are at least as far from what is expected as these are.

    Args:
        counts: How often each outcome came.
        expected: How often each should, on average; all equally often by default.
    """
    total = sum(counts)
    expected = expected or [total / len(counts)] * len(counts)
    assert isclose(total, sum(expected), rel_tol=1e-6)
    pairs = zip(counts, expected, strict=True)
    return p_value_of_sum(sum((n - mean) ** 2 / mean for n, mean in pairs), len(counts) - 1)


def p_value_of_sum(total: float, freedom: int) -> float:
    """Return how likely so many squares of standard normal numbers have this sum or more."""
    return float(chdtrc(freedom, total))
