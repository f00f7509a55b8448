"""Killed at any moment: what was acknowledged is there, nothing half there, no number missing."""

from __future__ import annotations

import os
import random
import signal
import sqlite3
import subprocess
import sys
import time
from pathlib import Path
from typing import IO

import pytest

from gdl.match.log import replay
from gdl.match.store import Store, open_store
from tests.match.postgresql import Database

ROOT = Path(__file__).resolve().parents[2]
Acknowledged = dict[tuple[str, int], str]


def storms(url: str, rounds: int, seed: int) -> Acknowledged:
    """Let the program play and kill it, again and again; return what it was told is kept."""
    chance = random.Random(seed)
    acknowledged: Acknowledged = {}
    with subprocess.Popen(
        [sys.executable, ROOT / "tests" / "match" / "storm.py", url],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        text=True,
    ) as program:
        assert program.stdin is not None
        assert program.stdout is not None
        for _ in range(rounds):
            program.stdin.write("go\n")
            program.stdin.flush()
            one_storm(program.stdout, chance, acknowledged)
        program.stdin.close()
    assert program.returncode == 0
    return acknowledged


def one_storm(lines: IO[str], chance: random.Random, acknowledged: Acknowledged) -> None:
    word, child = lines.readline().split()
    assert word == "child"
    wait_for, killed_at = chance.randint(1, 12), chance.random() * 0.03
    for heard, line in enumerate(lines, start=1):
        if line == "gone\n":
            assert heard > wait_for
            return
        match, seq, id_ = line.split()
        assert (match, int(seq)) not in acknowledged
        acknowledged[match, int(seq)] = id_
        if heard == wait_for:
            time.sleep(killed_at)
            os.kill(int(child), signal.SIGKILL)
    raise AssertionError("the program ended by itself")


def check(store: Store, acknowledged: Acknowledged, *, every: int) -> None:
    """Compare the database with what was acknowledged; replay one match of so many."""
    told: dict[str, dict[int, str]] = {}
    for (match, seq), id_ in acknowledged.items():
        told.setdefault(match, {})[seq] = id_
    total, _ = store.counts()
    kept = store.newest(limit=total)
    assert set(told) <= {each.id for each in kept}
    for number, each in enumerate(kept):
        entries = store.entries(each.id)
        assert [entry.seq for entry in entries] == list(range(each.length))
        stored = {entry.seq: entry.id for entry in entries}
        heard = told.get(each.id, {})
        assert heard.items() <= stored.items()
        assert len(stored) - len(heard) <= 1  # kept, but killed before it could say so
        if number % every == 0:
            ended = replay(store.header(each.id), entries).match.outcome
            assert (ended is not None) == each.finished


def storm_sqlite(path: Path, rounds: int, every: int) -> None:
    acknowledged = storms(str(path), rounds, seed=rounds)
    assert len(acknowledged) >= rounds
    store = open_store(path)
    check(store, acknowledged, every=every)
    store.close()
    assert sqlite3.connect(path).execute("pragma integrity_check").fetchall() == [("ok",)]


@pytest.mark.slow
def test_killed_ten_times_nothing_is_lost(tmp_path: Path) -> None:
    storm_sqlite(tmp_path / "m.db", 10, every=3)


@pytest.mark.slow
def test_killed_two_hundred_times_nothing_is_lost(tmp_path: Path) -> None:
    storm_sqlite(tmp_path / "m.db", 200, every=3)


@pytest.mark.slow
def test_killed_beside_postgresql_nothing_is_lost(postgresql: Database) -> None:
    with postgresql.fresh() as url:
        acknowledged = storms(url, 5, seed=5)
        store = open_store(url)
        check(store, acknowledged, every=3)
        store.close()
