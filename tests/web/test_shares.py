"""Programs of one client do not hold up those of another, by the clock of the loop.

The service is the real one with its matches and queues; what a program thinks takes exactly its
time, on a clock that goes on when the loop waits, so that the machine's load makes no difference.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import pytest

from gdl.match.actions import read_entry
from gdl.match.log import read_header
from gdl.match.match import reduce, start
from gdl.match.store import open_store
from gdl.web import models
from gdl.web.processes import Process
from gdl.web.service import Service
from gdl.web.settings import Settings
from gdl.web.workers import share
from tests.web.clocked import run

T = TypeVar("T")
MATCHES = 28
THOUGHT = 1.0
"""Seconds that the program of the client thinks who wants nothing but to play."""


@pytest.fixture(autouse=True)
def _thinking(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let a program think as long as it may, and the database answer at once."""

    async def ask(_: Process, do: str, *, seconds: float, **args: Any) -> dict[str, str]:  # noqa: ANN401  # JSON
        assert (do, seconds > args["budget"]) == ("choose", True)
        await asyncio.sleep(args["budget"])
        match = reduce(start(read_header(args["header"])), map(read_entry, args["entries"]))
        return {"move": str(match.state.legal(args["role"])[0])}

    async def at_once(work: Callable[..., T], *args: Any, **more: Any) -> T:  # noqa: ANN401  # of work
        return work(*args, **more)

    monkeypatch.setattr(Process, "ask", ask)
    monkeypatch.setattr(asyncio, "to_thread", at_once)


def seats(**programs: float) -> dict[str, Any]:
    """Return seats of tic-tac-toe: programs that think so many seconds, and people."""
    thinking = {role: {"agent": "random", "seconds": programs[role]} for role in programs}
    return {role: thinking.get(role, {}) for role in "xo"}


async def begin(service: Service, client: str, **programs: float) -> dict[str, Any]:
    wanted = {"ruleset": "tictactoe", "seats": seats(**programs)}
    return await service.create(models.NewMatch.model_validate(wanted), client)


async def answered(service: Service, client: str) -> float:
    """Return how long somebody waits for the move of a program, in seconds."""
    made = await begin(service, client, o=THOUGHT)
    action = {"id": "first", "seq": 0, "type": "MOVE", "move": "a1"}
    sent = models.Action.model_validate(action)
    clock = asyncio.get_running_loop().time
    async with service.watching(await service.open(made["match"]), None, 0, client) as watcher:
        began = clock()
        await service.act(made["match"], sent, made["seats"]["x"]["token"], client)
        while json.loads(await watcher.queue.get() or "")["state"]["seq"] < 2:  # both have moved
            pass
    return clock() - began


@pytest.mark.slow
@pytest.mark.parametrize("programs", [{"x": 1.0, "o": 1.0}, {"x": 10.0}], ids=["all", "beside"])
@pytest.mark.parametrize("workers", [1, 2])
def test_another_waits_at_most_twice_as_long_as_alone(
    tmp_path: Path, workers: int, programs: dict[str, float]
) -> None:
    """However many programs one client lets play, against each other or beside people."""

    async def play() -> tuple[float, list[float]]:
        service = Service(open_store(tmp_path / "m.db"), share(Settings(), workers))
        idle = await answered(service, "modest")
        for _ in range(MATCHES):
            await begin(service, "greedy", **programs)
        await asyncio.sleep(0.5)
        attacked = [await answered(service, "modest") for _ in range(5)]
        await service.stop()
        return idle, attacked

    idle, attacked = run(play())
    assert idle == pytest.approx(THOUGHT, abs=0.05)
    assert max(attacked) <= 2 * idle


@pytest.mark.slow
def test_programs_whose_client_is_forgotten_have_one_share(tmp_path: Path) -> None:
    """After a restart nobody knows who began a match; all such are those of one client."""

    async def play() -> list[float]:
        settings = Settings()
        before = Service(open_store(tmp_path / "m.db"), settings)
        begun = [await begin(before, "greedy", x=10.0) for _ in range(MATCHES)]
        await before.stop()
        service = Service(open_store(tmp_path / "m.db"), settings)
        for made in begun:
            service.programs.think(await service.open(made["match"]))
        await asyncio.sleep(0.5)
        attacked = [await answered(service, "modest") for _ in range(5)]
        await service.stop()
        return attacked

    assert max(run(play())) <= 2 * THOUGHT
