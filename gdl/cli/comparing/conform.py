"""``gdl conform``: rulesets against their hand-written reference engines, or anybody's engine."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Final

import typer

from gdl.cli.terminal.guard import UsageError
from gdl.cli.terminal.options import JsonOption, SeedOption, argument, complete_id, option
from gdl.conform import DEFAULT_POSITIONS
from gdl.conform.conventions import shown_conventions
from gdl.language.limits import DEFAULT_LIMITS, Limits

OptionalGame = Annotated[
    str | None,
    argument(
        "[GAME]",
        "A ruleset id such as pentago/strict, or a rule file together with --engine; "
        "by default every ruleset that has an engine.",
        autocompletion=complete_id,
    ),
]
AGAINST: Final = "Against other engines"


def conform(
    game: OptionalGame = None,
    games: Annotated[
        int,
        typer.Option(
            "--games",
            "-n",
            min=0,
            help="Games for each ruleset: by chance, seeking a win, a draw or a loss, and "
            "avoiding the end, in equal shares.",
        ),
    ] = 10,
    depth: Annotated[
        int, typer.Option("--depth", "-d", min=0, help="Compare every position up to this depth.")
    ] = 1,
    seed: SeedOption = 0,
    engine: Annotated[
        str | None,
        option("--engine", "ID", "The engine to compare with; by default the one of the same id."),
    ] = None,
    against: Annotated[
        str | None,
        option(
            "--against",
            "SOURCE",
            "Anybody's engine: pyspiel:NAME, pettingzoo:NAME, gymnasium:NAME, pgx:NAME, "
            "pyffish:VARIANT, python-chess:VARIANT, module:Class, another ruleset; or "
            "ggp:HOST:PORT, a program that speaks the GGP protocol.",
            rich_help_panel=AGAINST,
        ),
    ] = None,
    positions: Annotated[
        int,
        typer.Option(
            "--positions",
            metavar="N",
            min=1,
            help="Positions to compare with SOURCE, more or less.",
            rich_help_panel=AGAINST,
        ),
    ] = DEFAULT_POSITIONS,
    time: Annotated[
        float | None,
        option(
            "--time -t",
            "S",
            "Seconds after which no more positions are compared.",
            min=0.1,
            rich_help_panel=AGAINST,
        ),
    ] = None,
    allow: Annotated[
        list[str] | None,
        option(
            "--allow",
            "NAME",
            f"A convention that is no difference, repeatable: {', '.join(shown_conventions())}.",
            rich_help_panel=AGAINST,
        ),
    ] = None,
    names: Annotated[
        Path | None,
        option(
            "--map",
            "FILE",
            "A TOML file that says which roles and moves stand for each other.",
            rich_help_panel=AGAINST,
        ),
    ] = None,
    save_map: Annotated[
        Path | None,
        option(
            "--save-map",
            "FILE",
            "Write there how roles and moves were matched.",
            rich_help_panel=AGAINST,
        ),
    ] = None,
    report: Annotated[
        Path | None,
        option(
            "--report",
            "FOLDER",
            "Write there the report, the map, and of a difference a saved play, a test in "
            "pytest for the engine and a text for its tracker.",
            rich_help_panel=AGAINST,
        ),
    ] = None,
    jobs: Annotated[
        int,
        typer.Option(
            "--jobs",
            "-j",
            metavar="N",
            min=1,
            help="Processes that share the work; what is found is the same.",
            rich_help_panel=AGAINST,
        ),
    ] = 1,
    resume: Annotated[
        Path | None,
        option(
            "--resume",
            "FILE",
            "Keep the counts there, and go on from there when asked again.",
            rich_help_panel=AGAINST,
        ),
    ] = None,
    witnesses: Annotated[
        float,
        typer.Option(
            "--witnesses",
            metavar="S",
            min=0.0,
            help="Seconds in which gdl verify looks for plays that exercise what no game has; "
            "these are compared, too.",
            rich_help_panel=AGAINST,
        ),
    ] = 0.0,
    differences: Annotated[
        int,
        typer.Option(
            "--differences",
            metavar="N",
            min=1,
            help="Go on behind a difference until N were met that are not alike.",
            rich_help_panel=AGAINST,
        ),
    ] = 1,
    json: JsonOption = False,
    limits: Limits = DEFAULT_LIMITS,
) -> None:
    """Hold rules against other engines that play the same game.

    Without --against, rulesets are played in lockstep with their hand-written reference engines:
    legal moves, turns, terminal, goals and boards are compared in every position up to a depth,
    then in whole games. With it, roles and moves of the two are matched by themselves, and the
    first difference is shown after the shortest play that leads to it.

    Examples:
      gdl conform
      gdl conform gomoku/freestyle --games 100 --seed 7
      gdl flatten pentago/strict > mine.kif && gdl conform mine.kif --engine pentago/strict
      gdl conform connectfour --against pyspiel:connect_four --positions 100000
      gdl conform tictactoe --against myengine:TicTacToe --report difference
      gdl conform tictactoe --against ggp:localhost:9147 --positions 100

    A rule file without a manifest is read in the notation of the engine's ruleset.

    Exit codes: 0 they agree; 1 they differ, the play that leads there is shown; 2 an error;
    3 nothing was compared: moves could not be matched, or the time was over.
    """
    if against is not None:
        from gdl.cli.comparing.audit import run_audit, run_player_audit
        from gdl.conform.network import PREFIX

        if game is None or engine is not None:
            raise UsageError("--against needs one GAME, and no --engine")
        if against.startswith(PREFIX):
            _refuse_of_player(
                {
                    "--depth": None if depth == 1 else depth,
                    "--allow": allow,
                    "--map": names,
                    "--save-map": save_map,
                    "--jobs": None if jobs == 1 else jobs,
                    "--resume": resume,
                    "--witnesses": witnesses or None,
                    "--differences": None if differences == 1 else differences,
                }
            )
            run_player_audit(
                game,
                against,
                folder=report,
                json=json,
                positions=positions,
                seconds=time,
                seed=seed,
                limits=limits,
            )
            return
        run_audit(
            game,
            against,
            folder=report,
            save_map=save_map,
            json=json,
            positions=positions,
            seconds=time,
            depth=depth,
            seed=seed,
            allow=tuple(allow or ()),
            names=names,
            jobs=jobs,
            resume=resume,
            witnesses=witnesses,
            differences=differences,
            limits=limits,
        )
        return
    _refuse_alone({"--time": time, "--allow": allow, "--map": names, "--save-map": save_map})
    _refuse_alone({"--report": report, "--resume": resume, "--witnesses": witnesses or None})
    _refuse_alone({"--differences": None if differences == 1 else differences})
    from gdl.cli.comparing.suite import run_suite

    run_suite(game, engine, depth=depth, games=games, seed=seed, json=json, limits=limits)


def _refuse_alone(options: Mapping[str, object]) -> None:
    """Refuse what only a comparison with anybody's engine looks at."""
    for name, value in options.items():
        if value is not None:
            raise UsageError(f"{name} is for --against", expected="--against SOURCE beside it")


def _refuse_of_player(options: Mapping[str, object]) -> None:
    """Refuse what cannot be asked of a program that speaks the GGP protocol."""
    for name, value in options.items():
        if value is not None:
            raise UsageError(
                f"{name} is not for a program that speaks the GGP protocol",
                help="it is asked for moves alone, in whole matches",
            )
