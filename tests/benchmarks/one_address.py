"""How many who share an address are served: a school, a firm, behind one router.

``python tests/benchmarks/one_address.py`` lets so many browsers load the page at once, as browsers
do: six connections each, the scripts, what the page asks first. Two by two they begin a match, hear
of it by sockets and play it to its end. What is refused for now is asked again when the answer
says, as the page does; a file of the page that is refused, and a connection that is cut, are a page
that does not come. Another client, of another address, asks for the list meanwhile.
"""

from __future__ import annotations

import argparse
import asyncio
import base64
import json
import os
import sys
import tempfile
import time
from collections import Counter, deque
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from tests.benchmarks.light import Figures, frame  # noqa: E402  # see above
from tests.benchmarks.service_load import DRAWN, say, serving  # noqa: E402

SHARED = "127.0.0.3"
CONNECTIONS = 6
"""As many as browsers open to one server."""
FILES = [path.name for path in (ROOT / "gdl" / "web" / "page").iterdir() if path.suffix != ".txt"]
PATIENCE = 120.0


class BrokenPageError(Exception):
    """A page that does not come, or stops."""


class Browser:
    """One person, with the connections of a browser."""

    def __init__(self, base: str, seen: Counter[str]) -> None:
        """Open nothing yet; count what is refused."""
        self.base = urlsplit(base)
        self._seen = seen
        self._free = asyncio.Semaphore(CONNECTIONS)
        self._kept: deque[tuple[asyncio.StreamReader, asyncio.StreamWriter]] = deque()
        self._opened: list[asyncio.StreamWriter] = []

    async def connect(self) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        """Return a new connection from the address that is shared."""
        reader, writer = await asyncio.open_connection(
            self.base.hostname, self.base.port, local_addr=(SHARED, 0), limit=1 << 20
        )
        self._opened.append(writer)
        return reader, writer

    async def leave(self) -> None:
        """Close what is open."""
        for writer in self._opened:
            writer.close()
        await asyncio.gather(
            *(writer.wait_closed() for writer in self._opened), return_exceptions=True
        )

    async def ask(self, method: str, path: str, body: object = None, token: str = "") -> Any:  # noqa: ANN401  # JSON
        """Return an answer, asked for again when it is refused for now."""
        while True:
            status, heads, told = await self._asked(method, path, body, token)
            if status < 300:  # it was done
                return told
            self._seen[f"{status} {method} {path[:16]}"] += 1
            if status not in {429, 503} or not path.startswith("/api/"):
                raise BrokenPageError(f"{status} {path}: {told[:200]!r}")
            await asyncio.sleep(float(heads.get("retry-after", "1")))

    async def _asked(
        self, method: str, path: str, body: object, token: str
    ) -> tuple[int, Mapping[str, str], bytes]:
        text = b"" if body is None else json.dumps(body).encode()
        head = [f"{method} {path} HTTP/1.1", f"Host: {self.base.netloc}", "Accept-Encoding: gzip"]
        head += [f"Content-Length: {len(text)}", "Content-Type: application/json"] if text else []
        head += [f"Authorization: Bearer {token}"] if token else []
        async with self._free:
            while True:
                is_new = not self._kept
                reader, writer = await self.connect() if is_new else self._kept.pop()
                writer.write("\r\n".join([*head, "", ""]).encode() + text)
                try:
                    answered = await reader.readuntil(b"\r\n\r\n")
                    break
                except (asyncio.IncompleteReadError, OSError) as error:
                    if is_new:  # a browser tries again where a connection had been kept
                        self._seen["connection cut"] += 1
                        raise BrokenPageError(path) from error
            first, *lines = answered.decode().split("\r\n")
            heads = {
                name.lower(): said for name, _, said in (line.partition(": ") for line in lines)
            }
            told = await reader.readexactly(int(heads["content-length"]))
            self._kept.append((reader, writer))
        return int(first.split()[1]), heads, told

    async def load(self) -> None:
        """Load the page, and what it asks first."""
        await self.ask("GET", "/")
        await asyncio.gather(*(self.ask("GET", f"/{name}") for name in FILES))
        await asyncio.gather(*(self.ask("GET", f"/api/{name}") for name in ("rulesets", "agents")))
        first = {"ruleset": "tictactoe", "moves": [], "about": True}
        await self.ask("POST", "/api/positions", first)

    async def watch(self, match: str, token: str) -> asyncio.StreamReader:
        """Open a socket of a match, and say whose it is."""
        reader, writer = await self.connect()
        key = base64.b64encode(os.urandom(16)).decode()
        head = [f"GET /api/matches/{match}/socket HTTP/1.1", f"Host: {self.base.netloc}"]
        head += ["Upgrade: websocket", "Connection: Upgrade", "Sec-WebSocket-Version: 13"]
        writer.write("\r\n".join([*head, f"Sec-WebSocket-Key: {key}", "", ""]).encode())
        await reader.readuntil(b"\r\n\r\n")
        writer.write(frame(json.dumps({"type": "hello", "token": token})))
        try:
            await reader.readuntil(b'"type":"state"')
        except asyncio.IncompleteReadError as error:
            self._seen[f"socket: {error.partial[-100:]!r}"] += 1
            await asyncio.sleep(0.5)  # as the page does
            return await self.watch(match, token)
        return reader


async def pair(base: str, seen: Counter[str], loads: Figures, acts: Figures, pause: float) -> None:
    """Let two persons load the page, and play each other."""
    both = [Browser(base, seen) for _ in range(2)]

    async def loaded(browser: Browser) -> None:
        began = time.perf_counter()
        await browser.load()
        loads.waits.append(time.perf_counter() - began)

    try:
        await asyncio.gather(*map(loaded, both))
        seats: dict[str, Any] = {"x": {}, "o": {}}
        made = json.loads(
            await both[0].ask("POST", "/api/matches", {"ruleset": "tictactoe", "seats": seats})
        )
        tokens = [made["seats"][role]["token"] for role in seats]
        await asyncio.gather(
            *(
                browser.watch(made["match"], token)
                for browser, token in zip(both, tokens, strict=True)
            )
        )
        for seq, move in enumerate(DRAWN):
            await asyncio.sleep(pause)
            action = {"id": f"a{seq}", "seq": seq, "type": "MOVE", "move": move}
            began = time.perf_counter()
            path = f"/api/matches/{made['match']}/actions"
            await both[seq % 2].ask("POST", path, action, tokens[seq % 2])
            acts.waits.append(time.perf_counter() - began)
    except BrokenPageError as error:
        seen["broken"] += 1
        seen[f"broken: {str(error)[:60]}"] += 1
    finally:
        for browser in both:
            await browser.leave()


@asynccontextmanager
async def asking(base: str, figures: Figures) -> AsyncIterator[None]:
    """Ask for the list from another address, on a new connection each time, while a block runs."""
    is_over = asyncio.Event()
    other = asyncio.ensure_future(_ask_until(is_over, base, figures))
    try:
        yield
    finally:
        is_over.set()
        await other  # to its end: cut short, it would leave a connection open


async def _ask_until(is_over: asyncio.Event, base: str, figures: Figures) -> None:
    address = urlsplit(base)
    request = f"GET /api/matches?limit=1 HTTP/1.1\r\nHost: {address.netloc}\r\n\r\n".encode()
    while not is_over.is_set():
        began = time.perf_counter()
        reader, writer = await asyncio.open_connection(address.hostname, address.port)
        writer.write(request)
        await reader.readuntil(b"\r\n\r\n")
        writer.close()
        await writer.wait_closed()
        figures.waits.append(time.perf_counter() - began)
        await asyncio.sleep(0.05)


async def gather(base: str, count: int, pause: float) -> str:
    """Return in words how so many were served."""
    seen: Counter[str] = Counter()
    loads, acts, others, idle = (Figures() for _ in range(4))
    async with asking(base, idle):
        await asyncio.sleep(3)
    pairs = (pair(base, seen, loads, acts, pause) for _ in range(count // 2))
    try:
        async with asking(base, others), asyncio.timeout(PATIENCE):
            await asyncio.gather(*pairs)
    except TimeoutError:
        seen["not done in time"] += 1

    def shown(figures: Figures) -> str:
        if not figures.waits:
            return "none"
        parts = (figures.share(part) for part in (0.5, 0.99, 1))
        return " / ".join(f"{part:.0f}" for part in parts) + f" ms ({len(figures.waits)})"

    return (
        f"{count} browsers; p50 / p99 / most: page {shown(loads)}, action {shown(acts)}, another "
        f"client {shown(others)}, alone {shown(idle)}; refused: {dict(seen) or 'nothing'}"
    )


def main() -> None:
    """Measure what the arguments say."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tree", action="append", metavar="NAME=PATH", default=[])
    parser.add_argument("--browsers", type=int, default=200)
    parser.add_argument("--pause", type=float, default=2.0, help="seconds before a move")
    args = parser.parse_args()
    trees = {name: Path(path) for name, _, path in (each.partition("=") for each in args.tree)}
    trees["now"] = ROOT
    for name, tree in trees.items():
        with tempfile.TemporaryDirectory() as folder, serving(tree, f"{folder}/m.db") as running:
            say(f"{name}: {asyncio.run(gather(running.base, args.browsers, args.pause))}")
    say(f"load of the machine: {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores")


if __name__ == "__main__":
    main()
