"""Fixtures of tests about the service."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.web.serving import Client, served


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Client]:
    """Run a server for the tests of a module."""
    folder: Path = tmp_path_factory.mktemp("served")
    with served(folder / "matches.db") as running:
        yield running
