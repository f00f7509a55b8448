"""How much the service bears: actions a second, how late the slowest come, processor time of each.

``python tests/benchmarks/service_load.py`` measures matches of tic-tac-toe that were begun before,
one action at a time in each: one match, 32 and 320, by HTTP and by sockets, on SQLite and
PostgreSQL, by one server and by two on one database, with a player of each match at either; then
how soon spectators are told, and what becomes of ten times the load. ``--tree NAME=PATH`` measures
another checkout in the same run, alternating. ``--first`` takes the processors before all else that
runs there, as on a machine of its own.
"""

from __future__ import annotations

import argparse
import json
import os
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import httpx

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from tests.benchmarks.light import (  # noqa: E402  # see above
    ACCEPTED,
    Figures,
    Loop,
    Player,
    Wire,
    frame,
    told,
)
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
        """Return the seconds of processor time of the server, programs apart."""
        fields = Path(f"/proc/{self.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / TICK

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
            time.sleep(0.5)  # programs end by themselves


DRAWN = ("a1", "b2", "c3", "b1", "b3", "a3", "c1", "c2", "a2")
"""A whole match of tic-tac-toe, in which nobody wins before its end."""
BUSY = 32
"""Matches with which a server has all that it can do."""
TIMES = 10
"""So much more than that."""
CROWD = 2_400
"""Players who offer it, each from an address of his own: nearly as many as may be connected."""
PUZZLES = 10
"""How many each player of a server that has all it can do presses through."""
LAMPS = [f"{column}{row}" for column in "abcde" for row in range(1, 6)]


def address(number: int) -> str:
    """Return an address of this machine that is one client's."""
    return f"127.1.{number // 250}.{number % 250 + 1}"


class Crowd:
    """Matches of one server, or of several on one database, each of which somebody plays."""

    def __init__(self, way: str, *bases: str) -> None:
        """Play by sockets or by HTTP; of a match each role at another of the servers."""
        self.base = bases[0]
        self.wires: list[Wire] = []
        self._bases = bases
        self._is_socket = way == "socket"
        self._maker = Wire(self.base)

    def begin(self, ruleset: str, *roles: str, maker: Wire | None = None) -> tuple[str, list[str]]:
        """Begin a match; return its name and a token for each role."""
        by = maker or self._maker
        request = {"ruleset": ruleset, "seats": {role: {} for role in roles}}
        made = json.loads(by.now(by.ask("POST", "/api/matches", request)))
        return made["match"], [made["seats"][role]["token"] for role in roles]

    def _seats(self, match: str, tokens: list[str], source: str = "") -> list[Wire]:
        bases = self._bases
        seats = [Wire(bases[place % len(bases)], source) for place in range(len(tokens))]
        self.wires += seats
        if self._is_socket:
            for wire, token in zip(seats, tokens, strict=True):
                wire.open(match, token)
        else:  # whose connection is accepted, as a socket's is: a loop accepts one in each turn
            for wire in seats:
                wire.now(wire.ask("GET", "/api/agents"))
        return seats

    def act(self, match: str, token: str, wire: Wire, seq: int, move: str) -> tuple[Wire, bytes]:
        """Return a move as it is asked for."""
        action = {"id": f"a{seq}", "seq": seq, "type": "MOVE", "move": move}
        if self._is_socket:
            return wire, frame(json.dumps({"type": "action", "action": action}))
        return wire, wire.ask("POST", f"/api/matches/{match}/actions", action, token)

    def player(self, matches: int) -> Player:
        """Return somebody who plays so many matches, all of them begun."""
        tables = []
        for _ in range(matches):
            match, tokens = self.begin("tictactoe", "x", "o")
            tables.append((match, tokens, self._seats(match, tokens)))

        def play() -> Player:
            for match, tokens, seats in tables:
                for seq, move in enumerate(DRAWN):
                    by = seq % 2
                    status = yield self.act(match, tokens[by], seats[by], seq, move)
                    assert status == ACCEPTED, status

        return play()

    def strangers(self, count: int, puzzles: int) -> list[Player]:
        """Return people with an address each, and puzzles of 25 lamps.

        All puzzles are begun before anybody connects: whoever says nothing for ten seconds, since
        those of others are still to be begun, is cut off.
        """
        begun: list[list[tuple[str, str]]] = []
        for number in range(count):
            maker = Wire(self.base, address(number))
            made = [self.begin("lightsout", "player", maker=maker) for _ in range(puzzles)]
            begun.append([(match, token) for match, (token,) in made])
            maker.plain.close()

        def play(tables: list[tuple[str, str, Wire]]) -> Player:
            for match, token, wire in tables:
                for seq, lamp in enumerate(LAMPS):
                    while (yield self.act(match, token, wire, seq, lamp)) != ACCEPTED:
                        pass

        players = []
        for number, tables in enumerate(begun):
            seats = [self._seats(match, [token], address(number))[0] for match, token in tables]
            players.append(
                play([(*table, seat) for table, seat in zip(tables, seats, strict=True)])
            )
        return players

    def leave(self) -> None:
        """Hang up."""
        for wire in (self._maker, *self.wires):
            wire.plain.close()


def play(
    running: Sequence[Served], way: str, players: int, each: int
) -> tuple[Figures, float, float]:
    """Play; return the figures, the processor seconds of all servers, and how long it took."""
    crowd = Crowd(way, *(server.base for server in running))
    playing = [crowd.player(each) for _ in range(players)]
    loop = Loop(crowd.wires, is_socket=way == "socket")
    spent = sum(server.processor() for server in running)
    took = loop.play(playing)
    spent = sum(server.processor() for server in running) - spent
    crowd.leave()
    return loop.figures, spent, took


def spectate(running: Served, count: int) -> tuple[Figures, float]:
    """Let so many watch a match.

    Returns:
        How long after the beginning of each action each of them was told, and the processor seconds
        that the server took for an action.
    """
    figures = Figures()
    crowd = Crowd("http", running.base)
    match, tokens = crowd.begin("tictactoe", "x", "o")
    watching = [Wire(running.base) for _ in range(count)]
    for wire in watching:
        wire.open(match, "")
    acting = Wire(running.base)
    spent = running.processor()
    for seq, move in enumerate(DRAWN):
        _, request = crowd.act(match, tokens[seq % 2], acting, seq, move)
        figures.waits += told(watching, partial(acting.plain.sendall, request), count)
        time.sleep(0.1)
    spent = running.processor() - spent
    for wire in (acting, *watching):
        wire.plain.close()
    crowd.leave()
    return figures, spent / len(DRAWN)


def flood(running: Served, way: str, rate: float, seconds: float) -> tuple[Figures, int]:
    """Offer so many actions a second; return the figures, and how often all waited already."""
    crowd = Crowd(way, running.base)
    strangers = crowd.strangers(CROWD, 1)
    loop = Loop(crowd.wires, is_socket=way == "socket")
    missed = loop.offer(strangers, rate, seconds)
    crowd.leave()
    return loop.figures, missed


def measure(trees: dict[str, Path], databases: dict[str, Any], args: argparse.Namespace) -> None:
    """Print a row for each way, number of matches, database and number of servers."""
    say("| tree | database | servers | by | matches | actions/s | p50 ms | p99 ms | CPU ms |")
    say("|---|---|---|---|---|---|---|---|---|")
    for kind, fresh in databases.items():
        for servers in args.servers:
            for way in args.ways:
                for players in args.players:
                    for name, tree in trees.items():
                        with fresh() as database, ExitStack() as stack:
                            running = [
                                stack.enter_context(serving(tree, database, "--no-rate-limits"))
                                for _ in range(servers)
                            ]
                            play(running, way, 2, 4)
                            each = max(1, args.matches // players)
                            figures, spent, took = play(running, way, players, each)
                        say(
                            f"| {name} | {kind} | {servers} | {way} | {players} "
                            f"| {len(figures.waits) / took:.0f} | {figures.share(0.5):.0f} "
                            f"| {figures.share(0.99):.0f} "
                            f"| {spent / len(figures.waits) * 1000:.2f} |",
                        )


def looked_on(tree: Path, database: str, count: int) -> str:
    """Return in words how soon spectators are told."""
    with serving(tree, database, "--no-rate-limits") as running:
        figures, spent = spectate(running, count)
    after = f"p50 {figures.share(0.5):.0f} ms, p99 {figures.share(0.99):.0f} ms"
    return f"{count} spectators told after {after}; {spent * 1000:.0f} ms of the processor for all"


def overloaded(tree: Path, database: str, way: str, seconds: float, held: int) -> str:
    """Return in words what becomes of ten times the load that a server can do.

    It holds so many matches: fewer than there are, and most actions have one read again first.
    """
    with serving(tree, database, "--no-rate-limits") as running:
        crowd = Crowd(way, running.base)
        strangers = crowd.strangers(BUSY, PUZZLES)
        loop = Loop(crowd.wires, is_socket=way == "socket")
        able = BUSY * PUZZLES * len(LAMPS) / loop.play(strangers)
        crowd.leave()
    with serving(tree, database, "--matches", str(held)) as running:
        flooded, missed = flood(running, way, TIMES * able, seconds)
    return (
        f"by {way}, {held} matches held, of {TIMES * able:.0f} actions a second, "
        f"where {able:.0f} can be done, {len(flooded.waits) / seconds:.0f} were accepted after "
        f"{flooded.share(0.5):.0f} ms (p50) and {flooded.share(0.99):.0f} ms (p99), "
        f"{flooded.refused / seconds:.0f} refused, "
        f"and {missed / seconds:.0f} not sent, as all {CROWD} players waited for answers"
    )


def main() -> None:
    """Measure what the arguments say."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tree", action="append", metavar="NAME=PATH", default=[])
    parser.add_argument("--players", type=int, nargs="*", default=[1, 32, 320])
    parser.add_argument("--servers", type=int, nargs="+", default=[1, 2])
    ways = ["http", "socket"]
    parser.add_argument("--ways", nargs="+", default=ways, choices=ways)
    parser.add_argument("--databases", nargs="+", default=["sqlite", "postgresql"])
    parser.add_argument("--matches", type=int, default=320, help="how many are played for a row")
    parser.add_argument("--spectators", type=int, default=1_000)
    parser.add_argument("--overload", type=float, default=5.0, metavar="SECONDS")
    parser.add_argument("--held", type=int, nargs="+", default=[2 * CROWD, 1_000])
    parser.add_argument("--first", action="store_true", help="before all else that runs here")
    args = parser.parse_args()
    if args.first:
        os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(1))
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
    for name, tree in trees.items():
        if args.spectators:
            with sqlite() as database:
                say(f"{name}: {looked_on(tree, database, args.spectators)}")
        for way in args.ways if args.overload else ():
            for held in args.held:
                with sqlite() as database:
                    say(f"{name}: {overloaded(tree, database, way, args.overload, held)}")
    say(f"load of the machine: {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores")


if __name__ == "__main__":
    main()
