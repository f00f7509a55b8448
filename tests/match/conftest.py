"""Fixtures of tests about matches."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.match.postgresql import Database, server, why_not


@pytest.fixture(scope="session")
def postgresql() -> Iterator[Database]:
    """Run a PostgreSQL server for the session, where one is installed."""
    if reason := why_not():
        pytest.skip(reason)
    with server() as running:
        yield running
