"""``gdl simulate``: many random games, and what they add up to."""

from __future__ import annotations

import math
from typing import Annotated, Any, Final

import typer

from gdl.cli.positions.position import open_game, reach
from gdl.cli.terminal.console import can_draw, console, say, say_json
from gdl.cli.terminal.guard import INTERRUPTED
from gdl.cli.terminal.interrupts import noticed_interrupts
from gdl.cli.terminal.options import (
    BackendOption,
    GameArgument,
    JsonOption,
    MovesOption,
    SeedOption,
)
from gdl.cli.terminal.progress import counting_bar
from gdl.cli.terminal.table import say_table
from gdl.language.limits import DEFAULT_LIMITS, Limits
from gdl.language.words import counted
from gdl.playouts import MAX_PLIES, Playouts, wilson_interval
from gdl.state import State

BINS: Final = 20
"""Most lines of the histogram."""
BAR: Final = 40
"""Columns of its longest bar."""


def simulate(
    game: GameArgument,
    n: Annotated[int, typer.Option("--number", "-n", min=1, help="How many games.")] = 100,
    seed: SeedOption = 0,
    moves: MovesOption = "",
    max_plies: Annotated[
        int, typer.Option("--max-plies", min=1, help="Cut a game off after so many joint moves.")
    ] = MAX_PLIES,
    backend: BackendOption = "auto",
    json: JsonOption = False,
    limits: Limits = DEFAULT_LIMITS,
) -> None:
    """Play uniformly random games and add them up.

    Shares come with Wilson's 95% confidence interval. Ctrl-C ends early and shows what there is.

    Examples:
      gdl simulate tictactoe -n 1000
      gdl simulate pentago/strict -n 100 --seed 7 --json
      gdl simulate tictactoe --moves "(mark 1 1); (mark 2 2)"
    """
    loaded = open_game(game, limits, backend)
    start = reach(loaded, moves)
    playouts, is_whole = _run(start, n, seed, max_plies)
    if json:
        say_json(_as_json(start, playouts, seed))
    else:
        _print(start, playouts)
    if not is_whole:
        say(f"Interrupted after {playouts.n:,} of {n:,} games.", style="yellow", stderr=True)
        raise typer.Exit(INTERRUPTED)


def _run(start: State, n: int, seed: int, max_plies: int) -> tuple[Playouts, bool]:
    """Return the counts, and whether all games were played."""
    counts = Playouts(start.game.roles)
    with counting_bar("playing") as progress, noticed_interrupts() as check:
        task = progress.add_task("playing", total=n)

        def keep(so_far: Playouts) -> None:
            nonlocal counts
            counts = so_far
            progress.update(task, completed=so_far.n)
            check()

        try:
            start.game.playouts(n, seed=seed, state=start, max_plies=max_plies, on_playout=keep)
        except KeyboardInterrupt:
            return counts, False
    return counts, True


def _as_json(start: State, playouts: Playouts, seed: int) -> dict[str, Any]:
    finished = playouts.finished
    return {
        "game": start.game.id,
        "seed": seed,
        "games": playouts.n,
        "finished": finished,
        "cut": playouts.cut,
        "stuck": playouts.stuck,
        "roles": [
            {
                "role": role,
                "wins": playouts.wins(role),
                "interval": list(wilson_interval(playouts.wins(role), finished)),
                "mean_goal": _number(playouts.mean_goal(role)),
            }
            for role in playouts.roles
        ],
        "draws": playouts.draws,
        "draws_interval": list(wilson_interval(playouts.draws, finished)),
        "goals": [
            {"goals": list(goals), "count": count}
            for goals, count in sorted(playouts.goals.items(), key=str)
        ],
        "mean_length": _number(playouts.mean_length),
        "lengths": {str(length): playouts.lengths[length] for length in sorted(playouts.lengths)},
    }


def _number(value: float) -> float | None:
    return None if math.isnan(value) else value


def _print(start: State, playouts: Playouts) -> None:
    say(f"{start.game.id}: {counted(playouts.n, 'random game')}", style="bold")
    for number, what in ((playouts.cut, "cut off"), (playouts.stuck, "stuck without a legal move")):
        if number:
            say(f"{number:,} {what}; in no other count", style="yellow")
    if not playouts.finished:
        return
    _say_results(playouts)
    say(f"\nLength: {_mean_length(playouts)}")
    say("\n".join(histogram(playouts, is_ascii=not can_draw(console(), "█"))))


def _say_results(playouts: Playouts) -> None:
    results = [
        (f"{role} wins", playouts.wins(role), playouts.mean_goal(role)) for role in playouts.roles
    ]
    rows = []
    for name, count, mean in [*results, ("nobody wins", playouts.draws, math.nan)]:
        low, high = wilson_interval(count, playouts.finished)
        share, interval = f"{count / playouts.finished:.1%}", f"{low:.1%} to {high:.1%}"
        rows.append(
            (name, f"{count:,}", share, interval, "" if math.isnan(mean) else f"{mean:.1f}")
        )
    say_table(("", "games", "share", "95% interval", "mean goal"), rows, right=range(1, 5))


def _mean_length(playouts: Playouts) -> str:
    lengths = playouts.lengths
    return f"{min(lengths)} to {max(lengths)} joint moves, mean {playouts.mean_length:.1f}"


def histogram(playouts: Playouts, *, is_ascii: bool = False) -> list[str]:
    """Return how often each length occurred, as lines of text; several lengths may share one."""
    lengths = playouts.lengths
    low, high = min(lengths), max(lengths)
    step = max(1, math.ceil((high - low + 1) / BINS))
    bins = [
        (begin, sum(lengths[length] for length in range(begin, begin + step)))
        for begin in range(low, high + 1, step)
    ]
    most = max(count for _, count in bins)
    labels = [str(begin) if step == 1 else f"{begin}-{begin + step - 1}" for begin, _ in bins]
    margin, width = max(map(len, labels)), len(f"{most:,}")
    return [
        f"  {label:>{margin}}  {count:>{width},}  {_bar_of(count / most, is_ascii)}".rstrip()
        for label, (_, count) in zip(labels, bins, strict=True)
    ]


def _bar_of(share: float, is_ascii: bool) -> str:
    """Return a bar of at most `BAR` columns, in eighths of a column where characters allow."""
    if is_ascii:
        return "#" * (round(share * BAR) or (1 if share else 0))
    eighths = round(share * BAR * 8) or (1 if share else 0)
    return "█" * (eighths // 8) + "▏▎▍▌▋▊▉"[eighths % 8 - 1 : eighths % 8]
