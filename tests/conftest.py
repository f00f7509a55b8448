"""What holds for all tests."""

from __future__ import annotations

import os
import time

import pytest
from hypothesis import settings

from tests.shared import IS_RANDOM, IS_THOROUGH

# Where cores are shared a test may take a second that takes milliseconds elsewhere, and
# hypothesis would call that a failure. What hangs is ended by pytest's own timeout.
# The same examples each time: whether a change is green does not hang on luck. `make test-random`
# draws anew, and many.
settings.register_profile("quick", deadline=None, max_examples=20, derandomize=not IS_RANDOM)
settings.register_profile("thorough", deadline=None, derandomize=not IS_RANDOM)
settings.load_profile("thorough" if IS_THOROUGH else "quick")


def pytest_configure(config: pytest.Config) -> None:
    """Keep compiled games beside what pytest keeps, for all workers, processes and runs.

    The tests do not touch the user's own cache; those that are about a cache make one.
    """
    os.environ.setdefault("GDL_CACHE", str(config.rootpath / ".pytest_cache" / "games"))


def pytest_runtest_setup(item: pytest.Item) -> None:
    """Skip, in words, a slow test that would begin after ``GDL_TESTS_UNTIL`` (seconds of 1970)."""
    until = os.environ.get("GDL_TESTS_UNTIL")
    if until and item.get_closest_marker("slow") and time.time() > float(until):
        pytest.skip("the time of this run is over (GDL_TESTS_UNTIL)")


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark as slow what runs alone, and all cases of a test but so many as `sample` says.

    Of the quick tests what searches comes first: the first run of all compiles the search, and the
    worker that does it has these tests for itself while the others are busy with theirs. Of the
    long ones what asks within a budget of memory does, before games that others keep count in it.
    """
    first = {"certify", "verify"} if IS_THOROUGH else {"play", "solve"}
    items.sort(key=lambda item: item.path.parent.name not in first)
    cases: dict[str, list[pytest.Item]] = {}
    for item in items:
        if item.get_closest_marker("alone"):
            item.add_marker(pytest.mark.slow)
        elif item.get_closest_marker("sample") and not item.get_closest_marker("slow"):
            cases.setdefault(item.nodeid.partition("[")[0], []).append(item)
    for each in cases.values():
        mark = each[0].get_closest_marker("sample")
        assert mark is not None
        steps = max(1, mark.args[0] - 1)
        kept = {step * (len(each) - 1) // steps for step in range(mark.args[0])}
        for number, item in enumerate(each):
            if number not in kept:
                item.add_marker(pytest.mark.slow)
