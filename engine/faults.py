"""What can be wrong with a move: one code per fault, one exception that carries it.

Every engine of this package refuses a wrong move with an `IllegalMoveError` and text that is no
move at all with a `NotationError`. Both are `ValueError`s, both carry a `Fault`, and both leave
the position they were given untouched (positions are immutable).
"""

from enum import StrEnum


class Fault(StrEnum):
    """The codes, which are part of the interface: tests and servers compare them as text."""

    GAME_OVER = "game-over"
    """A move after the end of the game."""
    OUT_OF_TURN = "out-of-turn"
    """A move by a role whose turn it is not."""
    OUT_OF_RANGE = "out-of-range"
    """A square, quadrant or direction that the board does not have."""
    OCCUPIED = "occupied"
    """A placement where a marble or stone already lies."""
    MISSING_ROTATION = "missing-rotation"
    """A placement alone, where the rules ask for a rotation as well."""
    SUPERFLUOUS_ROTATION = "superfluous-rotation"
    """A rotation after a placement that has already won."""
    WRONG_PHASE = "wrong-phase"
    """A placement where a rotation is due, or the other way round, or a noop by the mover."""
    OUT_OF_SEQUENCE = "out-of-sequence"
    """A move numbered as one that was already played, or as one that is not yet due."""
    MALFORMED = "malformed"
    """Text, or values, that are no move in any position."""


class RulesError(ValueError):
    """A move that cannot be played; `fault` says why, and the text says it to a person."""

    def __init__(self, fault: Fault, message: str) -> None:
        """Keep the code beside the message.

        Args:
            fault: The code.
            message: One sentence that names the move and what is wrong with it.
        """
        super().__init__(message)
        self.fault = fault


class IllegalMoveError(RulesError):
    """A well-formed move that the rules do not allow in this position."""


class NotationError(RulesError):
    """Text that is not a move in the notation of the game; the fault is always `MALFORMED`."""

    def __init__(self, text: str, expected: str) -> None:
        """Quote the text and show what would have been understood.

        Args:
            text: What was given.
            expected: The form expected, with an example.
        """
        super().__init__(Fault.MALFORMED, f"{text!r} is not a move: expected {expected}")
        self.text = text
