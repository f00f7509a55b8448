"""The tables in which matches are kept, and the steps from each version of them to the next.

In: a database of any version, empty ones too. Out: the same at the newest version, with all
that was in it. Each step is one transaction. A version table of one number does it: steps must
run from an installed package against any URL, without files beside it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    Connection,
    Engine,
    ForeignKey,
    Index,
    Integer,
    MetaData,
    String,
    Table,
    Text,
    inspect,
    select,
    text,
)

from gdl.language.diagnostics import GdlError

VERSION_TABLE: Final = "gdl_schema"
LOCK: Final = 0x67646C  # "gdl"
"""Name of the lock that keeps two servers from migrating one PostgreSQL database at a time."""

METADATA: Final = MetaData()
SCHEMA: Final = Table(VERSION_TABLE, METADATA, Column("version", Integer, primary_key=True))
RULESETS: Final = Table(
    "rulesets",
    METADATA,
    Column("digest", String(64), primary_key=True),
    Column("pinned", Text, nullable=False),
)
MATCHES: Final = Table(
    "matches",
    METADATA,
    Column("id", String(64), primary_key=True),
    Column("ruleset", String(64), ForeignKey("rulesets.digest"), nullable=False),
    Column("title", String(200), nullable=False),
    Column("clock", String(200)),
    Column("created", BigInteger, nullable=False),
    Column("trusted", Boolean, nullable=False),
    Column("owner", String(64), nullable=False),
    Column("length", Integer, nullable=False),
    Column("finished", Boolean, nullable=False),
    Column("due", BigInteger),
    Column("listed", Boolean, nullable=False),
    Column("spectators", Boolean, nullable=False),
    Column("open", Integer, nullable=False),
    Column("players", Text),
    Column("to_move", Text),
)
ACTIONS: Final = Table(
    "actions",
    METADATA,
    Column("match", String(64), ForeignKey("matches.id"), primary_key=True),
    Column("seq", Integer, primary_key=True),
    Column("id", String(64), nullable=False),
    Column("role", Text, nullable=False),
    Column("kind", String(20), nullable=False),
    Column("at", BigInteger, nullable=False),
    Column("asked", Integer, nullable=False),
    Column("move", Text, nullable=False),
    Column("term", Text, nullable=False),
    Column("note", Text, nullable=False),
    Index("actions_by_id", "match", "id", unique=True),
)
SEATS: Final = Table(
    "seats",
    METADATA,
    Column("match", String(64), ForeignKey("matches.id"), primary_key=True),
    Column("role", String(200), primary_key=True),
    Column("token", String(64), nullable=False),
    Column("name", String(100), nullable=False),
    Column("agent", String(200), nullable=False),
    Column("taken", BigInteger, nullable=False),
)
INVITATIONS: Final = Table(
    "invitations",
    METADATA,
    Column("match", String(64), ForeignKey("matches.id"), primary_key=True),
    Column("role", String(200), primary_key=True),
    Column("token", String(64), nullable=False),
)


class SchemaError(GdlError):
    """A database that this version of the program cannot use."""


_VERSION_1: Final = (
    "CREATE TABLE rulesets (digest VARCHAR(64) NOT NULL PRIMARY KEY, pinned TEXT NOT NULL)",
    """
    CREATE TABLE matches (
        id VARCHAR(64) NOT NULL PRIMARY KEY,
        ruleset VARCHAR(64) NOT NULL REFERENCES rulesets (digest),
        title VARCHAR(200) NOT NULL,
        clock VARCHAR(200),
        created BIGINT NOT NULL,
        trusted BOOLEAN NOT NULL,
        owner VARCHAR(64) NOT NULL,
        length INTEGER NOT NULL,
        finished BOOLEAN NOT NULL
    )
    """,
    """
    CREATE TABLE actions (
        "match" VARCHAR(64) NOT NULL REFERENCES matches (id),
        seq INTEGER NOT NULL,
        id VARCHAR(64) NOT NULL,
        role TEXT NOT NULL,
        kind VARCHAR(20) NOT NULL,
        at BIGINT NOT NULL,
        asked INTEGER NOT NULL,
        move TEXT NOT NULL,
        term TEXT NOT NULL,
        PRIMARY KEY ("match", seq)
    )
    """,
    'CREATE UNIQUE INDEX actions_by_id ON actions ("match", id)',
    """
    CREATE TABLE seats (
        "match" VARCHAR(64) NOT NULL REFERENCES matches (id),
        role VARCHAR(200) NOT NULL,
        token VARCHAR(64) NOT NULL,
        name VARCHAR(100) NOT NULL,
        agent VARCHAR(200) NOT NULL,
        taken BIGINT NOT NULL,
        PRIMARY KEY ("match", role)
    )
    """,
)
"""The tables of version 1, written out as they were then: a later version of the tables above
must not change what the first step makes."""


def _first(connection: Connection) -> None:
    """Make the tables of version 1."""
    for statement in _VERSION_1:
        connection.execute(text(statement))


def _clocks(connection: Connection) -> None:
    """Note when the next clock of a match is over, so that one look finds those that are."""
    connection.execute(text("ALTER TABLE matches ADD COLUMN due BIGINT"))
    connection.execute(text("CREATE INDEX matches_due ON matches (due)"))
    connection.execute(text("CREATE INDEX matches_created ON matches (created)"))


def _invitations(connection: Connection) -> None:
    """Let seats wait for somebody who was invited, and matches be kept among those who play."""
    for column in ("listed", "spectators"):
        connection.execute(
            text(f"ALTER TABLE matches ADD COLUMN {column} BOOLEAN NOT NULL DEFAULT TRUE")
        )
    connection.execute(
        text(
            """
            CREATE TABLE invitations (
                "match" VARCHAR(64) NOT NULL REFERENCES matches (id),
                role VARCHAR(200) NOT NULL,
                token VARCHAR(64) NOT NULL,
                PRIMARY KEY ("match", role)
            )
            """
        )
    )


def _open_seats(connection: Connection) -> None:
    """Count the seats that anybody may take, so that lists can name the matches that have some.

    Of matches that were there before nobody knows how many; they count as having none.
    """
    connection.execute(text("ALTER TABLE matches ADD COLUMN open INTEGER NOT NULL DEFAULT 0"))


def _notes(connection: Connection) -> None:
    """Let a move have a note for people."""
    connection.execute(text("ALTER TABLE actions ADD COLUMN note TEXT NOT NULL DEFAULT ''"))


def _players(connection: Connection) -> None:
    """Let lists say who plays what, and whose turn it is; of older matches nobody knows it."""
    for column in ("players", "to_move"):
        connection.execute(text(f"ALTER TABLE matches ADD COLUMN {column} TEXT"))


STEPS: Final[tuple[Callable[[Connection], None], ...]] = (
    _first,
    _clocks,
    _invitations,
    _open_seats,
    _notes,
    _players,
)
"""Step number n leads from version n to version n + 1."""
NEWEST: Final = len(STEPS)


def migrate(engine: Engine) -> None:
    """Bring a database to the newest version.

    Raises:
        SchemaError: The database is newer than this program.
    """
    with engine.connect().execution_options(writes=True) as connection, connection.begin():
        if connection.dialect.name == "postgresql":
            connection.execute(text("SET LOCAL statement_timeout = 0"))  # of millions of matches
            connection.execute(text("SELECT pg_advisory_xact_lock(:lock)"), {"lock": LOCK})
        version = _version(connection)
        if version > NEWEST:
            raise SchemaError(
                f"the database is of version {version}, and this program knows {NEWEST}",
                help="install a newer gdl-framework, or take another database",
            )
        for step in STEPS[version:]:
            step(connection)
        if version < NEWEST:
            connection.execute(SCHEMA.delete())
            connection.execute(SCHEMA.insert().values(version=NEWEST))


def _version(connection: Connection) -> int:
    if not inspect(connection).has_table(VERSION_TABLE):
        SCHEMA.create(connection)
        return 0
    return connection.execute(select(SCHEMA.c.version)).scalar() or 0
