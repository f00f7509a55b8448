"""``gdl replay``: the log of a match, or a play that ``gdl diff`` saved, once more."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from gdl.cli.terminal.console import say, show
from gdl.cli.terminal.guard import FAILED, UsageError
from gdl.cli.terminal.options import argument, complete_id, option
from gdl.language.limits import DEFAULT_LIMITS, Limits
from gdl.language.words import counted

if TYPE_CHECKING:
    from gdl.plays import SavedGame


def replay(
    file: Annotated[
        Path,
        argument(
            "FILE",
            "The log of a match, as JSON lines; a play of gdl diff --save or gdl tournament; "
            "or a match record of gdl ggp-match.",
        ),
    ],
    under: Annotated[
        str | None,
        option(
            "--under",
            "GAME",
            "Follow it under these rules, not under those that it was played by.",
            autocompletion=complete_id,
        ),
    ] = None,
    at: Annotated[
        int | None, option("--at", "N", "Show the match after N actions, and ask nothing.", min=0)
    ] = None,
    limits: Limits = DEFAULT_LIMITS,
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
      gdl replay tournament/games/000007.toml
      gdl replay match.json       (made by: gdl ggp-match -o match.json)
    """
    if _is_record(file) and at is None:
        from gdl.ggp.record import as_saved, read_record

        _replay_saved([as_saved(read_record(file), under)], limits)
        return
    if _is_log(file):
        from gdl.cli.playing.steps import replay_log

        replay_log(file, under=under, at=at, limits=limits)
        return
    if under is not None or at is not None:
        raise UsageError(f"{file} is no log of a match", expected="no --under and no --at")
    from gdl.plays import read_saved

    _replay_saved(read_saved(file), limits)


def _is_record(file: Path) -> bool:
    """Return whether a file is a match record of the General Game Playing world."""
    content = file.read_bytes()
    return content.lstrip()[:1] == b"{" and b'"matchId"' in content and b'"moves"' in content


def _is_log(file: Path) -> bool:
    """Return whether a file is a log: its first character tells it from TOML."""
    with file.open("rb") as opened:
        return opened.read(1_000).lstrip()[:1] == b"{"


def _replay_saved(games: Iterable[SavedGame], limits: Limits) -> None:
    from gdl.cli.positions.picture import draw_state
    from gdl.plays import follow

    is_same = True
    for game in games:
        state, changed = follow(game, limits=limits)
        over = "over" if state.is_terminal else "open"
        machine, title_of = state.game.machine, state.game.ruleset.title_of
        ends = {role: machine.goals(state.inner, role) for role in machine.roles}
        goals = ", ".join(
            f"{title_of(str(role))} {' and '.join(map(str, values)) or 'none'}"
            for role, values in ends.items()
        )
        say(f"{game.name}: {over} after {counted(state.ply, 'move')}; goals: {goals}", style="bold")
        show(draw_state(state))
        for line in changed:
            say(f"  not as it was saved: {line}", style="yellow")
        is_same = is_same and not changed
    if not is_same:
        raise typer.Exit(FAILED)
