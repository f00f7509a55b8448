"""What one piece of the search found, and how much a piece is.

In: positions that were compared. Out: the counts that the pieces of a search add up.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import Final

from gdl.conform.comparison import Parting, Twin
from gdl.conform.sources.rules import RulesPosition
from gdl.conform.styles import Memory
from gdl.language.diagnostics import GdlError

PIECE: Final = 2_000
"""Positions of a piece, more or less: the last game is played to its end."""
MOST_PLIES: Final = 5_000
"""Moves after which a game is left, for games that never end."""


ASIDE: Final = 16
"""Of so many positions of games one is looked at again after a move was played from it aside."""


class OutOfTime(Exception):  # noqa: N818  # no fault
    """The time that was given is over."""


@dataclass
class Piece:
    """What one piece of the search found.

    Attributes:
        number: Which one.
        positions: Positions compared, repeated ones counted again.
        games: Games that were compared to their end.
        styles: Positions for each style.
        fired: How many of the positions looked at each rule fired in, by number.
        used: Conventions that were needed.
        parting: The first difference.
    """

    number: int
    positions: int = 0
    games: int = 0
    styles: Counter[str] = field(default_factory=Counter)
    fired: Counter[int] = field(default_factory=Counter)
    used: set[str] = field(default_factory=set)
    parting: Parting | None = None


def note(memory: Memory, twin: Twin) -> None:
    """Count the rules that fire in a position and on the way to it."""
    here = twin.ours
    if memory.coverage is None or not isinstance(here, RulesPosition) or here.chosen:
        return
    try:
        memory.coverage.note(here.inner)
        if here.before is not None and here.joint is not None:
            memory.coverage.note(here.before.inner, here.joint)
    except GdlError:
        memory.coverage = None  # the rules are too large to look at so closely
