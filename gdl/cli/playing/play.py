"""``gdl play``: a game in the terminal."""

from __future__ import annotations

import math
import random
from pathlib import Path
from typing import Annotated, Final

import typer

from gdl.cli.playing.opponents import CHANCE, HUMAN, Opponents, made_fast, seat
from gdl.cli.playing.session import Session
from gdl.cli.positions.position import open_game, reach
from gdl.cli.terminal.guard import UsageError
from gdl.cli.terminal.options import MovesOption, argument, complete_id, option
from gdl.game import Game
from gdl.language.keywords import RANDOM
from gdl.language.limits import DEFAULT_LIMITS, Limits
from gdl.language.packages import need_packages
from gdl.state import State

SEEDS: Final = 1_000_000


DEFAULT_MOVE_SECONDS: Final = 1.0
"""What a player has for each move."""


def complete_player(incomplete: str) -> list[str]:
    """Return the names of players that begin so, for the shell."""
    from gdl.play import kinds

    return [name for name in (*kinds(), HUMAN) if name.startswith(incomplete)]


def play(
    game: Annotated[
        str | None,
        argument(
            "GAME",
            "A ruleset id such as pentago/strict, or the path of a .kif or .hrf file. "
            "With --from: which of its games; by default the first.",
            autocompletion=complete_id,
        ),
    ] = None,
    role: Annotated[
        str | None, option("--as", "ROLE", "The role that you play; by default the first.")
    ] = None,
    against: Annotated[
        list[str] | None,
        typer.Option(
            "--against",
            "--player",
            "-p",
            metavar="PLAYER",
            help="Who plays the other roles: random, human, greedy, mcts, alphabeta, solve, or a "
            "player of another package, or of your own such as ./mine.py; options after a colon, "
            "as in mcts:c=0.3,memory=256. Repeatable, one for each role in order.",
            autocompletion=complete_player,
            show_default="random",
        ),
    ] = None,
    seconds: Annotated[
        float,
        typer.Option("--seconds", metavar="S", help="Seconds that a player has for each move."),
    ] = DEFAULT_MOVE_SECONDS,
    match_seconds: Annotated[
        float | None,
        option("--match-seconds", "S", "Seconds for all moves of a player, not --seconds each."),
    ] = None,
    watch: Annotated[
        bool, typer.Option("--watch", help="Play no role: the players play them all.")
    ] = False,
    is_open: Annotated[
        bool, typer.Option("--open", help="Show everything, also what the rules hide from a role.")
    ] = False,
    seed: Annotated[int | None, option("--seed -s", "S", "Makes chance repeatable.")] = None,
    moves: MovesOption = "",
    saved: Annotated[
        Path | None,
        option(
            "--from",
            "FILE",
            "Begin where a play of gdl diff --save leads; one move before the end where "
            "that ends the game.",
        ),
    ] = None,
    plies: Annotated[
        int | None, option("--ply", "N", "With --from: begin after N moves of the play.", min=0)
    ] = None,
    tables: Annotated[
        Path | None,
        option(
            "--tables",
            "FILE",
            "A table of gdl solve: it says what each position is worth, and no player but random "
            "leaves that value.",
        ),
    ] = None,
    limits: Limits = DEFAULT_LIMITS,
) -> None:
    """Play a game in the terminal, against programs or a second person at the same keyboard.

    Type a move in the ruleset's notation, as KIF text, or by its number. The word
    help lists everything else: moves, undo, why, hint, facts, save, quit ... An illegal
    move is explained, and so is a program's own. Lines may also come from a pipe.

    Examples:
      gdl play pentago/classic --against mcts --seconds 1
      gdl play gomoku/freestyle --as white --seed 7
      gdl play connectfour --against human
      gdl play connectfour --watch --against mcts --against alphabeta
      gdl play hex?size=4 --tables hex4.table   (made by: gdl solve hex?size=4 -o hex4.table)
      gdl play --from parting.toml     (made by: gdl diff A B --save parting.toml)
    """
    for name, time in (("--seconds", seconds), ("--match-seconds", match_seconds)):
        if time is not None and not time > 0:
            raise UsageError(f"{name}: {time} is not greater than 0")
        if time is not None and math.isinf(time):
            raise UsageError(f"{name}: a player that may think for ever never moves")
    specs = against or [CHANCE]
    is_human = specs == [HUMAN]
    if HUMAN in specs and not is_human:
        raise UsageError(
            "human leaves no role to another player",
            expected="human alone, or players alone",
        )
    if is_human and watch:
        raise UsageError(
            "--watch leaves no role to a person", expected="--watch or the player human, not both"
        )
    start = _begin(game, saved, plies, moves, limits)
    loaded = start.game
    if saved is not None and role is None and not watch:
        role = next(iter(start.movers), None)  # who was about to move when it was saved
    humans = _humans(loaded, role, is_human=is_human, is_watching=watch)
    chosen = random.SystemRandom().randrange(SEEDS) if seed is None else seed
    seats = {} if is_human else seat(loaded, specs, humans, seed=chosen)
    command = ["gdl", "play", game or loaded.id]
    command += ["--watch"] * watch + (["--as", role] if role else [])
    for spec in specs if specs != [CHANCE] else ():
        command += ["--against", spec]
    command += ["--seconds", f"{seconds:g}"] * (seconds != DEFAULT_MOVE_SECONDS)
    command += [] if match_seconds is None else ["--match-seconds", f"{match_seconds:g}"]
    command += ["--open"] * is_open
    is_shown = is_open or not (humans and loaded.hides_facts)
    opponents = Opponents(seats, seconds=seconds, match_seconds=match_seconds, is_shown=is_shown)
    if seats:
        start = made_fast(start)
    if tables is not None:
        need_packages("--tables", ("numpy",), "native")
        from gdl.solve import open_table

        start.game.use(open_table(tables))
        command += ["--tables", str(tables)]
    Session(start, humans, seed=chosen, command=command, opponents=opponents, is_open=is_open).run()


def _begin(
    game: str | None, saved: Path | None, plies: int | None, moves: str, limits: Limits
) -> State:
    """Return the state to begin in: after the moves given, or where a saved play leads."""
    if saved is not None:
        from gdl.plays import open_saved

        state = open_saved(saved, game, plies=plies, limits=limits)
        return reach(state.game, moves, start=state)
    if plies is not None:
        raise UsageError("--ply says where in a saved play to begin", expected="--from FILE")
    if game is None:
        raise UsageError(
            "which game?",
            expected="a ruleset id, a rule file, or --from FILE",
            help="gdl rulesets lists those that are here",
        )
    return reach(open_game(game, limits), moves)


def _humans(game: Game, role: str | None, *, is_human: bool, is_watching: bool) -> tuple[str, ...]:
    """Return the roles that people play; nature's is one only when it is asked for."""
    if is_watching:
        if role is not None:
            raise UsageError("--watch leaves no role to play", expected="--watch or --as, not both")
        return ()
    if role is not None:
        game.role(role)
    people = tuple(name for name in game.roles if name != RANDOM or name == role)
    if is_human:
        return people
    return people[:1] if role is None else (role,)
