"""``gdl play``: a game in the terminal."""

from __future__ import annotations

import random
from enum import StrEnum
from typing import Annotated, Final

import typer

from gdl.cli.guard import UsageError
from gdl.cli.options import (
    DEFAULT_SECONDS,
    GameArgument,
    LimitOption,
    MovesOption,
    SecondsOption,
    limits_from,
)
from gdl.cli.position import open_game, reach
from gdl.cli.session import Session
from gdl.game import Game
from gdl.language.keywords import RANDOM

SEEDS: Final = 1_000_000


class Opponent(StrEnum):
    """Who moves for the roles that are not yours."""

    RANDOM = "random"
    HUMAN = "human"


def play(
    game: GameArgument,
    role: Annotated[
        str | None,
        typer.Option(
            "--as",
            metavar="ROLE",
            help="The role that you play; by default the first.",
            show_default=False,
        ),
    ] = None,
    against: Annotated[
        Opponent, typer.Option("--against", help="Who plays the other roles.")
    ] = Opponent.RANDOM,
    watch: Annotated[
        bool, typer.Option("--watch", help="Play no role: chance plays them all.")
    ] = False,
    seed: Annotated[
        int | None,
        typer.Option(
            "--seed", "-s", metavar="S", help="Makes chance repeatable.", show_default=False
        ),
    ] = None,
    moves: MovesOption = "",
    max_seconds: SecondsOption = DEFAULT_SECONDS,
    limit: LimitOption = None,
) -> None:
    """Play a game in the terminal, against chance or a second person at the same keyboard.

    Type a move in the ruleset's notation, as KIF text, or by its number. The word
    help lists everything else: moves, undo, why, facts, save, quit ... An illegal
    move is explained. Lines may also come from a pipe.

    Examples:
      gdl play pentago/strict
      gdl play gomoku/freestyle --as white --seed 7
      gdl play connectfour --against human
      gdl play mine.kif --watch
    """
    loaded = open_game(game, limits_from(max_seconds, limit))
    humans = _humans(loaded, role, against, is_watching=watch)
    chosen = random.SystemRandom().randrange(SEEDS) if seed is None else seed
    command = ["gdl", "play", game]
    command += ["--watch"] * watch + (["--as", role] if role else [])
    command += ["--against", str(against)] if against is Opponent.HUMAN else []
    Session(reach(loaded, moves), humans, seed=chosen, command=command).run()


def _humans(
    game: Game, role: str | None, against: Opponent, *, is_watching: bool
) -> tuple[str, ...]:
    """Return the roles that people play; nature's is one only when it is asked for."""
    if is_watching:
        if role is not None:
            raise UsageError(
                "--watch leaves no role to play\n  expected: --watch or --as, not both"
            )
        return ()
    if role is not None:
        game.role(role)
    people = tuple(each for each in game.roles if each != RANDOM or each == role)
    if against is Opponent.HUMAN:
        return people
    return people[:1] if role is None else (role,)
