"""What is over its budget is skipped, and nothing else is."""

from __future__ import annotations

import signal
import time

import pytest

from tests.native.budget import budget


def count(seconds: float) -> None:
    until = time.process_time() + seconds
    while time.process_time() < until:
        pass


def count_within(seconds: float, bound: float) -> None:
    with budget(bound, "counting"):
        count(seconds)


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(signal, "SIGPROF"), reason="needs a timer of processor time")
def test_a_long_computation_is_skipped_and_a_short_one_is_not() -> None:
    with pytest.raises(pytest.skip.Exception, match=r"^counting takes more than 0\.05 s of"):
        count_within(5, 0.05)
    count_within(0.01, 0.1)
    count(0.2)
