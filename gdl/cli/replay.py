"""``gdl replay``: a play that was saved, once more."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from gdl.cli.console import say, show
from gdl.cli.guard import FAILED
from gdl.cli.options import DEFAULT_SECONDS, LimitOption, SecondsOption, limits_from
from gdl.cli.picture import draw_state

if TYPE_CHECKING:
    from gdl.verify.saved import SavedGame


def replay(
    file: Annotated[
        Path,
        typer.Argument(
            metavar="FILE",
            help="A play of gdl diff --save or gdl tournament, or a match record of gdl ggp-match "
            "(JSON).",
            show_default=False,
        ),
    ],
    game: Annotated[
        str | None,
        typer.Option(
            "--game",
            "-g",
            metavar="GAME",
            help="The game of a match record, where the record names none that is here.",
            show_default=False,
        ),
    ] = None,
    max_seconds: SecondsOption = DEFAULT_SECONDS,
    limit: LimitOption = None,
) -> None:
    """Play a saved play again and say whether it still ends as it did.

    Exit codes: 0 all as it was saved; 1 not.

    Examples:
      gdl replay parting.toml                  (made by: gdl diff A B --save parting.toml)
      gdl replay tournament/games/000007.toml  (made by: gdl tournament)
      gdl replay match.json                    (made by: gdl ggp-match -o match.json)
    """
    from gdl.verify.saved import follow

    is_same = True
    for saved in _saved(file, game):
        state, changed = follow(saved, limits=limits_from(max_seconds, limit))
        over = "over" if state.is_terminal else "open"
        machine = state.game.machine
        ends = {role: machine.goals(state.inner, role) for role in machine.roles}
        goals = ", ".join(
            f"{role} {' and '.join(map(str, values)) or 'none'}" for role, values in ends.items()
        )
        say(f"{saved.name}: {over} after {state.ply} moves; goals: {goals}", style="bold")
        show(draw_state(state))
        for line in changed:
            say(f"  not as it was saved: {line}", style="yellow")
        is_same = is_same and not changed
    if not is_same:
        raise typer.Exit(FAILED)


def _saved(file: Path, game: str | None) -> tuple[SavedGame, ...]:
    from gdl.verify.saved import read_saved

    if file.suffix.lower() != ".json":
        return read_saved(file)
    from gdl.ggp.record import as_saved, read_record

    return (as_saved(read_record(file), game),)
