"""``gdl cache``: what is kept on disk so that it is made only once, and how to be rid of it."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from pathlib import Path
from typing import Annotated, Final

import typer

from gdl._cache import FOLDER_VARIABLE, cache_folder
from gdl._cache_space import (
    LIMIT_VARIABLE,
    UNFINISHED,
    Entry,
    SizeError,
    entries,
    parse_size,
    remove,
    shrink,
    size_limit,
    total_size,
)
from gdl.cli.terminal.console import say, say_json
from gdl.cli.terminal.guard import UsageError
from gdl.cli.terminal.options import JsonOption, option
from gdl.cli.terminal.table import say_table
from gdl.language.words import counted

CONTENT: Final = {
    "circuit": "rules as gates",
    "code": "which code of gdl made the others",
    "cpu": "what the processor can do",
    "gather": "machine code that gathers the bits of observations",
    "kernel": "machine code of states and moves",
    "lanes": "machine code of playouts",
    "list": "lists of gates of the first playouts",
    "packed": "machine code of solvers",
    "refusal": "why rules are not made into machine code",
    "scalar": "machine code of one game",
    "search": "machine code of players",
    "tables": "what the machine code of one game runs on",
    "toml": "manifests",
    UNFINISHED: "being written, or left by a program that was killed",
}
"""What the entries of each kind are."""
UNITS: Final = ("bytes", "KiB", "MiB", "GiB", "TiB")


def cache(
    clear: Annotated[bool, typer.Option("--clear", help="Remove everything.")] = False,
    keep: Annotated[
        str | None,
        option(
            "--keep",
            "SIZE",
            "Remove what was not used for longest until at most this is left, such as 200M.",
        ),
    ] = None,
    json: JsonOption = False,
) -> None:
    """Show what is kept on disk: compiled games most of all, so that each is compiled once.

    Everything in it can be made again; to empty it costs time alone. It takes at most 1 GiB:
    what was not used for longest goes first. The environment variable GDL_CACHE_LIMIT says
    another size (500M, 4G, none), GDL_CACHE another folder; an empty GDL_CACHE turns it off.

    Examples:
      gdl cache
      gdl cache --keep 200M
      gdl cache --clear
    """
    if clear and keep is not None:
        raise UsageError("--clear and --keep are two wishes", expected="one of them")
    try:
        size = None if keep is None else parse_size(keep, "--keep")
        limit = size_limit()
    except SizeError as error:
        raise UsageError(error.message, expected=error.expected) from None
    folder = cache_folder()
    gone: list[Entry] = []
    if folder is not None and clear:
        gone = remove(entries(folder))
    elif folder is not None and keep is not None:
        gone = shrink(folder, size)
    kept = [] if folder is None else entries(folder)
    if json:
        say_json(_as_json(folder, limit, kept, gone))
    else:
        _say(folder, limit, kept, gone, is_removing=clear or keep is not None)


def _kinds(kept: Sequence[Entry]) -> dict[str, list[Entry]]:
    kinds: dict[str, list[Entry]] = {}
    for entry in sorted(kept, key=lambda entry: entry.kind):
        kinds.setdefault(entry.kind, []).append(entry)
    return kinds


def _as_json(
    folder: Path | None, limit: int | None, kept: Sequence[Entry], gone: Sequence[Entry]
) -> dict[str, object]:
    return {
        "folder": None if folder is None else str(folder),
        "limit": limit,
        "entries": len(kept),
        "bytes": total_size(kept),
        "kinds": {
            kind: {
                "entries": len(those),
                "bytes": total_size(those),
                "used": max(entry.used for entry in those),
            }
            for kind, those in _kinds(kept).items()
        },
        "removed": {"entries": len(gone), "bytes": total_size(gone)},
    }


def _say(
    folder: Path | None,
    limit: int | None,
    kept: Sequence[Entry],
    gone: Sequence[Entry],
    *,
    is_removing: bool,
) -> None:
    if folder is None:
        say(f"The cache is turned off: {FOLDER_VARIABLE} is empty. Nothing is kept.")
        return
    if is_removing:
        say(f"Removed {_amount(gone)}.")
    limited = "no limit" if limit is None else f"at most {size_text(limit)}"
    say(f"{folder}: {_amount(kept)}, {limited} ({LIMIT_VARIABLE})")
    if not kept:
        return
    rows = [
        (
            kind,
            f"{len(those):,}",
            size_text(total_size(those)),
            f"{datetime.fromtimestamp(max(entry.used for entry in those)):%Y-%m-%d %H:%M}",  # noqa: DTZ006  # the user's own clock
            CONTENT.get(kind, ""),
        )
        for kind, those in _kinds(kept).items()
    ]
    say("")
    say_table(("kind", "entries", "size", "last used", "what it is"), rows, right=(1, 2))


def _amount(those: Sequence[Entry]) -> str:
    return f"{counted(len(those), 'entry', 'entries')}, {size_text(total_size(those))}"


def size_text(size: int) -> str:
    """Return a number of bytes as people read it.

    Example:
        >>> size_text(1536)
        '1.5 KiB'
    """
    scaled, unit = float(size), 0
    while scaled >= 1024 and unit + 1 < len(UNITS):  # noqa: PLR2004  # what the units mean
        scaled, unit = scaled / 1024, unit + 1
    return f"{size:,} {UNITS[0]}" if unit == 0 else f"{scaled:,.1f} {UNITS[unit]}"
