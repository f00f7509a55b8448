"""``gdl conform GAME --against SOURCE``: rules held against anybody's engine."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import typer

from gdl.cli.comparing.proving import UNKNOWN
from gdl.cli.terminal.console import say, say_json
from gdl.cli.terminal.guard import FAILED, USAGE, report
from gdl.cli.terminal.progress import bar, lines
from gdl.conform import (
    Audit,
    OnPositions,
    PlayerAudit,
    SourceError,
    UnmatchedError,
    conform,
    conform_player,
    write_player_report,
    write_report,
)
from gdl.conform.found import Found
from gdl.conform.matching.map_file import map_text
from gdl.conform.words import difference_lines
from gdl.language.source import harmless


def run_audit(
    game: str,
    against: str,
    *,
    folder: Path | None,
    save_map: Path | None,
    json: bool,
    **wanted: Any,  # noqa: ANN401  # passed on
) -> None:
    """Compare, show what was found, write what was asked for, and leave with the exit code."""
    try:
        with _progress() as tell:
            audit = conform(game, against, on_positions=tell, **wanted)
    except SourceError as error:
        report(error)
        raise typer.Exit(UNKNOWN if isinstance(error, UnmatchedError) else USAGE) from None
    if save_map is not None:
        save_map.write_text(map_text(audit.comparison), encoding="utf-8")
    written = [] if folder is None else write_report(audit, folder)
    _show(audit, _as_json(audit) if json else None, written)
    if not audit.agree:
        raise typer.Exit(UNKNOWN if audit.parting is None else FAILED)


def run_player_audit(
    game: str,
    against: str,
    *,
    folder: Path | None,
    json: bool,
    **wanted: Any,  # noqa: ANN401  # passed on
) -> None:
    """Ask a program that speaks the GGP protocol, show what it answered, and leave likewise."""
    try:
        with _progress() as tell:
            audit = conform_player(game, against, on_positions=tell, **wanted)
    except SourceError as error:
        report(error)
        raise typer.Exit(USAGE) from None
    written = [] if folder is None else write_player_report(audit, folder)
    _show(audit, _player_as_json(audit) if json else None, written)
    if not audit.agree:
        raise typer.Exit(UNKNOWN if audit.wrong is None else FAILED)


def _show(audit: Audit | PlayerAudit, told: dict[str, Any] | None, written: list[Path]) -> None:
    """Show what was found, as JSON where that is given, else with the files that were written."""
    if told is not None:
        say_json(told)
        return
    say(str(audit), style="green" if audit.agree else "")
    for path in written:
        say(f"wrote {path}")


@contextmanager
def _progress() -> Iterator[OnPositions]:
    """Show a bar on standard error where that is a terminal, else say a line now and then."""
    from rich.progress import BarColumn, TextColumn, TimeElapsedColumn

    columns = (BarColumn(), TimeElapsedColumn(), TextColumn("{task.description}"))
    with bar(*columns) as shown, lines() as say_now_and_then:
        task = shown.add_task("", total=None)

        def tell(stage: str, compared: int, wanted: int) -> None:
            described = f"{harmless(stage)}, {compared:,} positions"
            shown.update(task, completed=compared, total=wanted, description=described)
            say_now_and_then(described)

        yield tell


def _as_json(audit: Audit) -> dict[str, Any]:
    uncovered = audit.uncovered
    return {
        "game": audit.game,
        "against": audit.against,
        "agree": audit.agree,
        "positions": audit.positions,
        "games": audit.games,
        "matching": audit.matching,
        "roles": dict(audit.roles),
        "conventions": list(audit.conventions),
        "units": list(audit.units),
        "rules": audit.rules,
        "uncovered": None if uncovered is None else [f"{r.place} {r.text}" for r in uncovered],
        "styles": audit.styles,
        "remarks": list(audit.remarks),
        "seconds": round(audit.seconds, 3),
        "difference": _difference_as_json(audit),
        "behind": [_difference_as_json(difference) for difference in audit.behind],
    }


def _difference_as_json(audit: Found) -> dict[str, Any] | None:
    parting = audit.parting
    if parting is None or audit.play is None:
        return None
    return {
        "kind": parting.kind,
        "what": parting.what,
        "rules": parting.ours,
        "engine": parting.theirs,
        "play": [{role: str(move) for role, move in ply.items()} for ply in audit.play],
        "first_length": audit.first_length,
        "report": list(difference_lines(audit)),
    }


def _player_as_json(audit: PlayerAudit) -> dict[str, Any]:
    wrong = audit.wrong
    return {
        "game": audit.game,
        "against": audit.against,
        "agree": audit.agree,
        "answers": audit.answers,
        "matches": audit.matches,
        "seconds": round(audit.seconds, 3),
        "difference": None
        if wrong is None
        else {
            "role": str(wrong.role),
            "answer": wrong.answer,
            "legal": [str(move) for move in wrong.state.legal(wrong.role)],
            "play": [[str(move) for move in joint] for joint in wrong.play],
            "first_length": audit.first_length,
            "was_led": wrong.was_led,
        },
    }
