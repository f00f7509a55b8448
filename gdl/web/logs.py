"""The log of the server: one JSON object a line, without secrets."""

from __future__ import annotations

import json
import logging
import time
from typing import Any, Final

from starlette.types import ASGIApp, Message, Receive, Scope, Send

LOG: Final = logging.getLogger("gdl.web")


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
            line["error"] = self.formatException(record.exc_info)
        return json.dumps(line)


def log_to_stderr() -> None:
    """Write the server's log to standard error."""
    handler = logging.StreamHandler()
    handler.setFormatter(JsonLines())
    LOG.addHandler(handler)
    LOG.setLevel(logging.INFO)
    LOG.propagate = False


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
