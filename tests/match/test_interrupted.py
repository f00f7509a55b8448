"""A full disk, a database that is stopped: what was acknowledged is there, and play goes on.

A writer appends to the logs of several matches without pause, while the disk fills and is emptied
or the server is stopped and started, again and again. Whatever it was told is kept must stand there
once; what was refused must not. ``-s`` shows how many of each there were.
"""

from __future__ import annotations

import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from gdl.match import Header
from gdl.match.actions import Entry, Kind
from gdl.match.records import StoreError, UnavailableError
from gdl.match.store import Store, TakenError, open_store
from gdl.ruleset import find
from tests.match.postgresql import Database

pytestmark = pytest.mark.slow
MATCHES = 4
WORDS = "word " * 100
"""Half a kilobyte, so that a small disk is soon full."""


@dataclass
class Writer:
    """Somebody who appends to the logs of some matches until he is told to stop.

    Attributes:
        acknowledged: Entries that the store said are kept, by match.
        refusals: How often it said that it cannot.
    """

    store: Store
    acknowledged: dict[str, list[Entry]] = field(default_factory=dict)
    refusals: int = 0
    is_over: threading.Event = field(default_factory=threading.Event)

    def run(self) -> None:
        """Append; an entry that was not answered is sent again, under the same id."""
        while not self.is_over.is_set():
            for match, entries in self.acknowledged.items():
                number = len(entries)
                entry = Entry(number, f"a{number}", "x", Kind.MOVE, number, number, WORDS, "t")
                try:
                    self.store.append(match, entry)
                except UnavailableError:
                    self.refusals += 1
                    time.sleep(0.005)
                    continue
                except TakenError:  # it was written, and the answer was lost
                    (kept,) = self.store.entries(match, since=number)
                    assert kept == entry
                entries.append(entry)


@contextmanager
def writing(store: Store) -> Iterator[Writer]:
    """Let somebody write while the body runs; then hold the store against what he was told."""
    writer = Writer(store)
    for number in range(MATCHES):
        header = Header.of(f"m{number}", find("tictactoe"))
        store.create(header, owner="w", trusted=True)
        writer.acknowledged[header.id] = []
    thread = threading.Thread(target=writer.run)
    thread.start()
    try:
        yield writer
    finally:
        writer.is_over.set()
        thread.join(60)
    assert not thread.is_alive()
    for match, entries in writer.acknowledged.items():
        assert list(store.entries(match)) == entries
        assert store.lengths([match]) == {match: len(entries)}
    count = sum(map(len, writer.acknowledged.values()))
    sys.stdout.write(f"\n{count} acknowledged, {writer.refusals} refused, none lost\n")


def until(is_so: Callable[[], bool], seconds: float = 120.0) -> None:
    """Wait until something is so."""
    end = time.monotonic() + seconds
    while not is_so():
        assert time.monotonic() < end
        time.sleep(0.01)


def goes_on(writer: Writer) -> None:
    """Wait until the writer has been told of a few more entries."""
    before = sum(map(len, writer.acknowledged.values()))
    until(lambda: sum(map(len, writer.acknowledged.values())) >= before + 2 * MATCHES)


def is_refused(writer: Writer) -> None:
    """Wait until the writer has been refused a few times more."""
    before = writer.refusals
    until(lambda: writer.refusals >= before + 3)


@contextmanager
def small_disk(place: Path, size: str) -> Iterator[Path]:
    """Mount a small disk in memory; who may not is skipped."""
    place.mkdir()
    command = ["mount", "-t", "tmpfs", "-o", f"size={size},mode=0777", "tmpfs", str(place)]
    if os.name != "posix" or subprocess.run(command, capture_output=True, check=False).returncode:
        pytest.skip("nobody here may mount a small disk")
    try:
        yield place
    finally:
        subprocess.run(["umount", "--lazy", str(place)], check=True)


def fill(place: Path) -> Path:
    """Write a file until the disk is full."""
    filler = place / "filler"
    with filler.open("wb", buffering=0) as out:
        try:
            while out.write(b"0" * 4096):
                pass
        except OSError:
            return filler
    raise AssertionError


def test_a_full_disk_under_sqlite(tmp_path: Path) -> None:
    with small_disk(tmp_path / "disk", "16m") as disk:
        store = open_store(disk / "m.db")
        with writing(store) as writer:
            for _ in range(20):
                goes_on(writer)
                filler = fill(disk)
                is_refused(writer)
                filler.unlink()
            goes_on(writer)
        store.close()


def test_postgresql_that_is_stopped_and_started(postgresql: Database) -> None:
    with postgresql.fresh() as url:
        store = open_store(url)
        with writing(store) as writer:
            for _ in range(5):
                goes_on(writer)
                postgresql.stop()
                is_refused(writer)
                postgresql.start()
            goes_on(writer)
        store.close()


def test_a_database_that_is_away_at_first_is_said_so(postgresql: Database) -> None:
    with postgresql.fresh() as url:
        postgresql.stop()
        try:
            with pytest.raises(StoreError):
                open_store(url)
        finally:
            postgresql.start()
        open_store(url).close()
