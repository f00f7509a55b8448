"""The classic game behind the interface that source 003 prints: `make_move` and `print_board`.

Unlike everything else in this package a `Pentago` changes as it is played, because its source
shows it so. The rules are those of `engine.pentago.CLASSIC`.

Example:
    >>> p = Pentago()
    >>> p.make_move("black", "a0", 1, "A")
    >>> print(p.board_text())
       0  1  2   |   3  4  5
    a  -  -  -   |   -  -  -
    b  -  -  -   |   -  -  -
    c  ○  -  -   |   -  -  -
       ————————  |  ————————
    d  -  -  -   |   -  -  -
    e  -  -  -   |   -  -  -
    f  -  -  -   |   -  -  -
    <BLANKLINE>
      ●  = white    ○  = black   -  = empty
"""

import sys
from typing import Final

from .board6 import QUADRANT_SIZE, SIZE
from .faults import Fault, IllegalMoveError
from .pentago import CLASSIC, Outcome, PentagoGame, Position
from .pentago_turn import Turn

_SYMBOLS: Final = {"W": "●", "B": "○", ".": "-"}
_GAME: Final = PentagoGame(CLASSIC)


class Pentago:
    """A game of classic Pentago in progress, black to move first."""

    def __init__(self) -> None:
        """Start with an empty board."""
        self._position = _GAME.initial()

    @property
    def position(self) -> Position:
        """The position now, as the immutable value of `engine.pentago`."""
        return self._position

    @property
    def outcome(self) -> Outcome | None:
        """``black``, ``white`` or ``draw``; None while the game goes on."""
        return self._position.outcome

    def make_move(
        self,
        color: str,
        position: str,
        sub_board: int | None = None,
        direction: str | None = None,
    ) -> None:
        """Place a marble and turn a sub-board.

        When the placement makes a line the game is over without a rotation, and sub-board and
        direction are not looked at, whatever they are: the printed interface asks for them in
        every call, the rules printed beside it do not.

        Args:
            color: ``black`` or ``white``.
            position: Row letter and column number, for instance ``a0``.
            sub_board: 1 to 4 in reading order.
            direction: ``C`` clockwise or ``A`` anticlockwise, as one looks at the board.

        Raises:
            RulesError: The move is not legal or not understood; the game has not changed. A
                `ValueError`; its ``fault`` names the reason.
        """
        if color not in _GAME.roles:
            raise IllegalMoveError(
                Fault.MALFORMED, f"the color is 'black' or 'white', not {color!r}"
            )
        placement = _GAME.parse(str(position))
        if placement.rotation is not None:
            raise IllegalMoveError(Fault.MALFORMED, f"{position!r} is not a space: expected 'a0'")
        self._position = self._after(color, placement, sub_board, direction)

    def _after(
        self, color: str, placement: Turn, sub_board: int | None, direction: str | None
    ) -> Position:
        """Return the position after a move, trying the placement as a winning one first."""
        try:
            return _GAME.play(self._position, placement, color)
        except IllegalMoveError as error:
            if error.fault is not Fault.MISSING_ROTATION or sub_board is None or direction is None:
                raise
        text = f"{_GAME.format(placement)} {sub_board} {direction}"
        return _GAME.play(self._position, _GAME.parse(text), color)

    def board_text(self) -> str:
        """Return what `print_board` prints, without the last end of line."""
        lines = ["   0  1  2   |   3  4  5"]
        for row in range(SIZE):
            if row == QUADRANT_SIZE:
                lines.append("   ————————  |  ————————")
            marks = [_SYMBOLS[self._position.at(row, column)] for column in range(SIZE)]
            left, right = "  ".join(marks[:QUADRANT_SIZE]), "  ".join(marks[QUADRANT_SIZE:])
            lines.append(f"{'abcdef'[row]}  {left}   |   {right}")
        lines += ["", "  ●  = white    ○  = black   -  = empty"]
        return "\n".join(lines)

    def print_board(self) -> None:
        """Write the board to standard output in the layout that source 003 shows."""
        sys.stdout.write(self.board_text() + "\n")


def main() -> None:
    """Play the example of source 003 and print the board after each move."""
    game = Pentago()
    for color, position, sub_board, direction in (
        ("black", "a0", 1, "A"),
        ("white", "a1", 1, "A"),
        ("black", "c3", 1, "C"),
        ("white", "f2", 1, "C"),
        ("black", "a4", 1, "C"),
        ("white", "b1", 1, "C"),
    ):
        sys.stdout.write(f"{color} {position} {sub_board} {direction}\n")
        game.make_move(color, position, sub_board, direction)
        game.print_board()
        sys.stdout.write("\n")
