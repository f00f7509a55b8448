"""What one client inside its limits does to another.


``python tests/benchmarks/attacks.py --tree before=PATH`` runs each attack against ``gdl serve`` of
another checkout and of this one, one after the other in the same run, and prints the table of
docs/serve.md. The attacker has an address of its own (127.0.0.2). With ``--apart`` it has one
processor only, and that only while nobody else wants it, as an attacker elsewhere takes none. With
``--first`` all take the processors before what else runs there, the attacker after the others.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import resource
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlsplit

import httpx
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import WebSocketException

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from tests.benchmarks.light import Figures, frame  # noqa: E402  # see above
from tests.benchmarks.service_load import say, serving  # noqa: E402

ATTACKER = "127.0.0.2"
PATIENCE = 20.0
"""Seconds after which an answer counts as none."""
LONG = 2_000
"""Entries of a log that its players make as long as they can."""
FULL = 409
SLOW_RULES = (
    "(role a) (terminal) (goal a 0) (init (f 0)) (legal a m)"
    + " ".join(f"(n {number})" for number in range(40))
    + "(<= (p ?a ?b ?c ?d ?e) (n ?a) (n ?b) (n ?c) (n ?d) (n ?e) (distinct ?a ?b))"
)
UPLOADED = (
    "(role x) (init (n 0)) (succ 0 1) (succ 1 2) (legal x go)"
    "(<= (next (n ?b)) (true (n ?a)) (succ ?a ?b)) (<= terminal (true (n 2))) (goal x 100)"
)
SLOW_MATCH = UPLOADED + (
    " ".join(f"(n {number})" for number in range(24))
    + "(<= (p ?a ?b ?c ?d) (n ?a) (n ?b) (n ?c) (n ?d) (distinct ?a ?b))"
    + "(<= (legal x stay) (p 1 2 3 4) (true (n 0)))"
)


async def hear(seat: ClientConnection, *kinds: str) -> dict[str, Any]:
    """Return the next message of one of these kinds."""
    while True:
        message: dict[str, Any] = json.loads(await seat.recv())
        if message["type"] in kinds:
            return message


@dataclass
class Scene:
    """A server, an honest client and an attacker."""

    base: str
    modest: httpx.AsyncClient
    greedy: httpx.AsyncClient
    match: str = ""
    token: str = ""

    def socket(self, match: str, **more: Any) -> connect:  # noqa: ANN401  # of websockets
        """Return a socket of a match, to be entered."""
        return connect(f"{self.base.replace('http', 'ws', 1)}/api/matches/{match}/socket", **more)


Attack = Callable[[Scene, AsyncExitStack], Awaitable[None]]
Look = Callable[[Scene], Awaitable[None]]


async def post(client: httpx.AsyncClient, path: str, **body: object) -> dict[str, Any]:
    """Return the answer, which is no refusal."""
    answer = await client.post(path, json=body)
    answer.raise_for_status()
    read: dict[str, Any] = answer.json()
    return read


# -- what the honest client does


async def reply_of_a_program(scene: Scene) -> None:
    """Move against a program that thinks for 0.3 s, and wait for its move."""
    seats = {"x": {}, "o": {"agent": "greedy", "seconds": 0.3}}
    made = await post(scene.modest, "/api/matches", ruleset="tictactoe", seats=seats)
    async with scene.socket(made["match"]) as seat:
        await seat.send(json.dumps({"type": "hello", "token": made["seats"]["x"]["token"]}))
        action = {"id": "a", "seq": 0, "type": "MOVE", "move": "a1"}
        await seat.send(json.dumps({"type": "action", "action": action}))
        while (await hear(seat, "state", "update"))["state"]["seq"] < 2:  # both
            pass


async def position(scene: Scene) -> None:
    """Look at a position of shipped rules."""
    await post(scene.modest, "/api/positions", ruleset="tictactoe", moves=["b2"])


async def request(scene: Scene) -> None:
    """Ask for the list of matches, on a new connection."""
    plain = {"base_url": scene.base, "timeout": PATIENCE, "verify": False}  # no TLS: it costs
    async with httpx.AsyncClient(**plain) as fresh:  # type: ignore[arg-type]  # by name
        (await fresh.get("/api/matches?limit=1")).raise_for_status()


async def seat(scene: Scene) -> None:
    """Come back to a seat by its socket."""
    async with scene.socket(scene.match) as mine:
        await mine.send(json.dumps({"type": "hello", "token": scene.token}))
        await hear(mine, "state")


async def upload(scene: Scene) -> None:
    """Begin a match of rules that were sent, and move in it."""
    made = await post(scene.modest, "/api/matches", rules=UPLOADED, seats={"x": {}})
    answer = await scene.modest.post(
        f"/api/matches/{made['match']}/actions",
        json={"id": "a", "seq": 0, "type": "MOVE", "move": "go"},
        headers={"Authorization": f"Bearer {made['seats']['x']['token']}"},
    )
    answer.raise_for_status()


# -- what the attacker does


@asynccontextmanager
async def meanwhile(work: Awaitable[None]) -> AsyncIterator[None]:
    """Let something go on until the block is over."""
    task = asyncio.ensure_future(work)
    try:
        yield
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)


async def nothing(_scene: Scene, stack: AsyncExitStack) -> None:
    """Take a processor, as the attackers do who send all the time, and ask nothing."""

    async def spin() -> None:
        while True:
            bytes(400_000)
            await asyncio.sleep(0)

    await stack.enter_async_context(meanwhile(spin()))


async def programs(scene: Scene, _stack: AsyncExitStack) -> None:
    """Begin 28 matches of program against program."""
    seats = {role: {"agent": "mcts", "seconds": 1} for role in ("red", "yellow")}
    for _ in range(28):
        await post(scene.greedy, "/api/matches", ruleset="connectfour", seats=seats)


async def knowledge(scene: Scene, stack: AsyncExitStack) -> None:
    """Ask all the time what is known in eight matches of a game that hides facts."""

    async def again(match: str, token: str) -> None:
        whose = {"Authorization": f"Bearer {token}"}
        while True:
            with suppress(httpx.HTTPError):
                asked = {"match": match, "seconds": 10.0}
                await scene.greedy.post("/api/known", json=asked, headers=whose)
            await asyncio.sleep(0.05)

    for _ in range(8):
        seats: dict[str, Any] = {"white": {}, "black": {}}
        made = await post(scene.greedy, "/api/matches", ruleset="chess/kriegspiel", seats=seats)
        token = made["seats"]["white"]["token"]
        await stack.enter_async_context(meanwhile(again(made["match"], token)))


async def slow_rules(scene: Scene, stack: AsyncExitStack) -> None:
    """Send, as often as is allowed, a text that takes a second to refuse."""

    async def again() -> None:
        while True:
            with suppress(httpx.HTTPError):
                await scene.greedy.post("/api/check", json={"rules": SLOW_RULES})

    for _ in range(8):
        await stack.enter_async_context(meanwhile(again()))


async def import_of_offers(scene: Scene, stack: AsyncExitStack) -> None:
    """Send logs of nearly a megabyte, with 10,924 draw offers and refusals."""
    log = (await scene.greedy.get(f"/api/matches/{scene.match}/log")).text.splitlines()[0]
    entries = [
        {"seq": seq, "id": f"i{seq}", "type": kind, "role": "x", "at": 1}
        for seq in range(10_924)
        for kind in [("REQUEST_DRAW", "DECLINE_DRAW")[seq % 2]]
    ]
    header = json.dumps({**json.loads(log), "created": 0})
    text = "\n".join([header, *(json.dumps(entry, separators=(",", ":")) for entry in entries)])

    async def send() -> None:
        for _ in range(3):
            with suppress(httpx.HTTPError):
                await scene.greedy.post("/api/imports", content=text[:999_000])

    await stack.enter_async_context(meanwhile(send()))


async def spectators(scene: Scene, stack: AsyncExitStack) -> None:
    """Watch somebody's match with 500 sockets."""
    for _ in range(500):
        with suppress(WebSocketException, OSError):
            watching = await stack.enter_async_context(
                scene.socket(scene.match, local_addr=(ATTACKER, 0), compression=None)
            )
            await watching.send('{"type": "hello"}')


async def held_uploads(scene: Scene, stack: AsyncExitStack) -> None:
    """Watch four matches of rules that were sent, so that none is idle."""
    for _ in range(4):
        made = await post(scene.greedy, "/api/matches", rules=UPLOADED, seats={"x": {}})
        watching: ClientConnection = await stack.enter_async_context(
            scene.socket(made["match"], local_addr=(ATTACKER, 0))
        )
        await watching.send('{"type": "hello"}')


async def halves(scene: Scene, stack: AsyncExitStack) -> None:
    """Send 2,520 halves of requests."""
    base = urlsplit(scene.base)
    for _ in range(2_520):
        with suppress(OSError):
            _, writer = await asyncio.open_connection(
                base.hostname, base.port, local_addr=(ATTACKER, 0)
            )
            stack.callback(writer.close)
            writer.write(b"GET /api/rulesets HT")


async def forged_addresses(scene: Scene, stack: AsyncExitStack) -> None:
    """Ask without end, each time in the name of another address."""

    async def again(worker: int) -> None:
        number = 0
        while True:
            number += 1
            forged = {"X-Forwarded-For": f"10.{worker}.{number // 250 % 250}.{number % 250}"}
            with suppress(httpx.HTTPError):
                await scene.greedy.get("/api/rulesets/gomoku/freestyle", headers=forged)
            await asyncio.sleep(0.02)  # some hundred a second; the attacker runs beside the other

    for worker in range(8):
        await stack.enter_async_context(meanwhile(again(worker)))


async def nonsense(scene: Scene, stack: AsyncExitStack) -> None:
    """Say nonsense on sockets, without end."""

    async def again() -> None:
        while True:
            with suppress(WebSocketException, OSError):
                async with scene.socket(scene.match, local_addr=(ATTACKER, 0)) as talking:
                    await talking.send('{"type": "hello"}')
                    while True:
                        await talking.send("[]" * 1_000)
                        await talking.recv()
                        await asyncio.sleep(0.02)

    for _ in range(8):
        await stack.enter_async_context(meanwhile(again()))


async def _ask(scene: Scene, path: str) -> None:
    """Ask for the same again and again, as often as is allowed."""
    while True:
        with suppress(httpx.HTTPError):
            await scene.greedy.get(path)
        await asyncio.sleep(0.1)


async def sent_rules_in_turn(scene: Scene, stack: AsyncExitStack) -> None:
    """Look, as often as is allowed, at more matches of sent rules than have a process."""
    await _look_at_matches(scene, stack, [UPLOADED] * 8)


async def _look_at_matches(scene: Scene, stack: AsyncExitStack, texts: Sequence[str]) -> None:
    """Begin a match of each text, then look at all: who looked before would wait to begin one."""
    made = [await post(scene.greedy, "/api/matches", rules=text) for text in texts]
    for match in made:
        await stack.enter_async_context(meanwhile(_ask(scene, f"/api/matches/{match['match']}")))


async def endless_log(scene: Scene, stack: AsyncExitStack) -> None:
    """Offer draws to oneself without end, and read the log as often as is allowed."""
    made = await post(scene.greedy, "/api/matches", ruleset="tictactoe", seats={"x": {}, "o": {}})
    path = f"/api/matches/{made['match']}/actions"

    async def offer() -> None:
        for seq in range(LONG):
            role, kind = [("x", "REQUEST_DRAW"), ("o", "DECLINE_DRAW")][seq % 2]
            whose = {"Authorization": f"Bearer {made['seats'][role]['token']}"}
            action = {"id": f"a{seq}", "seq": seq, "type": kind}
            answer = await scene.greedy.post(path, json=action, headers=whose)
            if answer.status_code == FULL:
                return
            answer.raise_for_status()
            await asyncio.sleep(0.05)  # as often as is allowed

    await offer()
    for _ in range(8):
        await stack.enter_async_context(meanwhile(_ask(scene, path)))


async def short_sockets(scene: Scene, stack: AsyncExitStack) -> None:
    """Open sockets and leave, without end."""

    async def again() -> None:
        while True:
            with suppress(WebSocketException, OSError):
                async with scene.socket(scene.match, local_addr=(ATTACKER, 0)) as talking:
                    await talking.send('{"type": "hello"}')
                    await talking.recv()

    for _ in range(8):
        await stack.enter_async_context(meanwhile(again()))


async def deaf_ears(scene: Scene, stack: AsyncExitStack) -> None:
    """Ask again at once whatever is answered: that it is too often, mostly."""
    base = urlsplit(scene.base)
    request = f"GET /api/agents HTTP/1.1\r\nHost: {base.netloc}\r\n\r\n".encode()

    async def again() -> None:
        reader, writer = await asyncio.open_connection(
            base.hostname, base.port, local_addr=(ATTACKER, 0)
        )
        stack.callback(writer.close)
        while True:
            writer.write(request * 10)
            await writer.drain()
            await reader.read(1 << 16)

    for _ in range(100):
        await stack.enter_async_context(meanwhile(again()))


async def pings(scene: Scene, stack: AsyncExitStack) -> None:
    """Ask on sockets whether somebody is there, without end."""

    async def again() -> None:
        async with scene.socket(scene.match, local_addr=(ATTACKER, 0), compression=None) as talking:
            await talking.send('{"type": "hello"}')
            while True:
                for _ in range(20):
                    await talking.send('{"type": "ping"}')
                await talking.recv()

    for _ in range(50):
        await stack.enter_async_context(meanwhile(again()))


async def _flood(
    scene: Scene, stack: AsyncExitStack, first: bytes, again: bytes, *, count: int = 20
) -> None:
    """Send the same bytes again and again on some connections; of those that end, on new ones."""
    base = urlsplit(scene.base)

    async def one() -> None:
        while True:
            with suppress(OSError):
                reader, writer = await asyncio.open_connection(
                    base.hostname, base.port, local_addr=(ATTACKER, 0)
                )
                hearing = asyncio.ensure_future(_swallow(reader))
                writer.write(first)
                if first.startswith(b"GET /api/matches/"):
                    await asyncio.sleep(0.2)  # until it is a socket
                while not hearing.done():
                    writer.write(again)
                    await writer.drain()
                writer.close()

    for _ in range(count):
        await stack.enter_async_context(meanwhile(one()))
    await asyncio.sleep(0.5)


async def _swallow(reader: asyncio.StreamReader) -> None:
    with suppress(OSError):
        while await reader.read(1 << 16):
            pass


def _head(scene: Scene, line: str, *more: str) -> bytes:
    return "\r\n".join([line, f"Host: {urlsplit(scene.base).netloc}", *more, "", ""]).encode()


async def pipelined(scene: Scene, stack: AsyncExitStack) -> None:
    """Send thousands of requests in one packet."""
    await _flood(scene, stack, b"", _head(scene, "GET / HTTP/1.1") * 6_500)


async def long_addresses(scene: Scene, stack: AsyncExitStack) -> None:
    """Ask for addresses of 60 kB, of fifteen thousand parts."""
    line = f"GET /api/matches?{'a=1&' * 15_000} HTTP/1.1"
    await _flood(scene, stack, b"", _head(scene, line), count=4)


async def tiny_chunks(scene: Scene, stack: AsyncExitStack) -> None:
    """Send bodies a byte a piece."""
    chunked = "Transfer-Encoding: chunked"
    kind = "Content-Type: application/json"
    first = _head(scene, "POST /api/matches HTTP/1.1", chunked, kind)
    await _flood(scene, stack, first, b"1\r\n \r\n" * 20_000)


async def trailing_fields(scene: Scene, stack: AsyncExitStack) -> None:
    """Send lines of a head without end, behind a body."""
    first = _head(scene, "GET /api/rulesets HTTP/1.1", "Transfer-Encoding: chunked")
    await _flood(scene, stack, first + b"0\r\n", b"a:b\r\n" * 20_000)


async def wordless_frames(scene: Scene, stack: AsyncExitStack) -> None:
    """Send pings of the protocol on sockets without end."""
    await _flood(scene, stack, _opening(scene, scene.match), b"\x89\x80\0\0\0\0" * 5_000)


async def many_values(scene: Scene, stack: AsyncExitStack) -> None:
    """Send bodies of 90,000 fields that nobody knows."""
    body = json.dumps({f"a{number}": 1 for number in range(90_000)})

    async def again() -> None:
        while True:
            with suppress(httpx.HTTPError):
                await scene.greedy.post("/api/positions", content=body)
            await asyncio.sleep(0.1)

    for _ in range(2):
        await stack.enter_async_context(meanwhile(again()))


async def _taken_back(scene: Scene) -> str:
    """Return a log of 1,998 entries: a move that is taken back, and so on."""
    made = await post(
        scene.greedy, "/api/matches", ruleset="pentago/strict", seats={"black": {}, "white": {}}
    )
    path = f"/api/matches/{made['match']}"
    legal = (await scene.greedy.get(f"{path}/legal/black")).json()["moves"][0]
    log = (await scene.greedy.get(f"{path}/log")).text.splitlines()[0]
    kinds = [("MOVE", "black"), ("REQUEST_TAKEBACK", "black"), ("ACCEPT_TAKEBACK", "white")]
    move = {"move": legal["text"], "term": legal["term"]}
    entries = [
        {"seq": seq, "id": f"i{seq}", "type": kind, "role": role, "at": 10**13}
        | (move if kind == "MOVE" else {})
        for seq in range(1_998)
        for kind, role in [kinds[seq % 3]]
    ]
    return "\n".join([log, *(json.dumps(entry, separators=(",", ":")) for entry in entries)])


async def _import(scene: Scene) -> dict[str, Any]:
    """Begin a match with such a log."""
    answer = await scene.greedy.post("/api/imports", content=await _taken_back(scene))
    answer.raise_for_status()
    read: dict[str, Any] = answer.json()
    return read


async def imports_taken_back(scene: Scene, stack: AsyncExitStack) -> None:
    """Send logs of 1,998 entries, as often as is allowed: a move that is taken back, and so on."""
    text = await _taken_back(scene)

    async def again() -> None:
        while True:
            with suppress(httpx.HTTPError):
                answer = await scene.greedy.post("/api/imports", content=text)
                assert answer.status_code in {201, 429, 503}, answer.text
            await asyncio.sleep(0.1)

    for _ in range(4):
        await stack.enter_async_context(meanwhile(again()))


async def crowded_match(scene: Scene, stack: AsyncExitStack) -> None:
    """Watch a match of one's own with 490 sockets, and act in it as often as is allowed."""
    made = await post(
        scene.greedy, "/api/matches", ruleset="gomoku/freestyle", seats={"black": {}, "white": {}}
    )
    path = f"/api/matches/{made['match']}/actions"
    for _ in range(490):
        reader, writer = await _connection(scene)
        stack.callback(writer.close)
        writer.write(_opening(scene, made["match"]) + frame('{"type": "hello"}'))
        await stack.enter_async_context(meanwhile(_swallow(reader)))

    async def offer() -> None:
        began = time.perf_counter()
        for seq in range(1_000):
            role, kind = [("black", "REQUEST_DRAW"), ("white", "DECLINE_DRAW")][seq % 2]
            whose = {"Authorization": f"Bearer {made['seats'][role]['token']}"}
            action = {"id": f"a{seq}", "seq": seq, "type": kind}
            await scene.greedy.post(path, json=action, headers=whose)
            await asyncio.sleep(began + seq / 95 - time.perf_counter())

    await stack.enter_async_context(meanwhile(offer()))


async def pieces_of_files(scene: Scene, stack: AsyncExitStack) -> None:
    """Ask for a hundred bytes of a script of the page, each by itself."""
    ranges = ",".join(f"{place}-{place}" for place in range(0, 200, 2))
    await _again(scene, stack, _head(scene, "GET /app.js HTTP/1.1", f"Range: bytes={ranges}"), 50)


async def unread_logs(scene: Scene, stack: AsyncExitStack) -> None:
    """Ask for logs of 250 kB on 400 connections, and read none of them."""
    rules = UPLOADED + "; " + "x" * 250_000
    made = await post(scene.greedy, "/api/matches", rules=rules)

    async def ask() -> None:
        for _ in range(400):
            _, writer = await _connection(scene)
            stack.callback(writer.close)
            writer.transport.pause_reading()  # type: ignore[attr-defined]  # of a socket
            writer.write(_head(scene, f"GET /api/matches/{made['match']}/log HTTP/1.1") * 10)
            await asyncio.sleep(0.02)

    await stack.enter_async_context(meanwhile(ask()))


async def slow_matches(scene: Scene, stack: AsyncExitStack) -> None:
    """Look, as often as is allowed, at eight matches of sent rules that take 0.15 s to set up."""
    await _look_at_matches(scene, stack, [f"{SLOW_MATCH} (n x{number})" for number in range(8)])


async def forks(scene: Scene, stack: AsyncExitStack) -> None:
    """Look at positions of a match of 1,998 entries, as often as is allowed."""
    made = await _import(scene)
    client = scene.greedy

    async def again(worker: int) -> None:
        seq = worker
        while True:
            seq = (seq + 7) % 1_998
            with suppress(httpx.HTTPError):
                await client.post("/api/positions", json={"match": made["match"], "seq": seq})

    for worker in range(40):
        await stack.enter_async_context(meanwhile(again(worker)))


async def many_moves(scene: Scene, stack: AsyncExitStack) -> None:
    """Ask for positions after 2,000 moves, each a text of 400 characters."""
    body = json.dumps({"ruleset": "chess", "moves": ["x" * 400] * 2_000}).encode()
    kind = ("Content-Type: application/json", f"Content-Length: {len(body)}")
    await _again(scene, stack, _head(scene, "POST /api/positions HTTP/1.1", *kind) + body, 8)


async def whole_at_once(scene: Scene, stack: AsyncExitStack) -> None:
    """Send 200 bodies of 808 kB all but their last byte, and then all of these."""
    body = json.dumps({"ruleset": "chess", "moves": ["x" * 400] * 2_000}).encode()
    kind = ("Content-Type: application/json", f"Content-Length: {len(body)}")
    head = _head(scene, "POST /api/positions HTTP/1.1", *kind)

    async def again() -> None:
        while True:
            writers = []
            for _ in range(200):
                with suppress(OSError):
                    _, writer = await _connection(scene)
                    writer.write(head + body[:-1])
                    writers.append(writer)
            await asyncio.sleep(1.5)
            for writer in writers:
                writer.write(body[-1:])
            await asyncio.sleep(60)

    await stack.enter_async_context(meanwhile(again()))


async def boards_of_every_size(scene: Scene, stack: AsyncExitStack) -> None:
    """Ask for one size of a board after the other, as often as is allowed."""

    async def again(walls: int) -> None:
        while True:
            for size in (9, 7, 5, 3):
                id_ = quote(f"quoridor?size={size}&walls={walls}", safe="")
                with suppress(httpx.HTTPError):
                    await scene.greedy.get(f"/api/rulesets/{id_}")

    for walls in range(1, 9):
        await stack.enter_async_context(meanwhile(again(walls)))


async def ten_addresses(scene: Scene, stack: AsyncExitStack) -> None:
    """Ask as often as is allowed from each of ten addresses."""
    request = _head(scene, "GET /api/rulesets HTTP/1.1")
    for number in range(10):
        await _again(scene, stack, request, 2, source=f"127.0.0.{10 + number}", pause=0.02)


async def long_heads(scene: Scene, stack: AsyncExitStack) -> None:
    """Send cookies of 60 kB with each request."""
    line = "GET /api/rulesets HTTP/1.1"
    await _again(scene, stack, _head(scene, line, f"Cookie: {'a=1; ' * 12_000}"), 20)


async def _connection(
    scene: Scene, source: str = ATTACKER
) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    base = urlsplit(scene.base)
    return await asyncio.open_connection(base.hostname, base.port, local_addr=(source, 0))


async def _again(  # noqa: PLR0913  # what is sent, and how often
    scene: Scene,
    stack: AsyncExitStack,
    request: bytes,
    count: int,
    *,
    source: str = ATTACKER,
    pause: float = 0,
) -> None:
    """Send a request on some connections, and again when something was answered."""

    async def one() -> None:
        while True:
            with suppress(OSError):
                reader, writer = await _connection(scene, source)
                writer.write(request)
                while await reader.read(1 << 16):
                    await asyncio.sleep(pause)
                    writer.write(request)
                writer.close()

    for _ in range(count):
        await stack.enter_async_context(meanwhile(one()))


def _opening(scene: Scene, match: str) -> bytes:
    return _head(
        scene,
        f"GET /api/matches/{match}/socket HTTP/1.1",
        "Upgrade: websocket",
        "Connection: Upgrade",
        "Sec-WebSocket-Version: 13",
        "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
    )


ATTACKS: dict[str, tuple[Attack, Look, int, float]] = {
    "a process beside that asks nothing": (nothing, request, 60, 0.05),
    "28 matches of programs": (programs, reply_of_a_program, 8, 0.1),
    "what is known of eight matches of hidden pieces": (knowledge, reply_of_a_program, 8, 0.1),
    "rules that take a second to refuse": (slow_rules, position, 14, 0.6),
    "imports of 954 kB with 10,924 offers": (import_of_offers, request, 60, 0.1),
    "500 spectators": (spectators, seat, 40, 0.05),
    "four watched matches of sent rules": (held_uploads, upload, 8, 0.6),
    "2,520 halves of requests": (halves, request, 60, 0.05),
    "forged addresses": (forged_addresses, request, 60, 0.05),
    "nonsense on sockets": (nonsense, request, 60, 0.05),
    "eight matches of sent rules looked at in turn": (sent_rules_in_turn, request, 60, 0.05),
    "an endless log read again and again": (endless_log, request, 60, 0.05),
    "sockets opened without end": (short_sockets, request, 60, 0.05),
    "asking again at once": (deaf_ears, request, 60, 0.05),
    "pings without end": (pings, request, 60, 0.05),
    "thousands of requests in a packet": (pipelined, request, 60, 0.05),
    "addresses of 60 kB": (long_addresses, request, 60, 0.05),
    "bodies a byte a piece": (tiny_chunks, request, 60, 0.05),
    "lines of a head without end": (trailing_fields, request, 60, 0.05),
    "frames that say nothing": (wordless_frames, request, 60, 0.05),
    "bodies of 90,000 fields": (many_values, request, 60, 0.05),
    "imports of 1,998 entries taken back": (imports_taken_back, request, 60, 0.05),
    "acting in a match that one watches on 490 sockets": (crowded_match, request, 60, 0.05),
    "a hundred pieces of a file of the page": (pieces_of_files, request, 60, 0.05),
    "logs of 250 kB that are not read": (unread_logs, request, 60, 0.05),
    "matches of sent rules that take 0.15 s to set up": (slow_matches, upload, 8, 0.6),
    "positions of a match of 1,998 entries": (forks, request, 60, 0.05),
    "positions after 2,000 moves of 400 characters": (many_moves, request, 60, 0.05),
    "cookies of 60 kB": (long_heads, request, 60, 0.05),
    "200 bodies that are whole at the same moment": (whole_at_once, request, 60, 0.05),
    "boards of every size": (boards_of_every_size, request, 60, 0.05),
    "ten addresses that ask as often as is allowed": (ten_addresses, request, 60, 0.05),
}
"""By name: the attack, what is measured, how often, and seconds between."""


async def waits(look: Look, scene: Scene, count: int, pause: float) -> tuple[Figures, int]:
    """Return how long the honest client waits, and how often it got no answer."""
    figures, failed = Figures(), 0
    for _ in range(count):
        began = time.perf_counter()
        try:
            async with asyncio.timeout(PATIENCE):
                await look(scene)
        except (TimeoutError, OSError, httpx.HTTPError, WebSocketException, KeyError):
            failed += 1
            figures.waits.append(max(PATIENCE, time.perf_counter() - began))
            if failed > 2:  # it is clear by then
                break
        else:
            figures.waits.append(time.perf_counter() - began)
        await asyncio.sleep(pause)
    return figures, failed


async def attack(base: str, name: str, *more: str) -> str:
    """Return the cells of a table: idle and under attack; ``more`` is told to the attacker."""
    _, look, count, pause = ATTACKS[name]
    async with httpx.AsyncClient(base_url=base, timeout=PATIENCE) as modest:
        made = await post(modest, "/api/matches", ruleset="tictactoe", seats={"x": {}})
        scene = Scene(base, modest, modest, made["match"], made["seats"]["x"]["token"])
        await look(scene)
        idle, _ = await waits(look, scene, count // 2, pause)
        attacker = await asyncio.create_subprocess_exec(
            *(sys.executable, __file__, *more, "--attack", name, base, made["match"]),
            stdout=asyncio.subprocess.PIPE,
        )
        assert attacker.stdout is not None
        await attacker.stdout.readline()  # it has begun
        await asyncio.sleep(0.3)
        attacked, failed = await waits(look, scene, count, pause)
        attacker.kill()
        await attacker.wait()
        return f"{shown(idle, 0)} | {shown(attacked, failed)}"


async def be_the_attacker(name: str, base: str, match: str) -> None:
    """Attack until killed; says when it has begun."""
    transport = httpx.AsyncHTTPTransport(
        local_address=ATTACKER, limits=httpx.Limits(max_connections=50)
    )
    async with (
        AsyncExitStack() as stack,
        httpx.AsyncClient(base_url=base, timeout=60, transport=transport) as greedy,
    ):
        await ATTACKS[name][0](Scene(base, greedy, greedy, match), stack)
        say("begun")
        await asyncio.sleep(3_600)


def shown(figures: Figures, failed: int) -> str:
    """Return p50 and p99."""
    if failed > 2:  # as above
        return "no answer"
    refused = f", {failed} without answer" if failed else ""
    return f"{figures.share(0.5):.0f} / {figures.share(0.99):.0f}{refused}"


def main() -> None:
    """Run what the arguments say."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tree", action="append", metavar="NAME=PATH", default=[])
    parser.add_argument("--only", nargs="+", default=list(ATTACKS), choices=list(ATTACKS))
    parser.add_argument("--attack", nargs=3, help=argparse.SUPPRESS)
    parser.add_argument("--apart", action="store_true", help="give the attacker little")
    parser.add_argument("--first", action="store_true", help="before all else that runs here")
    args = parser.parse_args()
    most = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
    if args.attack:
        if args.apart:
            os.nice(19)
            os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
        if args.first:
            os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(1))
        asyncio.run(be_the_attacker(*args.attack))
        return
    if args.first:
        os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(2))
    more = [f"--{name}" for name in ("apart", "first") if getattr(args, name)]
    trees = {name: Path(path) for name, _, path in (each.partition("=") for each in args.tree)}
    trees["now"] = ROOT
    say("| attack | tree | idle p50 / p99 ms | attacked p50 / p99 ms |\n|---|---|---|---|")
    for name in args.only:
        for tree, place in trees.items():
            with (
                tempfile.TemporaryDirectory() as folder,
                serving(place, f"{folder}/m.db") as running,
            ):
                say(f"| {name} | {tree} | {asyncio.run(attack(running.base, name, *more))} |")
    say(f"load of the machine: {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores")


if __name__ == "__main__":
    main()
