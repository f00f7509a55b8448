"""What holds for all tests."""

from __future__ import annotations

import os

import pytest
from hypothesis import settings

from tests.shared import IS_THOROUGH

# Where cores are shared a test may take a second that takes milliseconds elsewhere, and
# hypothesis would call that a failure. What hangs is ended by pytest's own timeout.
settings.register_profile("quick", deadline=None, max_examples=20)
settings.register_profile("thorough", deadline=None)
settings.load_profile("thorough" if IS_THOROUGH else "quick")


def pytest_configure(config: pytest.Config) -> None:
    """Keep compiled games beside what pytest keeps, for all workers, processes and runs.

    The tests do not touch the user's own cache; those that are about a cache make one.
    """
    os.environ.setdefault("GDL_CACHE", str(config.rootpath / ".pytest_cache" / "games"))
