"""The log of the server: one JSON object a line, without secrets."""

from __future__ import annotations

import json
import logging
import time
from typing import TYPE_CHECKING, Any, Final

from gdl.language.diagnostics import GdlError

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

LOG: Final = logging.getLogger("gdl.web")
SERVER: Final = logging.getLogger("uvicorn.error")
"""What uvicorn says."""
OF_CLIENTS: Final = (
    "ASGI callable returned without completing handshake.",
    "Invalid UTF-8 sequence received from client.",
)
"""What it calls errors, and is only what a client has sent, or was refused."""
LINE_SECONDS: Final = 1.0
"""How often it is logged what may happen thousands of times a second."""


class JsonLines(logging.Formatter):
    """One JSON object a line."""

    def format(self, record: logging.LogRecord) -> str:
        """Return the record as a line."""
        moment = time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(record.created))
        line: dict[str, Any] = {
            "time": f"{moment}.{int(record.msecs):03}Z",
            "level": record.levelname.lower(),
            "process": record.process,
            "event": record.getMessage(),
            **getattr(record, "fields", {}),
        }
        if record.exc_info:
            error = record.exc_info[1]
            is_foreseen = isinstance(error, GdlError)
            line["error"] = str(error) if is_foreseen else self.formatException(record.exc_info)
        return json.dumps(line)


class Seldom:
    """What is logged once a second at most, with how often it has happened since."""

    def __init__(self, event: str, counted: str, level: int = logging.INFO) -> None:
        """Begin with nothing to tell; ``counted`` is what the line calls how often it was."""
        self._event, self._counted, self._level = event, counted, level
        self._times = 0
        self._logged = float("-inf")

    def note(self, **fields: object) -> None:
        """Note that it happens; ``fields`` tell of this time."""
        self._times += 1
        if (now := time.monotonic()) - self._logged >= LINE_SECONDS:
            told = {self._counted: self._times, **fields}
            LOG.log(self._level, self._event, extra={"fields": told})
            self._times, self._logged = 0, now


def log_to_stderr() -> None:
    """Write the server's log to standard error, and what libraries have to say in the same form."""
    handler = logging.StreamHandler()
    handler.setFormatter(JsonLines())
    LOG.setLevel(logging.INFO)
    SERVER.setLevel(logging.ERROR)
    SERVER.addFilter(lambda record: record.msg not in OF_CLIENTS)
    logging.getLogger().addHandler(handler)
    logging.captureWarnings(capture=True)


class Logged:
    """Middleware: one line a request. Addresses are without their query."""

    def __init__(self, app: ASGIApp) -> None:
        """Wrap an application."""
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass on, and note the status."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        began = time.perf_counter()
        status = 0

        async def noted(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
            await send(message)

        try:
            await self._app(scope, receive, noted)
        finally:
            client = scope.get("client")
            fields = {
                "method": scope["method"],
                "path": scope["path"],
                "status": status,
                "ms": round((time.perf_counter() - began) * 1000, 2),
                "client": client[0] if client else None,
            }
            LOG.info("request", extra={"fields": fields})
