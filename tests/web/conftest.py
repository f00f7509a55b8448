"""Fixtures of tests about the service."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.match.conftest import postgresql
from tests.match.postgresql import Database
from tests.web.serving import Client, served

__all__ = ["postgresql"]  # the server of the databases below


@pytest.fixture(scope="module", params=["sqlite", "postgresql"])
def either(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Client]:
    """Run a server on SQLite, and another one on PostgreSQL where that is installed."""
    if request.param == "sqlite":
        with served(tmp_path_factory.mktemp("served") / "matches.db") as running:
            yield running
        return
    database: Database = request.getfixturevalue("postgresql")
    with database.fresh() as url, served(url) as running:
        yield running


@pytest.fixture(params=["sqlite", "postgresql"])
def database(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    """Make an empty database that several servers may share; yields its name or URL."""
    if request.param == "sqlite":
        yield str(tmp_path / "matches.db")
    else:
        server: Database = request.getfixturevalue("postgresql")
        with server.fresh() as url:
            yield url


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Client]:
    """Run a server for the tests of a module."""
    folder: Path = tmp_path_factory.mktemp("served")
    with served(folder / "matches.db") as running:
        yield running
