"""``gdl evaluate``: is one player better than another?"""

from __future__ import annotations

import dataclasses
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Annotated, Any

import typer

from gdl.cli.playing.tournament import whole_name
from gdl.cli.positions.position import open_game
from gdl.cli.terminal.console import say, say_json
from gdl.cli.terminal.guard import UsageError
from gdl.cli.terminal.options import JsonOption, SeedOption, argument, complete_id, option
from gdl.cli.terminal.progress import counting_bar
from gdl.language.diagnostics import GdlError
from gdl.language.limits import DEFAULT_LIMITS, Limits
from gdl.language.words import counted

if TYPE_CHECKING:
    from gdl.learn.evaluation import Evaluation


def evaluate(
    left: Annotated[
        str,
        argument("A", "A player with its options, a file of gdl train, ./mine.py or module:name."),
    ],
    right: Annotated[str, argument("B", "The player that it meets.")],
    game: Annotated[
        str,
        typer.Option("--game", "-g", metavar="GAME", help="The game.", autocompletion=complete_id),
    ],
    games: Annotated[
        int, typer.Option("--games", "-n", min=2, help="Games, two from each opening.")
    ] = 100,
    seconds: Annotated[float, typer.Option("--seconds", help="Time for a move, in seconds.")] = 1.0,
    simulations: Annotated[
        int | None,
        option("--simulations", "N", "Equal nodes: at most so many positions a move.", min=1),
    ] = None,
    opening: Annotated[
        int, typer.Option("--opening", min=0, help="Joint moves drawn before the players begin.")
    ] = 4,
    startclock: Annotated[
        float, typer.Option("--startclock", help="Time to get ready for a game, in seconds.")
    ] = 60.0,
    seed: SeedOption = 0,
    jobs: Annotated[
        int | None,
        typer.Option(
            "--jobs", "-j", min=1, help="Games at the same time.", show_default="one a core"
        ),
    ] = None,
    output: Annotated[
        Path | None, option("--output -o", "FOLDER", "Keep the games there, and go on there.")
    ] = None,
    tables: Annotated[
        Path | None,
        option("--tables", "FILE", "A table of gdl solve: which moves keep the value?"),
    ] = None,
    json: JsonOption = False,
    limits: Limits = DEFAULT_LIMITS,
) -> None:
    """Let two players meet, each opening with colours swapped, and say how sure the result is.

    Points are given with their 95% interval (Wilson). With --tables every move is held against the
    values of all positions: how many kept what the position was worth.

    Examples:
      gdl evaluate alphabeta mcts --game connectfour --games 40 --seconds 0.1
      gdl evaluate mine.gdlnet greedy -g tictactoe --simulations 100 --tables ttt.table
    """
    from gdl.learn.evaluation import evaluate as meet
    from gdl.play.registry import make
    from gdl.play.tournament.plan import Plan, PlanError

    for player in (left, right):
        try:
            make(player, own=True)
        except GdlError as error:
            raise UsageError(
                error.message, expected=error.expected, help=error.help, notes=error.notes
            ) from error
    try:
        plan = Plan(
            rulesets=(whole_name(game),),
            players=(left, right),
            rounds=-(-games // 2),  # in each round both take each seat once
            seconds=seconds,
            start_seconds=startclock,
            simulations=simulations,
            opening_plies=opening,
            seed=seed,
        )
    except PlanError as error:
        raise UsageError(error.message, expected=error.expected, help=error.help) from error
    loaded = open_game(game, limits, "native" if tables else "auto")
    if len(loaded.roles) == 1:
        raise UsageError(f"{game} has one role: nobody meets anybody there")
    table = None
    if tables is not None:
        from gdl.solve.table import open_table

        table = loaded
        loaded.use(open_table(tables))
    with TemporaryDirectory(prefix="gdl-") as folder, counting_bar("playing") as progress:
        task: Any = progress.add_task("playing", total=None)
        evaluation = meet(
            plan,
            output or Path(folder) / "games",
            table=table,
            workers=jobs,
            on_outcome=lambda done, total: progress.update(task, completed=done, total=total),
        )
    if json:
        say_json({**dataclasses.asdict(evaluation), "game": game, "share": evaluation.share})
    else:
        _show(evaluation, game)


def _show(evaluation: Evaluation, game: str) -> None:
    say(f"{evaluation.players[0]} against {evaluation.players[1]} in {game}", style="bold")
    say(f"{evaluation}")
    for player, faults in zip(evaluation.players, evaluation.faults, strict=True):
        if faults:
            say(f"{player}: {counted(faults, 'fault')}", style="yellow")
    for player, kept in zip(evaluation.players, evaluation.kept or (), strict=False):
        if kept.moves:
            say(
                f"{player}: {kept.kept:,} of {kept.moves:,} moves kept the value "
                f"({kept.kept / kept.moves:.1%}); where some move loses it "
                f"{kept.saved:,} of {kept.risky:,}"
            )
