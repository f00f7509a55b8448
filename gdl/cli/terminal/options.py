"""Arguments and options that several commands share, and what they mean.

In go the words of the command line; out come `Limits`, a loaded `Game`, a `State`.
"""

from __future__ import annotations

import dataclasses
from typing import Annotated, Any, Final, TypeVar

import typer

from gdl.backend import Wanted
from gdl.cli.terminal.guard import UsageError
from gdl.language.limits import DEFAULT_LIMITS, Limits

N = TypeVar("N", int, float)


def complete_id(incomplete: str) -> list[str]:
    """Return the ruleset ids that begin so, for the shell; files are the shell's own affair."""
    from gdl.ruleset import rulesets

    return [ruleset.id for ruleset in rulesets() if ruleset.id.startswith(incomplete)]


GameArgument = Annotated[
    str,
    typer.Argument(
        metavar="GAME",
        help="A ruleset id such as pentago/strict, or the path of a .kif or .hrf file.",
        autocompletion=complete_id,
        show_default=False,
    ),
]
MovesOption = Annotated[
    str,
    typer.Option(
        "--moves",
        "-m",
        metavar="MOVES",
        help="Moves to make first, separated by ; in the ruleset's notation or KIF. Where several "
        "roles move at once: 'ROLE: MOVE & ROLE: MOVE'. @FILE reads them from a file.",
        show_default=False,
    ),
]
SeedOption = Annotated[
    int, typer.Option("--seed", "-s", metavar="S", help="Makes chance repeatable.")
]
JsonOption = Annotated[bool, typer.Option("--json", help="Write JSON for programs to read.")]
BackendOption = Annotated[
    Wanted,
    typer.Option(
        "--backend",
        "-b",
        help="Who runs the rules: machine code (native), the rules as written (reason), or "
        "machine code where it can be had (auto).",
    ),
]
OutputOption = Annotated[
    str | None,
    typer.Option(
        "--output",
        "-o",
        metavar="FILE",
        help="Write there, not to the terminal.",
        show_default=False,
    ),
]
LIMIT_NAMES: Final = tuple(field.name for field in dataclasses.fields(Limits))
LimitOption = Annotated[
    list[str] | None,
    typer.Option(
        "--limit",
        metavar="NAME=N",
        help="Another limit for rules that nobody vouched for, repeatable. Names: "
        + ", ".join(LIMIT_NAMES)
        + ".",
        show_default=False,
        rich_help_panel="Untrusted rules",
    ),
]
SecondsOption = Annotated[
    float,
    typer.Option(
        "--max-seconds",
        metavar="S",
        help="Seconds for reading and checking one text, and for deriving one state.",
        rich_help_panel="Untrusted rules",
    ),
]
DEFAULT_SECONDS: Final = DEFAULT_LIMITS.seconds


def limits_from(seconds: float, settings: list[str] | None) -> Limits:
    """Return the limits that ``--max-seconds`` and each ``--limit NAME=N`` ask for.

    Raises:
        UsageError: No such limit, or no positive number.
    """
    wanted: dict[str, Any] = {"seconds": _positive("--max-seconds", seconds)}
    for setting in settings or ():
        name, _, text = setting.partition("=")
        if name not in LIMIT_NAMES:
            raise UsageError(
                f"--limit {setting}: there is no limit {name!r}",
                expected=f"NAME=N, where NAME is one of {', '.join(LIMIT_NAMES)}",
            )
        wanted[name] = _limit(setting, name, text)
    return dataclasses.replace(DEFAULT_LIMITS, **wanted)


def _limit(setting: str, name: str, text: str) -> float | int:
    kind = float if name == "seconds" else int
    try:
        value = kind(text)
    except ValueError:
        raise UsageError(
            f"--limit {setting}: {text!r} is no number",
            expected=f"for instance --limit {name}={getattr(DEFAULT_LIMITS, name)}",
        ) from None
    return _positive(f"--limit {setting}", value)


def _positive(option: str, value: N) -> N:
    if not value > 0:
        raise UsageError(f"{option}: {value} is not greater than 0")
    return value
