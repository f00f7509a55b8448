"""Who holds a table: here or apart, the answers are the same, and here nothing is coded."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

import pytest

from gdl.game import load
from gdl.language.limits import DEFAULT_LIMITS
from gdl.match.actions import Action, Entry, Kind
from gdl.match.clock import TimeControl
from gdl.match.match import Header
from gdl.ruleset import find
from gdl.web.problems import ProblemError
from gdl.web.processes import Holders, Process
from gdl.web.referee import Apart, Here, Referee
from gdl.web.requests import ASKED_BY
from gdl.web.table import Verdict
from gdl.web.turns import Turns

MOVES = ("b2", "a1", "b2", "c3")
"""The third is refused."""


def header() -> Header:
    control = TimeControl.read({"initialMs": 1000})
    return Header.of("m", find("tictactoe"), control=control, created=5)


async def told(referee: Referee, log: list[Entry]) -> list[object]:
    """Return all that a referee says while a match is played; the log grows with it."""
    answers: list[object] = [await referee.extend(())]
    for number, move in enumerate(MOVES):
        action = Action(f"a{number}", len(log), "xo"[len(log) % 2], Kind.MOVE, move)
        try:
            verdict = await referee.judge(action, at=10 + number)
        except ProblemError as problem:
            answers.append(problem.to_json())
            continue
        log.append(verdict.entry)
        answers += [verdict, await referee.extend([verdict.entry])]
    answers.append(await referee.judge(Action("a0", 0, "x", Kind.MOVE, "b2"), at=20))
    answers += [await referee.flag(20, "t"), await referee.flag(20_000, "t")]
    answers += [await referee.view("x", 20), await referee.clock(20), await referee.legal("o")]
    answers += [await referee.entries("x", 1), await referee.export(everything=False)]
    await referee.end()
    return answers


def here() -> Here:
    return Here(header(), load("tictactoe", backend="reason"))


def holders(most: int = 1) -> Holders:
    return Holders(most, questions=9, memory=0, seconds=60.0, limits=DEFAULT_LIMITS)


async def apart() -> list[object]:
    log: list[Entry] = []

    async def read() -> Sequence[Entry]:
        return tuple(log)

    process = holders().new()
    try:
        return await told(Apart(header(), process, read), log)
    finally:
        await process.end()


def test_a_table_apart_says_what_one_here_says() -> None:
    mine, theirs = asyncio.run(told(here(), [])), asyncio.run(apart())
    assert len(mine) == len(theirs) == 16
    for one, other in zip(mine, theirs, strict=True):
        assert _plain(one) == _plain(other)


@pytest.mark.slow
def test_a_process_that_makes_room_is_never_asked_for_a_table_that_it_has_not() -> None:
    """Whoever is between setting a table up and asking it still has the process."""

    async def seen() -> list[object]:
        async def read() -> Sequence[Entry]:
            await asyncio.sleep(0)
            return ()

        shared = holders()
        tables = [Apart(header(), shared.new(), read) for _ in range(2)]
        try:
            views = [table.view("x", 20) for _ in range(3) for table in tables]
            return [await view for view in map(asyncio.ensure_future, views)]
        finally:
            for table in tables:
                await table.end()

    first, *others = asyncio.run(seen())
    assert all(_plain(other) == _plain(first) for other in others)


def test_the_processes_of_one_client_leave_one_to_others(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("os.cpu_count", lambda: 2)
    shared = holders(4)
    order: list[str] = []

    async def have(client: str) -> None:
        ASKED_BY.set(client)
        async with shared.new().had():
            order.append(client)
            await asyncio.sleep(0.01)

    async def ask() -> None:
        await asyncio.gather(*map(have, "aaaab"))

    asyncio.run(ask())
    assert order == list("abaaa")


def test_long_logs_of_one_client_are_followed_beside_those_of_another() -> None:
    replaying = Turns(2, queued=9)
    log: list[Entry] = []
    order: list[str] = []

    async def follow(client: str) -> None:
        ASKED_BY.set(client)
        await Here(header(), load("tictactoe", backend="reason"), replaying).extend(log)
        order.append(client)

    async def ask() -> None:
        writing = here()
        for seq in range(120):
            kind = (Kind.REQUEST_DRAW, Kind.DECLINE_DRAW)[seq % 2]
            action = Action(f"a{seq}", seq, "xo"[seq % 2], kind)
            log.append((await writing.judge(action, at=20)).entry)
            await writing.extend(log[-1:])
        await asyncio.gather(*map(follow, "aaaab"))

    asyncio.run(ask())
    assert order.index("b") < 2


def test_the_time_of_an_answer_is_not_that_of_starting_the_process() -> None:
    class SlowToStart(Process):
        async def _start(self) -> None:
            await asyncio.sleep(0.02)

        async def _exchange(self, _line: bytes) -> bytes:
            return b'{"ok": 1}'

    process = SlowToStart(memory=0, seconds=0.01, limits=DEFAULT_LIMITS)
    assert asyncio.run(process.ask("check")) == 1


def _plain(answer: object) -> str:
    """Return an answer as text in which tuples, which JSON does not have, are lists."""
    return str(answer).replace("(", "[").replace(")", "]").replace(",]", "]")


def test_here_an_action_is_neither_written_nor_read(monkeypatch: pytest.MonkeyPatch) -> None:
    def coded(_: Entry) -> None:
        raise AssertionError("an entry was written as JSON on the way through one process")

    monkeypatch.setattr(Entry, "to_json", coded)

    async def act() -> tuple[Verdict, int]:
        referee = here()
        verdict = await referee.judge(Action("a", 0, "x", Kind.MOVE, "b2"), at=10)
        return verdict, (await referee.extend([verdict.entry])).seq

    verdict, seq = asyncio.run(act())
    assert (verdict.entry.move, verdict.is_new, seq) == ("b2", True, 1)
