"""The material that is not part of the project: published games and recorded traces.

It lies beside the repository, or where ``GDL_SHARED`` says. Tests that need it are skipped
where it is absent.
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
SHARED = Path(os.environ.get("GDL_SHARED", ROOT.parent / "shared"))
GAMES = sorted((SHARED / "games").glob("*.kif"))
"""The 366 published rule files."""

needs_games = pytest.mark.skipif(
    not GAMES, reason="the published games are not there (set GDL_SHARED)"
)
