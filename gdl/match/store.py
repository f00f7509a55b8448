"""Where matches are kept: a database, one transaction an action.

In: headers, entries, seats. Out: the same, whatever happened between. An entry that `append`
has returned from is on the disk; one that it has not is there wholly or not at all. The
database itself lets no number of a log be given twice, so any number of servers may share it.

SQLite (a file, with a write-ahead log, each commit waited for) needs nothing else; any other
database that SQLAlchemy knows is named by its URL.

Source: https://www.sqlite.org/wal.html.
"""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager, nullcontext
from dataclasses import asdict
from pathlib import Path
from typing import Any, Final

from sqlalchemy import (
    Connection,
    Engine,
    Insert,
    Row,
    Update,
    bindparam,
    delete,
    event,
    func,
    literal_column,
    or_,
    select,
    update,
)
from sqlalchemy.engine import URL, ExceptionContext, make_url
from sqlalchemy.engine.interfaces import DBAPICursor
from sqlalchemy.exc import ArgumentError, IntegrityError, SQLAlchemyError
from sqlalchemy.exc import TimeoutError as PoolTimeoutError
from sqlalchemy.pool import ConnectionPoolEntry, PoolProxiedConnection
from sqlalchemy.sql import Select
from sqlalchemy.sql.expression import BindParameter

from gdl.language.diagnostics import GdlError
from gdl.match.actions import Entry, Kind
from gdl.match.clock import TimeControl
from gdl.match.database import WRITE, SameFile, engine_of, no_file
from gdl.match.match import Header
from gdl.match.pin import digest
from gdl.match.records import (
    PUBLIC,
    Access,
    Listed,
    Seat,
    Start,
    StoreError,
    UnavailableError,
    Writing,
)
from gdl.match.schema import ACTIONS, INVITATIONS, MATCHES, RULESETS, SEATS, migrate

LATEST: Final = 10**18
"""Milliseconds since 1970 before which every match was created."""
AT_ONCE: Final = 500
"""Matches that one query names."""
LONGEST_TITLE: Final = 100
"""Characters of a role's title that lists say."""
MOST_KEPT: Final = 10_000
"""Rulesets of which it is remembered that the database has them."""
PROBE: Final = "probe"
"""What is written to see whether something can be."""
REFUSED_SECONDS: Final = 10.0
"""How long a database that has refused something is no good one, whatever else it takes."""


class TakenError(GdlError):
    """Somebody else was first: the sequence number, the action's id or the seat is taken."""


class ReservedError(GdlError):
    """The seat waits for somebody who was invited, and this is not the invitation."""


class UnknownMatchError(GdlError):
    """There is no such match."""


class _Prepared:
    """A statement as the driver of a database takes it."""

    def __init__(self, statement: Insert | Update, engine: Engine) -> None:
        """Write it down for a database."""
        compiled = statement.compile(dialect=engine.dialect)
        self._text = str(compiled)
        self._order = compiled.positiontup if compiled.positional else None

    def run(self, cursor: DBAPICursor, rows: Iterable[Mapping[str, Any]]) -> None:
        """Run it with each of some rows."""
        order = self._order
        if order is None:
            cursor.executemany(self._text, list(rows))
        else:
            cursor.executemany(self._text, [tuple(row[name] for name in order) for row in rows])


class Store:
    """Matches in a database; safe to use from several threads."""

    def __init__(self, engine: Engine) -> None:
        """Use a database that is at the newest version; `open_store` is the usual way."""
        self._engine = engine
        # SQLite has one writer at a time, and who finds it busy sleeps before asking again;
        # writers of one process wait for each other here, where the next is woken at once.
        is_sqlite = engine.dialect.name == "sqlite"
        self._writer = threading.Lock() if is_sqlite else nullcontext()
        self._count, self._add = _Prepared(_COUNT, engine), _Prepared(_NEW_ACTION, engine)
        self._kept_rulesets: set[str] = set()
        self._is_closed = False
        self._file = SameFile(engine.url)
        self._refused, self._why = float("-inf"), ""
        event.listen(engine, "checkin", self._given_back)
        event.listen(engine, "handle_error", _unavailable)

    @property
    def url(self) -> URL:
        """Where the database is; may hold a password."""
        return self._engine.url

    def close(self) -> None:
        """Let go of all connections; those that a thread still uses go when it gives them back."""
        self._is_closed = True
        self._engine.dispose()

    def _given_back(self, _connection: object, record: ConnectionPoolEntry) -> None:
        if self._is_closed:  # its pool is gone, so nobody else would close it
            record.invalidate()

    @contextmanager
    def _reading(self) -> Iterator[Connection]:
        """Take a connection; what was written on it by the end went into the file that is there."""
        self._file.require()
        try:
            with self._engine.connect() as connection:
                yield connection
                self._file.require()
        except PoolTimeoutError as error:  # all connections wait for a database that is silent
            raise _not_answering(error) from error

    @contextmanager
    def _writing(self) -> Iterator[Connection]:
        with (
            self._noting_refusals(),
            self._writer,
            self._reading() as connection,
            connection.execution_options(writes=True).begin(),
        ):
            yield connection

    @contextmanager
    def _noting_refusals(self) -> Iterator[None]:
        """Let `check` know that something could not be written."""
        try:
            yield
        except UnavailableError as error:
            self._refused, self._why = time.monotonic(), str(error)
            raise

    def check(self) -> None:
        """Make sure that the database answers, and takes what is written.

        Something is written and taken out again; and since a full disk may have room for that and
        for nothing else, what was refused a moment ago counts as well.

        Raises:
            UnavailableError: It does not.
        """
        with self._writing() as connection:
            connection.execute(RULESETS.insert().values(digest=PROBE, pinned=PROBE))
            connection.execute(delete(RULESETS).where(RULESETS.c.digest == PROBE))
        if self.has_refused:
            raise UnavailableError(self._why)

    @property
    def has_refused(self) -> bool:
        """Whether something could not be written a moment ago."""
        return time.monotonic() - self._refused < REFUSED_SECONDS

    def create(  # noqa: PLR0913  # the parts of a match
        self,
        header: Header,
        *,
        owner: str,
        trusted: bool,
        roles: Sequence[str] = (),
        seats: Sequence[Seat] = (),
        start: Start | None = None,
        access: Access = PUBLIC,
    ) -> Listed:
        """Keep a new match; return what lists say of it.

        Args:
            header: The match.
            owner: SHA-256 of its creator's secret.
            trusted: Whether its rules are shipped ones.
            roles: The roles that somebody plays, in order.
            seats: Who sits already.
            start: The log that it begins with.
            access: Who may find it, see it and sit down at it.

        Raises:
            TakenError: There is a match of this name.
        """
        pinned = json.dumps(dict(header.ruleset), ensure_ascii=False, sort_keys=True)
        name = digest(pinned)
        self._keep_ruleset(name, pinned)
        clock = None if header.control is None else json.dumps(header.control.to_json())
        begun = start or Start()
        listed = Listed(
            id=header.id,
            title=str(header.ruleset["id"])[:200],
            created=header.created,
            length=len(begun.entries),
            finished=begun.finished,
            trusted=trusted,
            owner=owner,
            has_clock=clock is not None,
            listed=access.listed,
            spectators=access.spectators,
            open=access.open,
            players={role: header.title_of(role)[:LONGEST_TITLE] for role in roles},
            to_move=begun.to_move,
        )
        # What lists say of a match is its row, but for names and lists in it, which are text there.
        row = {**asdict(listed), "ruleset": name, "clock": clock, "due": begun.due}
        del row["has_clock"]
        row["players"] = json.dumps(listed.players, ensure_ascii=False)
        row["to_move"] = None if listed.to_move is None else json.dumps(listed.to_move)
        # All of it or nothing: a match without its log or seats could be neither followed nor
        # played. The rules came before; those that no match has do no harm.
        try:
            with self._writing() as connection:
                connection.execute(_NEW_MATCH, row)
                if begun.entries:
                    rows = [{"match": header.id, **_columns(entry)} for entry in begun.entries]
                    connection.execute(_NEW_ACTION, rows)
                if seats:
                    connection.execute(_NEW_SEAT, [_seat_columns(header.id, s) for s in seats])
                if access.invitations:
                    tokens = access.invitations.items()
                    invited = [{"match": header.id, "role": r, "token": t} for r, t in tokens]
                    connection.execute(INVITATIONS.insert(), invited)
        except IntegrityError as error:
            raise TakenError(f"there is a match {header.id} already") from error
        return listed

    def _keep_ruleset(self, name: str, pinned: str) -> None:
        """Keep a ruleset unless it is there; nothing ever deletes one, so once seen is enough."""
        if name in self._kept_rulesets:
            return
        with self._reading() as connection:
            row = connection.execute(select(RULESETS.c.digest).where(RULESETS.c.digest == name))
            is_there = row.first() is not None
        if not is_there:
            try:
                with self._writing() as connection:
                    connection.execute(RULESETS.insert().values(digest=name, pinned=pinned))
            except IntegrityError:
                pass  # another server was first, with the same text
        if len(self._kept_rulesets) < MOST_KEPT:
            self._kept_rulesets.add(name)

    def header(self, match: str) -> Header:
        """Return the header of a match.

        Raises:
            UnknownMatchError: There is none.
        """
        query = (
            select(MATCHES.c.created, MATCHES.c.clock, RULESETS.c.pinned)
            .join_from(MATCHES, RULESETS)
            .where(MATCHES.c.id == match)
        )
        with self._reading() as connection:
            row = connection.execute(query).first()
        if row is None:
            raise _unknown(match)
        control = None if row.clock is None else TimeControl.read(json.loads(row.clock))
        return Header(match, json.loads(row.pinned), control, row.created)

    def entries(self, match: str, *, since: int = 0) -> tuple[Entry, ...]:
        """Return the log of a match from a number on, in order."""
        (entries,) = self.entries_of([(match, since)])
        return entries

    def entries_of(self, asked: Sequence[tuple[str, int]]) -> list[tuple[Entry, ...]]:
        """Return what `entries` does of several matches, each from its own number on."""
        with self._reading() as connection:
            return [
                tuple(map(_entry, connection.execute(_LOG, {"of": match, "since": since})))
                for match, since in asked
            ]

    def append(
        self, match: str, entry: Entry, *, finished: bool = False, due: int | None = None
    ) -> None:
        """Add an entry to a log, in one transaction; it is on the disk when this returns.

        Args:
            match: The match.
            entry: The entry; its number must be the next one.
            finished: Whether the match is over with it.
            due: When the next clock will be over, in milliseconds since 1970.

        Raises:
            TakenError: Another entry has that number, or that id.
        """
        (error,) = self.append_all([Writing(match, entry, finished=finished, due=due)])
        if error is not None:
            raise error

    def append_all(self, writings: Sequence[Writing]) -> list[TakenError | None]:
        """Add entries to logs, in one transaction: those that can be are on the disk then.

        All are written together, and none where one cannot be: then those that cannot are looked
        for and left out, and the others are written together. Two servers that write into the same
        matches at once take them in one order, so that neither waits for the other in turn.

        Returns:
            Of each why it was not added, None where it was.

        Raises:
            UnavailableError: The database does not answer, or takes nothing more.
        """
        errors: dict[int, TakenError] = {}
        left = sorted(
            range(len(writings)), key=lambda n: (writings[n].match, writings[n].entry.seq)
        )
        while left and not self._append_together([writings[n] for n in left]):
            why_not = self._why_not([writings[n] for n in left])
            # Where none is found to blame, another server has written since: all are judged anew.
            for place, number in enumerate(left):
                if place in why_not or not why_not:
                    errors[number] = TakenError(
                        f"entry {writings[number].entry.seq} of match {writings[number].match} "
                        f"{why_not.get(place, 'came when others wrote')}"
                    )
            left = [number for number in left if number not in errors]
        return [errors.get(number) for number in range(len(writings))]

    def _append_together(self, ordered: Sequence[Writing]) -> bool:
        """Add all, or none and return False; by the driver itself, as it is done all the time.

        SQLAlchemy takes half a millisecond around a transaction of two statements, which is more
        than SQLite takes for it, the disk included.
        """
        dialect = self._engine.dialect
        with self._noting_refusals(), self._writer, self._raw_connection() as connection:
            cursor = connection.cursor()
            try:
                if dialect.name == "sqlite":
                    cursor.execute(WRITE)
                self._count.run(cursor, map(_counted, ordered))
                if cursor.rowcount != len(ordered):
                    return False
                self._add.run(cursor, ({"match": w.match, **_columns(w.entry)} for w in ordered))
                connection.commit()
            except dialect.loaded_dbapi.IntegrityError:  # one has the number or id of another
                return False
            except dialect.loaded_dbapi.Error as error:
                if dialect.is_disconnect(error, connection.driver_connection, cursor):
                    connection.invalidate(error)
                raise
        return True

    @contextmanager
    def _raw_connection(self) -> Iterator[PoolProxiedConnection]:
        """Take a connection of the driver; what is not committed on it is rolled back."""
        self._file.require()
        try:
            with closing(self._engine.raw_connection()) as connection:
                yield connection
                self._file.require()
        except (self._engine.dialect.loaded_dbapi.Error, SQLAlchemyError) as error:
            raise _not_answering(error) from error

    def _why_not(self, ordered: Sequence[Writing]) -> dict[int, str]:
        """Return which of some entries are not the next ones of their logs, each with why."""
        matches = {writing.match for writing in ordered}
        due = self.lengths(matches)
        taken: set[tuple[str, str]] = set()
        with self._reading() as connection:
            for start in range(0, len(ordered), AT_ONCE):
                ids = [writing.entry.id for writing in ordered[start : start + AT_ONCE]]
                some = {"of": list(matches), "ids": ids}
                taken.update((row.match, row.id) for row in connection.execute(_TAKEN, some))
        why_not: dict[int, str] = {}
        for place, writing in enumerate(ordered):
            id_ = writing.match, writing.entry.id
            if due.get(writing.match) != writing.entry.seq:
                why_not[place] = "is not the next one"
            elif id_ in taken:
                why_not[place] = "is taken"
            else:
                due[writing.match] += 1
                taken.add(id_)
        return why_not

    def take_seat(
        self,
        match: str,
        seat: Seat,
        *,
        invitation: str | None = None,
        by_owner: bool = False,
        title: str = "",
    ) -> None:
        """Seat somebody, in one transaction with the end of the invitation that it takes.

        Args:
            match: The match.
            seat: The seat.
            invitation: SHA-256 of the invitation that was shown; None if none was.
            by_owner: Whether the match's owner wants it, who needs no invitation.
            title: What people call the role; empty for its name.

        Raises:
            TakenError: Somebody sits there.
            ReservedError: The seat is reserved and no invitation was shown, or a wrong one.
        """
        mine = (INVITATIONS.c.match == match) & (INVITATIONS.c.role == seat.role)
        called = title or seat.role
        fits = mine if by_owner else mine & (INVITATIONS.c.token == (invitation or ""))
        # Nothing is asked before it is done, so nobody can come between. An invitation is taken by
        # deleting it, which of two transactions one alone does; the key of the seats lets in one of
        # two who come at once; and whatever is refused below takes the seat back with it.
        try:
            with self._writing() as connection:
                is_invited = connection.execute(delete(INVITATIONS).where(fits)).rowcount == 1
                connection.execute(_NEW_SEAT, _seat_columns(match, seat))
                if is_invited:
                    return  # a seat that was kept for somebody was not among the open ones
                if invitation is not None and not by_owner:
                    raise ReservedError(
                        f"this invitation is not for the seat of {called}",
                        expected="the invitation that the creator of the match was given for it",
                    )
                if connection.execute(select(INVITATIONS.c.role).where(mine)).first() is not None:
                    raise ReservedError(
                        f"the seat of {called} is kept for somebody",
                        expected="the invitation to it",
                    )
                connection.execute(
                    update(MATCHES)
                    .where(MATCHES.c.id == match, MATCHES.c.open > 0)
                    .values(open=MATCHES.c.open - 1)
                )
        except IntegrityError as error:
            raise TakenError(f"the seat of {called} is taken") from error

    def reserved(self, match: str) -> frozenset[str]:
        """Return the roles whose seats wait for somebody who was invited."""
        return frozenset(role for _, role in self.reserved_of([match]))

    def seats(self, match: str) -> tuple[Seat, ...]:
        """Return who sits, by role."""
        return tuple(self.seats_of([match])[match])

    def seats_of(self, matches: Collection[str]) -> dict[str, list[Seat]]:
        """Return who sits in each of some matches, by role."""
        sitting: dict[str, list[Seat]] = {match: [] for match in matches}
        with self._reading() as connection:
            for row in connection.execute(_SEATS, {"of": list(sitting)}):
                seat = Seat(row.role, row.token, row.name, row.agent, row.taken)
                sitting[row.match].append(seat)
        return sitting

    def reserved_of(self, matches: Collection[str]) -> set[tuple[str, str]]:
        """Return the matches and roles whose seats wait for somebody who was invited."""
        with self._reading() as connection:
            rows = connection.execute(_RESERVED, {"of": list(matches)})
            return {(row.match, row.role) for row in rows}

    def listed(self, match: str) -> Listed:
        """Return what a list says of a match.

        Raises:
            UnknownMatchError: There is none.
        """
        with self._reading() as connection:
            row = connection.execute(select(MATCHES).where(MATCHES.c.id == match)).first()
        if row is None:
            raise _unknown(match)
        return _listed(row)

    def newest(
        self,
        *,
        limit: int,
        before: int = LATEST,
        finished: bool | None = None,
        is_open: bool = False,
    ) -> tuple[Listed, ...]:
        """Return the newest of the matches that lists may name, the newest first.

        Args:
            limit: How many at most.
            before: Only those created before, in milliseconds since 1970.
            finished: Only those that are over, or that are not.
            is_open: Only those with a seat that anybody may take.
        """
        query = select(MATCHES).where(MATCHES.c.created < before, MATCHES.c.listed)
        if finished is not None:
            query = query.where(MATCHES.c.finished == finished)
        if is_open:
            query = query.where(MATCHES.c.open > 0)
        query = query.order_by(MATCHES.c.created.desc(), MATCHES.c.id).limit(limit)
        with self._reading() as connection:
            return tuple(map(_listed, connection.execute(query)))

    def lengths(self, matches: Collection[str]) -> dict[str, int]:
        """Return the length of the log of each match; cheap, to be asked again and again."""
        return self._numbers(_LENGTHS, matches)

    def sitting(self, matches: Collection[str]) -> dict[str, int]:
        """Return how many seats of each match are taken; cheap, as `lengths` is."""
        return dict.fromkeys(matches, 0) | self._numbers(_SITTING, matches)

    def _numbers(self, query: Select[Any], matches: Collection[str]) -> dict[str, int]:
        """Return a number for each match; asked for some at a time, as databases bound a list."""
        number_of: dict[str, int] = {}
        wanted = list(matches)
        with self._reading() as connection:
            for start in range(0, len(wanted), AT_ONCE):
                some = {"of": wanted[start : start + AT_ONCE]}
                number_of.update((row[0], row[1]) for row in connection.execute(query, some))
        return number_of

    def overdue(self, at: int, *, trusted: bool | None = None) -> tuple[str, ...]:
        """Return the open matches in which a clock is over; only those of shipped, or sent, rules.

        Args:
            at: The time, in milliseconds since 1970.
            trusted: Whether those of shipped rules, or those of rules that somebody sent; None for
                all.
        """
        query = _of(select(MATCHES.c.id), trusted=trusted).where(MATCHES.c.due <= at)
        with self._reading() as connection:
            return tuple(connection.execute(query).scalars())

    def with_agents(self, *, trusted: bool | None = None) -> tuple[str, ...]:
        """Return the open matches in which a program may be to move; which, see `overdue`.

        Those that wait for people are left out, as they may do so for ever.
        """
        query = _of(select(MATCHES.c.id), trusted=trusted).join_from(MATCHES, SEATS)
        query = query.where(_IS_FOR_AGENT).distinct()
        with self._reading() as connection:
            return tuple(connection.execute(query).scalars())

    def quiet_with_agents(
        self, since: int, *, trusted: bool | None = None
    ) -> dict[str, tuple[int, int]]:
        """Return those of `with_agents` in which nothing has happened lately.

        Args:
            since: What is older is not lately, in milliseconds since 1970.
            trusted: Which, see `overdue`.

        Returns:
            The length of the log of each, and when something happened last.
        """
        at = (
            select(ACTIONS.c.at)
            .where(ACTIONS.c.match == MATCHES.c.id, ACTIONS.c.seq == MATCHES.c.length - 1)
            .scalar_subquery()
        )
        last = func.coalesce(at, MATCHES.c.created)
        query = (
            _of(select(MATCHES.c.id, MATCHES.c.length, last), trusted=trusted)
            .join_from(MATCHES, SEATS)
            .where(_IS_FOR_AGENT, last < since)
            .distinct()
        )
        with self._reading() as connection:
            return {row[0]: (row[1], row[2]) for row in connection.execute(query)}

    def counts(self) -> tuple[int, int]:
        """Return how many matches there are, and how many of them are open."""
        with self._reading() as connection:
            total = connection.execute(select(func.count()).select_from(MATCHES)).scalar_one()
            is_open = MATCHES.c.finished.is_(False)
            query = select(func.count()).select_from(MATCHES).where(is_open)
            return total, connection.execute(query).scalar_one()


def open_store(url: str | Path) -> Store:
    """Return the store of a database, made or brought to the newest version if need be.

    Args:
        url: A file, for SQLite; or a URL such as ``postgresql+psycopg://user@host/name``.

    Raises:
        StoreError: The database cannot be reached, or is none.
        SchemaError: It is newer than this program.
    """
    text = str(url)
    try:
        engine = engine_of(url)
        migrate(engine)
    except ArgumentError as error:
        raise StoreError(f"{text}: {error}", expected="a file, or a URL of SQLAlchemy") from error
    except ModuleNotFoundError as error:
        raise StoreError(f"{text} needs {error.name}: pip install {error.name}") from error
    except SQLAlchemyError as error:
        reason = no_file(text) or str(getattr(error, "orig", None) or error)
        named = make_url(text).render_as_string(hide_password=True) if "://" in text else text
        raise StoreError(f"the database {named} cannot be used: {reason}") from error
    return Store(engine)


# Statements that stand here are written for the database once, not whenever they are used.
_NEW_MATCH: Final = MATCHES.insert()
_NEW_ACTION: Final = ACTIONS.insert()
_NEW_SEAT: Final = SEATS.insert()
_SOME: Final[BindParameter[Any]] = bindparam("of", expanding=True)
_LOG: Final = (
    select(ACTIONS)
    .where(ACTIONS.c.match == bindparam("of"), ACTIONS.c.seq >= bindparam("since"))
    .order_by(ACTIONS.c.seq)
)
_LENGTHS: Final = select(MATCHES.c.id, MATCHES.c.length).where(MATCHES.c.id.in_(_SOME))
_SITTING: Final = (
    select(SEATS.c.match, func.count()).where(SEATS.c.match.in_(_SOME)).group_by(SEATS.c.match)
)
_SEATS: Final = select(SEATS).where(SEATS.c.match.in_(_SOME)).order_by(SEATS.c.role)
_RESERVED: Final = select(INVITATIONS.c.match, INVITATIONS.c.role).where(
    INVITATIONS.c.match.in_(_SOME)
)
_TAKEN: Final = select(ACTIONS.c.match, ACTIONS.c.id).where(
    ACTIONS.c.match.in_(_SOME), ACTIONS.c.id.in_(bindparam("ids", expanding=True))
)
_IS_FOR_AGENT: Final = (SEATS.c.agent != "") & or_(
    # Its role stands among those to move; where JSON has written one otherwise than the rules do,
    # or nobody has noted who is to move, it may.
    MATCHES.c.to_move.is_(None),
    func.replace(MATCHES.c.to_move, SEATS.c.role, "") != MATCHES.c.to_move,
    func.replace(MATCHES.c.to_move, "\\", "") != MATCHES.c.to_move,
)
"""Of a match and a seat: whether a program sits there that may be to move."""
_COUNT: Final = (
    update(MATCHES)
    .where(MATCHES.c.id == bindparam("of"), MATCHES.c.length == bindparam("seq"))
    .values(
        length=bindparam("seq") + literal_column("1"),
        finished=bindparam("is_finished"),
        due=bindparam("due_at"),
        to_move=bindparam("next_to_move"),
    )
)
"""Counts one more entry of a match, if that is the next one."""


def _of(query: Select[Any], *, trusted: bool | None) -> Select[Any]:
    """Return a query of matches as one of those that are open, and of rules of one kind."""
    query = query.where(MATCHES.c.finished.is_(False))
    return query if trusted is None else query.where(MATCHES.c.trusted == trusted)


def _counted(writing: Writing) -> dict[str, Any]:
    return {
        "of": writing.match,
        "seq": writing.entry.seq,
        "is_finished": writing.finished,
        "due_at": writing.due,
        "next_to_move": None if writing.to_move is None else json.dumps(writing.to_move),
    }


def _seat_columns(match: str, seat: Seat) -> dict[str, Any]:
    return {"match": match, **asdict(seat)}


def _columns(entry: Entry) -> dict[str, Any]:
    return {
        "seq": entry.seq,
        "id": entry.id,
        "role": entry.role,
        "kind": str(entry.kind),
        "at": entry.at,
        "asked": entry.asked,
        "move": entry.move,
        "term": entry.term,
        "note": entry.note,
    }


def _entry(row: Row[Any]) -> Entry:
    kind = Kind(row.kind)
    return Entry(row.seq, row.id, row.role, kind, row.at, row.asked, row.move, row.term, row.note)


def _listed(row: Row[Any]) -> Listed:
    return Listed(
        row.id,
        row.title,
        row.created,
        row.length,
        row.finished,
        row.trusted,
        row.owner,
        row.clock is not None,
        row.listed,
        row.spectators,
        row.open,
        json.loads(row.players or "{}"),
        None if row.to_move is None else tuple(json.loads(row.to_move)),
    )


def _unavailable(context: ExceptionContext) -> UnavailableError | None:
    """Return what is raised in place of an error of the database, None for what stays as it is."""
    if isinstance(context.sqlalchemy_exception, IntegrityError):
        return None  # it has answered: what was to be written stands there already
    return _not_answering(context.original_exception)


def _not_answering(error: BaseException) -> UnavailableError:
    return UnavailableError(f"the database does not answer: {error}")


def _unknown(match: str) -> UnknownMatchError:
    return UnknownMatchError(f"there is no match {match}")
