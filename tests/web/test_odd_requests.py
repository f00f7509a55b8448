"""Requests as no browser sends them: each is answered in words, and none takes another with it."""

from __future__ import annotations

import json
import socket
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from gdl.web import connections
from gdl.web.settings import Rate
from tests.web.serving import Client, Table, hear, hello, served

GET = b"GET /health HTTP/1.1\r\nHost: x\r\n\r\n"
HEALTHY = {"status": "ok"}


class Connection:
    """One connection, on which bytes are written and answers read."""

    def __init__(self, plain: socket.socket) -> None:
        """Read and write a socket."""
        self.plain = plain
        self.reader = plain.makefile("rb")
        self.heads: dict[str, str] = {}

    def send(self, *parts: bytes) -> None:
        """Send all of it, or what the server reads of it: what it answered before it went stays."""
        with suppress(ConnectionResetError, BrokenPipeError):
            for part in parts:
                self.plain.sendall(part)

    def answer(self, *, is_head: bool = False) -> tuple[int, object]:
        """Return the status of the next answer, and its body."""
        status = int(self.reader.readline().split()[1])
        self.heads = {}
        while line := self.reader.readline().strip():
            name, _, value = line.decode().partition(": ")
            self.heads[name.lower()] = value
        length = 0 if is_head else int(self.heads["content-length"])
        return status, json.loads(self.reader.read(length)) if length else None

    def is_ended(self) -> bool:
        """Return whether the server has ended it."""
        try:
            return self.reader.read(1) == b""
        except ConnectionResetError:  # it had not read all that was sent
            return True


@contextmanager
def connected(client: Client) -> Iterator[Connection]:
    address = urlsplit(client.base)
    with socket.create_connection((address.hostname or "", address.port or 0), 30) as plain:
        connection = Connection(plain)
        with connection.reader:
            yield connection


def post(path: str, body: bytes, *heads: str) -> tuple[bytes, bytes]:
    """Return the head and the body of a request."""
    lines = [f"POST {path} HTTP/1.1", "Host: x", f"Content-Length: {len(body)}", *heads, "", ""]
    return "\r\n".join(lines).encode(), body


def test_a_body_that_is_too_large_leaves_the_connection_as_it_was(client: Client) -> None:
    path = f"{Table(client, ruleset='tictactoe').path}/seats/x"
    for _ in range(3):
        with connected(client) as connection:
            connection.send(*post(path, b" " * 3_000_000))
            status, body = connection.answer()
            assert (status, body) == (
                413,
                {"error": {"code": "too-large", "message": "a body has at most 16000 bytes"}},
            )
            connection.send(GET)
            assert connection.answer() == (200, HEALTHY)


def test_who_wishes_for_another_protocol_is_answered_in_this_one(client: Client) -> None:
    """The client of Java's library asks for HTTP/2 with its first request, with a body or not."""
    wish = ("Connection: Upgrade, HTTP2-Settings", "Upgrade: h2c", "HTTP2-Settings: AAMAAABk")
    with connected(client) as connection:
        connection.send(*post("/api/check", b'{"rules": "(role x"}', *wish))
        status, body = connection.answer()
        assert status == 200
        assert isinstance(body, dict)
        assert body["errors"] == 1
        connection.send(GET)
        assert connection.answer() == (200, HEALTHY)


def test_what_is_no_http_is_refused_in_the_form_of_all_refusals(client: Client) -> None:
    for nonsense in (b"FOO / HTTP/1.1\r\n\r\n", b"\x00\r\n\r\n", b"GET /\xe9 HTTP/1.1\r\n\r\n"):
        with connected(client) as connection:
            connection.send(nonsense)
            message = "Invalid HTTP request received."
            error = {"error": {"code": "no-http", "message": message}}
            assert connection.answer() == (400, error)
            assert connection.is_ended()


OPENING = {
    "Connection": "Upgrade",
    "Upgrade": "websocket",
    "Sec-WebSocket-Version": "13",
    "Sec-WebSocket-Key": "dGhlIHNhbXBsZSBub25jZQ==",
}
"""The head of a request that opens a socket."""


def opening(path: str, *, method: str = "GET", **heads: str) -> bytes:
    """Return a request for a socket, with other lines in its head."""
    told = {"Host": "x", **OPENING, **{name.replace("_", "-"): heads[name] for name in heads}}
    lines = [f"{name}: {text}" for name, text in told.items() if text]
    return "\r\n".join([f"{method} {path} HTTP/1.1", *lines, "", ""]).encode()


def test_what_opens_no_socket_is_refused_in_the_form_of_all_refusals(client: Client) -> None:
    path = f"{Table(client, ruleset='tictactoe').path}/socket"
    failed = "Failed to open a WebSocket connection: "
    crowd = {f"X-{number}": "a" for number in range(200)}
    cases = [
        (
            opening(path, Sec_WebSocket_Key=""),
            400,
            "no-socket",
            failed + "missing Sec-WebSocket-Key",
        ),
        (
            opening(path, Sec_WebSocket_Key="a"),
            400,
            "no-socket",
            failed + "invalid Sec-WebSocket-Key",
        ),
        (
            opening(path, Sec_WebSocket_Version="8"),
            400,
            "no-socket",
            failed + "invalid Sec-WebSocket-",
        ),
        (opening(path, **crowd), 431, "too-large", "the head of a request has at most 100 fields"),
        (opening("/health"), 404, "no-such-route", "Not Found"),
        (opening("/nothing/here"), 404, "no-such-route", "Not Found"),
        (opening(path, Origin="http://evil"), 403, "wrong-origin", "a page of http://evil may not"),
    ]
    for sent, status, code, begins in cases:
        with connected(client) as connection:
            connection.send(sent)
            answered, body = connection.answer()
            assert isinstance(body, dict), sent
            assert (answered, body["error"]["code"]) == (status, code), sent
            assert body["error"]["message"].startswith(begins), sent
            assert "frame-ancestors 'none'" in connection.heads["content-security-policy"], sent
            assert connection.heads["x-content-type-options"] == "nosniff", sent
            assert connection.is_ended(), sent
    with connected(client) as connection:
        connection.send(opening(path, method="POST"))
        answered, body = connection.answer()
        assert isinstance(body, dict)
        assert (answered in {400, 405}, body["error"]["code"]) == (True, "no-socket")
        assert "unsupported HTTP method" in body["error"]["message"]  # by the version of websockets


def test_a_head_that_is_too_long_is_refused_in_the_form_of_all_refusals(client: Client) -> None:
    with connected(client) as connection:
        connection.send(b"GET /health HTTP/1.1\r\nHost: x\r\nX: " + b"a" * 66_000)
        message = "the head of a request has at most 65536 bytes"
        error = {"error": {"code": "too-large", "message": message}}
        assert connection.answer() == (431, error)
        assert connection.is_ended()


CHUNKED = b"POST /api/check HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n"


@pytest.mark.parametrize(
    ("sent", "status", "code", "message"),
    [
        (
            b"GET /" + b"a" * 4_096 + b" HTTP/1.1\r\nHost: x\r\n\r\n",
            414,
            "too-large",
            "an address has at most 4096 bytes",
        ),
        (
            b"GET /health HTTP/1.1\r\nHost: x\r\n" + b"a: b\r\n" * 100 + b"\r\n",
            431,
            "too-large",
            "the head of a request has at most 100 fields",
        ),
        (
            CHUNKED + b"0\r\n" + b"a: b\r\n" * 100 + b"\r\n",
            431,
            "too-large",
            "the head of a request has at most 100 fields",
        ),
        (
            CHUNKED + b"1\r\n \r\n" * 100,
            400,
            "no-http",
            "the body comes in too many small pieces",
        ),
        (
            b"POST /api/nothing HTTP/1.1\r\nHost: x\r\nContent-Length: 9000000\r\n\r\n"
            + b" " * 5_000_000,
            404,
            "no-such-route",
            "Not Found",
        ),
    ],
    ids=["address", "fields", "fields behind a body", "pieces of a body", "a body for nobody"],
)
def test_many_small_things_are_refused_before_all_of_them_are_read(
    client: Client, sent: bytes, status: int, code: str, message: str
) -> None:
    with connected(client) as connection:
        connection.send(sent)
        assert connection.answer() == (status, {"error": {"code": code, "message": message}})
        assert connection.is_ended()


def test_of_many_requests_in_one_packet_the_first_are_answered(client: Client) -> None:
    """Thousands of them would be read, and held, before anybody else is looked at."""
    with connected(client) as connection:
        connection.send(GET * 5_000)
        for _ in range(1 + connections.PIPELINED):
            assert connection.answer() == (200, HEALTHY)
        assert connection.is_ended()


def test_a_body_in_large_pieces_or_few_small_ones_is_read(client: Client) -> None:
    text = b'{"rules": "(role x) ' + b" " * 200_000 + b'"}'
    few = [text[n : n + 1] for n in range(10)] + [text[10:]]
    many = [text[n : n + 300] for n in range(0, len(text), 300)]
    for pieces in (few, many):
        with connected(client) as connection:
            chunks = [b"%x\r\n%s\r\n" % (len(piece), piece) for piece in pieces]
            connection.send(CHUNKED + b"".join(chunks) + b"0\r\n\r\n")
            status, _ = connection.answer()
            assert status == 200


@pytest.mark.parametrize("opcode", [9, 10, 0], ids=["pings", "pongs", "parts"])
def test_a_socket_of_frames_that_are_no_messages_is_ended(client: Client, opcode: int) -> None:
    path = f"{Table(client, ruleset='tictactoe').path}/socket"
    begun = b"\x01\x80\0\0\0\0" if opcode == 0 else b""
    with connected(client) as connection:
        connection.send(opening(path))
        while connection.reader.readline().strip():
            pass
        connection.send(begun + bytes([128 * (opcode > 0) + opcode, 128, 0, 0, 0, 0]) * 400)
        told = connection.reader.read()
        assert told.endswith(b"\x88\x11\x03\xf0too many frames")  # 1008


def test_who_opens_connections_without_end_is_heard_later(tmp_path: Path) -> None:
    slow = Rate(per_second=10, burst=5)
    with served(tmp_path / "m.db", openings=slow) as client:
        began = time.monotonic()
        for _ in range(10):
            with connected(client) as connection:
                connection.send(GET)
                assert connection.answer() == (200, HEALTHY)
        assert time.monotonic() - began > 0.2


def test_more_connections_than_the_server_bears_are_told_to_come_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connections, "SPARE", 2)
    with served(tmp_path / "m.db", sockets=0) as crowded, connected(crowded) as one:
        one.send(GET)
        assert one.answer() == (200, HEALTHY)
        with connected(crowded) as two:
            two.send(GET)
            message = "too many connections are open"
            error = {"error": {"code": "busy", "message": message, "retryAfter": 2.0}}
            assert two.answer() == (503, error)
            assert two.heads["retry-after"] == "2"
            assert two.heads["x-content-type-options"] == "nosniff"


def test_nonsense_takes_no_answer_of_what_came_before_it(client: Client) -> None:
    with connected(client) as connection:
        head, body = post("/api/check", b'{"rules": "(role x"}')
        connection.send(head + body + b"FOO / HTTP/1.1\r\n\r\n")
        status, told = connection.answer()
        assert status == 200
        assert isinstance(told, dict)
        assert told["errors"] == 1
        assert connection.is_ended()


def test_a_name_that_stands_twice_is_refused(client: Client) -> None:
    """Which of two moves was meant nobody can say, and programs before this one may differ."""
    table = Table(client, ruleset="tictactoe")
    action = '{"id": "a", "seq": 0, "type": "MOVE", "move": "a1", "move": "b2"}'
    token = f"Authorization: Bearer {table.tokens['x']}"
    with connected(client) as connection:
        connection.send(*post(f"{table.path}/actions", action.encode(), token))
        message = "the body is no JSON: an object has 'move' twice"
        assert connection.answer() == (400, {"error": {"code": "no-json", "message": message}})
    with client.socket(table.id) as talking:
        hello(talking, table.tokens["x"])
        talking.send(f'{{"type": "action", "action": {action}}}')
        told = hear(talking)
        assert told["type"] == "refused"
        assert told["error"]["message"] == "the message is no JSON: an object has 'move' twice"
    assert table.state()["seq"] == 0


def test_an_origin_that_is_no_address_is_a_foreign_one(client: Client) -> None:
    with connected(client) as connection:
        connection.send(*post("/api/check", b"{}", "Origin: http://[::1"))
        message = "a page of http://[::1 may not ask this server\n  expected: a page of x"
        error = {"error": {"code": "wrong-origin", "message": message}}
        assert connection.answer() == (403, error)


def test_the_head_of_a_stream_is_an_end_of_its_own(client: Client) -> None:
    path = f"{Table(client, ruleset='tictactoe').path}/events"
    with connected(client) as connection:
        connection.send(f"HEAD {path} HTTP/1.1\r\nHost: x\r\n\r\n".encode())
        assert connection.answer(is_head=True) == (200, None)
        connection.send(GET)
        assert connection.answer() == (200, HEALTHY)


@pytest.mark.parametrize(
    ("body", "said"),
    [
        (b'{"rules": ' * 5_000 + b"1" + b"}" * 5_000, "the body has too many levels"),
        (b'{"rules": 1' + b"0" * 5_000 + b"}", "the body is no JSON: a number is too long"),
    ],
    ids=["levels", "digits"],
)
def test_what_python_does_not_read_is_said_in_other_words(
    client: Client, body: bytes, said: str
) -> None:
    answer = client.ask("POST", "/api/check", content=body, expect=400)
    assert answer["error"] == {"code": "no-json", "message": said}


@pytest.mark.parametrize("id_", [[], {}, {"a": [1]}, 5, None, True])
def test_a_log_whose_ruleset_has_no_name_is_no_fault_of_the_server(
    client: Client, id_: object
) -> None:
    log = client.http.get(f"/api/matches/{client.create(ruleset='tictactoe')['match']}/log").text
    header = json.loads(log)
    header["ruleset"]["id"] = id_
    assert client.refused("POST", "/api/imports", 422, json=header) == "invalid"
