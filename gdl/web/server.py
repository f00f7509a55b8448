"""Running the server: uvicorn, with one JSON line a request on standard error.

In: an address, a database, settings. Out: a server that runs until it is told to stop.

Source: ours.
"""

from __future__ import annotations

import json
import logging
import time
from collections.abc import Callable
from typing import Any, Final

import uvicorn

from gdl.match.store import open_store
from gdl.web.app import build
from gdl.web.service import Service
from gdl.web.settings import Settings

LOG: Final = logging.getLogger("gdl.web")


class JsonLines(logging.Formatter):
    """One JSON object a line."""

    def format(self, record: logging.LogRecord) -> str:
        """Return the record as a line."""
        line: dict[str, Any] = {
            "time": time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(record.created))
            + f".{int(record.msecs):03}Z",
            "level": record.levelname.lower(),
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


class Server(uvicorn.Server):
    """A server that says where it listens."""

    def __init__(self, config: uvicorn.Config, on_start: Callable[[int], None]) -> None:
        """Prepare it; ``on_start`` is called with the port."""
        super().__init__(config)
        self._on_start = on_start

    async def startup(self, sockets: Any = None) -> None:  # noqa: ANN401  # as uvicorn has it
        """Listen, then say so."""
        await super().startup(sockets)
        if self.started and self.servers:
            self._on_start(self.servers[0].sockets[0].getsockname()[1])


def serve(
    database: str,
    *,
    host: str,
    port: int,
    settings: Settings,
    on_start: Callable[[int], None] = lambda _: None,
) -> None:
    """Serve until interrupted.

    Args:
        database: A file, or a URL; see `gdl.match.store.open_store`.
        host: Address to listen on.
        port: Port; 0 for any that is free.
        settings: What is allowed.
        on_start: Called with the port once requests are answered.

    Raises:
        StoreError: The database cannot be used.
    """
    log_to_stderr()
    config = uvicorn.Config(
        build(Service(open_store(database), settings)),
        host=host,
        port=port,
        log_config=None,
        access_log=False,
        ws="websockets-sansio",
        ws_max_size=settings.message * 4,
        ws_ping_interval=20,
        ws_ping_timeout=20,
        h11_max_incomplete_event_size=32_768,
        timeout_keep_alive=30,
        timeout_graceful_shutdown=3,
        server_header=False,
        limit_concurrency=settings.sockets + 500,
    )
    Server(config, on_start).run()
