"""``gdl serve``: matches over HTTP and WebSocket."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from ipaddress import ip_address, ip_network
from typing import TYPE_CHECKING, Annotated, Any

import typer

from gdl.cli.terminal.console import say
from gdl.cli.terminal.guard import UsageError
from gdl.language.packages import need_packages

if TYPE_CHECKING:
    from gdl.web.agents import Offered

LOOPBACK = ("127.0.0.1", "localhost", "::1")
"""Names of the machine for itself: a page from elsewhere cannot be under them."""
ANYBODY = "*"
"""Stands for every address, in place of a proxy's."""
PACKAGES = ("prometheus_client", "pydantic", "sqlalchemy", "starlette", "uvicorn", "websockets")


def _option(name: str, *more: str, **fields: Any) -> Any:  # noqa: ANN401  # of typer
    """Return an option that may stand in the environment, as containers and services have it."""
    variable = "GDL_SERVE_" + name.removeprefix("--").replace("-", "_").upper()
    return typer.Option(name, *more, envvar=variable, show_envvar=False, **fields)


def serve(
    database: Annotated[
        str,
        typer.Option(
            "--database",
            "-d",
            metavar="FILE",
            envvar="GDL_DATABASE",
            help="Where matches are kept: a file, or a URL such as "
            "postgresql+psycopg://user@host/name.",
        ),
    ] = "matches.db",
    host: Annotated[
        str, _option("--host", metavar="ADDRESS", help="The address to listen on.")
    ] = "127.0.0.1",
    port: Annotated[
        int, _option("--port", "-p", min=0, max=65535, help="0 for any that is free.")
    ] = 8000,
    thinking: Annotated[
        int, _option("--thinking", metavar="N", min=1, help="Programs that think at once.")
    ] = 2,
    workers: Annotated[
        int,
        _option(
            "--workers",
            "-w",
            metavar="N",
            min=1,
            max=64,
            help="Processes that serve; --thinking and --matches are divided among them.",
        ),
    ] = 1,
    matches: Annotated[
        int,
        _option(
            "--matches", metavar="N", min=1, help="Matches held in memory; others are read again."
        ),
    ] = 1_000,
    proxies: Annotated[
        list[str] | None,
        _option(
            "--proxy",
            metavar="ADDRESS",
            help="A proxy in front of this server, repeatable: its X-Forwarded-For says who asks. "
            "Nobody else's is believed.",
        ),
    ] = None,
    names: Annotated[
        list[str] | None,
        _option(
            "--name",
            metavar="NAME",
            help="A name under which the server may be asked, repeatable; default: on this "
            "machine's own address its own names, else any.",
        ),
    ] = None,
    tables: Annotated[
        str | None,
        _option(
            "--tables",
            metavar="FOLDER",
            help="Tables of gdl solve -o (*.table): analyses of these games are exact everywhere.",
        ),
    ] = None,
    players: Annotated[
        list[str] | None,
        typer.Option(
            "--player",
            metavar="NAME=SPEC",
            help="A program to offer under that name, repeatable: whatever gdl play --against "
            "takes, such as Anna=connectfour.gdlnet. One of gdl train is offered for its rules.",
        ),
    ] = None,
    unlimited: Annotated[
        bool,
        _option(
            "--no-rate-limits",
            help="Let clients ask as often, and open as many sockets, as they like, and "
            "refuse nobody when there is too much to do.",
        ),
    ] = False,
) -> None:
    """Let people and programs play matches, in the browser or over HTTP and WebSocket.

    Every ruleset can be played, and rule files that somebody sends. An action that was
    answered is on the disk. docs/serve.md describes every route and message.
    Options may stand in the environment as well, --name as GDL_SERVE_NAME.

    Examples:
      gdl serve
      gdl serve --port 9000 --database /var/lib/gdl/matches.db
      gdl serve --player Anna=connectfour.gdlnet --player Bo=./mine.py
      gdl serve -d postgresql+psycopg://gdl@localhost/matches --workers 4
    """
    need_packages("serving", PACKAGES, "serve")
    if tables is not None:
        need_packages("--tables", ("numpy",), "native")
    from gdl.web.server import serve as run
    from gdl.web.settings import Rate, Settings

    settings = Settings(
        players=_offered(players or ()),
        agents=thinking,
        matches=matches,
        tables=tables,
        proxies=tuple(map(_proxy, proxies or ())),
        names=tuple(names or (LOOPBACK if host in LOOPBACK and not proxies else ())),
    )
    if unlimited:
        free = Rate(per_second=1e9, burst=1e9)
        settings = replace(
            settings,
            reads=free,
            acts=free,
            creations=free,
            openings=free,
            late_seconds=1e9,
            connections=10_000,
            client_sockets=settings.sockets,
            client_seats=settings.sockets,
        )

    def started(bound: int) -> None:
        shown = f"[{host}]" if ":" in host else host
        say(f"Serving on http://{shown}:{bound}/  (stop with Ctrl-C)")

    run(
        database,
        host=host,
        port=port,
        settings=settings,
        workers=workers,
        on_start=started,
    )


def _proxy(text: str) -> str:
    """Return the address or network of a proxy; a name would be believed of nobody, in silence.

    Raises:
        UsageError: It is neither.
    """
    try:
        return str(ip_network(text)) if "/" in text else str(ip_address(text))
    except ValueError as error:
        if text == ANYBODY:
            return text
        raise UsageError(
            f"--proxy {text}: this is no address",
            expected="an address, a network such as 10.0.0.0/8, or * for whoever connects",
        ) from error


def _offered(texts: Sequence[str]) -> tuple[Offered, ...]:
    """Return the programs that are offered.

    Raises:
        UsageError: One of them cannot be, or two have one name.
    """
    from gdl.language.diagnostics import GdlError
    from gdl.web.agents import offered

    players: dict[str, Offered] = {}
    for text in texts:
        try:
            player = offered(text)
        except GdlError as error:
            raise UsageError(f"--player {text}: {error}") from error
        if player.name in players:
            raise UsageError(f"--player {text}: {player.name} is offered twice")
        players[player.name] = player
    return tuple(players.values())
