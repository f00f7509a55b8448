"""How much one server bears: actions a second, how late the slowest come, memory of a match.

The figures of docs/serve.md are what this prints: ``pytest tests/web/test_load.py -m slow -s``.
"""

from __future__ import annotations

import asyncio
import os
import random
import re
import time
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

import httpx
import pytest
from websockets.sync.client import connect

from gdl.web.settings import Settings
from gdl.web.thinking import MOST_BYTES
from tests.benchmarks.one_address import gather
from tests.web.faults import Process
from tests.web.serving import served

PLAYERS = 32
SECONDS = 5.0
OPEN = 500
WARM, OVER = 80, 120
"""Matches after which everything that is kept is there, and matches after them, twice."""
MOST_PROCESSES = Settings().workers + Settings().studies + 3
"""Processes of sent rules that a server may have, and three that wait for the next question of each
kind, or the next match."""
ONE_MATCH = 64 << 20
"""Bytes that one of them may take, its interpreter among them."""
ONE_PLAYER = 36 << 20
"""Bytes that a player of tic-tac-toe may take, of which a tree has 32 MiB, and its match: what is
too much is let go before the next one thinks, so one more than is kept may be there."""
UPLOADED = (
    "(role x) (init (n 0)) (succ 0 1) (succ 1 2) (legal x go)"
    "(<= (next (n ?b)) (true (n ?a)) (succ ?a ?b)) (<= terminal (true (n 2))) (goal x 100)"
)


@dataclass
class Figures:
    """What was measured."""

    actions: int
    seconds: float
    waits: list[float]

    def share(self, part: float) -> float:
        """Return the wait below which so many of all waits lie, in milliseconds."""
        return sorted(self.waits)[int(part * (len(self.waits) - 1))] * 1000


async def play(base: str, figures: Figures, until: float, chance: random.Random) -> None:
    """Play matches of tic-tac-toe one after the other, both seats, one action at a time."""
    async with httpx.AsyncClient(base_url=base, timeout=60) as http:
        while time.monotonic() < until:
            request = {"ruleset": "tictactoe", "seats": {"x": {}, "o": {}}}
            made = (await http.post("/api/matches", json=request)).json()
            cells = [f"{column}{row}" for column in "abc" for row in "123"]
            chance.shuffle(cells)
            for seq, cell in enumerate(cells):
                token = made["seats"]["xo"[seq % 2]]["token"]
                began = time.perf_counter()
                answer = await http.post(
                    f"/api/matches/{made['match']}/actions",
                    json={"id": f"a{seq}", "seq": seq, "type": "MOVE", "move": cell},
                    headers={"Authorization": f"Bearer {token}"},
                )
                if answer.status_code != 201:
                    assert answer.json()["error"]["code"] == "game-over"
                    break
                figures.waits.append(time.perf_counter() - began)


async def load(base: str, players: int, seconds: float) -> Figures:
    figures = Figures(0, seconds, [])
    until = time.monotonic() + seconds
    await asyncio.gather(*(play(base, figures, until, random.Random(n)) for n in range(players)))
    figures.actions = len(figures.waits)
    return figures


def metric(base: str, name: str) -> float:
    """Return what the server says of itself."""
    text = httpx.get(f"{base}/metrics", timeout=60).text
    found = re.search(rf"^{name} (\S+)$", text, re.MULTILINE)
    assert found is not None
    return float(found[1])


def memory(base: str) -> float:
    """Return the memory of the server, in bytes."""
    return metric(base, "process_resident_memory_bytes")


def open_matches(base: str, count: int) -> float:
    """Begin so many matches; return the memory that each takes, in bytes."""
    with httpx.Client(base_url=base, timeout=60) as http:
        for number in range(count):
            if number == count // 10:
                before = memory(base)  # what all matches share is there by then
            made = http.post(
                "/api/matches", json={"ruleset": "pentago/strict", "seats": {"black": {}}}
            )
            token = made.json()["seats"]["black"]["token"]
            http.post(
                f"/api/matches/{made.json()['match']}/actions",
                json={"id": "a", "seq": 0, "type": "MOVE", "move": "E5 Q01 CW"},
                headers={"Authorization": f"Bearer {token}"},
            )
    return (memory(base) - before) / (count - count // 10)


@pytest.mark.alone
def test_load(tmp_path: Path) -> None:
    server = Process(tmp_path / "m.db", "--matches", str(OPEN))
    server.start()
    try:
        one = asyncio.run(load(server.base, 1, SECONDS))
        before = metric(server.base, "process_cpu_seconds_total")
        many = asyncio.run(load(server.base, PLAYERS, SECONDS))
        spent = metric(server.base, "process_cpu_seconds_total") - before
        each = open_matches(server.base, OPEN)
    finally:
        server.kill()
    for name, figures in (("1 match", one), (f"{PLAYERS} matches", many)):
        print(  # noqa: T201  # the figures are what it is for
            f"\n{name} at once: {figures.actions / figures.seconds:.0f} actions/s, "
            f"median {figures.share(0.5):.1f} ms, p99 {figures.share(0.99):.1f} ms"
        )
    print(f"processor time of the server: {spent / many.actions * 1000:.1f} ms an action")  # noqa: T201
    print(f"{OPEN} matches open at once: {each / 1024:.1f} KiB each")  # noqa: T201  # see above
    assert many.actions / many.seconds > 20
    assert each < 200 * 1024


def play_out(http: httpx.Client, number: int) -> None:
    """Play a match to its end: against a program, with a clock, watched, and once more.

    Every tenth is one of rules that were sent, which has a process of its own.
    """
    program = {"agent": "mcts", "seconds": 0.01}
    wanted = {"rules": UPLOADED, "seats": {"x": {}}}
    if number % 10:
        clock = {"initialMs": 3_600_000}
        wanted = {"ruleset": "tictactoe", "seats": {"x": {}, "o": program}, "clock": clock}
    made = http.post("/api/matches", json=wanted).json()
    seat = {"Authorization": f"Bearer {made['seats']['x']['token']}"}
    path = f"/api/matches/{made['match']}"
    address = f"{http.base_url}".replace("http", "ws", 1).rstrip("/")
    with connect(f"{address}{path}/socket") as watching:
        watching.send('{"type": "hello"}')
        while (state := http.get(path, headers=seat).json())["status"] != "finished":
            if "x" in state["toMove"]:
                move = {"type": "MOVE", "move": state["legal"]["x"]["moves"][0]}
                action = {"id": f"a{state['seq']}", "seq": state["seq"], **move}
                assert http.post(f"{path}/actions", json=action, headers=seat).status_code == 201
            else:
                time.sleep(0.005)
    if number % 5 == 1:
        assert http.post(f"{path}/rematch", json={}, headers=seat).status_code == 201


def held(server: Process) -> dict[str, list[float]]:
    """Return the memory of a server, and of each of its processes, in bytes."""
    task = Path(f"/proc/{server.pid}/task")
    pids = {pid for each in task.iterdir() for pid in (each / "children").read_text().split()}
    pages = {pid: int(Path(f"/proc/{pid}/statm").read_text().split()[1]) for pid in pids}
    size = os.sysconf("SC_PAGE_SIZE")
    return {
        "server": [memory(server.base)],
        "programs": sorted(count * size for count in pages.values()),
    }


@pytest.mark.alone
@pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="only Linux tells processes")
def test_matches_that_are_over_leave_nothing(tmp_path: Path) -> None:
    """Neither in the server nor, beyond what may be kept, in the processes of programs."""
    server = Process(tmp_path / "m.db", "--matches", "50")
    server.start()
    try:
        with httpx.Client(base_url=server.base, timeout=60) as http:
            for number in range(WARM):
                play_out(http, number)
            seen = [held(server)]
            for half in range(2):
                for number in range(half * OVER, (half + 1) * OVER):
                    play_out(http, number)
                seen.append(held(server))
    finally:
        server.kill()
    print(f"\nin the beginning, and after {OVER} matches each", *seen, sep="\n")  # noqa: T201  # see above
    # Each connection to the database keeps up to 2 MiB of its pages, which fill as it grows: some
    # 9 KiB a match at first. A match held would be 22 KiB more, in both halves.
    least = min(after["server"][0] - before["server"][0] for before, after in pairwise(seen))
    assert least < OVER * 16 * 1024
    # One process thinks, and keeps players up to a bound; those of sent rules hold one match each.
    *small, large = seen[-1]["programs"]
    assert len(small) <= MOST_PROCESSES
    assert all(size < ONE_MATCH for size in small)
    assert large < MOST_BYTES + ONE_PLAYER


@pytest.mark.slow
def test_a_school_behind_one_router_is_served(tmp_path: Path) -> None:
    """All load the page at once, as browsers do, and play each other; at the rates of a server."""
    rates = {name: getattr(Settings(), name) for name in ("pages", "reads", "acts", "creations")}
    with served(tmp_path / "m.db", openings=Settings().openings, **rates) as client:
        told = asyncio.run(gather(client.base, 60, 0.1))
    assert told.endswith("refused: nothing"), told
    assert " ms (270)" in told  # moves
