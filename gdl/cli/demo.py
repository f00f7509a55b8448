"""``gdl demo``: the rulesets loaded, drawn, played and held against their engines."""

from __future__ import annotations

import time
from dataclasses import dataclass
from random import Random
from typing import Annotated

import typer

from gdl.cli.conform import reference_of
from gdl.cli.console import say
from gdl.cli.console import show as show_all
from gdl.cli.guard import FAILED
from gdl.cli.options import SeedOption
from gdl.cli.outcome import headline
from gdl.cli.picture import draw_state
from gdl.cli.ticker import ticker
from gdl.conform import Difference, Pair, Report, every_state, random_game, start
from gdl.game import Game, load


@dataclass(frozen=True, slots=True)
class Act:
    """What was found for one ruleset.

    Attributes:
        states: States in which rules and engine were compared.
        games: Games played to the end in lockstep.
        difference: The first difference, None where they agree.
    """

    states: int
    games: int
    difference: Difference | None


def demo(
    seed: SeedOption = 0,
    n: Annotated[
        int, typer.Option("--number", "-n", min=1, help="Random games for each ruleset.")
    ] = 1,
) -> None:
    """Load, draw, play and cross-check the rulesets that have a reference engine.

    Examples:
      gdl demo
      gdl demo --seed 7

    Exit codes: 0 all agree with their engines; 1 one does not.
    """
    from engine import GAMES

    begin = time.perf_counter()
    acts = [_act(name, seed, n) for name in GAMES]
    seconds = time.perf_counter() - begin
    states, games = sum(act.states for act in acts), sum(act.games for act in acts)
    agreeing = sum(act.difference is None for act in acts)
    is_well = agreeing == len(acts)
    say(
        f"{'OK' if is_well else 'FAILED'}: {agreeing} of {len(acts)} rulesets loaded, drawn, "
        f"played and agreeing with their engines ({states:,} states, {games} games, "
        f"{seconds:.1f} s)",
        style="bold green" if is_well else "bold red",
    )
    if not is_well:
        raise typer.Exit(FAILED)


def _act(name: str, seed: int, n: int) -> Act:
    """Show one ruleset: its title, a game, and how it compares with its engine."""
    game = load(name)
    say(f"{name}: {game.ruleset.title}", style="bold cyan")
    with ticker() as line:
        line.tick(lambda: f"{name}: comparing with its engine")
        last, report = _compare(game, seed, n)
    show_all(draw_state(last.state))
    say(f"\nA random game: {_abridged(last.moves)}")
    if report.difference is not None:
        say(f"It differs from its engine.\n{report.difference}\n", style="red")
    else:
        goals = {role: last.state.goal(role) for role in game.roles}
        say(
            f"{headline(goals)} Rules and engine agree in {report.states:,} states and "
            f"{report.games} game{'' if report.games == 1 else 's'}.\n",
            style="green",
        )
    return Act(report.states, report.games, report.difference)


def _compare(game: Game, seed: int, n: int) -> tuple[Pair[object], Report]:
    """Compare the first states and whole games; return the last state of the last game too."""
    reference = reference_of(game.id)
    first = every_state(game, reference, 0)
    pair = start(game, reference)
    report = Report(first.states, 0, first.difference)
    for number in range(n):
        if report.difference is not None:
            break
        pair = random_game(reference, start(game, reference), Random(f"{seed}/{number}"), report)
    return pair, report


def _abridged(moves: tuple[str, ...], most: int = 6) -> str:
    shown = "; ".join(moves[:most])
    return f"{shown}; ... ({len(moves)} moves)" if len(moves) > most else shown
