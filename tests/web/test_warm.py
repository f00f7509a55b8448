"""Processes that are there before anybody needs them, and that import no more than they use."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from gdl.web import processes
from gdl.web.processes import Holders, Pool, Spare
from gdl.web.requests import ASKED_BY
from gdl.web.settings import UNTRUSTED

HEAVY = ("clingo", "numba", "numpy", "pydantic", "sqlalchemy", "starlette", "uvicorn")


@pytest.fixture
def started(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Return the processes that were started, one after the other."""
    pids: list[int] = []
    spawned = processes.spawned

    async def spawn(memory: int, later: int) -> asyncio.subprocess.Process:
        running = await spawned(memory, later)
        pids.append(running.pid)
        return running

    monkeypatch.setattr(processes, "spawned", spawn)
    monkeypatch.setattr(processes, "REFILL_SECONDS", 0.01)
    return pids


def test_a_process_imports_neither_the_database_nor_the_routes() -> None:
    """That was most of the time of its start, and it speaks with nobody but the server."""
    script = f"import sys, gdl.web.worker; print([m for m in {HEAVY} if m in sys.modules])"
    assert subprocess.check_output([sys.executable, "-c", script], text=True).strip() == "[]"


def test_the_first_question_finds_a_process_that_waits(started: list[int]) -> None:
    async def ask() -> None:
        pool = Pool(2, queued=1, memory=0, seconds=60, limits=None)
        await pool.warm()
        assert len(started) == 1
        answer = await pool.ask("Ann", "check", text="(role a)")
        assert (len(started), "errors" in answer) == (1, True)
        await pool.end()

    asyncio.run(ask())


def test_each_match_of_sent_rules_takes_a_process_that_was_started_ahead(
    started: list[int],
) -> None:
    async def play() -> None:
        holders = Holders(4, questions=9, memory=1 << 30, seconds=60, limits=UNTRUSTED)
        await holders.warm()
        for count in (1, 2):
            await holders.spare.ready()
            assert len(started) == count
            async with (holder := holders.new()).had():
                answer = await holder.ask("check", text="(role a)")
            assert "errors" in answer
        await holders.spare.ready()
        assert len(started) == 3
        await holder.end()
        await holders.end()

    asyncio.run(play())


@pytest.mark.slow
def test_who_begins_matches_without_end_leaves_one_for_whoever_comes_next(
    started: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Else others waited for a start as long as there were none that were started ahead."""

    async def play() -> None:
        holders = Holders(9, questions=9, memory=1 << 30, seconds=60, limits=UNTRUSTED)
        await holders.warm()

        async def begun(client: str) -> bool:
            """Begin a match; return whether its process was there already."""
            await holders.spare.ready()
            ASKED_BY.set(client)
            there = set(started)
            async with (holder := holders.new()).had():
                await holder.ask("check", text="(role a)")
            running = holder._running
            await holder.end()
            return running is not None and running.pid in there

        who = ["Eve", "Eve", "Eve", "Ann", "Eve", "Ann", "Bob"]
        assert [await begun(name) for name in who] == [True, False, False, True, False, False, True]
        monkeypatch.setattr(processes, "WITHOUT_SECONDS", 0.0)
        assert await begun("Eve")
        await holders.end()

    asyncio.run(play())


def test_a_process_that_died_while_it_waited_is_not_taken(started: list[int]) -> None:
    async def ask() -> None:
        holders = Holders(4, questions=9, memory=1 << 30, seconds=60, limits=UNTRUSTED)
        await holders.warm()
        await holders.spare.ready()
        os.kill(started[0], signal.SIGKILL)
        await asyncio.sleep(0.5)
        holder = holders.new()
        assert "errors" in await holder.ask("check", text="(role a)")
        await holder.end()
        await holders.end()

    asyncio.run(ask())


def test_a_process_that_was_started_ahead_is_as_confined_as_any(started: list[int]) -> None:
    if not Path("/proc/self/limits").is_file():
        pytest.skip("what a process may do says /proc")

    def bounds(pid: int) -> tuple[str, bool]:
        mine, its = (Path(f"/proc/{process}/ns/net").readlink() for process in ("self", pid))
        return Path(f"/proc/{pid}/limits").read_text(), its == mine

    async def play() -> None:
        holders = Holders(4, questions=9, memory=1 << 30, seconds=60, limits=UNTRUSTED)
        holder = holders.new()
        await holder.start()
        await holders.warm()
        await holders.spare.ready()
        cold, warm = map(bounds, started)
        assert cold == warm
        assert "Max address space         1073741824           1073741824" in cold[0]
        await holder.end()
        await holders.end()

    asyncio.run(play())


def test_a_process_that_never_gets_ready_is_ended(
    started: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    async def silent(_running: asyncio.subprocess.Process, _later: int) -> None:
        raise OSError("the process did not start")

    async def begin() -> None:
        spare = Spare(memory=0, later=0)
        spare.refill()
        await spare.ready()
        with pytest.raises(ProcessLookupError):
            os.kill(started[0], 0)
        assert spare.take("Ann") is None

    monkeypatch.setattr(processes, "answering", silent)
    asyncio.run(begin())


@pytest.mark.later
def test_who_leaves_before_there_is_room_takes_no_process_along(started: list[int]) -> None:
    """It was of nobody then, who would have ended it, and the next waited for another one."""

    async def leave() -> None:
        holders = Holders(1, questions=9, memory=1 << 30, seconds=60, limits=UNTRUSTED)
        await holders.warm()
        await holders.spare.ready()
        holder = holders.new()
        async with holders._starting:
            with pytest.raises(TimeoutError):
                await asyncio.wait_for(holder.ask("check", text="(role a)"), 0.2)
        assert "errors" in await holder.ask("check", text="(role a)")
        assert holder._running is not None
        assert holder._running.pid == started[0]
        await holder.end()
        await holders.end()

    asyncio.run(leave())


@pytest.mark.alone
@pytest.mark.slow
def test_who_comes_first_waits_no_longer_than_who_comes_later() -> None:
    """In alternation: with a process that was started ahead, and with one that was not."""

    async def asked(*, is_warm: bool) -> float:
        pool = Pool(1, queued=1, memory=0, seconds=60, limits=None)
        if is_warm:
            await pool.warm()
        began = time.monotonic()
        await pool.ask("Ann", "check", text="(role a)")
        took = time.monotonic() - began
        await pool.end()
        return took

    async def measured() -> list[tuple[float, float]]:
        return [(await asked(is_warm=False), await asked(is_warm=True)) for _ in range(3)]

    ratios = sorted(cold / warm for cold, warm in asyncio.run(measured()))
    assert ratios[1] > 3
