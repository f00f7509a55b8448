"""``gdl tournament``: programs against programs, and how strong they are."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from gdl.cli.terminal.console import say, say_json
from gdl.cli.terminal.guard import INTERRUPTED, UsageError
from gdl.cli.terminal.options import (
    BackendOption,
    JsonOption,
    SeedOption,
    argument,
    complete_id,
    option,
)
from gdl.cli.terminal.progress import counting_bar
from gdl.cli.terminal.table import say_table
from gdl.language.diagnostics import GdlError
from gdl.language.limits import DEFAULT_LIMITS, Limits
from gdl.language.words import counted

if TYPE_CHECKING:
    from rich.progress import Progress

    from gdl.play.tournament.game import Outcome
    from gdl.play.tournament.plan import Plan
    from gdl.play.tournament.standings import Standing
    from gdl.play.tournament.store import Store


def tournament(
    games: Annotated[
        list[str] | None,
        argument(
            "GAME...",
            "Ruleset ids or rule files; none to go on with the tournament of --output.",
            autocompletion=complete_id,
        ),
    ] = None,
    player: Annotated[
        list[str] | None,
        option(
            "--player -p",
            "PLAYER",
            "A player with its options, such as mcts:c=0.4; repeat it for each.",
        ),
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            metavar="FOLDER",
            help="Where plan, results and games are kept.",
            show_default="tournament",
        ),
    ] = None,
    gauntlet: Annotated[
        bool, typer.Option("--gauntlet", help="Only the first player meets the others.")
    ] = False,
    rounds: Annotated[
        int, typer.Option("--rounds", "-n", min=1, help="Openings that each two play in a game.")
    ] = 10,
    seconds: Annotated[float, typer.Option("--seconds", help="Time for a move, in seconds.")] = 1.0,
    startclock: Annotated[
        float, typer.Option("--startclock", help="Time to get ready for a game, in seconds.")
    ] = 30.0,
    simulations: Annotated[
        int | None,
        option(
            "--simulations",
            None,
            "Most simulations for a move: results are then the same each time.",
            min=1,
        ),
    ] = None,
    opening: Annotated[
        int, typer.Option("--opening", min=0, help="Joint moves drawn before the players begin.")
    ] = 2,
    max_plies: Annotated[
        int, typer.Option("--max-plies", min=1, help="A longer game is a draw.")
    ] = 1_000,
    seed: SeedOption = 0,
    jobs: Annotated[
        int | None,
        typer.Option(
            "--jobs", "-j", min=1, help="Games at the same time.", show_default="one a core"
        ),
    ] = None,
    ray: Annotated[
        str | None,
        option(
            "--ray", "ADDRESS", "Play on a Ray cluster: HOST:PORT, auto, or local to begin one."
        ),
    ] = None,
    plot: Annotated[
        Path | None, option("--plot", "FILE", "Draw the ratings: .png, .svg, .pdf.")
    ] = None,
    json: JsonOption = False,
    backend: BackendOption = "auto",
    limits: Limits = DEFAULT_LIMITS,
) -> None:
    """Let players meet in games, each opening with colours swapped, and rate them.

    Each meets each (or with --gauntlet the first meets the others). Every game is kept in the
    folder and can be played again with gdl replay. When it is cut off, the same command goes on
    where it stopped.

    Examples:
      gdl tournament tictactoe connectfour -p random -p greedy
      gdl tournament pentago/strict -p mcts -p mcts:c=0.4 -n 50 --seconds 0.5 -o mine
      gdl tournament -o mine --plot mine.svg     (goes on with it, or shows its table)
    """
    from gdl.play.tournament.run import run

    folder = output or Path("tournament")
    plan = _plan(
        folder,
        games or [],
        player or [],
        is_gauntlet=gauntlet,
        rounds=rounds,
        seconds=seconds,
        start_seconds=startclock,
        simulations=simulations,
        opening_plies=opening,
        max_plies=max_plies,
        seed=seed,
    )
    if plot is not None:
        from gdl.play.tournament.plot import check_format

        check_format(plot)
    try:
        with counting_bar("playing") as progress:
            bar = _Bar(progress)
            store = run(
                plan,
                folder,
                workers=jobs,
                cluster=ray,
                backend=backend,
                limits=limits,
                on_begin=bar.begin,
                on_outcome=bar.advance,
            )
    except KeyboardInterrupt:
        say(
            f"Interrupted. gdl tournament -o {folder} goes on where it stopped.",
            style="yellow",
            stderr=True,
        )
        raise typer.Exit(INTERRUPTED) from None
    _report(store, json=json, plot=plot)


def _plan(folder: Path, games: list[str], players: list[str], **settings: Any) -> Plan:  # noqa: ANN401  # fields of a plan
    """Return what is to be played: what the command line says, or what lies in the folder."""
    from gdl.play.own_player import split_own
    from gdl.play.registry import make
    from gdl.play.tournament.plan import Plan, PlanError
    from gdl.play.tournament.store import read_plan

    if not games and not players:
        there = read_plan(folder)
        if there is None:
            raise UsageError(
                f"there is no tournament in {folder} to go on with",
                expected="games, and --player for each player",
            )
        if any(split_own(spec) for spec in there[0].players):
            raise UsageError(
                f"the tournament in {folder} has players that are files or modules",
                expected="its games and players once more: who names them lets them run",
            )
        return there[0]
    for player in players:
        try:
            make(player, own=True)
        except GdlError as error:
            raise UsageError(f"--player {player}: {error}") from error
    try:
        return Plan(rulesets=tuple(map(whole_name, games)), players=tuple(players), **settings)
    except PlanError as error:
        raise UsageError(error.message, expected=error.expected, help=error.help) from error


def whole_name(game: str) -> str:
    """Return a game by a name that means the same in any folder."""
    return str(Path(game).resolve()) if Path(game).is_file() else game


class _Bar:
    """The line that says how far it is; draws nothing where nobody would see it."""

    def __init__(self, progress: Progress) -> None:
        self._progress = progress
        self._task: Any = None

    def begin(self, store: Store, total: int) -> None:
        done = len(store.outcomes)
        self._task = self._progress.add_task("playing", total=total, completed=done)

    def advance(self, store: Store, outcome: Outcome) -> None:
        self._progress.update(self._task, completed=len(store.outcomes))
        for fault in outcome.faults:
            say(f"game {outcome.bout.number}, move {fault}", style="yellow", stderr=True)


def _report(store: Store, *, json: bool, plot: Path | None) -> None:
    from gdl.play.tournament.standings import crosstable, standings

    plan = store.plan
    outcomes = list(store.outcomes.values())
    table = standings(len(plan.players), outcomes)
    if plot is not None:
        from gdl.play.tournament.plot import plot as draw

        draw(plan.players, table, plot)
    if json:
        say_json(_as_json(store, table))
        return
    say(f"{counted(len(outcomes), 'game')} in {store.folder}", style="bold")
    heads, rows = crosstable(plan.players, table)
    say_table(heads, rows, right=[0, *range(2, len(heads))])
    if len(plan.rulesets) > 1:
        for number, ruleset in enumerate(plan.rulesets):
            part = [outcome for outcome in outcomes if outcome.bout.ruleset == number]
            heads, rows = crosstable(plan.players, standings(len(plan.players), part))
            say(f"\n{ruleset}", style="bold")
            say_table(heads, rows, right=[0, *range(2, len(heads))])
    _say_oddities(store, table)


def _say_oddities(store: Store, table: list[Standing]) -> None:
    cut = sum(not outcome.is_over for outcome in store.outcomes.values())
    if cut:
        say(f"{cut:,} did not come to their end and count as draws", style="yellow")
    for standing in table:
        if standing.faults:
            name = store.plan.players[standing.player]
            what = counted(standing.faults, "fault")
            say(f"{name}: {what}; the records say which", style="yellow")


def _as_json(store: Store, table: list[Standing]) -> dict[str, Any]:
    plan = store.plan
    return {
        "plan": dataclasses.asdict(plan),
        "games": len(store.outcomes),
        "standings": [
            {
                "player": plan.players[standing.player],
                "elo": standing.rating.elo,
                "margin": standing.rating.margin,
                **dataclasses.asdict(standing.total),
                "against": {
                    plan.players[other]: dataclasses.asdict(tally)
                    for other, tally in standing.against.items()
                },
                "faults": standing.faults,
                "slowest": standing.slowest,
            }
            for standing in table
        ],
    }
