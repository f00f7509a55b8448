"""``gdl demo``: the rulesets loaded, drawn, played and held against their engines."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Annotated, Any

import typer

from gdl.cli.terminal.guard import FAILED
from gdl.cli.terminal.options import SeedOption

if TYPE_CHECKING:
    from gdl.cli.comparing.suite import Finding, Tell
    from gdl.conform import Check, Lockstep, Pair
    from gdl.game import Game


def demo(
    seed: SeedOption = 0,
    games: Annotated[int, typer.Option("--games", "-n", min=1, help="Games for each ruleset.")] = 3,
) -> None:
    """Load, draw, play and cross-check the rulesets that have a reference engine.

    Examples:
      gdl demo
      gdl demo --seed 7

    Exit codes: 0 all agree with their engines; 1 one does not.
    """
    from gdl.cli.comparing.engines import engines
    from gdl.cli.comparing.suite import progress, reference_of
    from gdl.cli.terminal.console import say
    from gdl.conform import STYLES, Check, Lockstep, Report
    from gdl.game import load
    from gdl.language.words import counted

    begin = time.perf_counter()
    checks = tuple(
        Check(f"games {style}", games, 0, seed, STYLES[style])
        for style in ("seeking a win", "by chance")
    )
    findings = []
    for name in engines():
        with progress(len(checks)) as tell:
            lockstep = Lockstep(load(name, backend="reason"), reference_of(name))
            finding, last = _act(lockstep, checks, tell)
        _show(lockstep.game, finding, last)
        findings.append(finding)
    seconds = time.perf_counter() - begin
    whole = sum((finding.whole for finding in findings), Report())
    agreeing = sum(finding.difference is None for finding in findings)
    is_well = agreeing == len(findings)
    say(
        f"{'OK' if is_well else 'FAILED'}: {agreeing} of {len(findings)} rulesets loaded, drawn, "
        f"played and agreeing with their engines ({counted(whole.states, 'position')}, "
        f"{counted(whole.games, 'game')}, {seconds:.1f} s)",
        style="bold green" if is_well else "bold red",
    )
    if not is_well:
        raise typer.Exit(FAILED)


def _act(
    lockstep: Lockstep[Any, Any], checks: tuple[Check, ...], tell: Tell
) -> tuple[Finding, Pair[Any]]:
    """Compare one ruleset with its engine; return the last position that was played, too."""
    from gdl.cli.comparing.suite import Finding, run_checks

    name = lockstep.game.id
    finding = Finding(name, name, run_checks(lockstep, checks, tell))
    return finding, lockstep.reach(finding.whole.last)


def _show(game: Game, finding: Finding, last: Pair[Any]) -> None:
    """Show one ruleset: its title, how a game of it ended, and what the comparison found."""
    from gdl.cli.positions.outcome import headline
    from gdl.cli.positions.picture import draw_state
    from gdl.cli.terminal.console import say, show
    from gdl.language.words import counted

    say(f"{game.id}: {game.ruleset.title}", style="bold cyan")
    show(draw_state(last.state))
    say(f"\nA random game: {_abridged(last.moves)}")
    report = finding.whole
    if report.difference is not None:
        say(f"It differs from its engine.\n{report.difference}\n", style="red")
        return
    goals = {role: last.state.goal(role) for role in game.roles}
    titles = {role: game.ruleset.title_of(role) for role in game.roles}
    say(
        f"{headline(goals, titles)} Rules and engine agree in "
        f"{counted(report.states, 'position')} and {counted(report.games, 'game')}.\n",
        style="green",
    )


def _abridged(moves: tuple[str, ...], most: int = 6) -> str:
    shown = "; ".join(moves[:most])
    return f"{shown}; ... ({len(moves)} moves)" if len(moves) > most else shown
