"""``gdl ggp-match``: a match between players that are asked over the network."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Final

import typer

from gdl.cli.positions.position import open_game
from gdl.cli.terminal.console import say
from gdl.cli.terminal.guard import FAILED, UsageError
from gdl.cli.terminal.options import BackendOption, SeedOption, complete_id, option
from gdl.cli.terminal.output import write_text
from gdl.language.limits import DEFAULT_LIMITS, Limits
from gdl.plies import format_ply

HIGHEST_PORT: Final = 65_535

if TYPE_CHECKING:
    from gdl.ggp.manager import Event, Seated
    from gdl.ggp.record import MatchRecord


def ggp_match(
    game: Annotated[
        str,
        option(
            "--game -g",
            "GAME",
            "A ruleset id such as pentago/strict, or the path of a .kif or .hrf file.",
            autocompletion=complete_id,
        ),
    ],
    players: Annotated[
        str,
        option(
            "--players -p",
            "HOST:PORT,...",
            "Who plays each role, in role order; the word random for moves drawn here.",
        ),
    ],
    startclock: Annotated[
        int, typer.Option("--startclock", min=1, help="Seconds to get ready.")
    ] = 30,
    playclock: Annotated[int, typer.Option("--playclock", min=1, help="Seconds a move.")] = 10,
    previewclock: Annotated[
        int | None,
        option("--previewclock", None, "Show the rules so many seconds before the match.", min=0),
    ] = None,
    scramble: Annotated[
        bool, typer.Option("--scramble", help="Give the players made-up words for all names.")
    ] = False,
    output: Annotated[
        str | None,
        option(
            "--output -o",
            "FILE",
            "Write the match record there, as JSON, after every step; - for standard output.",
        ),
    ] = None,
    match_id: Annotated[str | None, option("--match-id", "NAME", "Name of the match.")] = None,
    max_steps: Annotated[
        int | None, option("--max-steps", None, "Give up after so many joint moves.", min=1)
    ] = None,
    seed: SeedOption = 0,
    backend: BackendOption = "auto",
    limits: Limits = DEFAULT_LIMITS,
) -> None:
    """Manage a match between General Game Playing programs, each listening at HOST:PORT.

    A player that does not answer in time, or not with a legal move, gets a legal move drawn at
    random; this is said, and stands in the record.

    Exit codes: 0 played to the end; 1 given up.

    Examples:
      gdl ggp-match --game tictactoe --players localhost:9147,random --playclock 5
      gdl ggp-match -g pentago/strict -p localhost:9147,localhost:9148 --scramble -o match.json
    """
    import asyncio

    from gdl.ggp.manager import Manager, Setup, SetupError, seat

    seated = [_seated(word.strip()) for word in players.split(",")]
    loaded = open_game(game, limits, backend)
    is_piped = output == "-"
    try:
        roles = seat(loaded, seated)
    except SetupError as error:
        raise UsageError(f"--players {players}: {error}") from error
    named = asyncio.run(_named(roles))
    name = _match_name(loaded.ruleset.game_id, match_id)
    setup = Setup(
        game=loaded,
        players=named,
        start_clock=startclock,
        play_clock=playclock,
        preview_clock=previewclock,
        match_id=name,
        seed=seed,
        is_scrambled=scramble,
        max_steps=max_steps,
    )

    def tell(event: Event) -> None:
        for line, style in _lines(event):
            say(line, style=style, stderr=is_piped)

    def keep(record: MatchRecord) -> None:
        if output is not None and not is_piped:
            write_text(f"{record.to_json()}\n", output)

    who = ", ".join(
        f"{role} {player.name}" for role, player in zip(loaded.roles, named, strict=True)
    )
    say(f"{name}: {who}", style="bold", stderr=is_piped)
    manager = Manager(setup, on_event=tell, on_change=keep)
    try:
        record = asyncio.run(manager.run())
    finally:
        if is_piped:
            write_text(f"{manager.record.to_json()}\n", None)
    _say_end(record, loaded.roles, is_piped=is_piped)
    if not record.is_completed:
        raise typer.Exit(FAILED)


def _match_name(game: str | None, wanted: str | None) -> str:
    """Return the name of a match: what was asked for, or one that is new."""
    moment = time.time_ns() // 1_000_000
    name = wanted or f"{game or 'match'}.{moment}"
    if name.isprintable() and not set(name) & set('() "|;'):
        return name
    if wanted:
        raise UsageError(f"--match-id {name}: a name is one word without brackets and quotes")
    return f"match.{moment}"


def _say_end(record: MatchRecord, roles: Sequence[str], *, is_piped: bool) -> None:
    assert record.goals is not None
    goals = ", ".join(f"{role} {goal}" for role, goal in zip(roles, record.goals, strict=True))
    faults = f"; {record.faults} faults" if record.faults else ""
    text = f"over after {len(record.moves)} joint moves; goals: {goals}{faults}"
    say(text, style="bold", stderr=is_piped)


def _seated(word: str) -> Seated:
    from gdl.ggp.manager import CHANCE, Seated

    if word == CHANCE.name:
        return CHANCE
    host, colon, port = word.rpartition(":")
    is_port = port.isascii() and port.isdigit() and 0 < int(port[:6]) <= HIGHEST_PORT
    if not colon or not host or not is_port:
        raise UsageError(
            f"--players: {word!r} is no player",
            expected="HOST:PORT, such as localhost:9147, or random",
        )
    return Seated(host.strip("[]"), int(port), word)


async def _named(players: tuple[Seated, ...]) -> tuple[Seated, ...]:
    """Return the players under the names that they give themselves, if they do."""
    import asyncio
    import dataclasses

    from gdl.ggp.manager import introduce
    from gdl.ggp.messages import introduced_name

    async def named(player: Seated) -> Seated:
        if player.is_chance:
            return player
        name = introduced_name(await introduce(player) or "")
        return dataclasses.replace(player, name=name) if name else player

    return tuple(await asyncio.gather(*map(named, players)))


def _lines(event: Event) -> list[tuple[str, str]]:
    from gdl.ggp.manager import Fault

    if not isinstance(event, Fault):
        return [(f"{event.state.ply:>3}. {format_ply(event.state)}", "")]
    words = {"TO": "no answer in time", "CE": "no connection", "IL null": "no term"}
    what = words.get(event.error, f"illegal move {event.error.removeprefix('IL ')}")
    line = f"     {event.role} ({event.player}): {what} ({event.error})"
    if event.instead is not None:
        line += f"; {event.instead} was drawn instead"
    return [(line, "yellow")]
