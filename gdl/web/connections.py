"""Connections before they ask anything: how many an address has, and how long it may be silent.

In: the settings. Out: uvicorn's protocol of HTTP, with bounds. A server has so many connections
in all; without bounds one address could hold all of them with halves of requests.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from typing import Any, ClassVar, Final

from uvicorn.protocols.http.auto import AutoHTTPProtocol

from gdl.web.settings import Settings

LONGEST_HEAD: Final = 1 << 16
"""Bytes of a request's head."""


class Bounded(AutoHTTPProtocol):  # type: ignore[misc, valid-type]  # chosen when uvicorn is imported
    """HTTP, of which an address may have so many connections, and each must ask in time."""

    settings: ClassVar[Settings]
    open_of: ClassVar[Counter[str]]
    address = ""
    """What this is counted for; empty where it is not counted, or not any more."""
    silence: asyncio.TimerHandle | None = None
    head = 0
    """Bytes of the head that is on its way."""

    def connection_made(self, transport: Any) -> None:  # noqa: ANN401  # of uvicorn
        """Count the connection, or end it where its address has too many."""
        super().connection_made(transport)
        address = self.client[0] if self.client else ""
        if address not in self.settings.proxies:  # behind which there are many
            if self.open_of[address] >= self.settings.connections:
                transport.abort()
                return
            self.address = address
            self.open_of[address] += 1
        self._listen()

    def data_received(self, data: bytes) -> None:
        """Take what was sent; with it begins the time for a head, if none is on its way."""
        if self.silence is None and (self.cycle is None or self.cycle.response_complete):
            self._listen()
        before = self.cycle
        super().data_received(data)
        if self.cycle is not before or not (before is None or before.response_complete):
            self.head = 0
            return
        self.head += len(data)  # of a head that is not whole; not every parser bounds it
        if self.head > LONGEST_HEAD and not self.transport.is_closing():
            self.transport.abort()

    def connection_lost(self, exc: Exception | None) -> None:
        """Count the connection no longer."""
        self._leave()
        super().connection_lost(exc)

    def handle_websocket_upgrade(self, *event: Any) -> None:  # noqa: ANN401  # of h11
        """Count the connection no longer: from here on it is a socket, which `Admission` counts."""
        self._leave()
        super().handle_websocket_upgrade(*event)

    def _listen(self) -> None:
        """Give the client time for the head of a request."""
        self.silence = asyncio.get_running_loop().call_later(
            self.settings.head_seconds, self._hang_up, self.cycle
        )

    def _hang_up(self, before: object) -> None:
        self.silence = None
        if self.cycle is not before:  # a request came; half of another may stand behind it
            if self.cycle.response_complete:
                self._listen()
        elif not self.transport.is_closing():
            self.transport.abort()

    def _leave(self) -> None:
        if self.silence is not None:
            self.silence.cancel()
            self.silence = None
        if self.address:
            self.open_of[self.address] -= 1
            if not self.open_of[self.address]:
                del self.open_of[self.address]
            self.address = ""


def bounded(settings: Settings) -> type[asyncio.Protocol]:
    """Return the protocol of one server; its connections are counted together."""
    return type("Bounded", (Bounded,), {"settings": settings, "open_of": Counter()})
