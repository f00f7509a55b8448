"""``gdl convert``: rules from one notation to the other, or to a circuit."""

from __future__ import annotations

import sys
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, assert_never

import typer

from gdl.cli.guard import UsageError
from gdl.cli.options import DEFAULT_SECONDS, LimitOption, OutputOption, SecondsOption, limits_from
from gdl.cli.output import write_text
from gdl.language.limits import Limits
from gdl.language.source import Source
from gdl.language.syntax import Description

if TYPE_CHECKING:
    from gdl.compile.circuit import GameCircuit


class Form(StrEnum):
    """What rules can be written as."""

    KIF = "kif"
    HRF = "hrf"
    AIGER = "aiger"
    DOT = "dot"


def convert(
    file: Annotated[
        str,
        typer.Argument(
            metavar="FILE",
            help="A rule file or ruleset id; - is standard input.",
            show_default=False,
        ),
    ],
    to: Annotated[
        Form,
        typer.Option(
            "--to",
            help="kif: (legal ?p noop); hrf: legal(P,noop); aiger: the circuit for model "
            "checkers; dot: the same for Graphviz.",
            show_default=False,
        ),
    ],
    output: OutputOption = None,
    max_seconds: SecondsOption = DEFAULT_SECONDS,
    limit: LimitOption = None,
) -> None:
    """Write rules in the other notation, prefix (KIF) or infix (HRF), or as a circuit.

    Notation changes nothing of the rules. A circuit (AIGER 1.9 in ASCII, or Graphviz) has a
    latch for each fact and an input for each move; it takes grounding, seconds for most games.

    Examples:
      gdl convert mine.kif --to hrf
      gdl convert mine.hrf --to kif -o mine.kif
      gdl convert pentago/strict --to aiger -o strict.aag
    """
    limits = limits_from(max_seconds, limit)
    description = _read(file, limits)
    match to:
        case Form.KIF | Form.HRF:
            from gdl.language.render import render

            write_text(render(description, syntax="kif" if to is Form.KIF else "hrf"), output)
        case Form.AIGER:
            from gdl.compile.aiger import aiger_text

            write_text(aiger_text(_circuit(description, limits)), output)
        case Form.DOT:
            from gdl.compile.dot import dot_text

            write_text(dot_text(_circuit(description, limits)), output)
        case _:
            assert_never(to)


def _read(file: str, limits: Limits) -> Description:
    from gdl.language.parse import parse, read
    from gdl.ruleset import find, rulesets

    if file == "-":
        raw = sys.stdin.buffer.read(limits.bytes + 1)
        return parse(Source.from_bytes("-", raw), limits=limits)
    if any(ruleset.id == file for ruleset in rulesets()):
        return find(file, limits=limits).description
    return read(file, limits=limits)


def _circuit(description: Description, limits: Limits) -> GameCircuit:
    from gdl.backend import missing_packages

    if missing := missing_packages():
        raise UsageError(
            f"a circuit needs {' and '.join(missing)}\n  help: pip install 'gdl-framework[native]'"
        )
    from gdl.compile import CompileLimits, build

    return build(description, limits=CompileLimits(seconds=limits.seconds))
