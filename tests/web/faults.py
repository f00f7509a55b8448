"""A server as a process that is killed and started again, and players that come back each time."""

from __future__ import annotations

import asyncio
import json
import os
import random
import signal
import socket
import subprocess
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx
from websockets.asyncio.client import connect
from websockets.exceptions import WebSocketException

ROOT = Path(__file__).resolve().parents[2]
LOST = (OSError, WebSocketException, EOFError, TimeoutError)
"""What a client meets when its server is killed."""


class Process:
    """A server of its own, always on the same port and database."""

    def __init__(
        self, database: Path | str, *more: str, program: str = "gdl", log: Path | None = None
    ) -> None:
        """Choose a port; nothing runs yet.

        Args:
            database: Where matches are kept.
            more: Further options.
            program: The module that is run.
            log: Where its log goes; nowhere by default.
        """
        self._more = more
        self._program = program
        self._log = Path(os.devnull) if log is None else log
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self.port: int = probe.getsockname()[1]
        self.base = f"http://127.0.0.1:{self.port}"
        self._database = database
        self._running: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        """Start it, and wait until it answers."""
        command = ["serve", "-d", str(self._database), "-p", str(self.port), "--no-rate-limits"]
        command += self._more
        with self._log.open("ab") as log:
            self._running = subprocess.Popen(
                [sys.executable, "-m", self._program, *command],
                stdout=subprocess.DEVNULL,
                stderr=log,
                cwd=ROOT,
                env={**os.environ, "PYTHONPATH": str(ROOT)},
            )
        for _ in range(600):
            try:
                if httpx.get(f"{self.base}/health").status_code == 200:
                    return
            except httpx.HTTPError:
                pass
            assert self._running.poll() is None, "the server ended by itself"
            time.sleep(0.1)
        raise AssertionError("the server did not come up")

    @property
    def pid(self) -> int:
        """Its process."""
        assert self._running is not None
        return self._running.pid

    def end(self) -> None:
        """Tell it to end, and wait until it has."""
        assert self._running is not None
        self._running.send_signal(signal.SIGTERM)
        self._running.wait(30)

    def kill(self) -> None:
        """Kill it at once."""
        assert self._running is not None
        self._running.send_signal(signal.SIGKILL)
        self._running.wait(30)


@dataclass
class Player:
    """Somebody in one seat who comes back until the match is over.

    Attributes:
        acknowledged: What the server said is done, by sequence number.
        returns: How often the connection was lost.
        last: The state that was seen last.
        pending: The action that was not answered yet.
        telling: Set with every answer.
    """

    address: str
    role: str
    token: str
    chance: random.Random
    acknowledged: dict[int, dict[str, Any]] = field(default_factory=dict)
    returns: int = 0
    last: dict[str, Any] = field(default_factory=dict)
    pending: dict[str, Any] | None = None
    telling: asyncio.Event = field(default_factory=asyncio.Event)

    async def play(self) -> None:
        """Play to the end."""
        while self.last.get("status") != "finished":
            try:
                await asyncio.wait_for(self._talk(), 120)
            except LOST:
                self.returns += 1
                await asyncio.sleep(0.1)

    async def _talk(self) -> None:
        async with connect(self.address, max_size=None) as server:
            hello = {"type": "hello", "token": self.token, "since": self.last.get("seq", 0)}
            await server.send(json.dumps(hello))
            if self.pending is not None:  # not answered: once more, under the same id
                await server.send(json.dumps({"type": "action", "action": self.pending}))
            async for text in server:
                if await self._hear(server, json.loads(text)):
                    return

    async def _hear(self, server: Any, message: dict[str, Any]) -> bool:  # noqa: ANN401  # a socket
        """Take in a message, and move if it is our turn; return whether the match is over."""
        if message["type"] == "accepted":
            self.acknowledged[message["entry"]["seq"]] = message["entry"]
            self.pending = None
            self.telling.set()
        elif message["type"] == "refused":
            raise AssertionError(message)
        else:
            self.last = message["state"]
        if self.pending is None and self.role in self.last.get("toMove", ()):
            seq = self.last["seq"]
            if seq in self.acknowledged:
                return False  # the state that follows it is on its way
            move = self.chance.choice(self.last["legal"][self.role]["moves"])
            self.pending = {"id": f"{self.role}.{seq}", "seq": seq, "type": "MOVE", "move": move}
            await server.send(json.dumps({"type": "action", "action": self.pending}))
        return bool(self.last.get("status") == "finished" and self.pending is None)


def seat(base: str, ruleset: str, chance: random.Random) -> tuple[str, list[Player]]:
    """Begin a match; return its name and its players."""
    roles = {"connectfour": ("red", "yellow"), "tictactoe": ("x", "o")}[ruleset]
    request = {"ruleset": ruleset, "seats": {role: {} for role in roles}}
    made = httpx.post(f"{base}/api/matches", json=request, timeout=60).json()
    address = f"{base.replace('http', 'ws', 1)}/api/matches/{made['match']}/socket"
    players = [
        Player(address, role, made["seats"][role]["token"], random.Random(chance.random()))
        for role in roles
    ]
    return made["match"], players
