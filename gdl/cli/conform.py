"""``gdl conform``: a ruleset against its hand-written reference engine."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from gdl.cli.console import say, say_json
from gdl.cli.guard import FAILED, UsageError
from gdl.cli.options import (
    DEFAULT_SECONDS,
    GameArgument,
    JsonOption,
    LimitOption,
    SecondsOption,
    SeedOption,
    limits_from,
)
from gdl.cli.position import open_game
from gdl.cli.ticker import ticker
from gdl.conform import Reference, Report, every_state, random_games


def conform(
    game: GameArgument,
    n: Annotated[int, typer.Option("--number", "-n", min=0, help="How many random games.")] = 10,
    depth: Annotated[
        int, typer.Option("--depth", "-d", min=0, help="Compare every state up to this depth.")
    ] = 1,
    seed: SeedOption = 0,
    engine: Annotated[
        str | None,
        typer.Option(
            "--engine",
            metavar="ID",
            help="The engine to compare with; by default the one of the same id.",
            show_default=False,
        ),
    ] = None,
    json: JsonOption = False,
    max_seconds: SecondsOption = DEFAULT_SECONDS,
    limit: LimitOption = None,
) -> None:
    """Play a ruleset in lockstep with its hand-written reference engine.

    Legal moves, turns, terminal, goals and boards are compared in every state up
    to a depth, then in random games from the start to the end.

    Examples:
      gdl conform pentago/strict
      gdl conform gomoku/freestyle -n 100 --seed 7
      gdl conform changed.kif --engine pentago/strict --depth 2

    Exit codes: 0 they agree; 1 they differ, the play that leads there is shown.
    """
    loaded = open_game(game, limits_from(max_seconds, limit))
    reference = reference_of(engine or loaded.id)
    with ticker() as line:
        report = every_state(
            loaded,
            reference,
            depth,
            on_state=lambda so_far: line.tick(lambda: f"{so_far.states:,} states compared"),
        )
        found = [report]
        if report.difference is None:
            found.append(
                random_games(
                    loaded,
                    reference,
                    n,
                    seed=seed,
                    on_game=lambda so_far: line.tick(
                        lambda: f"{so_far.games:,} of {n:,} random games compared"
                    ),
                )
            )
    whole = _total(found)
    if json:
        say_json(_as_json(loaded.id, whole))
    else:
        _print(loaded.id, whole)
    if whole.difference is not None:
        raise typer.Exit(FAILED)


def reference_of(name: str) -> Reference[Any, Any]:
    """Return the reference engine of a ruleset.

    Raises:
        UsageError: There is none.
    """
    from engine import GAMES

    if name not in GAMES:
        raise UsageError(
            f"there is no reference engine for {name}\n  expected: {', '.join(GAMES)}\n"
            "  help: --engine ID compares with the engine of another ruleset"
        )
    return GAMES[name]


def _total(reports: list[Report]) -> Report:
    return Report(
        sum(report.states for report in reports),
        sum(report.games for report in reports),
        reports[-1].difference,
    )


def _print(name: str, report: Report) -> None:
    compared = f"{report.states:,} states, {report.games:,} random games to the end"
    if report.difference is None:
        say(f"{name} agrees with its engine: {compared}", style="bold green")
    else:
        say(f"{name} differs from its engine ({compared}):", style="bold red")
        say(str(report.difference))


def _as_json(name: str, report: Report) -> dict[str, Any]:
    found = report.difference
    return {
        "game": name,
        "states": report.states,
        "games": report.games,
        "agrees": found is None,
        "difference": None
        if found is None
        else {
            "what": found.what,
            "rules": found.rules,
            "reference": found.reference,
            "moves": list(found.moves),
        },
    }
