"""What proving commands share: options, the line of stages, an exit code."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated

import typer

from gdl.cli.terminal.console import say
from gdl.cli.terminal.options import option
from gdl.cli.terminal.ticker import ticker
from gdl.machine import JointMove

UNKNOWN = 3
"""Exit code: nothing was refuted, and not everything could be proved, or compared."""

TimeOption = Annotated[
    float, typer.Option("--time", "-t", metavar="S", min=0.1, help="Seconds for each comparison.")
]
MemoryOption = Annotated[
    int, typer.Option("--memory", metavar="MB", min=64, help="Megabytes that it may take.")
]
NeverOption = Annotated[
    list[str] | None,
    option("--never", "FORMULA", "What must never hold, in rule syntax, repeatable."),
]
ProofsOption = Annotated[
    Path | None,
    option(
        "--proofs",
        "FOLDER",
        "Write a formula (DIMACS) and a proof (DRAT) for all that the solver denies.",
    ),
]
CertificatesOption = Annotated[
    Path | None,
    option(
        "--certificates",
        "FOLDER",
        "Write for each claim that no state can be otherwise what gdl certify checks.",
    ),
]

OpinionOption = Annotated[
    bool,
    option(
        "--second-opinion",
        None,
        "Ask berkeley-abc too; what it finds counts once it was checked here.",
    ),
]


def say_uncertified(folder: Path) -> None:
    """Say which claims of a folder have no certificate, and why: what is proved may have none."""
    index = json.loads((folder / "certificates.json").read_text(encoding="utf-8"))
    for claim in index["claims"]:
        if "kind" not in claim:
            say(f"not certified: {claim['name']}: {claim['why']}", style="yellow")


def play_as_json(play: Sequence[JointMove] | None) -> list[list[str]] | None:
    """Return a play as JSON has it: the moves of all roles, step by step."""
    return None if play is None else [[str(move) for move in joint] for joint in play]


@contextmanager
def stage_line() -> Iterator[Callable[[str, str], None]]:
    """Yield a function that is told of each stage, and shows it on the terminal."""
    with ticker() as line:
        yield lambda stage, text: line.tick(lambda: f"{stage}: {text}")
