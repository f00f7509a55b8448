"""What a store has taken it keeps, and it gives a number once, in SQLite and in PostgreSQL."""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import create_engine

from gdl.match import Entry, Header, Kind, TimeControl, database
from gdl.match.records import Access, Seat, Start, StoreError, UnavailableError, Writing
from gdl.match.schema import NEWEST, SCHEMA, STEPS, SchemaError
from gdl.match.store import (
    LATEST,
    ReservedError,
    Store,
    TakenError,
    UnknownMatchError,
    open_store,
)
from gdl.ruleset import find
from tests.match.postgresql import Database

HEADER = Header.of("m", find("tictactoe"), control=TimeControl(60_000, 5), created=7)
HEADER_2 = Header("n", HEADER.ruleset)


def entry(seq: int, id_: str = "", **more: object) -> Entry:
    fields = {"role": "x", "kind": Kind.MOVE, "at": 10 + seq, "asked": seq, "move": "b2 é"}
    return Entry(seq=seq, id=id_ or f"a{seq}", term="(mark b 2)", **{**fields, **more})  # type: ignore[arg-type]  # fields by name


@pytest.fixture(params=["sqlite", "postgresql"])
def url(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    if request.param == "sqlite":
        yield str(tmp_path / "matches.db")
    else:
        database: Database = request.getfixturevalue("postgresql")
        with database.fresh() as fresh:
            yield fresh


@pytest.fixture
def store(url: str) -> Iterator[Store]:
    opened = open_store(url)
    yield opened
    opened.close()


@pytest.mark.slow
def test_what_is_kept_comes_back(store: Store, url: str) -> None:
    seats = [Seat("x", "t", "Ann", "", 3), Seat("o", "", "mcts", "1 mcts", 4)]
    store.create(HEADER, owner="w", trusted=True, seats=seats)
    entries = tuple(entry(n, asked=max(0, n - 1)) for n in range(5))
    for each in entries:
        store.append("m", each, finished=each.seq == 4, due=None if each.seq == 4 else 99)
    again = open_store(url)
    assert again.header("m") == HEADER
    assert again.entries("m") == entries
    assert again.entries("m", since=3) == entries[3:]
    assert again.seats("m") == tuple(sorted(seats, key=lambda seat: seat.role))
    listed = again.listed("m")
    assert (listed.length, listed.finished, listed.has_clock) == (5, True, True)
    assert again.lengths(["m", "n"]) == {"m": 5}
    assert again.counts() == (1, 0)
    again.close()


@pytest.mark.later
def test_a_match_can_begin_with_a_log(store: Store) -> None:
    entries = (entry(0), entry(1))
    store.create(HEADER, owner="w", trusted=False, start=Start(entries, finished=False, due=50))
    assert store.entries("m") == entries
    store.append("m", entry(2), due=None)
    assert store.lengths(["m"]) == {"m": 3}


@pytest.mark.parametrize(
    "wrong",
    [entry(0), entry(1, "other"), entry(3), entry(2, "a0")],
    ids=["again", "number-taken", "gap", "id-taken"],
)
def test_a_number_and_an_id_are_given_once(store: Store, wrong: Entry) -> None:
    store.create(HEADER, owner="w", trusted=True)
    for n in range(2):
        store.append("m", entry(n))
    with pytest.raises(TakenError):
        store.append("m", wrong)
    assert store.entries("m") == (entry(0), entry(1))
    assert store.lengths(["m"]) == {"m": 2}


def test_a_seat_is_taken_once(store: Store) -> None:
    store.create(HEADER, owner="w", trusted=True)
    store.take_seat("m", Seat("x", "t"))
    with pytest.raises(TakenError, match="the seat of x is taken"):
        store.take_seat("m", Seat("x", "u"))
    assert [seat.token for seat in store.seats("m")] == ["t"]


def test_a_reserved_seat_takes_its_invitation_once(store: Store) -> None:
    access = Access(invitations={"x": "secret", "o": "other"})
    store.create(HEADER, owner="w", trusted=True, access=access)
    assert store.reserved("m") == {"x", "o"}
    for shown in (None, "other", "", "secret "):
        with pytest.raises(ReservedError):
            store.take_seat("m", Seat("x", "t"), invitation=shown)
    assert store.seats("m") == ()
    assert store.reserved("m") == {"x", "o"}
    store.take_seat("m", Seat("x", "t"), invitation="secret")
    assert store.reserved("m") == {"o"}
    for shown in (None, "secret"):
        with pytest.raises(TakenError):
            store.take_seat("m", Seat("x", "u"), invitation=shown)
    store.take_seat("m", Seat("o", "u"), by_owner=True)
    assert store.reserved("m") == frozenset()
    assert [seat.token for seat in store.seats("m")] == ["u", "t"]
    assert store.sitting(["m", "n"]) == {"m": 2, "n": 0}


def test_lists_name_only_what_they_may(store: Store) -> None:
    for name, access in (
        ("a", Access()),
        ("b", Access(listed=False)),
        ("c", Access(spectators=False)),
    ):
        store.create(Header(name, HEADER.ruleset), owner="w", trusted=True, access=access)
    newest = store.newest(limit=9)
    assert {each.id: each.spectators for each in newest} == {"a": True, "c": False}
    assert not store.listed("b").listed
    assert store.counts() == (3, 3)


def test_a_match_that_is_not_there_is_said_so(store: Store) -> None:
    for ask in (store.header, store.listed):
        with pytest.raises(UnknownMatchError, match="there is no match nowhere"):
            ask("nowhere")
    with pytest.raises(TakenError):
        store.append("nowhere", entry(0))


def test_a_match_is_made_once(store: Store) -> None:
    store.create(HEADER, owner="w", trusted=True)
    with pytest.raises(TakenError, match="there is a match m already"):
        store.create(HEADER, owner="v", trusted=True)
    assert store.listed("m").owner == "w"


def test_clocks_that_are_over_and_programs_that_wait_are_found(store: Store) -> None:
    for name, due, agent in (("a", 100, ""), ("b", 200, "1 mcts"), ("c", None, "1 mcts")):
        header = Header(name, HEADER.ruleset, HEADER.control, 1)
        store.create(header, owner="w", trusted=True, seats=[Seat("x", "", "", agent)])
        store.append(name, entry(0), due=due)
    store.append("c", entry(1), finished=True)
    assert store.overdue(99) == ()
    assert store.overdue(150) == ("a",)
    assert store.with_agents() == store.with_agents(trusted=True) == ("b",)
    assert store.overdue(150, trusted=True) == ("a",)
    assert store.overdue(150, trusted=False) == store.with_agents(trusted=False) == ()
    assert [each.id for each in store.newest(limit=9, finished=True)] == ["c"]


@pytest.mark.parametrize("role", ["x", "a b", "größer", 'q"%\\'])
def test_matches_that_wait_for_people_are_not_those_of_programs(store: Store, role: str) -> None:
    """Whoever leaves his match against a program leaves nothing that is looked at for ever."""
    seats = [Seat(role, "", "", "1 mcts"), Seat("_", "token", "", "")]
    for name, to_move in (("mine", ("_",)), ("its", (role,)), ("both", ("_", role))):
        header = Header(name, HEADER.ruleset, HEADER.control, 1)
        store.create(header, owner="w", trusted=True, seats=seats, start=Start((), to_move=to_move))
    assert set(store.with_agents()) == {"its", "both"}
    assert set(store.quiet_with_agents(LATEST)) == {"its", "both"}
    store.append_all([Writing("both", entry(0), to_move=("_",))])
    assert set(store.with_agents()) == {"its"}


def test_two_servers_never_give_one_number_twice(url: str) -> None:
    """Each tries every number at once with the other; of each number exactly one entry is kept."""
    stores = [open_store(url) for _ in range(2)]
    stores[0].create(HEADER, owner="w", trusted=True)
    won: list[list[str]] = [[], []]
    gate = threading.Barrier(2)

    def storm(which: int) -> None:
        for seq in range(25):
            gate.wait()
            try:
                stores[which].append("m", entry(seq, f"{which}.{seq}"))
            except TakenError:
                continue
            won[which].append(f"{which}.{seq}")

    threads = [threading.Thread(target=storm, args=(which,)) for which in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    kept = stores[0].entries("m")
    assert [each.seq for each in kept] == list(range(25))
    assert sorted(each.id for each in kept) == sorted(won[0] + won[1])
    for store in stores:
        store.close()


# -- versions of the tables


def test_a_database_of_the_first_version_is_brought_to_the_newest(tmp_path: Path) -> None:
    path = tmp_path / "old.db"
    old = sqlite3.connect(path)
    old.executescript(Path(__file__).with_name("version_1.sql").read_text())
    old.close()
    store = open_store(path)
    assert store.entries("m") == (entry(0),)
    assert store.header("m").created == 7
    assert store.overdue(10**15) == ()
    store.append("m", entry(1), due=5)
    assert store.overdue(5) == ("m",)
    assert [(each.id, each.spectators) for each in store.newest(limit=9)] == [("m", True)]
    assert store.reserved("m") == frozenset()
    store.close()
    assert sqlite3.connect(path).execute("select version from gdl_schema").fetchall() == [(NEWEST,)]


@pytest.mark.later
@pytest.mark.parametrize("version", range(1, NEWEST + 1))
def test_a_database_of_any_version_keeps_its_matches(url: str, version: int) -> None:
    """Made by the steps of its time, with a match, a seat and an action; then opened."""
    engine = create_engine(url if "://" in url else f"sqlite:///{url}")
    with engine.begin() as connection:
        SCHEMA.create(connection)
        for step in STEPS[:version]:
            step(connection)
        connection.execute(SCHEMA.insert().values(version=version))
        for statement in (
            "INSERT INTO rulesets VALUES ('d', '{\"id\": \"tictactoe\"}')",
            """
            INSERT INTO matches (id, ruleset, title, created, trusted, owner, length, finished)
            VALUES ('m', 'd', 'tictactoe', 7, TRUE, 'w', 1, FALSE)
            """,
            """
            INSERT INTO actions ("match", seq, id, role, kind, at, asked, move, term)
            VALUES ('m', 0, 'a0', 'x', 'MOVE', 10, 0, 'b2 é', '(mark b 2)')
            """,
            "INSERT INTO seats VALUES ('m', 'x', 't', 'Ann', '', 3)",
        ):
            connection.exec_driver_sql(statement)
    engine.dispose()
    store = open_store(url)
    assert store.entries("m") == (entry(0),)
    assert store.seats("m") == (Seat("x", "t", "Ann", "", 3),)
    assert [(each.id, each.listed, each.spectators) for each in store.newest(limit=9)] == [
        ("m", True, True)
    ]
    store.take_seat("m", Seat("o", "u"))
    store.append("m", entry(1), due=5)
    assert store.overdue(5) == ("m",)
    store.create(HEADER_2, owner="w", trusted=True, access=Access(invitations={"x": "s"}))
    assert store.reserved("n") == {"x"}
    store.close()


def test_opening_twice_changes_nothing(tmp_path: Path) -> None:
    path = tmp_path / "m.db"
    for _ in range(2):
        store = open_store(path)
        store.close()
    assert sqlite3.connect(path).execute("select version from gdl_schema").fetchall() == [
        (len(STEPS),)
    ]


def test_a_database_of_a_newer_program_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "m.db"
    open_store(path).close()
    newer = sqlite3.connect(path)
    newer.execute("update gdl_schema set version = 99")
    newer.commit()
    newer.close()
    with pytest.raises(SchemaError) as caught:
        open_store(path)
    assert str(caught.value) == (
        f"the database is of version 99, and this program knows {NEWEST}\n"
        "  help: install a newer gdl-framework, or take another database"
    )


def test_what_is_no_database_is_said_so(tmp_path: Path) -> None:
    (tmp_path / "text").write_text("this is no database, but a text of some length\n" * 100)
    broken, nowhere = str(tmp_path / "text"), str(tmp_path / "no" / "folder.db")
    unusable = "cannot be used:"
    plugin = "nothing://x: Can't load plugin: sqlalchemy.dialects:nothing"
    for url, text in (
        (broken, f"the database {broken} {unusable} file is not a database"),
        (nowhere, f"the database {nowhere} {unusable} there is no folder {Path(nowhere).parent}"),
        ("nothing://x", f"{plugin}\n  expected: a file, or a URL of SQLAlchemy"),
    ):
        with pytest.raises(StoreError) as caught:
            open_store(url)
        assert str(caught.value) == text


def test_a_connection_in_use_is_closed_when_it_is_given_back(tmp_path: Path) -> None:
    store = open_store(str(tmp_path / "matches.db"))
    with store._writing() as connection:  # what a thread does
        raw: Any = connection.connection.dbapi_connection
        store.close()
        raw.execute("select 1")
    with pytest.raises(sqlite3.ProgrammingError):
        raw.execute("select 1")


def test_nothing_is_read_from_a_file_that_was_moved(tmp_path: Path) -> None:
    store = open_store(tmp_path / "m.db")
    store.create(HEADER, owner="w", trusted=True)
    (tmp_path / "m.db").rename(tmp_path / "aside")
    for ask in (
        store.counts,
        store.with_agents,
        lambda: store.overdue(1),
        lambda: store.quiet_with_agents(1),
        lambda: store.newest(limit=1),
        lambda: store.listed("m"),
        lambda: store.header("m"),
        lambda: store.entries("m"),
        lambda: store.lengths(["m"]),
        lambda: store.sitting(["m"]),
        lambda: store.seats("m"),
        lambda: store.seats_of(["m"]),
        lambda: store.reserved("m"),
        lambda: store.reserved_of(["m"]),
    ):
        with pytest.raises(UnavailableError, match="was taken away, or replaced"):
            ask()
    store.close()


@pytest.mark.parametrize("scheme", ["postgres", "postgresql"])
@pytest.mark.parametrize(
    ("drivers", "driver"),
    [
        ({"psycopg", "psycopg2"}, "postgresql+psycopg"),
        ({"psycopg"}, "postgresql+psycopg"),
        ({"psycopg2"}, "postgresql"),
        (set(), "postgresql+psycopg"),
    ],
)
def test_urls_of_hosting_services_have_the_driver_that_is_there(
    monkeypatch: pytest.MonkeyPatch, scheme: str, drivers: set[str], driver: str
) -> None:
    monkeypatch.setattr(database, "find_spec", lambda name: name if name in drivers else None)
    assert database.full_url(f"{scheme}://gdl@localhost/matches").drivername == driver
