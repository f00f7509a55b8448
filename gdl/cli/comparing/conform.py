"""``gdl conform``: rulesets against their hand-written reference engines, or anybody's engine."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from gdl.cli.comparing.audit import run_audit, run_player_audit
from gdl.cli.comparing.engines import engines
from gdl.cli.positions.position import open_game
from gdl.cli.terminal.console import counted, say, say_json, show
from gdl.cli.terminal.guard import FAILED, UsageError
from gdl.cli.terminal.options import JsonOption, SeedOption, argument, complete_id, option
from gdl.cli.terminal.progress import bar
from gdl.conform import (
    CONVENTIONS,
    DEFAULT_POSITIONS,
    Check,
    Difference,
    Lockstep,
    Reference,
    Report,
    suite,
)
from gdl.conform.network import PREFIX
from gdl.game import Game
from gdl.language.limits import DEFAULT_LIMITS, Limits
from gdl.language.source import harmless
from gdl.ruleset import find

if TYPE_CHECKING:
    from rich.table import Table

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
Tell = Callable[[str, Report], None]
"""Told of the running check and its counts so far."""
AGREES: Final = "agrees"
DIFFERS: Final = "differs"


@dataclass(frozen=True, slots=True)
class Finding:
    """What was found for one ruleset.

    Attributes:
        name: The ruleset.
        engine: Id of the engine that it was compared with.
        reports: Each check that was run, with its counts; only the last one can differ.
    """

    name: str
    engine: str
    reports: tuple[tuple[Check, Report], ...]

    @property
    def difference(self) -> Difference | None:
        """The first difference, None where there is none."""
        return self.whole.difference

    @property
    def whole(self) -> Report:
        """All counts together."""
        return sum((report for _, report in self.reports), Report())


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
            f"A convention that is no difference, repeatable: {', '.join(CONVENTIONS)}.",
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

    Exit codes: 0 they agree; 1 they differ, the play that leads there is shown; 3 nothing
    was compared: moves could not be matched, or the time was over.
    """
    if against is not None:
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
            limits=limits,
        )
        return
    _refuse_alone({"--time": time, "--allow": allow, "--map": names, "--save-map": save_map})
    _refuse_alone({"--report": report, "--resume": resume, "--witnesses": witnesses or None})
    checks = suite(depth=depth, games=games, seed=seed)
    pairs = list(_pairs(game, engine))
    findings = []
    with progress(len(pairs) * len(checks)) as tell:
        for name, engine_id in pairs:
            lockstep = Lockstep(_open(name, engine_id, limits), reference_of(engine_id))
            findings.append(Finding(name, engine_id, run_checks(lockstep, checks, tell)))
    if json:
        say_json(_as_json(findings))
    else:
        _print(findings)
    if any(finding.difference is not None for finding in findings):
        raise typer.Exit(FAILED)


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


def _pairs(game: str | None, engine: str | None) -> Iterator[tuple[str, str]]:
    """Yield each ruleset with the id of its engine, which exists."""
    if game is None and engine is not None:
        raise UsageError("--engine needs a GAME to compare with that engine")
    for name in engines() if game is None else (game,):
        reference_of(engine or name)
        yield name, engine or name


def _open(name: str, engine: str, limits: Limits) -> Game:
    """Load a game; one without a manifest is written and drawn as the engine's ruleset is."""
    game = open_game(name, limits)
    if game.ruleset.manifest is not None:
        return game
    shown = find(engine, limits=limits)
    presentation = replace(
        game.ruleset.presentation, notation=shown.notation, picture=shown.picture
    )
    ruleset = replace(game.ruleset, presentation_source=presentation)
    return Game(ruleset, game.back_end, limits=limits)


def reference_of(name: str) -> Reference[Any, Any]:
    """Return the reference engine of a ruleset.

    Raises:
        UsageError: There is none.
    """
    if name not in engines():
        raise UsageError(
            f"there is no reference engine for {name}",
            expected=", ".join(engines()),
            help="--engine ID compares with the engine of another ruleset",
        )
    return engines()[name]


def run_checks(
    lockstep: Lockstep[Any, Any], checks: tuple[Check, ...], tell: Tell
) -> tuple[tuple[Check, Report], ...]:
    """Run checks one after another, up to the first difference."""
    reports: list[tuple[Check, Report]] = []
    for check in checks:
        on_state = partial(tell, f"{lockstep.game.id}: {check.name}")
        report = check.run(lockstep, on_state=on_state)
        reports.append((check, report))
        if report.difference is not None:
            break
    return tuple(reports)


@contextmanager
def progress(total: int) -> Iterator[Tell]:
    """Show a bar of so many checks on standard error, where that is a terminal."""
    from rich.progress import BarColumn, TextColumn, TimeElapsedColumn

    columns = (BarColumn(), TimeElapsedColumn(), TextColumn("{task.description}"))
    with bar(*columns) as shown:
        task = shown.add_task("", total=total)
        seen: list[str] = []

        def tell(what: str, so_far: Report) -> None:
            if what not in seen:
                seen.append(what)
            described = f"{harmless(what)}, {so_far.states:,} positions"
            shown.update(task, completed=len(seen) - 1, description=described)

        yield tell


def _print(findings: list[Finding]) -> None:
    show(_table(findings))
    for finding in findings:
        if finding.difference is not None:
            say(f"\n{finding.name} differs from the engine of {finding.engine}.", style="bold red")
            say(str(finding.difference))
    whole = sum((finding.whole for finding in findings), Report())
    failed = [finding.name for finding in findings if finding.difference is not None]
    compared = (
        f"{counted(whole.states, 'position')} compared, {counted(whole.games, 'game')} to the end"
    )
    if failed:
        say(f"\nFAILED: {', '.join(failed)} ({compared})", style="bold red")
    else:
        say(f"\nOK: rules and engines agree ({compared})", style="bold green")


def _table(findings: list[Finding]) -> Table:
    from rich.table import Table

    table = Table(box=None, pad_edge=False, padding=(0, 3, 0, 0), header_style="bold")
    table.add_column("ruleset", no_wrap=True)
    table.add_column("check", no_wrap=True)
    table.add_column("positions", justify="right", no_wrap=True)
    table.add_column("games", justify="right", no_wrap=True)
    table.add_column("")
    for finding in findings:
        for number, (check, report) in enumerate(finding.reports):
            is_well = report.difference is None
            table.add_row(
                harmless(finding.name) if number == 0 else "",
                check.name,
                f"{report.states:,}",
                f"{report.games:,}",
                AGREES if is_well else DIFFERS,
                style="" if is_well else "red",
            )
    return table


def _as_json(findings: list[Finding]) -> dict[str, Any]:
    return {
        "agrees": all(finding.difference is None for finding in findings),
        "rulesets": [
            {
                "game": finding.name,
                "engine": finding.engine,
                "agrees": finding.difference is None,
                "states": finding.whole.states,
                "games": finding.whole.games,
                "checks": [
                    {"check": check.name, "states": report.states, "games": report.games}
                    for check, report in finding.reports
                ],
                "difference": _difference_as_json(finding.difference),
            }
            for finding in findings
        ],
    }


def _difference_as_json(difference: Difference | None) -> dict[str, Any] | None:
    if difference is None:
        return None
    return {
        "what": difference.what,
        "rules": difference.rules,
        "reference": difference.reference,
        "moves": list(difference.moves),
        "board": difference.board.splitlines(),
    }
