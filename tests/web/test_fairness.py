"""What one client does inside its limits, and what another one sees of it."""

from __future__ import annotations

import asyncio
import json
import logging
import os
import select
import socket
import sqlite3
import subprocess
import sys
import time
from collections.abc import Awaitable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from urllib.parse import urlsplit

import pytest
from starlette.websockets import WebSocketState
from websockets.exceptions import ConnectionClosed, InvalidStatus
from websockets.sync.client import ClientConnection, connect
from websockets.typing import Origin

from gdl.match import database
from gdl.match.store import open_store
from gdl.web import rate_limits, requests, tokens
from gdl.web.app import PAGE
from gdl.web.connections import is_proxy
from gdl.web.live import Watcher
from gdl.web.logs import LOG
from gdl.web.overload import DEAF_SECONDS, Asks, Overload
from gdl.web.problems import ProblemError
from gdl.web.processes import LATER, SENT, Pool, give_way
from gdl.web.rate_limits import OF_ALL, PAGES_AT_ONCE, Admission, Gate
from gdl.web.requests import household
from gdl.web.server import ACCEPTED, listen, make_server
from gdl.web.service import Service
from gdl.web.settings import Rate, Settings
from gdl.web.socket import Conversation
from tests.web.clocked import Clocked, run
from tests.web.serving import UNHURRIED, Client, Table, hear, hello, served

PROXY = {"proxies": ("127.0.0.1",)}
SLOW_RULES = (
    "(role a) (terminal) (goal a 0) (init (f 0)) (legal a m)"
    + " ".join(f"(n {number})" for number in range(40))
    + "(<= (p ?a ?b ?c ?d ?e) (n ?a) (n ?b) (n ?c) (n ?d) (n ?e) (distinct ?a ?b))"
)
"""A text of under a kilobyte that takes long to look at."""


@contextmanager
def address(client: Client, name: str) -> Iterator[Client]:
    """Talk to the same server from another address, as its proxy says."""
    other = Client(client.base)
    other.http.headers["X-Forwarded-For"] = name
    with other.http:
        yield other


def seconds(work: object) -> float:
    began = time.monotonic()
    work()  # type: ignore[operator]  # a function of nothing
    return time.monotonic() - began


@pytest.mark.slow
def test_addresses_are_believed_of_a_proxy_only(tmp_path: Path) -> None:
    twice = Rate(per_second=0.001, burst=2)
    for settings, kept in (({}, True), (PROXY, False)):
        with served(tmp_path / f"{kept}.db", reads=twice, **settings) as client:
            answers = []
            for number in range(3):
                with address(client, f"192.0.2.{number}") as other:
                    answers.append(other.http.get("/api/rulesets").status_code)
            assert answers == [200, 200, 429 if kept else 200]


@pytest.mark.slow
@pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="only Linux tells processes")
@pytest.mark.parametrize(
    ("address", "client"),
    [
        ("2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"),
        ("fe80::1%eth0", "fe80::/64"),
        ("::1", "::/64"),
        ("::ffff:192.0.2.7", "192.0.2.7"),
        ("192.0.2.7", "192.0.2.7"),
        ("no:address", "no:address"),
        ("", ""),
    ],
)
def test_what_of_an_address_is_a_client(address: str, client: str) -> None:
    assert household(address) == client


@pytest.mark.later
def test_a_network_of_ipv6_is_one_client(tmp_path: Path) -> None:
    """Who has one address there has as many as he likes."""
    two = Rate(per_second=0.001, burst=2)
    with served(tmp_path / "m.db", **PROXY, reads=two) as client:
        answers = []
        for name in (
            "2001:db8:0:1::1",
            "2001:db8:0:1:ffff::2",
            "2001:db8:0:1::3",
            "2001:db8:0:2::1",
            "::ffff:192.0.2.7",
            "192.0.2.7",
            "192.0.2.7",
            "192.0.2.8",
        ):
            with address(client, name) as other:
                answers.append(other.http.get("/api/rulesets").status_code)
    assert answers == [200, 200, 429, 200, 200, 200, 429, 200]


def test_what_nobody_waits_for_leaves_the_processors_to_others() -> None:
    async def run() -> dict[int, int]:
        pool = Pool(1, queued=1, memory=0, seconds=60.0, limits=None)
        sent = Pool(1, queued=1, memory=1 << 30, seconds=60.0, limits=None)
        before = {int(pid) for pid in _children()}
        try:
            for is_urgent in (True, False):
                await pool.ask("c", "check", is_urgent=is_urgent, text="(role a)")
            await sent.ask("c", "check", text="(role a)")
            started = {int(pid) for pid in _children()} - before
            return {pid: os.getpriority(os.PRIO_PROCESS, pid) for pid in started}
        finally:
            await pool.end()
            await sent.end()

    mine = os.getpriority(os.PRIO_PROCESS, 0)
    lower = [min(19, mine + by) for by in (0, SENT, LATER)]
    assert sorted(asyncio.run(run()).values()) == lower


@pytest.mark.skipif(not hasattr(os, "SCHED_FIFO"), reason="only Linux has such policies")
def test_processes_of_a_server_that_goes_before_all_else_do_not() -> None:
    """Under such a policy nothing else would run on a processor while they think."""
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as thinking:
        try:
            os.sched_setscheduler(thinking.pid, os.SCHED_FIFO, os.sched_param(1))
        except PermissionError:
            pytest.skip("only the superuser may say so")
        finally:
            give_way(thinking.pid, 0)
            policy = os.sched_getscheduler(thinking.pid)
            thinking.kill()
    assert policy == os.SCHED_OTHER


def _children() -> list[str]:
    """Return the processes that this one has started."""
    tasks = Path("/proc/self/task").glob("*/children")
    return [pid for task in tasks for pid in task.read_text().split()]


@pytest.mark.alone
def test_matches_of_programs_do_not_hold_up_the_program_of_another(tmp_path: Path) -> None:
    with served(tmp_path / "m.db", agents=1, **PROXY) as client:

        def answered(who: Client) -> float:
            program = {"agent": "greedy", "seconds": 0.3}
            table = Table(who, ruleset="tictactoe", seats={"o": program, "x": {}})
            table.move("x", "a1", seq=0)
            began = time.monotonic()
            while table.state()["seq"] < 2:
                time.sleep(0.02)
            return time.monotonic() - began

        with address(client, "192.0.2.1") as modest, address(client, "192.0.2.2") as greedy:
            answered(modest)
            idle = answered(modest)
            program = {"agent": "mcts", "seconds": 0.5}
            for _ in range(28):
                greedy.create(ruleset="connectfour", seats={"yellow": program, "red": program})
            attacked = [answered(modest) for _ in range(3)]
            # One move of another may be on its way; whatever else waits comes after this one.
            assert sorted(attacked)[1] < 2 * idle + 1.5


@pytest.mark.alone
def test_slow_rules_of_one_do_not_hold_up_the_positions_of_others(tmp_path: Path) -> None:
    with served(tmp_path / "m.db", worker_seconds=3.0, **PROXY) as client:
        position = {"ruleset": "tictactoe", "moves": ["b2"]}
        with address(client, "192.0.2.1") as modest, ExitStack() as stack:
            modest.ask("POST", "/api/positions", json=position)
            idle = seconds(lambda: modest.ask("POST", "/api/positions", json=position))
            base = urlsplit(client.base)
            for _ in range(8):  # sent and not waited for
                greedy = socket.create_connection((base.hostname or "", base.port or 0))
                stack.enter_context(greedy)
                body = json.dumps({"rules": SLOW_RULES})
                greedy.sendall(
                    "POST /api/check HTTP/1.1\r\nHost: x\r\nX-Forwarded-For: 192.0.2.2\r\n"
                    f"Content-Length: {len(body)}\r\n\r\n{body}".encode()
                )
            attacked = [
                seconds(lambda: modest.ask("POST", "/api/positions", json=position))
                for _ in range(3)
            ]
            assert sorted(attacked)[1] < 2 * idle + 0.5
            fine = {"rules": "(role a)"}
            assert seconds(lambda: modest.ask("POST", "/api/check", json=fine)) < 3.0


def test_spectators_do_not_lock_out_who_plays(tmp_path: Path) -> None:
    with served(tmp_path / "m.db", watchers=3, client_sockets=3, seat_sockets=2) as client:
        table = Table(client, ruleset="tictactoe")
        with ExitStack() as stack:
            for _ in range(3):
                assert hello(stack.enter_context(client.socket(table.id)))["type"] == "state"
            late = stack.enter_context(client.socket(table.id))
            answer = hello(late)
            assert (answer["type"], answer["error"]["code"]) == ("refused", "busy")
            with pytest.raises(ConnectionClosed) as closed:
                late.recv(timeout=10)
            assert closed.value.rcvd is not None
            assert closed.value.rcvd.code == 1013  # come back

            sitting = []
            for _ in range(3):
                seat = stack.enter_context(client.socket(table.id))
                assert hello(seat, table.tokens["x"])["state"]["you"] == "x"
                sitting.append(seat)
            with pytest.raises(ConnectionClosed):  # the oldest of three was let go
                sitting[0].recv(timeout=10)
            table.move("x", "a1", seq=0)
            assert hear(sitting[2], "update")["state"]["seq"] == 1


def test_one_client_does_not_hold_the_sockets_of_all_who_play(tmp_path: Path) -> None:
    """Seats are never refused, so that whoever takes many lets his oldest ones go."""
    with served(tmp_path / "m.db", client_seats=3, **PROXY) as client, ExitStack() as stack:
        greedy = stack.enter_context(address(client, "192.0.2.1"))
        tables = [Table(greedy, ruleset="tictactoe") for _ in range(3)]

        def sits(table: Table, role: str, who: str) -> ClientConnection:
            where = f"{client.base.replace('http', 'ws', 1)}{table.path}/socket"
            headers = {"X-Forwarded-For": who}
            seat = stack.enter_context(connect(where, additional_headers=headers))
            assert hello(seat, table.tokens[role])["state"]["you"] == role
            return seat

        modest = sits(tables[0], "o", "192.0.2.2")
        held = [sits(table, "x", "192.0.2.1") for table in tables]
        held.append(sits(tables[0], "x", "192.0.2.1"))
        with pytest.raises(ConnectionClosed) as closed:
            held[0].recv(timeout=10)
        assert closed.value.rcvd is not None
        assert closed.value.rcvd.code == 1013  # come back
        tables[0].move("x", "a1", seq=0)
        assert hear(modest, "update")["state"]["seq"] == 1
        assert hear(held[-1], "update")["state"]["seq"] == 1


def test_who_sends_nonsense_is_let_go(client: Client) -> None:
    table = Table(client, ruleset="tictactoe")
    with client.socket(table.id) as talking:
        hello(talking)
        for _ in range(UNHURRIED.malformed + 1):
            talking.send("[]")
            assert hear(talking)["error"]["code"] == "malformed-request"
        with pytest.raises(ConnectionClosed) as closed:
            talking.recv(timeout=10)
        assert closed.value.rcvd is not None
        assert closed.value.rcvd.code == 1008


@pytest.mark.slow
def test_halves_of_requests_take_no_room_of_others(tmp_path: Path) -> None:
    with served(tmp_path / "m.db", connections=5, head_seconds=0.5) as client, ExitStack() as stack:
        base = urlsplit(client.base)
        where = (base.hostname or "", base.port or 0)

        def half(said: bytes = b"GET /api/rulesets HT") -> socket.socket:
            other = socket.create_connection(where, source_address=("127.0.0.2", 0))
            stack.enter_context(other)
            other.sendall(said)
            other.settimeout(10)
            return other

        halves = [half() for _ in range(5)]
        sixth = half()
        assert ended(sixth)  # at once: there are five of its address
        assert client.http.get("/api/rulesets").status_code == 200
        began = time.monotonic()
        assert all(map(ended, halves))  # their time is over
        assert time.monotonic() - began < 5

        # A whole request and half of another: that is over as well.
        double = half(b"GET /api/rulesets HTTP/1.1\r\nHost: x\r\n\r\nGET /api")
        assert double.recv(15) == b"HTTP/1.1 200 OK"
        assert ended(double)


def ended(connection: socket.socket) -> bool:
    """Return whether the server ends a connection; what it still sends is read."""
    try:
        while connection.recv(1 << 16):
            pass
    except ConnectionResetError:
        pass
    except TimeoutError:
        return False
    return True


def test_a_head_without_end_is_not_waited_for(client: Client) -> None:
    base = urlsplit(client.base)
    with socket.create_connection((base.hostname or "", base.port or 0)) as endless:
        endless.settimeout(30)
        endless.sendall(b"GET / HTTP/1.1\r\n")
        with pytest.raises(OSError, match=r"reset|Broken"):
            endless.sendall((b"a" * 1_000 + b": a\r\n") * 50_000)
    assert client.http.get("/health").status_code == 200


def test_who_plays_is_refused_last_when_there_is_too_much_to_do() -> None:
    async def measured(stalls: int) -> float:
        overload = Overload(0.2)
        watching = asyncio.create_task(overload.watch())
        loop = asyncio.get_running_loop()
        assert isinstance(loop, Clocked)
        for _ in range(stalls):
            await asyncio.sleep(0.001)
            loop.now += 0.15  # what holds up the loop
        await asyncio.sleep(0)
        late = overload.late
        watching.cancel()
        return late

    assert run(measured(stalls=3)) < 0.08  # it is over: no queue stands
    assert run(measured(stalls=12)) > 0.08

    overload = Overload(0.2)
    levels = {0.1: 0, 0.25: 1, 0.35: 2, 0.9: 3}
    for overload.late, refused in levels.items():
        for asks in tuple(Asks)[:refused]:
            with pytest.raises(ProblemError) as caught:
                overload.refuse_beyond(asks)
            assert caught.value.to_json() == {
                "error": {
                    "code": "busy",
                    "message": "the server has more to do than it can",
                    "retryAfter": 2.0,
                }
            }
        for asks in tuple(Asks)[refused:]:
            overload.refuse_beyond(asks)


def refused(overload: Overload) -> list[Asks]:
    """Return who is refused."""
    found = []
    for asks in Asks:
        try:
            overload.refuse_beyond(asks)
        except ProblemError:
            found.append(asks)
    return found


def test_actions_are_refused_that_would_wait_too_long_for_others() -> None:
    """However late the loop is: they wait for the disk, which takes it no time."""
    overload = Overload(0.2)
    with ExitStack() as stack:

        def wait(count: int) -> None:
            for _ in range(count):
                stack.enter_context(overload.acting())

        wait(32)  # one commit for all of them
        assert refused(overload) == []
        wait(40)
        assert refused(overload) == [Asks.WATCHING]
        wait(40)
        assert refused(overload) == [Asks.WATCHING, Asks.ASKING]
        wait(70)
        assert refused(overload) == list(Asks)
    assert refused(overload) == []


def test_actions_that_open_their_matches_count_as_several() -> None:
    overload = Overload(0.2)
    with ExitStack() as stack:
        for _ in range(21):
            stack.enter_context(overload.acting(opens=True))
        assert refused(overload) == list(Asks)
    assert refused(overload) == []


def test_the_slower_actions_are_the_fewer_may_wait() -> None:
    overload = Overload(0.2)

    def refused_beside(waiting: int, done: int) -> list[Asks]:
        with ExitStack() as stack:
            for _ in range(waiting):
                stack.enter_context(overload.acting())
            overload.note_pace(0.05)
            for _ in range(done):
                with overload.acting():
                    pass
            overload.note_pace(0.05)
            return refused(overload)

    assert refused_beside(50, done=50) == []
    assert [refused_beside(50, done=2) for _ in range(9)][-1] == list(Asks)
    for _ in range(100):
        overload.note_pace(0.05)
    assert refused_beside(50, done=50) == []  # whatever held them up, it is over


def test_many_who_connect_at_once_are_accepted_together(tmp_path: Path) -> None:
    """uvloop accepts one in each turn, and a turn takes long where there is too much to do."""

    async def accepted(listening: socket.socket) -> int:
        server = make_server(Service(open_store(str(tmp_path / "m.db")), Settings()))
        server.config.load()
        server.lifespan = server.config.lifespan_class(server.config)
        listening.settimeout(0)
        server._accept(listening)
        await asyncio.gather(*server._accepting)
        connections = list(server.server_state.connections)
        for connection in connections:
            connection.transport.abort()
        return len(connections)

    with listen("127.0.0.1", 0) as listening, ExitStack() as stack:
        for _ in range(ACCEPTED + 5):
            stack.enter_context(socket.create_connection(listening.getsockname()))
        assert asyncio.run(accepted(listening)) == ACCEPTED


@pytest.mark.slow
def test_who_asks_again_at_once_is_not_heard_for_a_while(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Refusing takes time as well: it must not be that of those who were not refused."""
    with served(tmp_path / "m.db") as client:
        table = Table(client, ruleset="tictactoe")
        action = {"id": "a", "seq": 0, "type": "MOVE", "move": "a1"}
        with client.socket(table.id) as playing:
            hello(playing, table.tokens["x"])
            monkeypatch.setattr(Overload, "is_beyond", lambda *_: True)

            def by_socket() -> float:
                began = time.monotonic()
                playing.send(json.dumps({"type": "action", "action": action}))
                assert hear(playing, "refused")["error"]["code"] == "busy"
                return time.monotonic() - began

            def by_http() -> float:
                began = time.monotonic()
                assert client.http.get("/api/rulesets").status_code == 503
                return time.monotonic() - began

            for ask in (by_socket, by_http):
                ask()
                assert max(ask() for _ in range(5)) > DEAF_SECONDS / 2


SELDOM = Rate(per_second=0.001, burst=2)
"""Two requests, and no more while a test runs."""


@pytest.mark.slow
@pytest.mark.parametrize(
    ("head", "status"),
    [
        ("GET /nothing HTTP/1.1\r\nHost: localhost", 404),
        ("DELETE / HTTP/1.1\r\nHost: localhost", 405),
        ("GET / HTTP/1.1\r\nHost: elsewhere", 421),
        ("GET / HTTP/1.1\r\nHost: localhost\r\nOrigin: http://elsewhere", 403),
    ],
)
def test_who_is_refused_is_counted_and_then_not_heard_for_a_while(
    tmp_path: Path, head: str, status: int
) -> None:
    """Also those whose requests lie there already, sent without a look at any answer."""
    with served(tmp_path / "m.db", reads=SELDOM, names=("localhost",)) as client:
        base = urlsplit(client.base)
        with socket.create_connection((base.hostname or "", base.port or 0)) as hasty:
            began = time.monotonic()
            hasty.sendall(f"{head}\r\n\r\n".encode() * 4)
            answers = b""
            while answers.count(b"HTTP/1.1 ") < 4:
                answers += hasty.recv(1 << 16)
    told = [int(answer[:3]) for answer in answers.split(b"HTTP/1.1 ")[1:]]
    assert told == [status, status, 429, 429]
    assert time.monotonic() - began > 0.9 * DEAF_SECONDS


@pytest.mark.slow
def test_sockets_and_pings_are_counted(tmp_path: Path) -> None:
    """A seat is refused nothing but to come and go without end."""
    with served(tmp_path / "m.db") as client:
        match = Table(client, ruleset="tictactoe").id
    with served(tmp_path / "m.db", reads=SELDOM) as client:
        with client.socket(match) as first:
            assert hello(first)["type"] == "state"
            told = []
            for _ in range(3):
                first.send('{"type": "ping"}')
                told.append(hear(first))
                told[-1]["at"] = time.monotonic()
        assert [each["type"] for each in told] == ["pong", "refused", "refused"]
        assert told[1]["error"]["code"] == "too-often"
        assert told[2]["at"] - told[1]["at"] > 0.9 * DEAF_SECONDS
        with client.socket(match) as second:
            assert hello(second)["error"]["code"] == "too-often"
            with pytest.raises(ConnectionClosed) as closed:
                second.recv(timeout=10)
        assert closed.value.rcvd is not None
        assert closed.value.rcvd.code == 1013  # it may come back


@pytest.mark.slow
def test_an_overloaded_server_answers_who_plays(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    async def always(self: Overload) -> None:
        await asyncio.sleep(0)
        self.late = 0.35

    with served(tmp_path / "m.db") as client:
        table = Table(client, ruleset="tictactoe")
    monkeypatch.setattr(Overload, "watch", always)
    LOG.setLevel(logging.INFO)
    caplog.set_level(logging.INFO, LOG.name)
    with served(tmp_path / "m.db", late_seconds=0.2) as client:
        for path in ("/api/rulesets", "/", "/no/such/route"):
            answer = client.http.get(path)
            assert (answer.status_code, answer.json()["error"]["code"]) == (503, "busy")
            assert int(answer.headers["Retry-After"]) > 0
            assert answer.headers["X-Content-Type-Options"] == "nosniff"
        logged = [
            record.__dict__["fields"] for record in caplog.records if record.getMessage() == "busy"
        ]
        assert logged == [{"refused": 1, "late": 0.35}]  # a line a second tells of those since
        counted = client.http.get("/metrics").text
        assert 'gdl_http_requests_total{method="GET",route="any",status="503"} 3.0' in counted
        assert client.http.post("/api/matches", json={"ruleset": "tictactoe"}).status_code == 503
        action = {"id": "a", "seq": 0, "type": "MOVE", "move": "a1"}
        path, token = f"/api/matches/{table.id}", table.tokens["x"]
        client.ask("POST", f"{path}/actions", token=token, json=action, expect=201)
        with client.socket(table.id) as looking, client.socket(table.id) as playing:
            assert hello(looking)["error"]["code"] == "busy"
            assert hello(playing, token)["state"]["seq"] == 1
        assert "gdl_late_seconds 0.35" in client.http.get("/metrics").text


def test_a_body_that_does_not_come_is_not_waited_for(tmp_path: Path) -> None:
    with served(tmp_path / "m.db", body_seconds=0.2) as client:
        base = urlsplit(client.base)
        with socket.create_connection((base.hostname or "", base.port or 0)) as slow:
            slow.sendall(b"POST /api/check HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\n{")
            answer = slow.recv(1 << 16)
            while b"}}" not in answer:
                answer += slow.recv(1 << 16)
    assert b"408" in answer.partition(b"\r\n")[0]
    assert b"the body did not come within 0.2 seconds" in answer


@pytest.mark.slow
def test_matches_of_uploaded_rules_make_room_for_each_other(tmp_path: Path) -> None:
    rules = (
        "(role x) (init (n 0)) (succ 0 1) (succ 1 2) (legal x go)"
        "(<= (next (n ?b)) (true (n ?a)) (succ ?a ?b)) (<= terminal (true (n 2))) (goal x 100)"
    )
    with served(tmp_path / "m.db", workers=1) as client, ExitStack() as stack:
        tables = [Table(client, rules=rules) for _ in range(2)]
        for table in tables:  # all are watched, so none is idle
            assert hello(stack.enter_context(client.socket(table.id)))["type"] == "state"
        for seq in range(2):
            for table in tables:
                table.move("x", "go", seq=seq)
        assert all(table.state()["outcome"] is not None for table in tables)


@pytest.mark.slow
def test_a_long_log_is_refused_and_a_forged_date_is_not_believed(tmp_path: Path) -> None:
    with served(tmp_path / "m.db", entries=3) as client:
        table = Table(client, ruleset="tictactoe")
        for seq, move in enumerate(("a1", "b2", "a2")):
            table.move("xo"[seq % 2], move, seq=seq)
        lines = client.http.get(f"{table.path}/log").text.splitlines()
        header = json.loads(lines[0])
        forged = json.dumps({**header, "created": 4_000_000_000_000})
        taken = client.ask("POST", "/api/imports", content=forged, expect=201)
        listed = client.ask("GET", "/api/matches")["matches"]
        assert {each["match"] for each in listed} == {taken["match"], table.id}
        assert all(each["created"] <= tokens.now_ms() for each in listed)
        table.move("o", "c3", seq=3)
        longer = client.http.get(f"{table.path}/log").text
        answer = client.ask("POST", "/api/imports", content=longer, expect=413)
        assert answer["error"]["message"] == "a log of at most 3 entries is taken in"


def test_whoever_sends_or_reads_a_long_log_waits_longer_for_what_he_asks_next() -> None:
    admission = Admission(Settings(creations=Rate(per_second=1, burst=10)))
    admission.charge_size("a", "create", entries=19, kept=1_999)
    admission.charge("a", "create")
    admission.charge_size("a", "create", entries=100, kept=10_000)
    with pytest.raises(ProblemError, match=r"too many requests; wait [12]\.\d seconds"):
        admission.charge("a", "create")
    admission.charge_size("a", "create", entries=100_000)  # he owes no more than a full bucket
    with pytest.raises(ProblemError, match=r"too many requests; wait 1[01]\.\d seconds"):
        admission.charge("a", "create")
    admission.charge("b", "create")


@pytest.mark.slow
def test_who_sends_large_bodies_or_asks_about_long_logs_waits_longer(tmp_path: Path) -> None:
    """Also where the body is refused: it was read."""

    def statuses(client: Client, path: str, body: object) -> list[int]:
        return [client.http.post(path, json=body).status_code for _ in range(10)]

    with served(tmp_path / "m.db", creations=Rate(per_second=0.001, burst=55)) as client:
        table = Table(client, ruleset="tictactoe")
        for seq in range(400):
            role, kind = [("x", "REQUEST_DRAW"), ("o", "DECLINE_DRAW")][seq % 2]
            table.act(role, kind, seq=seq)
        large = {"rules": "x" * 200_000, "nothing": 1}  # each costs eleven
        assert statuses(client, "/api/check", large) == [422] * 5 + [429] * 5
    with served(tmp_path / "m.db", creations=Rate(per_second=0.001, burst=12)) as client:
        look = {"match": table.id}  # each costs three
        assert statuses(client, "/api/positions", look) == [200] * 4 + [429] * 6


def test_requests_of_an_address_are_begun_a_few_at_a_time() -> None:
    async def begun() -> list[str]:
        gate, order = Gate(), list[str]()

        async def ask(address: str) -> None:
            await gate.enter(address)
            order.append(address)

        left = asyncio.ensure_future(ask("a"))
        crowd = [asyncio.ensure_future(ask("a")) for _ in range(20)]
        other = asyncio.ensure_future(ask("b"))
        await asyncio.sleep(0)
        crowd.pop().cancel()
        await asyncio.gather(left, other, *crowd)
        return order

    assert asyncio.run(begun()) == ["a", "b"] + ["a"] * 19


def test_of_many_addresses_a_few_are_begun_in_a_turn_of_the_loop() -> None:
    """What was let in goes on between: it is done after as many turns as alone."""

    async def begun() -> list[list[int]]:
        gate, turns = Gate(), list[list[int]]()

        async def ask(number: int) -> None:
            await gate.enter(str(number % 40))
            turns[-1].append(number)

        crowd = [asyncio.ensure_future(ask(number)) for number in range(60)]
        while not all(each.done() for each in crowd):
            turns.append([])
            await asyncio.sleep(0)
        return turns

    turns = asyncio.run(begun())
    assert max(map(len, turns)) <= OF_ALL
    assert [number for turn in turns for number in turn] == list(range(60))  # whoever came first


def test_who_waits_at_the_gate_for_others_is_late() -> None:
    async def waited(addresses: int, requests: int) -> list[float]:
        loop = asyncio.get_running_loop()
        assert isinstance(loop, Clocked)
        gate, found = Gate(), list[float]()
        crowd = [
            asyncio.ensure_future(gate.enter(str(number % addresses)))
            for number in range(addresses * requests)
        ]
        await asyncio.sleep(0)
        assert gate.waited() == 0  # the first were let in at once
        while not all(each.done() for each in crowd):
            loop.now += 0.1  # for each turn
            await asyncio.sleep(0)
            found.append(round(gate.waited(), 1))
        return found

    alone, many = run(waited(1, 50)), run(waited(10 * OF_ALL, 3))
    assert max(alone) <= 0.1  # who asks for fifty things waits for himself, and nobody for him
    assert max(many) >= 0.9
    assert many[-1] == 0  # it is over


def test_what_those_who_watch_from_an_address_are_told_goes_out_one_by_one() -> None:
    async def told() -> list[str]:
        admission, order = Admission(Settings()), list[str]()

        class Socket:
            client_state = WebSocketState.DISCONNECTED

            def __init__(self, address: str) -> None:
                self.client = SimpleNamespace(host=address)

            async def send_text(self, _text: str) -> None:
                order.append(self.client.host)

        def tell(address: str) -> Awaitable[None]:
            talking = Conversation(Any, admission, Socket(address))  # type: ignore[arg-type]
            watcher = Watcher(None, asyncio.Queue())
            for text in ("an update", None):
                watcher.queue.put_nowait(text)
            return talking._tell(watcher)  # the task of a socket

        await asyncio.gather(*map(tell, ["a"] * 20 + ["b"]))
        return order

    assert asyncio.run(told()) == ["a", "b"] + ["a"] * 19


def test_files_of_the_page_come_whole(client: Client) -> None:
    """A hundred pieces of one, each by itself, would take a hundred times as long."""
    whole = client.http.get("/app.js")
    pieces = ",".join(f"{place}-{place}" for place in range(0, 200, 2))
    answer = client.http.get("/app.js", headers={"Range": f"bytes={pieces}"})
    assert (answer.status_code, answer.content) == (200, whole.content)
    plain = client.http.get("/app.js", headers={"Accept-Encoding": "identity"})
    assert plain.content == whole.content == (PAGE / "app.js").read_bytes()
    assert plain.headers["Content-Type"] == "text/javascript; charset=utf-8"
    assert client.http.head("/app.js").content == b""


def test_the_clock_of_the_system_gives_and_takes_no_time(monkeypatch: pytest.MonkeyPatch) -> None:
    before = tokens.now_ms()
    monkeypatch.setattr(time, "time_ns", lambda: 0)
    monkeypatch.setattr(time, "time", lambda: 0.0)
    assert 0 <= tokens.now_ms() - before < 60_000


@pytest.mark.slow
def test_pages_from_elsewhere_may_ask_nothing(tmp_path: Path) -> None:
    with served(tmp_path / "m.db", names=("127.0.0.1",)) as client:
        host = urlsplit(client.base).netloc

        def refused(**headers: str) -> tuple[int, str]:
            named = {name.replace("_", "-"): value for name, value in headers.items()}
            answer = client.http.post("/api/matches", json={"ruleset": "tictactoe"}, headers=named)
            if answer.status_code == 201:
                return 201, ""
            return answer.status_code, answer.json()["error"]["message"]

        assert refused(origin=f"http://{host}") == (201, "")
        assert refused(origin="http://evil.example") == (
            403,
            f"a page of http://evil.example may not ask this server\n  expected: a page of {host}",
        )
        assert refused(origin="null")[0] == 403
        assert refused(host="evil.example") == (
            421,
            (
                "this server is not called evil.example\n"
                "  expected: 127.0.0.1; gdl serve --name adds another"
            ),
        )
        assert refused(content_type="application/x-www-form-urlencoded") == (
            415,
            (
                "a body is not application/x-www-form-urlencoded\n  expected: "
                "Content-Type: application/json"
            ),
        )
        table = Table(client, ruleset="tictactoe")
        address = f"{client.base.replace('http', 'ws', 1)}{table.path}/socket"
        with pytest.raises(InvalidStatus, match="403"):
            connect(address, origin=Origin("http://evil.example"))
        for path in ("/", "/api/rulesets", "/nothing/here"):
            headers = client.http.get(path).headers
            assert headers["X-Content-Type-Options"] == "nosniff"
            assert "frame-ancestors 'none'" in headers["Content-Security-Policy"]


@pytest.mark.slow
def test_a_role_may_have_a_slash_in_its_name(client: Client) -> None:
    rules = (
        "(role a/b) (init (n 0)) (legal a/b go) (goal a/b 100)"
        "(<= (next (n 1)) (true (n 0))) (<= terminal (true (n 1)))"
    )
    table = Table(client, rules=rules)
    assert client.ask("GET", f"{table.path}/legal/a/b")["moves"] == [{"text": "go", "term": "go"}]
    assert table.act("a/b", "MOVE", "go", seq=0, id_="first").status_code == 201


@pytest.mark.slow
def test_programs_whose_server_has_died_are_moved_for_by_another(tmp_path: Path) -> None:
    database = tmp_path / "m.db"
    with served(database) as dying:
        table = Table(
            dying, ruleset="tictactoe", seats={"o": {"agent": "random", "seconds": 0.1}, "x": {}}
        )
        with served(database, takeover_seconds=0.3) as other:
            # A move that its own server has written, and died before its program could answer.
            term = dying.ask("GET", f"{table.path}/legal/x")["moves"][0]
            with sqlite3.connect(database) as direct:
                direct.execute("pragma busy_timeout = 5000")
                direct.execute(
                    "insert into actions select id, 0, 'x.0', 'x', 'MOVE', created, 0, ?, ?, ''"
                    " from matches",
                    (term["text"], term["term"]),
                )
                direct.execute("update matches set length = 1, to_move = '[\"o\"]'")
            deadline = time.monotonic() + 30
            while other.ask("GET", table.path)["seq"] < 2:
                assert time.monotonic() < deadline
                time.sleep(0.05)


@pytest.mark.slow
def test_a_database_that_takes_nothing_is_said_and_loses_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(database, "BUSY_MS", 100)
    file = tmp_path / "m.db"
    with served(file) as client:
        table = Table(client, ruleset="tictactoe")
        table.move("x", "a1", seq=0)
        with sqlite3.connect(file, isolation_level=None) as blocking:
            blocking.execute("begin immediate")  # as a database that takes nothing more
            answer = table.act("o", "MOVE", "b2", seq=1)
            blocking.execute("rollback")
        assert answer.status_code == 503
        assert answer.json()["error"]["code"] == "no-database"
        assert answer.headers["Retry-After"] == "2"
        assert table.state()["seq"] == 1
        table.move("o", "b2", seq=1)


@pytest.mark.slow
def test_what_no_program_sends_lets_its_address_connect_later(tmp_path: Path) -> None:
    """Else whoever is cut off for it connects again, and has all of his allowance back."""
    some = Rate(per_second=40, burst=120)
    with served(tmp_path / "m.db", openings=some) as client:
        base = urlsplit(client.base)
        where = (base.hostname or "", base.port or 0)

        def answered(sent: bytes) -> float:
            began = time.monotonic()
            with socket.create_connection(where) as one:
                one.sendall(sent)
                assert one.recv(1 << 16).startswith(b"HTTP/1.1 ")
            return time.monotonic() - began

        fine = b"GET /health HTTP/1.1\r\nHost: x\r\n\r\n"
        for _ in range(4):  # each costs its own connection and fifty more
            answered(b"GET / HTTP/1.1\r\n" + b"a: b\r\n" * 200)
        assert answered(fine) > 0.8
        with socket.create_connection(where, source_address=("127.0.0.2", 0)) as other:
            began = time.monotonic()
            other.sendall(fine)
            assert other.recv(15) == b"HTTP/1.1 200 OK"
            assert time.monotonic() - began < 0.8


@pytest.mark.later
@pytest.mark.parametrize("proxy", ["127.0.0.1", "127.0.0.0/8", "*"])
def test_what_comes_through_a_proxy_lets_nobody_else_behind_it_connect_later(
    tmp_path: Path, proxy: str
) -> None:
    some = Rate(per_second=1, burst=60)
    with served(tmp_path / "m.db", openings=some, proxies=(proxy,)) as client:
        base = urlsplit(client.base)
        for text in (b"GET / HTTP/1.1\r\n" + b"a: b\r\n" * 200, b"GET /health HTTP/1.0\r\n\r\n"):
            for _ in range(4):
                with socket.create_connection((base.hostname or "", base.port or 0), 5) as one:
                    one.sendall(text)
                    assert one.recv(1 << 16).startswith(b"HTTP/1.1 ")


@pytest.mark.parametrize(
    ("address", "proxies", "is_one"),
    [
        ("10.1.2.3", ("10.0.0.0/8",), True),
        ("11.1.2.3", ("10.0.0.0/8", "fd00::/8"), False),
        ("fd00::7", ("10.0.0.0/8", "fd00::/8"), True),
        ("fd00::7", ("fd00::7",), True),
        ("", (), False),
        ("unix", ("10.0.0.0/8",), False),
    ],
)
def test_a_proxy_may_be_one_of_a_network(
    address: str, proxies: tuple[str, ...], *, is_one: bool
) -> None:
    assert is_proxy(address, proxies) is is_one


@pytest.mark.slow
def test_files_of_the_page_come_later_where_others_would_be_refused(tmp_path: Path) -> None:
    """Half a page is none, and no browser asks for the other half again."""
    with served(tmp_path / "m.db", pages=Rate(per_second=10, burst=3)) as client:
        began = time.monotonic()
        for _ in range(8):
            assert client.http.get("/app.js").status_code == 200
        assert time.monotonic() - began > 0.4


def test_files_of_the_page_are_given_one_after_the_other() -> None:
    """A school asks for 3,000 at one moment: others are heard between them, and all are given."""
    admission = Admission(Settings())
    began = time.monotonic()
    waits = [admission.page_wait("school") for _ in range(3_000)]
    asking = time.monotonic() - began
    burst, rate = PAGES_AT_ONCE.burst, PAGES_AT_ONCE.per_second
    assert admission.page_wait("other") == max(waits[: int(burst)]) == 0
    assert (3_000 - burst) / rate - asking <= waits[-1] <= (3_000 - burst) / rate


def test_what_all_ask_who_open_the_page_is_worked_out_once(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = []
    study = Service.study

    async def counted(self: Service, *args: Any, **more: Any) -> Any:  # noqa: ANN401  # JSON
        asked.append(args)
        return await study(self, *args, **more)

    monkeypatch.setattr(Service, "study", counted)
    first = {"ruleset": "tictactoe", "moves": ["b2", "a3"], "about": True}
    with ThreadPoolExecutor(4) as people:
        told = [people.submit(client.ask, "POST", "/api/positions", json=first) for _ in range(12)]
        assert len({json.dumps(each.result()) for each in told}) == 1
    assert len(asked) == 1
    client.ask("POST", "/api/positions", json={**first, "moves": ["b2"]})
    assert len(asked) == 2


def many_bodies(client: Client, count: int, body: bytes) -> list[socket.socket]:
    """Send all of some requests but their last byte, each on a connection of its own."""
    base = urlsplit(client.base)
    head = b"POST /api/positions HTTP/1.1\r\nHost: x\r\nContent-Length: %d\r\n\r\n" % len(body)
    sent = []
    for _ in range(count):
        one = socket.create_connection(
            (base.hostname or "", base.port or 0), source_address=("127.0.0.2", 0)
        )
        one.sendall(head + body[:-1])
        sent.append(one)
    return sent


@pytest.mark.later
def test_large_bodies_that_are_whole_at_the_same_moment_are_read_one_by_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    read_json = requests.read_json

    def slowly(raw: bytes, what: str) -> Any:  # noqa: ANN401  # JSON
        time.sleep(0.05)  # as a megabyte does
        return read_json(raw, what)

    body = json.dumps({"ruleset": "tictactoe", "moves": ["x" * 400] * 100}).encode()
    with served(tmp_path / "m.db") as client, ExitStack() as stack:
        client.ask("POST", "/api/positions", content=body)
        monkeypatch.setattr(requests, "read_json", slowly)
        sent = [stack.enter_context(one) for one in many_bodies(client, 30, body)]
        time.sleep(0.5)
        for one in sent:
            one.sendall(body[-1:])
        waits = [seconds(lambda: client.http.get("/api/rulesets")) for _ in range(5)]
        assert max(waits) < 0.75  # and not all of 1.5 s
        for one in sent:
            assert one.recv(15) == b"HTTP/1.1 200 OK"


def test_a_client_has_so_much_of_bodies_on_its_way(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    body = json.dumps({"ruleset": "tictactoe", "moves": ["x" * 400] * 100}).encode()
    monkeypatch.setattr(rate_limits, "HELD", 2 * len(body))
    with served(tmp_path / "m.db") as client, ExitStack() as stack:
        sent = [stack.enter_context(one) for one in many_bodies(client, 3, body)]
        (refused,), _, _ = select.select(sent, [], [], 30)
        answer = refused.recv(1 << 16)
        assert answer.startswith(b"HTTP/1.1 503 ")
        assert b"bodies of yours" in answer
        client.ask("POST", "/api/positions", content=body)  # of another address
        for one in (one for one in sent if one is not refused):
            one.sendall(body[-1:])
            assert one.recv(15) == b"HTTP/1.1 200 OK"
        (again,) = [stack.enter_context(one) for one in many_bodies(client, 1, body)]
        again.sendall(body[-1:])
        assert again.recv(15) == b"HTTP/1.1 200 OK"
