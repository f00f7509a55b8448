"""Why an action is refused: one code each, and a text for people.

A refused action changes nothing.

Source: "Gomoku Implementation Spec (Freestyle Baseline)", sections 6 and 8, for any game.
"""

from __future__ import annotations

from collections.abc import Iterable
from enum import StrEnum
from typing import Final

from gdl.language.diagnostics import GdlError

LONGEST_SHOWN: Final = 60
"""Characters of a value that a message repeats."""


class Code(StrEnum):
    """Why an action is refused; the value is what programs compare."""

    MALFORMED_ACTION = "malformed-action"
    """The action itself is not well-formed: a field is missing or of the wrong type."""
    DUPLICATE_ID = "duplicate-id"
    """An accepted action has this id, and other content."""
    GAME_OVER = "game-over"
    """The match has ended."""
    WRONG_SEQUENCE = "wrong-sequence"
    """Another sequence number is due."""
    UNKNOWN_ROLE = "unknown-role"
    """The game has no such role, or it is nature's, which moves and does nothing else."""
    OUT_OF_TURN = "out-of-turn"
    """Others are to move."""
    ALREADY_MOVED = "already-moved"
    """The role has made its move of this turn; others are still to make theirs."""
    MALFORMED = "malformed"
    """The text is no move in the notation of the game."""
    OUT_OF_RANGE = "out-of-range"
    """The text is a move but for a coordinate that the board does not have."""
    OCCUPIED = "occupied"
    """The move would be legal if a cell that it names were empty."""
    ILLEGAL_MOVE = "illegal-move"
    """The rules do not allow the move here."""
    DRAW_OFFERED = "draw-offered"
    """A draw has been offered already: accept or decline it."""
    NO_DRAW_OFFER = "no-draw-offer"
    """There is no offer that this role could answer."""
    NO_OPPONENT = "no-opponent"
    """Nobody is there who could agree to a draw, or to take a move back."""
    TAKEBACK_REQUESTED = "takeback-requested"
    """Somebody wants to take a move back already: accept or decline it."""
    NO_TAKEBACK = "no-takeback"
    """The role has no move that could be taken back, or what was hidden has been seen."""
    NO_TAKEBACK_REQUEST = "no-takeback-request"
    """There is no request that this role could answer."""
    LOG_FULL = "log-full"
    """The log has as many entries beside the moves that stand as one may have."""
    TIME_OVER = "time-over"
    """The role that moves has used up its time, or, for all but moves, one that is to move."""
    TIME_LEFT = "time-left"
    """The role has time left, so it does not lose by the clock."""


class RefusedError(GdlError):
    """An action that is refused.

    Attributes:
        code: Why.
    """

    def __init__(
        self, code: Code, message: str, *, expected: str | None = None, notes: Iterable[str] = ()
    ) -> None:
        """Keep the code beside the text."""
        super().__init__(message, expected=expected, notes=notes)
        self.code = code


class LogError(GdlError):
    """A log that is no match: it cannot be read, or does not follow its own rules."""


def shown(value: object) -> str:
    """Return a value of JSON that is not as it should be, as a line of a message has room for."""
    try:
        text = "missing" if value is None else repr(value)
    except RecursionError:  # it is deeper than anything that could be meant
        text = f"a {type(value).__name__} of too many levels"
    return text if len(text) <= LONGEST_SHOWN else f"{text[:LONGEST_SHOWN]}..."
