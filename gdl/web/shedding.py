"""Requests that are refused before anything else is done for them, while there is too much to do.

In: requests, and how late the server is (`gdl.web.overload`). Out: the same, or a refusal that was
written once, for all of them: to find a route for a request, and to log it, takes half as long as
to do it, and of ten times the load nine tenths are refused. They are counted, and told of in one
line of the log a second.
"""

from __future__ import annotations

from typing import Final

from starlette.types import ASGIApp, Receive, Scope, Send

from gdl.web.logs import Seldom
from gdl.web.metrics import Metrics
from gdl.web.overload import Asks, Overload, too_much
from gdl.web.secure import refusal

OWN: Final = ("/health", "/metrics")
"""What those ask who run the server: answered when it is late, too."""


class Shedding:
    """Middleware: refuses, while the server is late, who can wait longer than others."""

    def __init__(self, app: ASGIApp, overload: Overload, metrics: Metrics) -> None:
        """Wrap an application."""
        self._app = app
        self._overload = overload
        self._metrics = metrics
        self._refusal = refusal(too_much())
        self._line = Seldom("busy", "refused")

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass on what there is time for; sockets say later who asks, and are refused there."""
        is_asked = scope["type"] == "http" and scope["path"] not in OWN
        if is_asked and self._overload.is_beyond(_asks(scope)):
            status = self._refusal.status_code
            self._metrics.request(method=scope["method"], route="any", status=status)
            self._line.note(late=round(self._overload.late, 3))
            await self._refusal(scope, receive, send)
            return
        await self._app(scope, receive, send)


def _asks(scope: Scope) -> Asks:
    """Return who asks; that a token is none of a seat shows later, and helps nobody."""
    if any(name == b"authorization" for name, _ in scope["headers"]):
        return Asks.PLAYING
    return Asks.ASKING if scope["method"] == "POST" else Asks.WATCHING
