"""Nothing that is sent makes the server fail or hang."""

from __future__ import annotations

import copy
import json
import random
import string
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import ClientConnection

from tests.shared import needs
from tests.web.serving import Client, Table, hear, hello, served

SEEDS = (
    {"type": "hello", "since": 0, "token": "TOKEN"},
    {"type": "ping"},
    {"type": "action", "action": {"id": "a", "seq": 0, "type": "MOVE", "move": "b2"}},
    {"type": "action", "action": {"id": "b", "seq": 1, "type": "RESIGN", "role": "x"}},
    {"type": "action", "action": {"id": "c", "seq": 0, "type": "REQUEST_DRAW"}},
)
VALUES: tuple[Any, ...] = (
    None, True, -1, 0, 1, 2**53, 10**400, 1.5, 1e308, float("nan"), "", "x", "\x00", "\ud800",
    "ü" * 3000, "(" * 500, ")" * 500, "(a " * 200, "|", '"', "; c", "?x", [], {}, [[]], {"": ""},
    "TIMEOUT", "MOVE", "../..", "%s%n", "'; drop table matches; --",
)  # fmt: skip


def mutated(chance: random.Random) -> str | bytes:
    """Return a message that is nearly one."""
    message = json.loads(json.dumps(chance.choice(SEEDS)))
    for _ in range(chance.randint(0, 3)):
        change(message, chance)
    text = json.dumps(message)
    if chance.random() < 0.4:
        characters = list(text)
        for _ in range(chance.randint(1, 5)):
            place = chance.randrange(len(characters) + 1)
            characters[place : place + chance.randint(0, 3)] = chance.choices(
                string.printable, k=chance.randint(0, 3)
            )
        text = "".join(characters)
    if chance.random() < 0.05:
        return bytes(chance.randrange(256) for _ in range(chance.randint(0, 40)))
    return text


def change(message: dict[str, Any], chance: random.Random) -> None:
    """Change one field of a message, or of the action in it."""
    inner = message.get("action")
    target = inner if isinstance(inner, dict) and chance.random() < 0.7 else message
    name = chance.choice([*target, "id", "seq", "type", "move", "role", "x" * 50])
    if chance.random() < 0.2:
        target.pop(name, None)
    else:
        target[name] = copy.deepcopy(chance.choice(VALUES))


def attack(client: Client, count: int, seed: int) -> dict[str, int]:
    """Send mutated messages; return how often each code was answered."""
    chance = random.Random(seed)
    answers: dict[str, int] = {}
    for code in exchange(client, count, chance):
        answers[code] = answers.get(code, 0) + 1
    return answers


def exchange(client: Client, count: int, chance: random.Random) -> Iterator[str]:
    """Yield the code of the answer to each of so many messages."""
    while count > 0:
        table = Table(client, ruleset="tictactoe")
        with client.socket(table.id) as socket:
            hello(socket, table.tokens["x"])
            for _ in range(min(count, 200)):
                count -= 1
                try:
                    yield answer(socket, mutated(chance))
                except ConnectionClosed as closed:
                    yield f"closed {closed.rcvd and closed.rcvd.code}"
                    break


def answer(socket: ClientConnection, message: str | bytes) -> str:
    socket.send(message)
    while (heard := hear(socket))["type"] == "update":
        pass  # an action was accepted; its answer follows
    return str(heard["error"]["code"] if heard["type"] == "refused" else heard["type"])


def check(client: Client, answers: dict[str, int], count: int) -> None:
    assert sum(answers.values()) == count
    assert not {"internal", "closed 1011", "closed None"} & set(answers)
    assert "accepted" in answers
    assert len(answers) >= 8, answers
    assert client.ask("GET", "/health") == {"status": "ok"}
    assert 'status="5' not in client.http.get("/metrics").text


@pytest.mark.slow
def test_mutated_messages_are_answered(client: Client) -> None:
    check(client, attack(client, 400, seed=1), 400)


@pytest.mark.slow
def test_mutated_logs_are_refused_or_taken(client: Client) -> None:
    table = Table(client, ruleset="tictactoe", clock={"initialMs": 10**9})
    for seq, move in enumerate(("b2", "a1", "c3")):
        table.move("xo"[seq % 2], move, seq=seq)
    lines = client.http.get(f"{table.path}/log").text.splitlines()
    chance, statuses = random.Random(3), set()
    for _ in range(60):
        values = [json.loads(line) for line in lines]
        for _ in range(chance.randint(1, 2)):
            bend(chance.choice([*values, values[0]["ruleset"]]), chance)
        text = "\n".join(json.dumps(value) for value in values)
        statuses.add(client.http.post("/api/imports", content=text).status_code)
    deep = json.dumps({**json.loads(lines[0]), "clock": None, "more": 1}).replace(
        '"more": 1', f'"more": {"[" * 900}{"]" * 900}'
    )
    statuses.add(client.http.post("/api/imports", content=deep).status_code)
    assert statuses == {201, 422}
    assert client.ask("GET", "/health") == {"status": "ok"}


def bend(target: dict[str, Any], chance: random.Random) -> None:
    """Change one field of a log, or a part of it."""
    name = chance.choice(list(target))
    value = target[name]
    if isinstance(value, dict) and value and chance.random() < 0.7:
        bend(value, chance)
    elif isinstance(value, list) and value and chance.random() < 0.7:
        value[chance.randrange(len(value))] = copy.deepcopy(chance.choice(VALUES))
    else:
        target[name] = copy.deepcopy(chance.choice(VALUES))


@pytest.mark.slow
def test_ten_thousand_mutated_messages_are_answered(client: Client) -> None:
    check(client, attack(client, 10_000, seed=2), 10_000)


@pytest.mark.slow
@needs("fuzz")
def test_schemathesis_finds_nothing(tmp_path: Path) -> None:
    """No server error, and every answer as the OpenAPI document says."""
    checks = "not_a_server_error,status_code_conformance,content_type_conformance"
    with served(tmp_path / "m.db", studies=1) as client:
        table = Table(client, ruleset="tictactoe")
        table.move("x", "b2")
        known = {"path.match": table.id, "path.role": "o", "path.family": "pentago"}
        known["path.variant"] = "strict"
        lines = [f"{json.dumps(name)} = {json.dumps(value)}" for name, value in known.items()]
        (tmp_path / "schemathesis.toml").write_text("\n".join(["[parameters]", *lines]))
        done = subprocess.run(
            [
                *(Path(sys.executable).with_name("schemathesis"), "run"),
                f"{client.base}/openapi.json",
                *("--checks", f"{checks},response_schema_conformance", "--seed", "1"),
                *("--max-examples", "40", "--request-timeout", "30", "--no-color"),
                *("--header", f"Authorization: Bearer {table.tokens['o']}"),
            ],
            capture_output=True,
            text=True,
            cwd=tmp_path,
            check=False,
        )
        assert done.returncode == 0, done.stdout[-6000:] + done.stderr[-2000:]
        assert 'status="5' not in client.http.get("/metrics").text
