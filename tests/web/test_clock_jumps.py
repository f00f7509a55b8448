"""The system's clock is put forward and back by an hour while matches with clocks are played.

The figures of docs/serve.md are what this prints: ``pytest tests/web/test_clock_jumps.py -s``.
"""

from __future__ import annotations

import asyncio
import os
import random
import signal
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx
import pytest

from gdl.match.log import parse_log
from tests.web.faults import Process
from tests.web.jumping import VARIABLE, move

HOUR = 3600.0
MATCHES = 6
JUMPS = 12
CLOCK = {"initialMs": 900_000, "incrementMs": 0}


@dataclass
class Played:
    """What one match was told.

    Attributes:
        tokens: Of its two seats.
        acknowledged: The entries that were answered with success.
        earliest: The least that the server's clock can be ahead of ours, in milliseconds.
        latest: The most.
    """

    match: str
    tokens: list[str]
    acknowledged: list[dict[str, Any]] = field(default_factory=list)
    earliest: float = float("-inf")
    latest: float = float("inf")

    def note(self, entry: dict[str, Any], sent: float, answered: float) -> None:
        """Note when an action was done: after it was sent and before it was answered."""
        self.acknowledged.append(entry)
        self.earliest = max(self.earliest, entry["at"] - 1000 * answered)
        self.latest = min(self.latest, entry["at"] + 1 - 1000 * sent)  # its time is rounded down


async def ask(base: str, path: str, **more: Any) -> httpx.Response:  # noqa: ANN401  # of httpx
    """Ask until somebody answers: a worker may die meanwhile."""
    for _ in range(100):
        try:
            async with httpx.AsyncClient(base_url=base, timeout=60, verify=False) as http:
                return await http.post(path, **more)
        except httpx.TransportError:
            await asyncio.sleep(0.1)
    raise AssertionError("nobody answers")


async def begin(base: str) -> Played:
    request = {"ruleset": "connectfour", "clock": CLOCK, "seats": {"red": {}, "yellow": {}}}
    made = (await ask(base, "/api/matches", json=request)).json()
    return Played(made["match"], [made["seats"][role]["token"] for role in made["seats"]])


async def play(base: str, played: Played, chance: random.Random) -> None:
    """Play to the end, in columns of which some are full."""
    seq = 0
    for number in range(1_000):
        move = str(chance.randint(1, 7))
        action = {"id": f"a{number}", "seq": seq, "type": "MOVE", "move": move}
        bearer = {"Authorization": f"Bearer {played.tokens[seq % 2]}"}
        sent = time.monotonic()
        answer = await ask(
            base, f"/api/matches/{played.match}/actions", json=action, headers=bearer
        )
        answered = time.monotonic()
        if answer.status_code in {200, 201}:
            played.note(answer.json()["entry"], sent, answered)
            seq += 1
        elif (code := answer.json()["error"]["code"]) == "game-over":
            return
        else:
            assert code == "illegal-move", answer.text
    raise AssertionError("the match does not end")


async def storm(base: str, file: Path, workers: list[int]) -> list[Played]:
    """Let all play; put the clock forward and back, and kill a worker each few times."""
    matches = [await begin(base) for _ in range(MATCHES)]
    playing = asyncio.gather(
        *(play(base, played, random.Random(n)) for n, played in enumerate(matches))
    )
    for jump in range(JUMPS):
        before = sum(len(played.acknowledged) for played in matches)
        while sum(len(played.acknowledged) for played in matches) < before + 3:
            assert not playing.done(), f"all matches have ended after {jump} jumps"
            await asyncio.sleep(0.005)
        move(file, (0.0, HOUR, 0.0, -HOUR)[(jump + 1) % 4])
        if jump % 4 == 0 and workers:
            os.kill(workers.pop(), signal.SIGKILL)
    await playing
    return matches


def children(pid: int) -> list[int]:
    """Return the workers of a server."""
    pids = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    return [int(p) for p in pids if b"spawn_main" in Path(f"/proc/{p}/cmdline").read_bytes()]


@pytest.mark.slow
@pytest.mark.parametrize("workers", [1, 2])
def test_nobody_gains_or_loses_time(
    database: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, workers: int
) -> None:
    if workers > 1 and not Path("/proc/self/task").is_dir():
        pytest.skip("which processes there are says /proc")
    file, log = tmp_path / "moved", tmp_path / "log"
    move(file, 0.0)
    monkeypatch.setenv(VARIABLE, str(file))
    more = ("--workers", str(workers)) if workers > 1 else ()
    server = Process(database, *more, program="tests.web.jumping", log=log)
    server.start()
    try:
        crew = children(server.pid) if workers > 1 else []
        matches = asyncio.run(storm(server.base, file, crew))
        for played in matches:
            check(server.base, played)
    finally:
        server.end()
    hours = {line.partition('"time": "')[2][11:13] for line in log.read_text().split("\n") if line}
    assert len(hours) >= 3, "the clock of the server has not been put forward and back"
    total = sum(len(played.acknowledged) for played in matches)
    # One clock for all: by how much more than they can the matches disagree on what it says?
    off = max(played.earliest for played in matches) - min(played.latest for played in matches)
    print(  # noqa: T201  # the figures are what it is for
        f"\n{JUMPS} jumps of an hour in {len(matches)} matches, {workers} workers: {total} actions "
        f"acknowledged, none lost; given or taken: {max(0.0, off):.0f} ms"
    )
    assert off <= 0


def check(base: str, played: Played) -> None:
    """Hold the log against what was acknowledged; the rules ended the match, not a clock."""
    _, entries = parse_log(httpx.get(f"{base}/api/matches/{played.match}/log", timeout=60).text)
    assert [entry.to_json() for entry in entries] == played.acknowledged
    state = httpx.get(f"{base}/api/matches/{played.match}", timeout=60).json()
    assert state["outcome"]["how"] == "rules"
    left = state["clock"]["remainingMs"]
    # The first turn is not timed; from then on all of the time is somebody's.
    used = entries[-1].at - entries[0].at
    assert sum(CLOCK["initialMs"] - of_role for of_role in left.values()) == used
