"""How much the service bears: actions a second, how late the slowest come, processor time of each.

``python tests/benchmarks/service_load.py`` measures matches of tic-tac-toe, one action at a time in
each: one match, 32 and 320, by HTTP, by sockets, and by sockets in matches that were begun before,
on SQLite and PostgreSQL, by one and two workers. ``--tree NAME=PATH`` measures another checkout in
the same run, alternating.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import random
import selectors
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import httpx
from websockets.asyncio.client import ClientConnection, connect
from websockets.client import ClientProtocol
from websockets.frames import Frame
from websockets.protocol import State
from websockets.uri import parse_uri

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from tests.match.postgresql import server, why_not  # noqa: E402  # see above

TICK = os.sysconf("SC_CLK_TCK")


def say(text: str) -> None:
    """Write a line at once."""
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


@dataclass
class Served:
    """A server that runs, and what it has used."""

    pid: int
    base: str

    def processor(self) -> float:
        """Return the seconds of processor time of the server and its workers, programs apart."""
        spent = 0.0
        children = Path(f"/proc/{self.pid}/task/{self.pid}/children").read_text().split()
        for pid in [str(self.pid), *children]:
            fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
            spent += (int(fields[11]) + int(fields[12])) / TICK
        return spent

    def memory(self) -> int:
        """Return its memory in bytes, that of its processes added."""
        children = Path(f"/proc/{self.pid}/task/{self.pid}/children").read_text().split()
        pages = [Path(f"/proc/{pid}/statm").read_text().split()[1] for pid in (self.pid, *children)]
        return sum(map(int, pages)) * os.sysconf("SC_PAGE_SIZE")


@contextmanager
def serving(tree: Path, database: str, *more: str) -> Iterator[Served]:
    """Run ``gdl serve`` of a checkout while the body runs."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    command = [sys.executable, "-m", "gdl", "serve", "-d", database, "-p", str(port), *more]
    env = {**os.environ, "PYTHONPATH": str(tree)}
    with subprocess.Popen(
        command, cwd=tree, env=env, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    ) as running:
        try:
            base = f"http://127.0.0.1:{port}"
            for _ in range(600):
                try:
                    httpx.get(f"{base}/health")
                    break
                except httpx.HTTPError:
                    time.sleep(0.1)
            yield Served(running.pid, base)
        finally:
            running.kill()
            time.sleep(0.5)  # workers end by themselves


@dataclass
class Figures:
    """What was measured: how long each action took, in seconds."""

    waits: list[float] = field(default_factory=list)

    def share(self, part: float) -> float:
        """Return the wait below which so many of all lie, in milliseconds."""
        return sorted(self.waits)[int(part * (len(self.waits) - 1))] * 1000


def cells(chance: random.Random) -> list[str]:
    """Return the cells of tic-tac-toe in some order."""
    return chance.sample([f"{column}{row}" for column in "abc" for row in "123"], 9)


async def begin(http: httpx.AsyncClient) -> tuple[str, list[str]]:
    """Begin a match; return its name and the tokens of x and o."""
    made = (
        await http.post("/api/matches", json={"ruleset": "tictactoe", "seats": {"x": {}, "o": {}}})
    ).json()
    return made["match"], [made["seats"][role]["token"] for role in "xo"]


async def by_http(base: str, figures: Figures, until: float, chance: random.Random) -> None:
    """Play matches one after the other, by requests."""
    async with httpx.AsyncClient(base_url=base, timeout=60, verify=False) as http:
        while time.monotonic() < until:
            match, tokens = await begin(http)
            for seq, cell in enumerate(cells(chance)):
                began = time.perf_counter()
                answer = await http.post(
                    f"/api/matches/{match}/actions",
                    json={"id": f"a{seq}", "seq": seq, "type": "MOVE", "move": cell},
                    headers={"Authorization": f"Bearer {tokens[seq % 2]}"},
                )
                if answer.status_code != 201:
                    assert answer.json()["error"]["code"] == "game-over", answer.text
                    break
                figures.waits.append(time.perf_counter() - began)


async def hear(seat: ClientConnection, *kinds: str) -> dict[str, Any]:
    """Return the next message of one of these kinds."""
    while True:
        message: dict[str, Any] = json.loads(await seat.recv())
        if message["type"] in kinds:
            return message


async def by_socket(base: str, figures: Figures, until: float, chance: random.Random) -> None:
    """Play matches one after the other, each seat by its socket."""
    address = base.replace("http", "ws", 1)
    async with httpx.AsyncClient(base_url=base, timeout=60, verify=False) as http:
        while time.monotonic() < until:
            match, tokens = await begin(http)
            place = f"{address}/api/matches/{match}/socket"
            async with connect(place) as first, connect(place) as second:
                for seat, token in ((first, tokens[0]), (second, tokens[1])):
                    await seat.send(json.dumps({"type": "hello", "token": token}))
                    await hear(seat, "state")
                await play_by_socket([first, second], figures, chance)


async def play_by_socket(
    seats: list[ClientConnection], figures: Figures, chance: random.Random
) -> None:
    """Play a match to its end, each seat by its socket."""
    for seq, cell in enumerate(cells(chance)):
        action = {"id": f"a{seq}", "seq": seq, "type": "MOVE", "move": cell}
        seat = seats[seq % 2]
        began = time.perf_counter()
        await seat.send(json.dumps({"type": "action", "action": action}))
        answer = await hear(seat, "accepted", "refused")
        if answer["type"] == "refused":
            assert answer["error"]["code"] == "game-over", answer
            break
        figures.waits.append(time.perf_counter() - began)


WAYS = {"http": by_http, "socket": by_socket}
SHOWN = ("a1", "b2", "a2", "b3", "c1", "c3")
"""A match that is looked at: nobody wins before its end."""
OPEN = "open"
"""By sockets as well, in matches that were begun, and sockets that were opened, before."""
EACH = 10
"""Matches that a player plays one after the other where their beginnings are not measured."""


async def by_themselves(running: Served, players: int) -> tuple[Figures, float]:
    """Play matches that were begun before; return also the processor seconds of the server."""
    figures = Figures()
    address = running.base.replace("http", "ws", 1)
    async with httpx.AsyncClient(base_url=running.base, timeout=60, verify=False) as http:

        async def opened() -> list[ClientConnection]:
            match, tokens = await begin(http)
            place = f"{address}/api/matches/{match}/socket"
            seats = [await connect(place, compression=None) for _ in tokens]
            for seat, token in zip(seats, tokens, strict=True):
                await seat.send(json.dumps({"type": "hello", "token": token}))
                await hear(seat, "state")
            return seats

        async def play(tables: list[list[ClientConnection]], chance: random.Random) -> None:
            for seats in tables:
                await play_by_socket(seats, figures, chance)

        tables = [[await opened() for _ in range(EACH)] for _ in range(players)]
        spent = running.processor()
        chances = (random.Random(f"{players}.{number}") for number in range(players))
        await asyncio.gather(*map(play, tables, chances))
        spent = running.processor() - spent
        await asyncio.gather(*(seat.close() for each in tables for seats in each for seat in seats))
    return figures, spent


async def load(base: str, way: str, players: int, seconds: float, seed: int) -> Figures:
    """Play so many matches at once for so many seconds."""
    figures, until = Figures(), time.monotonic() + seconds
    chances = (random.Random(f"{seed}.{number}") for number in range(players))
    await asyncio.gather(*(WAYS[way](base, figures, until, chance) for chance in chances))
    return figures


def look_on(base: str, match: str) -> socket.socket:
    """Return a spectator's socket that has been told what there is.

    By hand, as it must cost nothing: a client that reads a thousand messages takes more of the
    processor than the server that sends them.
    """
    address = urlsplit(base)
    plain = socket.create_connection((address.hostname or "", address.port or 0), 60)
    request = ClientProtocol(parse_uri(f"ws://{address.netloc}/api/matches/{match}/socket"))
    request.send_request(request.connect())
    plain.sendall(b"".join(request.data_to_send()))
    while request.state is State.CONNECTING:
        request.receive_data(plain.recv(1 << 16))
    request.send_text(b'{"type": "hello"}')
    plain.sendall(b"".join(request.data_to_send()))
    while not any(isinstance(event, Frame) for event in request.events_received()):
        request.receive_data(plain.recv(1 << 20))
    plain.settimeout(0)
    return plain


def spectate(running: Served, count: int) -> tuple[Figures, float]:
    """Let so many watch a match of six moves.

    Returns:
        How long after the beginning of each action each of them was told, and the processor seconds
        that the server took for an action.
    """
    figures = Figures()

    async def begun() -> tuple[str, list[str]]:
        async with httpx.AsyncClient(base_url=running.base, timeout=60) as http:
            return await begin(http)

    match, tokens = asyncio.run(begun())
    watching = [look_on(running.base, match) for _ in range(count)]
    with ExitStack() as stack:
        http = stack.enter_context(httpx.Client(base_url=running.base, timeout=60))
        ready = stack.enter_context(selectors.DefaultSelector())
        for plain in watching:
            ready.register(stack.enter_context(plain), selectors.EVENT_READ)
        acting = stack.enter_context(ThreadPoolExecutor(1))
        spent = running.processor()
        for seq, cell in enumerate(SHOWN):
            action = {"id": f"a{seq}", "seq": seq, "type": "MOVE", "move": cell}
            headers = {"Authorization": f"Bearer {tokens[seq % 2]}"}
            path = f"/api/matches/{match}/actions"
            began = time.perf_counter()
            answer = acting.submit(http.post, path, json=action, headers=headers)
            told: set[object] = set()
            while len(told) < count:
                for key, _ in ready.select():
                    key.fileobj.recv(1 << 20)  # type: ignore[union-attr]  # a socket
                    if key.fileobj not in told:
                        told.add(key.fileobj)
                        figures.waits.append(time.perf_counter() - began)
            assert answer.result().status_code == 201, answer.result().text
    return figures, (running.processor() - spent) / len(SHOWN)


def of_one(running: Served, way: str, players: int, seconds: float) -> tuple[Figures, float, float]:
    """Return the figures of a server, its processor seconds, and how long it took."""
    if way == OPEN:
        figures, spent = asyncio.run(by_themselves(running, players))
        return figures, spent, sum(figures.waits) / players
    spent, began = running.processor(), time.monotonic()
    figures = asyncio.run(load(running.base, way, players, seconds, players))
    return figures, running.processor() - spent, time.monotonic() - began


def measure(trees: dict[str, Path], databases: dict[str, Any], args: argparse.Namespace) -> None:
    """Print a row for each way, number of matches, database and number of workers."""
    say("| tree | database | workers | by | matches | actions/s | p50 ms | p99 ms | CPU ms |")
    say("|---|---|---|---|---|---|---|---|---|")
    for kind, fresh in databases.items():
        for workers in args.workers:
            for way in args.ways:
                for players in args.players:
                    for name, tree in trees.items():
                        several = ("--workers", str(workers)) if workers > 1 else ()
                        if several and not (tree / "gdl" / "web" / "workers.py").exists():
                            continue
                        with (
                            fresh() as database,
                            serving(tree, database, "--no-rate-limits", *several) as running,
                        ):
                            asyncio.run(load(running.base, "socket", 2, 1.0, 0))
                            figures, spent, took = of_one(running, way, players, args.seconds)
                            each = spent / len(figures.waits) * 1000
                        say(
                            f"| {name} | {kind} | {workers} | {way} | {players} "
                            f"| {len(figures.waits) / took:.0f} | {figures.share(0.5):.0f} "
                            f"| {figures.share(0.99):.0f} | {each:.2f} |",
                        )


def main() -> None:
    """Measure what the arguments say."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tree", action="append", metavar="NAME=PATH", default=[])
    parser.add_argument("--players", type=int, nargs="+", default=[1, 32, 320])
    parser.add_argument("--workers", type=int, nargs="+", default=[1, 2])
    ways = [*WAYS, OPEN]
    parser.add_argument("--ways", nargs="+", default=ways, choices=ways)
    parser.add_argument("--databases", nargs="+", default=["sqlite", "postgresql"])
    parser.add_argument("--seconds", type=float, default=5.0)
    parser.add_argument("--spectators", type=int, default=1_000)
    args = parser.parse_args()
    trees = {name: Path(path) for name, _, path in (each.partition("=") for each in args.tree)}
    trees["now"] = ROOT

    @contextmanager
    def sqlite() -> Iterator[str]:
        with tempfile.TemporaryDirectory(dir=ROOT / "build") as folder:
            yield f"{folder}/m.db"

    (ROOT / "build").mkdir(exist_ok=True)
    databases: dict[str, Any] = {"sqlite": sqlite}
    if "sqlite" in args.databases:
        measure(trees, databases, args)
    if "postgresql" in args.databases:
        if reason := why_not():
            say(reason)
        else:
            with server() as running:
                databases = {"postgresql": running.fresh}
                measure(trees, databases, args)
    if args.spectators:
        for name, tree in trees.items():
            with sqlite() as database, serving(tree, database, "--no-rate-limits") as served:
                figures, spent = spectate(served, args.spectators)
            told = f"p50 {figures.share(0.5):.0f} ms, p99 {figures.share(0.99):.0f} ms"
            took = f"{spent * 1000:.0f} ms of the processor for all"
            say(f"{name}: {args.spectators} spectators told after {told}; {took}")
    say(f"load of the machine: {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores")


if __name__ == "__main__":
    main()
