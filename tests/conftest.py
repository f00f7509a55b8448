"""What holds for all tests."""

from __future__ import annotations

from hypothesis import settings

# Where cores are shared a test may take a second that takes milliseconds elsewhere, and
# hypothesis would call that a failure. What hangs is ended by pytest's own timeout.
settings.register_profile("shared", deadline=None)
settings.load_profile("shared")
