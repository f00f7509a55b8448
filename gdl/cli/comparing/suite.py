"""Lockstep with reference engines, and what a terminal shows of it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any, Final

import typer

from gdl.cli.comparing.engines import engines
from gdl.cli.positions.position import open_game
from gdl.cli.terminal.console import say, say_json, show
from gdl.cli.terminal.guard import FAILED, UsageError
from gdl.cli.terminal.progress import bar
from gdl.conform import Check, Divergence, Lockstep, Reference, Report, suite
from gdl.game import Game
from gdl.language.limits import Limits
from gdl.language.source import harmless
from gdl.language.words import counted
from gdl.ruleset import find

if TYPE_CHECKING:
    from rich.table import Table

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
    def difference(self) -> Divergence | None:
        """The first difference, None where there is none."""
        return self.whole.difference

    @property
    def whole(self) -> Report:
        """All counts together."""
        return sum((report for _, report in self.reports), Report())


def run_suite(  # the command's own options
    game: str | None,
    engine: str | None,
    *,
    depth: int,
    games: int,
    seed: int,
    json: bool,
    limits: Limits,
) -> None:
    """Compare rulesets with their engines, show what was found, and leave with the exit code."""
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


def _difference_as_json(difference: Divergence | None) -> dict[str, Any] | None:
    if difference is None:
        return None
    return {
        "what": difference.what,
        "rules": difference.rules,
        "reference": difference.reference,
        "moves": list(difference.moves),
        "board": difference.board.splitlines(),
    }
