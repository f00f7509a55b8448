"""A match whose rules take their time, or cannot be run at all, holds up no other one."""

from __future__ import annotations

import asyncio
import json
import sqlite3
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from gdl.match.records import UnavailableError
from gdl.match.store import open_store
from gdl.web import models
from gdl.web import service as service_module
from gdl.web.live import Live
from gdl.web.neighbours import neighbours_of
from gdl.web.problems import ProblemError
from gdl.web.service import Service
from tests.web.serving import UNHURRIED

SENT = (
    "(role x) (role o) (init (n 0)) (succ 0 1) (succ 1 2) (legal x go) (legal o go)"
    "(<= (next (n ?b)) (true (n ?a)) (succ ?a ?b)) (<= terminal (true (n 2)))"
    "(goal x 100) (goal o 0)"
)
PROGRAM = {"agent": "random", "seconds": 0.01}


def on(database: Path, folder: Path | None = None) -> Service:
    store = open_store(database)
    settings = replace(UNHURRIED, heard_poll_seconds=3_600)
    return Service(store, settings, neighbours_of(store.url, folder))


async def begin(service: Service, **wanted: Any) -> dict[str, Any]:  # noqa: ANN401  # JSON
    return await service.create(models.NewMatch.model_validate(wanted), "somebody")


async def until(is_so: Callable[[], bool]) -> None:
    async with asyncio.timeout(60):
        while not is_so():  # noqa: ASYNC110  # the database tells nobody
            await asyncio.sleep(0.02)


def length(service: Service, made: dict[str, Any]) -> int:
    return service.store.lengths([made["match"]])[made["match"]]


async def move(service: Service, made: dict[str, Any], role: str, seq: int, text: str) -> None:
    sent = {"id": f"{role}.{seq}", "seq": seq, "type": "MOVE", "move": text}
    token = made["seats"][role]["token"]
    await service.act(made["match"], models.Action.model_validate(sent), token, "somebody")


def forget(database: Path, made: dict[str, Any]) -> None:
    """Take back what a program has done, as if its server had died before."""
    with sqlite3.connect(database) as direct:
        direct.execute("delete from actions where match = ?", (made["match"],))
        set_back = "update matches set length = 0, to_move = ?, created = 1 where id = ?"
        direct.execute(set_back, ('["x"]', made["match"]))


def test_a_match_that_cannot_be_opened_keeps_no_other_from_its_end(tmp_path: Path) -> None:
    database = tmp_path / "m.db"

    async def play() -> None:
        before = on(database)
        two = {"seats": {"x": {}, "o": {}}, "clock": {"initialMs": 1_000_000}}
        broken = await begin(before, ruleset="tictactoe", **two)
        whole = await begin(before, ruleset="tictactoe", **two)
        for made in (broken, whole):
            for seq, (role, text) in enumerate({"x": "a1", "o": "b2"}.items()):
                await move(before, made, role, seq, text)
        lost = await begin(before, ruleset="tictactoe", seats={"x": PROGRAM, "o": {}})
        await before.stop()
        forget(database, lost)
        with sqlite3.connect(database) as direct:
            direct.execute("update actions set at = at - 10000000")
            direct.execute("update matches set due = due - 10000000, created = 1")
            direct.execute("insert into rulesets values ('broken', '{}')")
            broke = "update matches set ruleset = 'broken' where id = ?"
            direct.execute(broke, (broken["match"],))
        after = on(database)
        await after.start()
        await until(lambda: length(after, whole) == 3 and length(after, lost) > 0)
        assert after.store.listed(whole["match"]).finished
        assert length(after, broken) == 2
        await after.stop()

    asyncio.run(play())


@pytest.mark.parametrize("are_heard", [False, True])
def test_a_watched_match_that_is_slow_keeps_no_other_from_being_followed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *, are_heard: bool
) -> None:
    folder = tmp_path if are_heard else None

    async def play() -> None:
        here, there = on(tmp_path / "m.db", folder), on(tmp_path / "m.db", folder)
        for service in (here, there):
            await service.start()
        slow, quick = [
            await begin(there, ruleset="tictactoe", seats={"x": {}, "o": {}}) for _ in range(2)
        ]
        catch_up = Live.catch_up

        async def slowly(live: Live) -> None:
            if live.id == slow["match"] and live.store is here.store:
                await asyncio.sleep(3_600)
            await catch_up(live)

        monkeypatch.setattr(Live, "catch_up", slowly)
        first = await here.open(slow["match"]), await here.open(quick["match"])
        async with (
            here.watching(first[0], None, 0, "a"),
            here.watching(first[1], None, 0, "b") as w,
        ):
            await w.queue.get()
            for made in (slow, quick):
                await move(there, made, "x", 0, "a1")
                await asyncio.sleep(0.3)
            async with asyncio.timeout(60):
                assert json.loads(await w.queue.get() or "")["state"]["seq"] == 1
        for service in (here, there):
            await service.stop()

    asyncio.run(play())


def test_programs_of_sent_rules_keep_none_of_shipped_ones_from_being_moved_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def play() -> None:
        before = on(tmp_path / "m.db")
        sent = await begin(before, rules=SENT, seats={"x": PROGRAM, "o": {}})
        shipped = await begin(before, ruleset="tictactoe", seats={"x": PROGRAM, "o": {}})
        await before.stop()
        for made in (sent, shipped):
            forget(tmp_path / "m.db", made)
        hold = Service._hold  # where a match is set up

        async def slowly(self: Service, header: Any, *args: Any) -> Live:  # noqa: ANN401  # of it
            if header.id == sent["match"]:
                await asyncio.sleep(3_600)
            return await hold(self, header, *args)

        monkeypatch.setattr(Service, "_hold", slowly)
        after = on(tmp_path / "m.db")
        await after.start()
        await until(lambda: length(after, shipped) == 1)
        await after.stop()

    asyncio.run(play())


def test_of_thousands_of_matches_of_programs_a_few_are_opened_at_a_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Who begins them must not have the server open all of them in each look, and at its start."""
    monkeypatch.setattr(service_module, "WOKEN", 0)
    monkeypatch.setattr(service_module, "TAKEN_OVER", 2)
    opened: list[str] = []

    async def play() -> list[str]:
        before = on(tmp_path / "m.db")
        made = [await begin(before, ruleset="tictactoe", seats={"x": PROGRAM}) for _ in range(5)]
        await before.stop()
        for each in made:
            forget(tmp_path / "m.db", each)
        after = on(tmp_path / "m.db")
        fresh = Service.fresh

        async def noted(self: Service, match: str) -> Live:
            opened.append(match)
            return await fresh(self, match)

        monkeypatch.setattr(Service, "fresh", noted)
        monkeypatch.setattr(after.programs, "think", lambda *_: None)
        for _ in range(5):
            await after._look_after(trusted=True)  # once, where time is nothing
        await after.stop()
        return sorted(each["match"] for each in made)

    made = asyncio.run(play())
    assert opened == made + made


@pytest.mark.parametrize(
    "problem",
    [UnavailableError("it is away"), ProblemError(503, "busy", "too many wait")],
    ids=["database", "busy"],
)
def test_programs_are_moved_for_once_the_database_is_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, problem: Exception
) -> None:
    """What went wrong in that moment was no fault of the match, which is looked at again."""
    monkeypatch.setattr(service_module, "WOKEN", 0)
    fails = 3

    async def play() -> None:
        before = on(tmp_path / "m.db")
        lost = await begin(before, ruleset="tictactoe", seats={"x": PROGRAM, "o": {}})
        await before.stop()
        forget(tmp_path / "m.db", lost)
        after = on(tmp_path / "m.db")
        fresh = Service.fresh

        async def away(self: Service, match: str) -> Live:
            nonlocal fails
            if fails:
                fails -= 1
                raise problem
            return await fresh(self, match)

        monkeypatch.setattr(Service, "fresh", away)
        await after.start()
        await until(lambda: length(after, lost) == 1)
        await after.stop()

    asyncio.run(play())
    assert fails == 0
