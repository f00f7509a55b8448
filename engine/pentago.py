"""Pentago in whole turns: one move is a placement together with its rotation.

Three rulesets share this engine and differ only in a `Variant`:

- ``pentago/strict`` (source 000): lines are looked for only after the rotation; when both colours
  have one, the player who turned wins.
- ``pentago/utwente`` (source 001): the same, but lines of both colours are a draw.
- ``pentago/classic`` (source 003): a placement that makes a line wins at once and is a move by
  itself, without rotation; lines of both colours after the rotation are a draw.

Example:
    >>> game = PentagoGame(STRICT)
    >>> position = game.play(game.initial(), game.parse("E5 Q01 CW"))
    >>> position.mover, len(game.legal_moves(position)), game.goals(position)
    ('white', 280, {'black': 0, 'white': 0})
"""

from dataclasses import dataclass
from typing import Final, Literal

from . import pentago_notation
from .board6 import (
    FULL,
    ROTATIONS,
    SIZE,
    completes_line,
    has_line,
    rotate,
    square_bit,
)
from .faults import Fault, IllegalMoveError
from .pentago_turn import Turn

Colour = Literal["black", "white"]
Outcome = Literal["black", "white", "draw"]

_MARKS: Final = ".BW"


@dataclass(frozen=True, slots=True)
class Variant:
    """What the three whole-turn rulesets do not have in common."""

    ruleset: str
    """Ruleset identifier."""
    placement_wins: bool
    """A placement that makes a line ends the game, and no rotation follows it."""
    mover_wins_double: bool
    """After a rotation that leaves both colours a line: True gives the game to the player who
    made the turn, False calls it a draw."""
    notation: pentago_notation.Notation
    """How a turn is written."""


STRICT: Final = Variant(
    "pentago/strict",
    placement_wins=False,
    mover_wins_double=True,
    notation=pentago_notation.SQUARES,
)
UTWENTE: Final = Variant(
    "pentago/utwente",
    placement_wins=False,
    mover_wins_double=False,
    notation=pentago_notation.SQUARES,
)
CLASSIC: Final = Variant(
    "pentago/classic",
    placement_wins=True,
    mover_wins_double=False,
    notation=pentago_notation.ROWS,
)
VARIANTS: Final = (STRICT, UTWENTE, CLASSIC)


@dataclass(frozen=True, slots=True)
class Position:
    """Where the marbles lie, whose turn it is, and how the game ended if it did."""

    black: int = 0
    """Squares with a black marble, as a set of `engine.board6`."""
    white: int = 0
    """Squares with a white marble."""
    mover: Colour = "black"
    """Who has the next turn. It changes after every move, the last one included, so in a finished
    game this is the player who did not make the last move."""
    outcome: Outcome | None = None
    """The winner, ``draw``, or None while the game goes on."""

    def at(self, row: int, column: int) -> str:
        """Return ``B``, ``W`` or ``.`` for a square, rows from the top and columns from 0."""
        bit = square_bit(row, column)
        return _MARKS[1 if self.black & bit else 2 if self.white & bit else 0]

    def to_text(self) -> str:
        """Return the board as six lines of ``B``, ``W`` and ``.``, top row first."""
        rows = ("".join(self.at(row, column) for column in range(SIZE)) for row in range(SIZE))
        return "\n".join(rows)


_PLACEMENTS: Final = tuple(Turn(*divmod(square, SIZE)) for square in range(SIZE * SIZE))
_WHOLE_TURNS: Final = tuple(
    tuple(Turn(*divmod(square, SIZE), rotation) for rotation in ROTATIONS)
    for square in range(SIZE * SIZE)
)


def _other(colour: Colour) -> Colour:
    return "white" if colour == "black" else "black"


@dataclass(frozen=True, slots=True)
class PentagoGame:
    """The rules of one whole-turn variant (`engine.game.Game`)."""

    variant: Variant

    @property
    def ruleset(self) -> str:
        """Ruleset identifier, for instance ``pentago/strict``."""
        return self.variant.ruleset

    @property
    def roles(self) -> tuple[Colour, Colour]:
        """Black and white; black moves first (source 000, section 1; source 003)."""
        return ("black", "white")

    def initial(self) -> Position:
        """Return the empty board with black to move."""
        return Position()

    def to_move(self, position: Position) -> Colour | None:
        """Return whose turn it is, or None at the end of the game."""
        return None if position.outcome else position.mover

    def is_terminal(self, position: Position) -> bool:
        """Say whether the game is over."""
        return position.outcome is not None

    def goals(self, position: Position) -> dict[str, int]:
        """Return goal values per role: 100 win, 50 draw, 0 loss, and 0 for both while open."""
        match position.outcome:
            case None:
                return {"black": 0, "white": 0}
            case "draw":
                return {"black": 50, "white": 50}
            case winner:
                return {winner: 100, _other(winner): 0}

    def legal_moves(self, position: Position) -> tuple[Turn, ...]:
        """Return every legal turn, squares in reading order, then quadrants, CW before CCW.

        An empty square gives eight turns; in the classic game one that makes a line gives a
        single move without rotation instead. No moves at the end of the game. About 10
        microseconds.
        """
        if position.outcome is not None:
            return ()
        mine = position.black if position.mover == "black" else position.white
        occupied = position.black | position.white
        moves: list[Turn] = []
        for square in range(SIZE * SIZE):
            if occupied >> square & 1:
                continue
            if self.variant.placement_wins and completes_line(mine, square):
                moves.append(_PLACEMENTS[square])
            else:
                moves.extend(_WHOLE_TURNS[square])
        return tuple(moves)

    def play(self, position: Position, move: Turn, role: str | None = None) -> Position:
        """Return the position after a turn.

        Args:
            position: Where the turn is made; not changed.
            move: The turn.
            role: Who makes it; None stands for the player whose turn it is.

        Returns:
            The position after placement and rotation, with the outcome decided.

        Raises:
            IllegalMoveError: Game over, not this player's turn, no such square or rotation,
                square occupied, rotation missing or superfluous; looked for in this order.
        """
        self._check(position, move, role)
        mover = position.mover
        mine, theirs = position.black, position.white
        if mover == "white":
            mine, theirs = theirs, mine
        mine |= square_bit(move.row, move.column)
        outcome: Outcome | None = mover  # right when the placement has won
        if move.rotation is not None:
            mine, theirs = rotate(mine, move.rotation), rotate(theirs, move.rotation)
            outcome = self._judge(mover, mine, theirs)
        if mover == "black":
            return Position(mine, theirs, "white", outcome)
        return Position(theirs, mine, "black", outcome)

    def _judge(self, mover: Colour, mine: int, theirs: int) -> Outcome | None:
        """Decide the game after a rotation (source 000, sections 3 to 5; 001; 003)."""
        my_line, their_line = has_line(mine), has_line(theirs)
        if my_line and their_line:
            return mover if self.variant.mover_wins_double else "draw"
        if my_line:
            return mover
        if their_line:
            return _other(mover)
        return "draw" if mine | theirs == FULL else None

    def _check(self, position: Position, turn: Turn, role: str | None) -> None:
        """Raise the first fault of a turn, if it has one."""
        if position.outcome is not None:
            raise IllegalMoveError(Fault.GAME_OVER, f"the game is over ({position.outcome})")
        if role is not None and role != position.mover:
            raise IllegalMoveError(
                Fault.OUT_OF_TURN, f"it is the turn of {position.mover}, not of {role}"
            )
        if not (turn.row in range(SIZE) and turn.column in range(SIZE)):
            raise IllegalMoveError(
                Fault.OUT_OF_RANGE, f"{self.format(turn)!r} places outside the 6x6 board"
            )
        if turn.rotation is not None and turn.rotation not in ROTATIONS:
            raise IllegalMoveError(Fault.OUT_OF_RANGE, f"there is no rotation {turn.rotation}")
        if (position.black | position.white) & square_bit(turn.row, turn.column):
            raise IllegalMoveError(
                Fault.OCCUPIED, f"{self.format(turn)!r} places on an occupied square"
            )
        self._check_rotation(position, turn)

    def _check_rotation(self, position: Position, turn: Turn) -> None:
        """Raise when a turn lacks its rotation, or has one after a winning placement."""
        mine = position.black if position.mover == "black" else position.white
        wins = self.variant.placement_wins and completes_line(mine, SIZE * turn.row + turn.column)
        if wins and turn.rotation is not None:
            raise IllegalMoveError(
                Fault.SUPERFLUOUS_ROTATION,
                f"{self.format(turn)!r}: the placement makes a line and ends the game, "
                f"so the move is written {self.format(Turn(turn.row, turn.column))!r}",
            )
        if not wins and turn.rotation is None:
            raise IllegalMoveError(
                Fault.MISSING_ROTATION, f"{self.format(turn)!r}: the rotation is mandatory"
            )

    def key(self, position: Position) -> Position:
        """Return the position itself: it holds nothing but what the future depends on."""
        return position

    def parse(self, text: str) -> Turn:
        """Return the turn that a text in the variant's notation means.

        Raises:
            NotationError: The text is no turn on any board.
        """
        return self.variant.notation.parse(text)

    def format(self, move: Turn) -> str:
        """Return a turn in the variant's notation."""
        return self.variant.notation.format(move)

    def draw(self, position: Position) -> str:
        """Return the board as six lines of ``B``, ``W`` and ``.``, top row first."""
        return position.to_text()

    def from_text(self, text: str) -> Position:
        """Return the position that a drawing shows, judged as if it had come about by a rotation.

        Whose turn it is follows from the number of marbles: black has as many as white when black
        is to move, and one more when white is. The marbles need not be reachable by legal play.

        Args:
            text: Six lines of six marks ``B``, ``W`` or ``.``; blanks and empty lines are skipped.

        Raises:
            ValueError: Not 36 marks, an unknown mark, or impossible numbers of marbles.
        """
        marks = "".join(text.split())
        if len(marks) != SIZE * SIZE or set(marks) - set(_MARKS):
            raise ValueError(f"expected six lines of six marks out of 'B', 'W' and '.': {text!r}")
        surplus = marks.count("B") - marks.count("W")
        if surplus not in (0, 1):
            raise ValueError(
                f"black has {surplus} marbles more than white; only 0 or 1 is possible"
            )
        black = sum(1 << square for square, mark in enumerate(marks) if mark == "B")
        white = sum(1 << square for square, mark in enumerate(marks) if mark == "W")
        if surplus:
            return Position(black, white, "white", self._judge("black", black, white))
        return Position(black, white, "black", self._judge("white", white, black))
