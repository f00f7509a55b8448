"""``gdl flatten``: one standard KIF file."""

from __future__ import annotations

import typer

from gdl.cli.terminal.guard import FAILED, report
from gdl.cli.terminal.options import GameArgument, OutputOption
from gdl.cli.terminal.output import write_text
from gdl.language.diagnostics import InvalidDescriptionError, Severity
from gdl.language.limits import DEFAULT_LIMITS, Limits


def flatten(
    game: GameArgument, output: OutputOption = None, limits: Limits = DEFAULT_LIMITS
) -> None:
    """Write a ruleset as one standard KIF file, which every other GGP system reads.

    Examples:
      gdl flatten pentago/strict -o pentago.kif
      gdl flatten gomoku/freestyle | less

    Exit codes: 0 all is well; 1 the rules have errors, which are named after they are written.
    """
    from gdl.language.checks.check import check
    from gdl.ruleset import find
    from gdl.ruleset.flatten import flatten as flat

    ruleset = find(game, limits=limits)
    rules = ruleset.description  # before anything is written: what cannot be read has no flat text
    write_text(flat(ruleset), output)
    problems = check(rules, limits=limits)
    errors = [problem for problem in problems if problem.severity is Severity.ERROR]
    if errors:
        said = "written as they are, but other systems may refuse these rules or play another game"
        report(InvalidDescriptionError(f"{said}:", errors))
        raise typer.Exit(FAILED)
