"""How a database is reached: by which driver, for how long it is waited for, in which file.

In: the name of a file, or a URL. Out: SQLAlchemy's engine for it. Nothing is waited for without
end: a server that is gone, or that the network has lost, is told from one that works in seconds.

Source: https://www.sqlite.org/howtocorrupt.html, section 4 (files that are moved while they are
used); https://www.postgresql.org/docs/current/libpq-connect.html for the waits.
"""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path
from typing import Any, Final

from sqlalchemy import Connection, Engine, create_engine, event
from sqlalchemy.engine import URL, make_url

from gdl.match.records import UnavailableError

BUSY_MS: Final = 20_000
"""How long SQLite waits for another writer, and PostgreSQL for anything, in milliseconds."""
WRITE: Final = "BEGIN IMMEDIATE"
"""Begins a transaction of SQLite that writes."""
LIBPQ: Final = {
    "connect_timeout": "5",
    "keepalives_idle": "10",
    "keepalives_interval": "5",
    "keepalives_count": "3",
    "tcp_user_timeout": "20000",
}
"""What a connection to PostgreSQL waits, where the URL says nothing else: by itself it would wait
for a machine that is gone for a quarter of an hour, or for ever."""


class SameFile:
    """The file of a SQLite database, as it was when that was opened, with what is not in it yet.

    Who deletes it, or puts another one in its place, takes nothing from a program that has it open:
    that goes on writing into a file that has no name any more, and all of it is lost.
    """

    def __init__(self, url: URL) -> None:
        """Remember the file of a database that is open; of others there is none."""
        is_file = url.get_backend_name() == "sqlite" and url.database not in (None, "", ":memory:")
        named = url.database if is_file else None
        self._parts = [] if named is None else [Path(named), Path(f"{named}-wal")]
        self._were = [_identity(part) for part in self._parts]

    def require(self) -> None:
        """Make sure that it is there.

        Raises:
            UnavailableError: It is not, or is another one.
        """
        for part, was in zip(self._parts, self._were, strict=True):
            if was is not None and _identity(part) != was:
                raise UnavailableError(
                    f"the file {part} was taken away, or replaced, while it was used",
                    help="put it back; or stop the servers that use it, and start them again",
                )


def _identity(file: Path) -> tuple[int, int] | None:
    try:
        found = file.stat()
    except OSError:
        return None
    return found.st_dev, found.st_ino


def engine_of(url: str | Path) -> Engine:
    """Return the engine of a database; nothing is asked of it yet.

    Raises:
        ArgumentError: It is no URL that SQLAlchemy knows.
        ModuleNotFoundError: Its driver is not installed.
    """
    text = str(url)
    if isinstance(url, Path) or "://" not in text:
        engine = create_engine(f"sqlite:///{text}")
    else:
        engine = create_engine(full_url(text), pool_pre_ping=True)
    if engine.dialect.name == "sqlite":
        _prepare_sqlite(engine)
    elif engine.dialect.name == "postgresql" and engine.dialect.driver == "psycopg":
        _prepare_postgresql(engine)
    return engine


def full_url(text: str) -> URL:
    """Return a URL with the driver that we know, and the waits that it does not name.

    PostgreSQL's own form, ``postgresql://...`` or ``postgres://...``, is that of hosting services.
    """
    scheme, separator, rest = text.partition("://")
    has_only_another = find_spec("psycopg") is None and find_spec("psycopg2") is not None
    if scheme in ("postgres", "postgresql"):
        scheme = "postgresql" if has_only_another else "postgresql+psycopg"
    url = make_url(f"{scheme}{separator}{rest}")
    if url.drivername != "postgresql+psycopg":
        return url
    return url.update_query_dict({**LIBPQ, **url.query})


def no_file(url: str) -> str:
    """Return why SQLite can have no file there, of which it only says that it cannot be opened."""
    parsed = make_url(url) if "://" in url else make_url("sqlite://").set(database=url)
    if parsed.get_backend_name() != "sqlite" or not parsed.database:
        return ""
    file = Path(parsed.database)
    if not file.parent.is_dir():
        return f"there is no folder {file.parent}"
    return "it is a folder" if file.is_dir() else ""


def _prepare_sqlite(engine: Engine) -> None:
    @event.listens_for(engine, "connect")
    def on_connect(connection: Any, _record: object) -> None:  # noqa: ANN401  # of any driver
        connection.isolation_level = None  # transactions begin below, not behind our back
        cursor = connection.cursor()
        for pragma in (
            f"busy_timeout={BUSY_MS}",
            "journal_mode=WAL",
            "synchronous=FULL",
            "foreign_keys=ON",
        ):
            cursor.execute(f"PRAGMA {pragma}")
        cursor.close()

    @event.listens_for(engine, "begin")
    def on_begin(connection: Connection) -> None:
        # A query by itself sees one state of the file; only who writes needs more.
        if connection.get_execution_options().get("writes", False):
            connection.exec_driver_sql(WRITE)


def _prepare_postgresql(engine: Engine) -> None:
    @event.listens_for(engine, "connect")
    def on_connect(connection: Any, _record: object) -> None:  # noqa: ANN401  # of the driver
        connection.execute(f"SET statement_timeout = {BUSY_MS}")
        connection.commit()
