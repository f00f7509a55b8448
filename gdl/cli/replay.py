"""``gdl replay``: a play that ``gdl diff`` saved, once more."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from gdl.cli.console import say, show
from gdl.cli.guard import FAILED
from gdl.cli.options import DEFAULT_SECONDS, LimitOption, SecondsOption, limits_from
from gdl.cli.picture import draw_state


def replay(
    file: Annotated[
        Path,
        typer.Argument(metavar="FILE", help="A file of gdl diff --save.", show_default=False),
    ],
    max_seconds: SecondsOption = DEFAULT_SECONDS,
    limit: LimitOption = None,
) -> None:
    """Play a saved difference again and say whether both games still end as they did.

    Exit codes: 0 all as it was saved; 1 not.

    Examples:
      gdl replay parting.toml     (made by: gdl diff A B --save parting.toml)
    """
    from gdl.verify.saved import follow, read_saved

    is_same = True
    for game in read_saved(file):
        state, changed = follow(game, limits=limits_from(max_seconds, limit))
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
