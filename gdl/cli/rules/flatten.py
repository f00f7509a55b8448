"""``gdl flatten``: one standard KIF file."""

from __future__ import annotations

from gdl.cli.terminal.options import GameArgument, OutputOption
from gdl.cli.terminal.output import write_text
from gdl.language.limits import DEFAULT_LIMITS, Limits


def flatten(
    game: GameArgument, output: OutputOption = None, limits: Limits = DEFAULT_LIMITS
) -> None:
    """Write a ruleset as one standard KIF file, which every other GGP system reads.

    Examples:
      gdl flatten pentago/strict -o pentago.kif
      gdl flatten gomoku/freestyle | less
    """
    from gdl.ruleset import find
    from gdl.ruleset.flatten import flatten as flat

    write_text(flat(find(game, limits=limits)), output)
