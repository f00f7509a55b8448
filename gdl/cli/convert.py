"""``gdl convert``: rules from one notation to the other."""

from __future__ import annotations

import sys
from enum import StrEnum
from typing import Annotated, Literal

import typer

from gdl.cli.options import DEFAULT_SECONDS, LimitOption, OutputOption, SecondsOption, limits_from
from gdl.cli.output import write_text
from gdl.language.source import Source


class Notation(StrEnum):
    """The two ways to write rules."""

    KIF = "kif"
    HRF = "hrf"


def convert(
    file: Annotated[
        str,
        typer.Argument(
            metavar="FILE", help="A rule file; - is standard input.", show_default=False
        ),
    ],
    to: Annotated[
        Notation,
        typer.Option("--to", help="kif: (legal ?p noop); hrf: legal(P,noop).", show_default=False),
    ],
    output: OutputOption = None,
    max_seconds: SecondsOption = DEFAULT_SECONDS,
    limit: LimitOption = None,
) -> None:
    """Write rules in the other notation: prefix (KIF) or infix (HRF). The rules stay the same.

    Examples:
      gdl convert mine.kif --to hrf
      gdl convert mine.hrf --to kif -o mine.kif
    """
    from gdl.language.parse import parse, read
    from gdl.language.render import render

    limits = limits_from(max_seconds, limit)
    if file == "-":
        raw = sys.stdin.buffer.read(limits.bytes + 1)
        description = parse(Source.from_bytes("-", raw), limits=limits)
    else:
        description = read(file, limits=limits)
    syntax: Literal["kif", "hrf"] = "kif" if to is Notation.KIF else "hrf"
    write_text(render(description, syntax=syntax), output)
