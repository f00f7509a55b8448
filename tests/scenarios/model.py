"""What a scenario is: pure data, so that any program which plays a ruleset can be held to it.

Moves are texts in the ruleset's canonical notation. A text may begin with a role and a colon
(``white: A1 Q00 CW``): then that role tries the move; without it, it is made by the role whose
turn it is. Where a ruleset knows noops, the role that is not mentioned plays its noop.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

Kind = Literal["normal", "illegal", "edge"]


@dataclass(frozen=True, slots=True)
class Scenario:
    """Moves from the start of a game, and what has to be true afterwards."""

    name: str
    """Unique within its ruleset; names the rule that the scenario guards."""
    kind: Kind
    ruleset: str
    """Ruleset identifier, for instance ``pentago/strict``."""
    rule: str
    """The rule in a few words, with the section of its source."""
    moves: tuple[str, ...]
    """All are legal, except the last one of an illegal scenario."""
    terminal: bool
    """Whether the game is over after the moves; for illegal ones before the last move."""
    goals: Mapping[str, int]
    """Goal value of each role at the same moment; 0 for both while the game is open."""
    error: str | None = None
    """Why the last move is refused, in the codes listed in `ERRORS`; None when all are legal."""
    board: str | None = None
    """The board after the moves (before the illegal one), rows from the top, where it matters."""
    payload: Mapping[str, object] = field(default_factory=dict)
    """Gomoku: fields of the state's payload that must have exactly these values."""


ERRORS = {
    "game-over": "the game has ended",
    "malformed": "the text is no move in the ruleset's notation",
    "missing-rotation": "a placement alone, where a rotation is mandatory",
    "occupied": "the square, cell or intersection is not empty",
    "out-of-range": "no such square, cell, intersection or quadrant",
    "out-of-turn": "it is the other role's turn",
    "superfluous-rotation": "a rotation after a placement that has already won",
    "wrong-phase": "a placement where a rotation is due, or the reverse, or a noop by the mover",
}
