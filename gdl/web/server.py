"""Running the server: uvicorn, with one JSON line a request on standard error.

In: an address, a database, settings. Out: a server that runs until it is told to stop, or
several (`gdl.web.workers`).
"""

from __future__ import annotations

import asyncio
import gc
import multiprocessing
import os
import socket
import sys
import threading
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any, Final

import uvicorn

from gdl.language.diagnostics import GdlError
from gdl.match.store import open_store
from gdl.web.agents import listed
from gdl.web.app import build
from gdl.web.connections import bounded
from gdl.web.logs import LOG, log_to_stderr
from gdl.web.neighbours import neighbours_of
from gdl.web.service import Service
from gdl.web.settings import Settings, allow_files
from gdl.web.tables import Tables
from gdl.web.workers import supervise

MOMENT: Final = 0.0005
"""Seconds for which a thread may hold the interpreter while another one wants it."""
ACCEPTED: Final = 32
"""Connections that are accepted in a turn of the loop: of several workers no one has them all."""
YOUNG: Final = 5_000
"""So many more objects are there when the collector looks at those that are new."""
OLD: Final = 100
"""Times ten such looks, and it looks at all. Seldom, as what is asked leaves no cycles behind."""


class ListenError(GdlError):
    """The address or the port cannot be had; says why."""


class Server(uvicorn.Server):
    """A server that says where it listens."""

    def __init__(
        self,
        config: uvicorn.Config,
        on_start: Callable[[int], None],
        on_end: Callable[[], None],
    ) -> None:
        """Prepare it; ``on_start`` is called with the port, ``on_end`` when it is told to end."""
        super().__init__(config)
        self._on_start, self._on_end = on_start, on_end
        self._listening: list[socket.socket] = []
        self._accepting: set[asyncio.Task[Any]] = set()

    async def startup(self, sockets: Any = None) -> None:  # noqa: ANN401  # as uvicorn has it
        """Listen, then say so."""
        await super().startup(sockets)
        if not (self.started and self.servers):
            return
        for listening in sockets or ():
            beside = listening.dup()  # as loops listen to a file once
            self._listening.append(beside)
            with suppress(NotImplementedError):  # a loop of Windows, which accepts by itself
                asyncio.get_running_loop().add_reader(beside, self._accept, beside)
        self._on_start(self.servers[0].sockets[0].getsockname()[1])

    def _accept(self, listening: socket.socket) -> None:
        """Accept several connections in this turn of the loop; uvloop accepts one in each.

        Where there is more to do than can be done a turn takes long, and whoever connects then
        would not even be refused for seconds.
        """
        loop = asyncio.get_running_loop()
        with suppress(OSError):  # nobody else is there, or no file is free
            for _ in range(ACCEPTED):
                connection, _ = listening.accept()
                connection.settimeout(0)
                task = loop.create_task(loop.connect_accepted_socket(self._protocol, connection))
                self._accepting.add(task)
                task.add_done_callback(self._accepting.discard)

    def _protocol(self) -> asyncio.Protocol:
        http: Any = self.config.http_protocol_class
        state = {"server_state": self.server_state, "app_state": self.lifespan.state}
        protocol: asyncio.Protocol = http(config=self.config, **state)
        return protocol

    async def shutdown(self, sockets: Any = None) -> None:  # noqa: ANN401  # as uvicorn has it
        """Accept nobody more, and end."""
        for listening in self._listening:
            with suppress(NotImplementedError):
                asyncio.get_running_loop().remove_reader(listening)
            listening.close()
        self._on_end()
        await super().shutdown(sockets)


def serve(  # noqa: PLR0913  # what the command can be told
    database: str,
    *,
    host: str,
    port: int,
    settings: Settings,
    workers: int = 1,
    on_start: Callable[[int], None] = lambda _: None,
) -> None:
    """Serve until interrupted.

    Args:
        database: A file, or a URL; see `gdl.match.store.open_store`.
        host: Address to listen on.
        port: Port; 0 for any that is free.
        settings: What is allowed.
        workers: How many processes serve.
        on_start: Called with the port once requests are answered.

    Raises:
        StoreError: The database cannot be used.
        NoTablesError: The folder of tables cannot be used.
        TableError: A file in it is no table.
        ListenError: The address or the port cannot be had.
        WorkersError: Several workers cannot be had.
    """
    log_to_stderr()
    allow_files()
    Tables(settings.tables)  # both here once, so that what is wrong with them is said here
    store = open_store(database)
    # The socket listens before there are workers: they share it, and the kernel hands each
    # connection to one of them. Whoever connects meanwhile waits, and is not refused.
    with listen(host, port) as listening:
        bound = listening.getsockname()[1]
        if workers > 1:
            store.close()  # a connection to a database cannot be shared: each worker has its own
            supervise(
                work,
                database,
                listening,
                count=workers,
                settings=settings,
                on_start=lambda: on_start(bound),
            )
            return
        service = Service(store, settings, neighbours_of(store.url, None))
        server = make_server(service, on_start=on_start)
        settle()
        server.run(sockets=[listening])


def work(
    database: str,
    listening: socket.socket,
    settings: Settings,
    home: Path,
    on_start: Callable[[], None],
) -> None:
    """Serve as one of several workers, which share the folder ``home``."""
    log_to_stderr()
    allow_files()
    try:
        store = open_store(database)
    except GdlError as error:
        LOG.exception("a worker cannot start")
        raise SystemExit(1) from error
    service = Service(store, settings, neighbours_of(store.url, home))
    server = make_server(service, on_start=lambda _: on_start())
    threading.Thread(target=_end_with_parent, args=(server,), daemon=True).start()
    settle()
    server.run(sockets=[listening])


def settle() -> None:
    """Let the event loop be held up by as little as can be, as all wait while it is.

    What takes a third of a second to import is here before anybody asks for it: the programs that
    may sit down, of which every page wants a list.
    Whoever reads a long log in a thread gives the interpreter back after `MOMENT`, not five
    milliseconds: the loop asks for it several times for each request. The collector of cycles
    leaves alone what is here for good, and looks less often.

    The collector looks at all objects again and again while everybody waits: beside a thousand
    sockets 140 ms, of which a third went to libraries and rules, and a tenth of what an action
    costs.
    """
    listed()
    sys.setswitchinterval(MOMENT)
    gc.collect()
    gc.freeze()
    gc.set_threshold(YOUNG, 10, OLD)


def _end_with_parent(server: Server) -> None:
    """Tell a worker to end when the process that started it has died."""
    if (parent := multiprocessing.parent_process()) is not None:
        parent.join()
        server.should_exit = True


def listen(host: str, port: int) -> socket.socket:
    """Return a socket that listens; whoever connects waits until somebody accepts.

    The socket says that its protocol is TCP, which `socket.create_server` leaves open: an event
    loop sends small answers at once (TCP_NODELAY) only where it knows that. Where it does not,
    the second part of an answer waits some 40 ms for the client to acknowledge the first.

    Raises:
        ListenError: The address or the port cannot be had.
    """
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        listening = socket.create_server((host, port), family=family)
    except (OSError, UnicodeError) as error:
        number = getattr(error, "errno", None) or 0
        reason = os.strerror(number) if number > 0 else getattr(error, "strerror", str(error))
        raise ListenError(
            f"cannot listen on {host}, port {port}: {reason}",
            expected="an address of this machine and a port that is free; --port 0 takes any",
        ) from error
    return socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP, listening.detach())


def make_server(service: Service, *, on_start: Callable[[int], None] = lambda _: None) -> Server:
    """Return a server of a service, ready to run; see `serve`."""
    settings = service.settings
    http, sockets = bounded(settings, service.admission)
    config = uvicorn.Config(
        build(service),
        log_config=None,
        access_log=False,
        http=http,
        ws=sockets,
        ws_per_message_deflate=False,  # half a millisecond a message, and a socket's memory
        proxy_headers=bool(settings.proxies),
        forwarded_allow_ips=list(settings.proxies),
        ws_max_size=settings.message * 4,
        ws_ping_interval=20,
        ws_ping_timeout=20,
        timeout_keep_alive=30,
        timeout_graceful_shutdown=3,
        server_header=False,
    )
    return Server(config, on_start, service.let_all_go)
