"""Entries of many matches in one commit: each is kept, or its writer is told why not."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Collection, Iterator
from pathlib import Path

import pytest

from gdl.match.actions import Entry, Kind
from gdl.match.match import Header
from gdl.match.records import UnavailableError, Writing
from gdl.match.store import Store, TakenError, open_store
from gdl.ruleset import find
from gdl.web.commits import Together
from gdl.web.service import Service
from gdl.web.settings import Settings


@pytest.fixture
def store(database: str) -> Iterator[Store]:
    made = open_store(database)
    for number in range(5):
        made.create(Header.of(f"m{number}", find("tictactoe")), owner="", trusted=True)
    yield made
    made.close()


def writing(match: int, seq: int, id_: str = "") -> Writing:
    entry = Entry(seq, id_ or f"a{seq}", "x", Kind.MOVE, 5, seq, "b2", "(mark b 2)")
    return Writing(f"m{match}", entry, due=7)


def lengths(store: Store) -> list[int]:
    return [len(store.entries(f"m{number}")) for number in range(5)]


@pytest.mark.slow
def test_of_several_entries_only_those_that_cannot_be_are_left_out(store: Store) -> None:
    store.append("m1", writing(1, 0, "same").entry)
    errors = store.append_all([writing(0, 0), writing(1, 0), writing(2, 1), writing(3, 0)])
    assert [str(error) if error else None for error in errors] == [
        None,
        "entry 0 of match m1 is not the next one",
        "entry 1 of match m2 is not the next one",
        None,
    ]
    assert lengths(store) == [1, 1, 0, 1, 0]
    # An id that is taken shows only when it is written; the others are written all the same.
    errors = store.append_all([writing(4, 0), writing(1, 1, "same"), writing(0, 1)])
    assert [error is None for error in errors] == [True, False, True]
    assert lengths(store) == [2, 1, 0, 1, 1]
    assert {each.id: each.length for each in store.newest(limit=9)} == {
        f"m{number}": length for number, length in enumerate([2, 1, 0, 1, 1])
    }


def test_what_comes_while_one_commit_is_on_its_way_goes_with_the_next() -> None:
    batches: list[list[str]] = []
    has_begun, may_end = threading.Event(), threading.Event()

    class Slow(Store):
        def __init__(self) -> None:
            """Have no database."""

        def append_all(self, writings: object) -> list[TakenError | None]:
            assert isinstance(writings, list)
            batches.append([each.match for each in writings])
            has_begun.set()
            assert may_end.wait(30)
            if "m4" in batches[-1]:
                raise UnavailableError("no disk")
            return [TakenError("taken") if each.match == "m2" else None for each in writings]

    async def write() -> list[BaseException | None]:
        commits: Together[Writing, None] = Together(Slow().append_all)
        first = asyncio.create_task(commits.do(writing(0, 0)))
        await asyncio.to_thread(has_begun.wait)
        rest = [asyncio.create_task(commits.do(writing(number, 0))) for number in (1, 2, 3)]
        await asyncio.sleep(0)
        may_end.set()
        told = await asyncio.gather(first, *rest, return_exceptions=True)
        last = await asyncio.gather(commits.do(writing(4, 0)), return_exceptions=True)
        return [*told, *last]

    told = asyncio.run(write())
    assert batches == [["m0"], ["m1", "m2", "m3"], ["m4"]]
    assert [type(error) for error in told] == [
        type(None),
        type(None),
        TakenError,
        type(None),
        UnavailableError,
    ]


@pytest.mark.later
def test_who_leaves_before_the_commit_takes_nobody_with_him(store: Store) -> None:
    async def write() -> None:
        commits = Together(store.append_all)
        leaving = asyncio.create_task(commits.do(writing(0, 0)))
        staying = asyncio.create_task(commits.do(writing(1, 0)))
        await asyncio.sleep(0)
        leaving.cancel()
        await asyncio.gather(leaving, staying, return_exceptions=True)
        await commits.do(writing(2, 0))

    asyncio.run(write())
    assert lengths(store)[1:3] == [1, 1]


def test_matches_are_looked_at_together_by_all_who_ask_meanwhile(tmp_path: Path) -> None:
    """Each thread at the database holds up the loop, and one client may open many sockets."""
    store = open_store(str(tmp_path / "m.db"))
    first, second = "0" * 24, "1" * 24
    for match in (first, second):
        store.create(Header.of(match, find("tictactoe")), owner="", trusted=True)
    store.append(first, writing(0, 0).entry)
    looks: list[int] = []
    lengths = store.lengths

    def slow(matches: Collection[str]) -> dict[str, int]:
        looks.append(len(matches))
        time.sleep(0.01)
        return lengths(matches)

    async def ask() -> list[int]:
        service = Service(store, Settings())
        for match in (first, second):
            await service.open(match)
        store.append(second, writing(0, 0).entry)  # as another server does
        lives = await asyncio.gather(*(service.fresh([first, second][n % 2]) for n in range(100)))
        await service.stop()
        return [live.summary.seq for live in lives]

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(store, "lengths", slow)
        assert asyncio.run(ask()) == [1] * 100
    assert len(looks) <= 2, looks
