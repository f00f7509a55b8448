"""A server for tests, in a thread of this process, and clients of it."""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import httpx
from websockets.sync.client import ClientConnection, connect

from gdl.match.store import open_store
from gdl.ruleset import find
from gdl.ruleset.flatten import flatten
from gdl.web.neighbours import neighbours_of
from gdl.web.server import listen, make_server
from gdl.web.service import Service
from gdl.web.settings import Rate, Settings

FREE = Rate(per_second=1e9, burst=1e9)
UNHURRIED = Settings(
    reads=FREE,
    acts=FREE,
    creations=FREE,
    openings=FREE,
    late_seconds=1e9,
    poll_seconds=0.05,
    warm=False,
)
"""Without rates and processes started ahead, for tests that are about something else."""
START_SECONDS = 60
Answer = dict[str, Any]


class Client:
    """Somebody who talks to a server."""

    def __init__(self, base: str) -> None:
        """Talk to the server at an address."""
        self.base = base
        self.http = httpx.Client(base_url=base, timeout=60)

    def ask(
        self, method: str, path: str, *, token: str = "", expect: int = 200, **more: object
    ) -> Answer:
        """Return the JSON answer, of which the status must be the expected one."""
        headers = {"Authorization": f"Bearer {token}"} if token else {}
        answer = self.http.request(method, path, headers=headers, **more)  # type: ignore[arg-type]  # by name
        assert answer.status_code == expect, answer.text
        read: Answer = answer.json()
        return read

    def create(self, **request: object) -> Answer:
        return self.ask("POST", "/api/matches", json=request, expect=201)

    def refused(self, method: str, path: str, expect: int, **more: object) -> str:
        """Return the code of a request that is refused."""
        answer = self.ask(method, path, expect=expect, **more)  # type: ignore[arg-type]  # by name
        code: str = answer["error"]["code"]
        return code

    def socket(self, match: str) -> ClientConnection:
        """Return a socket of a match, on which nothing was said."""
        address = self.base.replace("http", "ws", 1)
        return connect(f"{address}/api/matches/{match}/socket", max_size=None)


class Table:
    """A match with a client in each seat."""

    def __init__(self, client: Client, **request: object) -> None:
        """Begin a match and take every free seat."""
        self.client = client
        made = client.create(**request)
        self.id: str = made["match"]
        self.path = f"/api/matches/{self.id}"
        self.owner: str = made["owner"]
        self.tokens = {r: seat["token"] for r, seat in made["seats"].items() if seat["token"]}
        for role, seat in made["state"]["seats"].items():
            if seat is None:
                joined = client.ask("POST", f"{self.path}/seats/{role}", json={}, expect=201)
                self.tokens[role] = joined["token"]

    def state(self, role: str = "") -> Answer:
        return self.client.ask("GET", self.path, token=self.tokens.get(role, ""))

    def act(
        self, role: str, kind: str, move: str = "", *, seq: int | None = None, id_: str = ""
    ) -> httpx.Response:
        """Do an action; its number is the next one unless it is given."""
        number = self.state()["seq"] if seq is None else seq
        action: Answer = {"id": id_ or f"{role}.{number}", "seq": number, "type": kind}
        if move:
            action["move"] = move
        return self.client.http.post(
            f"{self.path}/actions",
            json=action,
            headers={"Authorization": f"Bearer {self.tokens[role]}"},
        )

    def move(self, role: str, text: str, *, seq: int | None = None) -> Answer:
        """Make a move that is accepted."""
        answer = self.act(role, "MOVE", text, seq=seq)
        assert answer.status_code == 201, answer.text
        entry: Answer = answer.json()["entry"]
        return entry


def hear(socket: ClientConnection, kind: str = "") -> Answer:
    """Return the next message, or the next of a kind."""
    while True:
        message: Answer = json.loads(socket.recv(timeout=60))
        if not kind or message["type"] == kind:
            return message


def hello(socket: ClientConnection, token: str = "", since: int = 0) -> Answer:
    """Say who asks; return the first answer."""
    message: Answer = {"type": "hello", "since": since}
    if token:
        message["token"] = token
    socket.send(json.dumps(message))
    return hear(socket)


@contextmanager
def served(
    database: Path | str,
    folder: Path | None = None,
    /,
    **settings: Any,  # noqa: ANN401  # fields of `Settings`
) -> Iterator[Client]:
    """Run a server while the body runs; those with one folder are workers of one server."""
    store = open_store(database)
    allowed = replace(UNHURRIED, **settings)
    service = Service(store, allowed, neighbours_of(store.url, folder))
    ports: list[int] = []
    is_up = threading.Event()

    def started(port: int) -> None:
        ports.append(port)
        is_up.set()

    with listen("127.0.0.1", 0) as listening:
        server = make_server(service, on_start=started)
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]})
        thread.start()
        try:
            assert is_up.wait(START_SECONDS)
            client = Client(f"http://127.0.0.1:{ports[0]}")
            with client.http:
                yield client
        finally:
            server.should_exit = True
            thread.join(30)
            assert not thread.is_alive()


def in_other_words() -> str:
    """Return tic-tac-toe with other names for roles, moves and columns."""
    text = flatten(find("tictactoe"))
    for old, new in {"x": "cross", "o": "ring", "mark": "put", "a": "left", "b": "mid"}.items():
        text = re.sub(rf"(?<![\w?-]){old}(?![\w-])", new, text)
    return text
