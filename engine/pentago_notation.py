"""The two ways of writing a Pentago turn.

- `SQUARES` (source 000, section 7): ``E5 Q01 CW``. Column letter A to F from the left, row number 1
  to 6 from the top, quadrant ``Q`` and its row and column among the quadrants, ``CW`` or ``CCW``.
- `ROWS` (source 003): ``a0 1 A``. Row letter a to f from the top, column number 0 to 5 from the
  left, sub-board 1 to 4, ``C`` clockwise or ``A`` anticlockwise.

Both write a turn without rotation as the square alone. A square beside the board (``G7``) is
well-formed: that it does not exist is for the rules to say, which give it a code of its own.
Capital and small letters are not interchangeable.
"""

import re
from dataclasses import dataclass
from typing import Final

from .board6 import QUADRANTS, Direction, Rotation
from .faults import NotationError
from .pentago_turn import Turn


@dataclass(frozen=True, slots=True)
class Notation:
    """How squares, quadrants and directions are written in one source."""

    row_first: bool
    """True: letter of the row, then number of the column. False: letter of the column first."""
    letter: str
    """The letter of the first row or column."""
    first_number: int
    """The number of the first column or row."""
    quadrants: tuple[str, str, str, str]
    """Names of the quadrants in reading order."""
    clockwise: str
    """The word for a clockwise rotation."""
    counterclockwise: str
    """The word for the opposite direction."""
    example: str
    """A turn, for error messages."""

    def parse(self, text: str) -> Turn:
        """Return the turn that a text means.

        Args:
            text: A square, or a square, a quadrant and a direction, with blanks between.

        Raises:
            NotationError: Anything else.
        """
        match text.split():
            case [square]:
                return Turn(*self._parse_square(square, text))
            case [square, quadrant, direction]:
                rotation = self._parse_rotation(quadrant, direction, text)
                return Turn(*self._parse_square(square, text), rotation)
        raise self._error(text)

    def format(self, turn: Turn) -> str:
        """Return the text of a turn; `parse` gives the turn back."""
        letter, number = (turn.row, turn.column) if self.row_first else (turn.column, turn.row)
        square = f"{chr(ord(self.letter) + letter)}{self.first_number + number}"
        if turn.rotation is None:
            return square
        clockwise = turn.rotation.direction == "CW"
        direction = self.clockwise if clockwise else self.counterclockwise
        return f"{square} {self.quadrants[turn.rotation.quadrant]} {direction}"

    def _parse_square(self, square: str, text: str) -> tuple[int, int]:
        """Return row and column, which may lie beside the board."""
        if not re.fullmatch("[a-zA-Z][0-9]{1,3}", square):
            raise self._error(text)
        letter, number = ord(square[0]) - ord(self.letter), int(square[1:]) - self.first_number
        if square[0].isupper() != self.letter.isupper():
            raise self._error(text)
        return (letter, number) if self.row_first else (number, letter)

    def _parse_rotation(self, quadrant: str, direction: str, text: str) -> Rotation:
        """Return the rotation; an unknown quadrant or direction is no notation."""
        if quadrant not in self.quadrants:
            raise self._error(text)
        words: dict[str, Direction] = {self.clockwise: "CW", self.counterclockwise: "CCW"}
        if direction not in words:
            raise self._error(text)
        return Rotation(QUADRANTS[self.quadrants.index(quadrant)], words[direction])

    def _error(self, text: str) -> NotationError:
        rotations = f"{'|'.join(self.quadrants)} {self.clockwise}|{self.counterclockwise}"
        return NotationError(text, f"a square and {rotations}, for instance {self.example!r}")


SQUARES: Final = Notation(
    row_first=False,
    letter="A",
    first_number=1,
    quadrants=("Q00", "Q01", "Q10", "Q11"),
    clockwise="CW",
    counterclockwise="CCW",
    example="E5 Q01 CW",
)
ROWS: Final = Notation(
    row_first=True,
    letter="a",
    first_number=0,
    quadrants=("1", "2", "3", "4"),
    clockwise="C",
    counterclockwise="A",
    example="a0 1 A",
)
