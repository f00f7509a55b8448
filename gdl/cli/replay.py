"""``gdl replay``: the log of a match, or a play that ``gdl diff`` saved, once more."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from gdl.cli.console import say, show
from gdl.cli.guard import FAILED, UsageError
from gdl.cli.options import (
    DEFAULT_SECONDS,
    LimitOption,
    SecondsOption,
    complete_id,
    limits_from,
)
from gdl.cli.picture import draw_state
from gdl.language.limits import Limits


def replay(
    file: Annotated[
        Path,
        typer.Argument(
            metavar="FILE",
            help="The log of a match, as JSON lines; or a file of gdl diff --save.",
            show_default=False,
        ),
    ],
    under: Annotated[
        str | None,
        typer.Option(
            "--under",
            metavar="GAME",
            help="Follow the log under these rules, not under those that it was played by.",
            autocompletion=complete_id,
            show_default=False,
        ),
    ] = None,
    at: Annotated[
        int | None,
        typer.Option(
            "--at",
            metavar="N",
            min=0,
            help="Show the match after N actions, and ask nothing.",
            show_default=False,
        ),
    ] = None,
    max_seconds: SecondsOption = DEFAULT_SECONDS,
    limit: LimitOption = None,
) -> None:
    """Step through the log of a match, forward and back; or play a saved difference again.

    Of a log every action is checked as it was when it was accepted. The rules are those
    that the log carries, whatever became of their files; --under names others, and says
    what is different then.

    Exit codes: 0 all as it was; 1 not.

    Examples:
      gdl replay match.jsonl
      gdl replay match.jsonl --at 20
      gdl replay match.jsonl --under pentago/utwente
      gdl replay parting.toml     (made by: gdl diff A B --save parting.toml)
    """
    limits = limits_from(max_seconds, limit)
    if _is_log(file):
        from gdl.cli.steps import replay_log

        replay_log(file, under=under, at=at, limits=limits)
        return
    if under is not None or at is not None:
        raise UsageError(f"{file} is no log of a match\n  expected: no --under and no --at")
    _replay_saved(file, limits)


def _is_log(file: Path) -> bool:
    """Return whether a file is a log: its first character tells it from TOML."""
    with file.open("rb") as opened:
        return opened.read(1_000).lstrip()[:1] == b"{"


def _replay_saved(file: Path, limits: Limits) -> None:
    from gdl.verify.saved import follow, read_saved

    is_same = True
    for game in read_saved(file):
        state, changed = follow(game, limits=limits)
        over = "over" if state.is_terminal else "open"
        machine = state.game.machine
        ends = {role: machine.goals(state.inner, role) for role in machine.roles}
        goals = ", ".join(
            f"{role} {' and '.join(map(str, values)) or 'none'}" for role, values in ends.items()
        )
        say(f"{game.name}: {over} after {state.ply} moves; goals: {goals}", style="bold")
        show(draw_state(state))
        for line in changed:
            say(f"  not as it was saved: {line}", style="yellow")
        is_same = is_same and not changed
    if not is_same:
        raise typer.Exit(FAILED)
