"""What one piece of the search found, and how much a piece is.

In: positions that were compared. Out: the counts that the pieces of a search add up.
"""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import dataclass, field
from typing import Final

from gdl.conform.comparison import Comparison, Partners
from gdl.conform.sources.rules import RulesPosition
from gdl.conform.styles import CHANCE_ALONE, LOOKED_AHEAD, RULES, STYLES, UNFIRED, Memory
from gdl.conform.twin import Choice, Parting, Twin
from gdl.language.diagnostics import GdlError

PIECE: Final = 2_000
"""Positions of a piece, more or less: the last game is played to its end."""
MOST_PLIES: Final = 5_000
"""Moves after which a game is left, for games that never end."""


ASIDE: Final = 16
"""Of so many positions of games one is looked at again after a move was played from it aside."""

NOTED: Final = 8
"""Of so many positions of games one is asked which rules fire in it, beside every fourth end."""


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
        met: By the place of each role the numbers of its moves that were legal on both sides, where
            games were played by numbers.
        used: Conventions that were needed.
        parting: The first difference.
    """

    number: int
    positions: int = 0
    games: int = 0
    styles: Counter[str] = field(default_factory=Counter)
    fired: Counter[int] = field(default_factory=Counter)
    met: dict[int, set[int]] = field(default_factory=dict)
    used: set[str] = field(default_factory=set)
    parting: Parting | None = None


@dataclass(frozen=True, slots=True)
class Chooser:
    """What one game of a piece is played by: what it chooses in each position, and counts of it.

    Attributes:
        comparison: What is compared.
        piece: What the game is part of.
        memory: What the styles know of the positions before.
        name: The style.
        rng: What it draws from.
    """

    comparison: Comparison
    piece: Piece
    memory: Memory
    name: str
    rng: random.Random

    def is_towards_rules(self, ply: int) -> bool:
        """Return whether it looks ahead for rules that fired seldom: only on the first plies."""
        return self.name == RULES and ply < LOOKED_AHEAD

    def is_noted(self, ply: int, *, goes_on: bool) -> bool:
        """Return whether the rules that fire in a position are counted."""
        piece = self.piece
        is_turn = piece.positions % NOTED == 0 if goes_on else piece.games % 4 == 0
        is_aimed = self.name == UNFIRED and not goes_on
        return is_turn or is_aimed or self.is_towards_rules(ply)

    def style(self, ply: int) -> str:
        """Return the style of a ply."""
        return CHANCE_ALONE if self.name == RULES and ply >= LOOKED_AHEAD else self.name

    def choice(self, ply: int, twin: Twin, answer: Partners) -> Choice | Parting | None:
        """Return what is chosen in a position that agrees; None where the game has ended.

        Now and then a move is played aside first; what differs after it is returned.
        """
        comparison, memory, piece = self.comparison, self.memory, self.piece
        if self.is_noted(ply, goes_on=bool(answer)):
            note(memory, twin)
        if not answer:
            piece.games += 1
            if comparison.ours.is_terminal(twin.ours):
                memory.ends[comparison.ours.returns(twin.ours)] += 1
            return None
        if piece.positions % ASIDE == 0:
            parting = comparison.aside(twin, answer)
            if parting is not None:
                return parting
        choose, _ = STYLES[self.style(ply)]
        choice = choose(comparison, twin, answer, self.rng, memory)
        memory.moves.update(choice.values())
        return choice


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
