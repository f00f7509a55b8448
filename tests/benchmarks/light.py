"""Clients that cost next to nothing, so that what is measured is the server.

A client that is written with a library of sockets takes more of the processor than the server
that it asks. Here all connections are read by one loop, requests are bytes that were written
before, and of an answer only what says whether it is one is looked at. Each client may have an
address of its own, out of 127.0.0.0/8.
"""

from __future__ import annotations

import base64
import json
import os
import re
import select
import socket
import time
from collections import deque
from collections.abc import Callable, Generator, Iterable
from contextlib import suppress
from dataclasses import dataclass, field
from typing import TypeAlias
from urllib.parse import urlsplit

ACCEPTED, REFUSED = 201, 503
STATUSES = {b"accepted": ACCEPTED, b"refused": REFUSED}
CLOSE, PING, PONG = 8, 9, 10
LENGTH = re.compile(rb"content-length: (\d+)", re.IGNORECASE)


@dataclass
class Figures:
    """What was measured.

    Attributes:
        waits: How long each took, in seconds.
        refused: How many were refused.
    """

    waits: list[float] = field(default_factory=list)
    refused: int = 0

    def share(self, part: float) -> float:
        """Return the wait below which so many of all lie, in milliseconds."""
        return sorted(self.waits)[int(part * (len(self.waits) - 1))] * 1000


class Wire:
    """A connection to a server, on which one thing is asked at a time."""

    def __init__(self, base: str, source: str = "") -> None:
        """Connect, from an address of this machine."""
        address = urlsplit(base)
        self.host = address.netloc
        self._where, self._source = (address.hostname or "", address.port or 0), (source, 0)
        self.connect()

    def connect(self) -> None:
        """Connect, or connect again where the server has hung up."""
        self.plain = socket.create_connection(self._where, 60, self._source)
        self.plain.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.seen = b""

    def ask(self, method: str, path: str, value: object = None, token: str = "") -> bytes:
        """Return the bytes of a request."""
        body = b"" if value is None else json.dumps(value).encode()
        head = [f"{method} {path} HTTP/1.1", f"Host: {self.host}", f"Content-Length: {len(body)}"]
        head += ["Content-Type: application/json"] if body else []
        head += [f"Authorization: Bearer {token}"] if token else []
        return "\r\n".join([*head, "", ""]).encode() + body

    def now(self, request: bytes) -> bytes:
        """Return the body of the answer to a request; waits for it."""
        self.plain.settimeout(60)
        self.plain.sendall(request)
        while (found := self._answer()) is None:
            self._read()
        status, body = found
        assert status in {200, 201}, (status, body)
        return body

    def open(self, match: str, token: str) -> None:
        """Make it a socket of a match, and wait for the first message."""
        self.plain.settimeout(60)
        key = base64.b64encode(os.urandom(16)).decode()
        head = [f"GET /api/matches/{match}/socket HTTP/1.1", f"Host: {self.host}"]
        head += ["Upgrade: websocket", "Connection: Upgrade", "Sec-WebSocket-Version: 13"]
        self.plain.sendall("\r\n".join([*head, f"Sec-WebSocket-Key: {key}", "", ""]).encode())
        while b"\r\n\r\n" not in self.seen:
            self._read()
        self.seen = self.seen.partition(b"\r\n\r\n")[2]
        hello = {"type": "hello", "token": token} if token else {"type": "hello"}
        self.plain.sendall(frame(json.dumps(hello)))
        while (message := self._message()) is None:
            self._read()
        assert kind(message) == b"state", message

    def statuses(self, *, is_socket: bool) -> Iterable[int]:
        """Read what is there; yield the status of each answer in it, 0 for a message of a match."""
        self._read()
        if is_socket:
            while (message := self._message()) is not None:
                yield STATUSES.get(kind(message), 0)
        else:
            while (found := self._answer()) is not None:
                yield found[0]

    def has_ended(self) -> bool:
        """Return whether the server has hung up, and nothing is left to read."""
        try:
            return self.plain.recv(1, socket.MSG_PEEK) == b""
        except ConnectionResetError:
            return True

    def _read(self) -> None:
        data = self.plain.recv(1 << 18)
        assert data, f"the server has hung up: {self.seen[-300:]!r}"
        self.seen += data

    def _message(self) -> bytes | None:
        """Take a message of a socket that is here whole; servers send them as one frame."""
        if len(self.seen) < 2:  # what says how long it is
            return None
        size, begin = self.seen[1], 2
        if size in {126, 127}:
            begin = 4 if size == 126 else 10  # RFC 6455, section 5.2
            size = int.from_bytes(self.seen[2:begin])
        if len(self.seen) < begin + size:
            return None
        opcode = self.seen[0] & 0x0F
        message, self.seen = self.seen[begin : begin + size], self.seen[begin + size :]
        assert opcode != CLOSE, f"the server has closed the socket: {message!r}"
        if opcode != PING:
            return message
        self.plain.send(bytes([0x80 | PONG, 0x80 | size]) + bytes(4) + message)
        return self._message()

    def _answer(self) -> tuple[int, bytes] | None:
        """Take an answer of HTTP that is here whole."""
        head, end, rest = self.seen.partition(b"\r\n\r\n")
        found = LENGTH.search(head)
        if not end or found is None or len(rest) < (size := int(found[1])):
            return None
        self.seen = rest[size:]
        return int(head[9:12]), rest[:size]


def kind(message: bytes) -> bytes:
    """Return the type of a message, which is its first field, without reading the others."""
    return message[:30].split(b'"', 4)[3]


def frame(text: str) -> bytes:
    """Return a message of a client to a socket: masked with zeros, which leaves it as it is."""
    size = len(text)
    long = bytes([0x80 | 126]) + size.to_bytes(2)
    return (
        b"\x81" + (bytes([0x80 | size]) if size < 126 else long) + bytes(4) + text.encode()
    )  # RFC 6455, section 5.2


Player: TypeAlias = Generator[tuple[Wire, bytes], int]
"""Whoever asks one thing after the other: where, and what; it is sent the status."""


class Loop:
    """All that ask, and what they wait for."""

    def __init__(self, wires: Iterable[Wire], *, is_socket: bool) -> None:
        """Listen to some connections."""
        self.figures = Figures()
        self._is_socket = is_socket
        self._poll = select.epoll()
        self._wires: dict[int, Wire] = {}
        self._waiting: dict[int, tuple[Player, float]] = {}
        for wire in wires:
            self._listen(wire)

    def _send(self, player: Player, asked: tuple[Wire, bytes]) -> None:
        wire, request = asked
        self._waiting[wire.plain.fileno()] = player, time.perf_counter()
        wire.plain.send(request)

    def _connect_again(self, number: int) -> None:
        wire = self._wires.pop(number)
        self._poll.unregister(number)
        wire.plain.close()
        wire.connect()
        self._listen(wire)

    def _listen(self, wire: Wire) -> None:
        wire.plain.settimeout(0)
        self._wires[wire.plain.fileno()] = wire
        self._poll.register(wire.plain.fileno(), select.EPOLLIN)

    def _answered(self, timeout: float) -> Iterable[tuple[Player, int]]:
        """Yield who was answered, and with what status."""
        for number, _ in self._poll.poll(timeout):
            if number not in self._waiting and self._wires[number].has_ended():
                self._connect_again(number)  # as servers do with whoever asks nothing for long
                continue
            for status in self._wires[number].statuses(is_socket=self._is_socket):
                if not status:
                    continue
                player, began = self._waiting.pop(number)
                if status == ACCEPTED:
                    self.figures.waits.append(time.perf_counter() - began)
                else:
                    self.figures.refused += 1
                yield player, status

    def play(self, players: Iterable[Player]) -> float:
        """Let all play to their ends, each asking as soon as it is answered; return the seconds."""
        began = time.perf_counter()
        for player in players:
            self._send(player, next(player))
        while self._waiting:
            for player, status in self._answered(60):
                with suppress(StopIteration):
                    self._send(player, player.send(status))
        return time.perf_counter() - began

    def offer(self, players: Iterable[Player], rate: float, seconds: float) -> int:
        """Let somebody who is not waiting ask so many times a second, whatever is answered.

        Returns how many times nobody was left who could have asked.
        """
        idle = deque((player, next(player)) for player in players)
        began = time.perf_counter()
        done = missed = 0
        while (passed := time.perf_counter() - began) < seconds:
            for _ in range(int(passed * rate) - done):
                done += 1
                if idle:
                    self._send(*idle.popleft())
                else:
                    missed += 1
            for player, status in self._answered(0.001):
                with suppress(StopIteration):
                    idle.append((player, player.send(status)))
        while self._waiting:
            for _ in self._answered(60):
                pass
        return missed


def told(wires: Iterable[Wire], ask: Callable[[], object], spectators: int) -> list[float]:
    """Ask for something; return after how many seconds each of so many spectators was told."""
    with select.epoll() as poll:
        by_number = {wire.plain.fileno(): wire for wire in wires}
        for number, wire in by_number.items():
            wire.plain.settimeout(0)
            poll.register(number, select.EPOLLIN)
        waits: list[float] = []
        began = time.perf_counter()
        ask()
        while len(waits) < spectators:
            for number, _ in poll.poll(60):
                count = len(list(by_number[number].statuses(is_socket=True)))
                waits += [time.perf_counter() - began] * count
    return waits
