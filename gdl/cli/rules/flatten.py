"""``gdl flatten``: one standard KIF file."""

from __future__ import annotations

from gdl.cli.terminal.options import (
    DEFAULT_SECONDS,
    GameArgument,
    LimitOption,
    OutputOption,
    SecondsOption,
    limits_from,
)
from gdl.cli.terminal.output import write_text


def flatten(
    game: GameArgument,
    output: OutputOption = None,
    max_seconds: SecondsOption = DEFAULT_SECONDS,
    limit: LimitOption = None,
) -> None:
    """Write a ruleset as one standard KIF file, which every other GGP system reads.

    Examples:
      gdl flatten pentago/strict -o pentago.kif
      gdl flatten gomoku/freestyle | less
    """
    from gdl.ruleset import find
    from gdl.ruleset.flatten import flatten as flat

    write_text(flat(find(game, limits=limits_from(max_seconds, limit))), output)
