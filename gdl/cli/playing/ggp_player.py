"""``gdl ggp-player``: a player that game managers can ask."""

from __future__ import annotations

from typing import Annotated

import typer

from gdl.cli.terminal.console import say
from gdl.cli.terminal.guard import UsageError
from gdl.cli.terminal.options import SeedOption
from gdl.language.diagnostics import GdlError

PORT = 9147
"""Where players are customarily found; `gdl.ggp.server.PORT`, which this need not load."""


def ggp_player(
    player: Annotated[
        str,
        typer.Option(
            "--player", "-p", metavar="PLAYER", help="Who plays, for instance random or mcts."
        ),
    ] = "random",
    port: Annotated[
        int, typer.Option("--port", min=0, max=65_535, help="Where to listen; 0 for any free port.")
    ] = PORT,
    host: Annotated[
        str, typer.Option("--host", help="Address to listen on; 0.0.0.0 for all of this machine.")
    ] = "127.0.0.1",
    name: Annotated[
        str | None, typer.Option("--name", help="What it calls itself.", show_default="gdl-PLAYER")
    ] = None,
    matches: Annotated[
        int, typer.Option("--matches", min=1, help="Matches at the same time; busy from then on.")
    ] = 8,
    seed: SeedOption = 0,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Say nothing of matches.")] = False,
) -> None:
    """Play any game over the protocol of the General Game Playing world, until Ctrl-C.

    It answers info, preview, start, play, stop and abort, plays several matches at the same time,
    and keeps its clocks. Try it with gdl ggp-match in another terminal.

    Examples:
      gdl ggp-player --player greedy --port 9147
      gdl ggp-player --player random --host 0.0.0.0 --quiet
    """
    import asyncio

    from gdl.ggp.server import Settings, serving
    from gdl.play import make

    try:
        make(player, own=True)
    except GdlError as error:
        raise UsageError(f"--player {player}: {error}") from error
    called = name or f"gdl-{player.partition(':')[0]}"
    if not called.isprintable() or set(called) & set('() "|;'):
        raise UsageError(f"--name {called}: a name is one word without brackets and quotes")
    settings = Settings(
        player=player, name=called, host=host, port=port, most_matches=matches, seed=seed
    )

    def log(line: str) -> None:
        if not quiet:
            say(line)

    async def serve() -> None:
        async with serving(settings, log=log) as server:
            say(f"{called} listens on {host}:{server.port}; Ctrl-C ends it")
            await asyncio.Event().wait()

    asyncio.run(serve())
