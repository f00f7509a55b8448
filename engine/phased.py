"""Pentago in phases: placing and rotating are plies of their own, for red and black (source 004).

Red places, red rotates, black places, black rotates, and so on; the role without control plays
``noop``. The game is over as soon as a line of five stands, after either ply, or no cell is empty,
so a line made by a placement ends it at once and the 36th marble is not followed by a rotation.

Coordinates. A cell is a quadrant 1 to 4 and x and y from 1 to 3 in it. Quadrants lie as those of
the plane do, y upwards: adding the quadrant's offset gives the cell on the board, x and y from 1
to 6. The source speaks of a 5x5 board, but its own offsets need 6x6, and so it is read.

====  ===========  ============
no.   offset x, y  on the board
====  ===========  ============
1     3, 3         top right
2     0, 3         top left
3     0, 0         bottom left
4     3, 0         bottom right
====  ===========  ============

Rotations, with y upwards: clockwise takes the cell (x, y) of the quadrant to (y, 4 - x), so that
the top left (1, 3) goes to the top right (3, 3); counterclockwise takes it to (4 - y, x).

The board is a text of 36 marks on purpose: it shares nothing with `engine.board6`, so the two
Pentago engines can be held against each other.

Example:
    >>> game = PhasedGame()
    >>> position = game.play(game.initial(), Place(3, 1, 1))
    >>> position = game.play(position, Rotate(3, "clockwise"))
    >>> position.at(3, 1, 3), game.to_move(position), position.phase
    ('r', 'black', 'place')
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, Literal

from .faults import Fault, IllegalMoveError, NotationError

Role = Literal["red", "black"]
Outcome = Literal["red", "black", "draw"]
Turning = Literal["clockwise", "counterclockwise"]

SIZE: Final = 6
INDICES: Final = range(1, 4)
OFFSETS: Final = {1: (3, 3), 2: (0, 3), 3: (0, 0), 4: (3, 0)}
TURNINGS: Final[tuple[Turning, ...]] = ("clockwise", "counterclockwise")
EMPTY: Final = "."
MARKS: Final[Mapping[str, str]] = {"red": "r", "black": "b"}


@dataclass(frozen=True, slots=True)
class Place:
    """Put a marble of the own colour on an empty cell."""

    quadrant: int
    x: int
    y: int


@dataclass(frozen=True, slots=True)
class Rotate:
    """Turn one quadrant by a quarter."""

    quadrant: int
    turning: Turning


@dataclass(frozen=True, slots=True)
class Noop:
    """Do nothing: the one move of the role without control."""


Move = Place | Rotate | Noop


def cell_index(quadrant: int, x: int, y: int) -> int:
    """Return where a cell stands in `Position.cells`: bottom row first, each from the left."""
    offset_x, offset_y = OFFSETS[quadrant]
    return SIZE * (y + offset_y - 1) + (x + offset_x - 1)


def _sources(quadrant: int, turning: Turning) -> tuple[int, ...]:
    """Return, for each cell of the board after a rotation, the cell its mark comes from."""
    comes_from = list(range(SIZE * SIZE))
    for x in INDICES:
        for y in INDICES:
            new = (y, 4 - x) if turning == "clockwise" else (4 - y, x)
            comes_from[cell_index(quadrant, *new)] = cell_index(quadrant, x, y)
    return tuple(comes_from)


_ROTATED: Final = {
    Rotate(quadrant, turning): _sources(quadrant, turning)
    for quadrant in OFFSETS
    for turning in TURNINGS
}
_PLACEMENTS: Final = {
    Place(quadrant, x, y): cell_index(quadrant, x, y)
    for quadrant in OFFSETS
    for x in INDICES
    for y in INDICES
}
_ROTATIONS: Final[tuple[Move, ...]] = tuple(_ROTATED)


def _lines() -> tuple[tuple[int, ...], ...]:
    """Return the 32 runs of five cells in a row, a column or a diagonal of the whole board."""
    lines = []
    for step_x, step_y in ((1, 0), (0, 1), (1, 1), (1, -1)):
        for x in range(SIZE):
            for y in range(SIZE):
                run = [(x + n * step_x, y + n * step_y) for n in range(5)]
                if all(0 <= run_x < SIZE and 0 <= run_y < SIZE for run_x, run_y in run):
                    lines.append(tuple(SIZE * run_y + run_x for run_x, run_y in run))
    return tuple(lines)


LINES: Final = _lines()


@dataclass(frozen=True, slots=True)
class Position:
    """The cells, who is in control, and of what."""

    cells: str = EMPTY * SIZE * SIZE
    """36 marks ``r``, ``b`` or ``.``; see `cell_index` for their order."""
    control: Role = "red"
    """Who places or rotates next. As in the rule files the control passes on at every ply, the
    last one of a game included."""
    phase: Literal["place", "rotate"] = "place"
    """What the role in control has to do."""
    outcome: Outcome | None = None
    """The winner, ``draw``, or None while the game goes on."""

    def at(self, quadrant: int, x: int, y: int) -> str:
        """Return the mark of a cell: ``r``, ``b`` or ``.``."""
        return self.cells[cell_index(quadrant, x, y)]

    def to_text(self) -> str:
        """Return the board as six lines of marks, the top row (y = 6) first."""
        rows = [self.cells[start : start + SIZE] for start in range(0, SIZE * SIZE, SIZE)]
        return "\n".join(reversed(rows))


def has_line(cells: str, mark: str) -> bool:
    """Say whether five marks of one kind stand in a row, a column or a diagonal."""
    for a, b, c, d, e in LINES:
        if cells[a] == cells[b] == cells[c] == cells[d] == cells[e] == mark:
            return True
    return False


def judge(cells: str) -> Outcome | None:
    """Decide a board: one line wins, two lines or a full board without one are a draw."""
    red, black = has_line(cells, "r"), has_line(cells, "b")
    if red and black:
        return "draw"
    if red:
        return "red"
    if black:
        return "black"
    return None if EMPTY in cells else "draw"


def other(role: Role) -> Role:
    """Return the role opposite."""
    return "black" if role == "red" else "red"


@dataclass(frozen=True, slots=True)
class PhasedGame:
    """The rules of ``pentago/phased`` (`engine.game.Game`)."""

    @property
    def ruleset(self) -> str:
        """``pentago/phased``."""
        return "pentago/phased"

    @property
    def roles(self) -> tuple[Role, Role]:
        """Red and black; red begins."""
        return ("red", "black")

    def initial(self) -> Position:
        """Return the empty board with red to place."""
        return Position()

    def to_move(self, position: Position) -> Role | None:
        """Return the role in control, or None at the end of the game."""
        return None if position.outcome else position.control

    def is_terminal(self, position: Position) -> bool:
        """Say whether a line stands or no cell is empty."""
        return position.outcome is not None

    def goals(self, position: Position) -> dict[str, int]:
        """Return goal values per role: 100 win, 50 draw, 0 loss, and 0 for both while open."""
        match position.outcome:
            case None:
                return {"red": 0, "black": 0}
            case "draw":
                return {"red": 50, "black": 50}
            case winner:
                return {winner: 100, other(winner): 0}

    def legal_moves(self, position: Position, role: str | None = None) -> tuple[Move, ...]:
        """Return the legal moves of a role.

        Args:
            position: Where.
            role: None stands for the role in control; the other one has ``noop`` only.

        Returns:
            Placements by quadrant, x, y; or the eight rotations; nothing at the end of the game.
        """
        if position.outcome is not None:
            return ()
        if role is not None and role != position.control:
            return (Noop(),)
        if position.phase == "rotate":
            return _ROTATIONS
        cells = position.cells
        return tuple(place for place, index in _PLACEMENTS.items() if cells[index] == EMPTY)

    def play(self, position: Position, move: Move, role: str | None = None) -> Position:
        """Return the position after a move of the role in control; the other one does nothing.

        Args:
            position: Where the move is made; not changed.
            move: A placement or a rotation, whichever is due.
            role: Who makes it; None stands for the role in control.

        Raises:
            IllegalMoveError: Game over, role without control, placement instead of rotation or the
                other way round, no such cell or rotation, cell occupied; looked for in this order.
        """
        self._check(position, move, role)
        if isinstance(move, Place):
            index = _PLACEMENTS[move]
            mark = MARKS[position.control]
            cells = position.cells[:index] + mark + position.cells[index + 1 :]
            return Position(cells, position.control, "rotate", judge(cells))
        assert isinstance(move, Rotate)
        cells = "".join([position.cells[source] for source in _ROTATED[move]])
        return Position(cells, other(position.control), "place", judge(cells))

    def play_joint(self, position: Position, moves: Mapping[str, Move]) -> Position:
        """Return the position after one move of each role.

        Args:
            position: Where the moves are made; not changed.
            moves: Role to move; the role without control has to play `Noop`.

        Raises:
            IllegalMoveError: As in `play`, and for anything but a noop by the other role.
        """
        if set(moves) != set(self.roles):
            raise IllegalMoveError(Fault.MALFORMED, f"a joint move names {self.roles}: {moves}")
        idle = other(position.control)
        after = self.play(position, moves[position.control])
        if moves[idle] != Noop():
            raise IllegalMoveError(Fault.OUT_OF_TURN, f"{idle} is not in control: only noop")
        return after

    def _check(self, position: Position, move: Move, role: str | None) -> None:
        """Raise the first fault of a move, if it has one."""
        if position.outcome is not None:
            raise IllegalMoveError(Fault.GAME_OVER, f"the game is over ({position.outcome})")
        if role is not None and role != position.control:
            raise IllegalMoveError(
                Fault.OUT_OF_TURN, f"{position.control} is in control, not {role}"
            )
        if not isinstance(move, Place if position.phase == "place" else Rotate):
            raise IllegalMoveError(
                Fault.WRONG_PHASE,
                f"{self.format(move)!r}: {position.control} has to {position.phase} now",
            )
        if move not in _PLACEMENTS and move not in _ROTATED:
            raise IllegalMoveError(
                Fault.OUT_OF_RANGE, f"{self.format(move)!r}: the board has no such place"
            )
        if isinstance(move, Place) and position.cells[_PLACEMENTS[move]] != EMPTY:
            raise IllegalMoveError(
                Fault.OCCUPIED, f"{self.format(move)!r} places on an occupied cell"
            )

    def key(self, position: Position) -> Position:
        """Return the position itself: it holds nothing but what the future depends on."""
        return position

    def parse(self, text: str) -> Move:
        """Return the move that a text means.

        Args:
            text: ``(place 1 2 3)``, ``(rotate 1 clockwise)`` or ``noop``; brackets may be left out.

        Raises:
            NotationError: Anything else.
        """
        bare = re.fullmatch(r"\s*\((.*)\)\s*", text)
        match (bare[1] if bare else text).split():
            case ["noop"]:
                return Noop()
            case ["place", quadrant, x, y] if (quadrant + x + y).isdecimal():
                return Place(int(quadrant), int(x), int(y))
            case ["rotate", quadrant, ("clockwise" | "counterclockwise") as turning] if (
                quadrant.isdecimal()
            ):
                return Rotate(int(quadrant), "clockwise" if turning == "clockwise" else turning)
        raise NotationError(text, "'(place 1 2 3)', '(rotate 1 clockwise)' or 'noop'")

    def format(self, move: Move) -> str:
        """Return a move as text, for instance ``(place 1 2 3)``."""
        match move:
            case Place(quadrant, x, y):
                return f"(place {quadrant} {x} {y})"
            case Rotate(quadrant, turning):
                return f"(rotate {quadrant} {turning})"
            case Noop():
                return "noop"

    def draw(self, position: Position) -> str:
        """Return the board as six lines of ``r``, ``b`` and ``.``, the top row first."""
        return position.to_text()

    def from_text(self, text: str, phase: Literal["place", "rotate"] = "place") -> Position:
        """Return the position that a drawing shows.

        Who is in control follows from the number of marbles and the phase: a role that has placed
        but not yet rotated has one marble more than at the start of its turn.

        Args:
            text: Six lines of six marks ``r``, ``b`` or ``.``; blanks and empty lines are skipped.
            phase: What has to be done next.

        Raises:
            ValueError: Not 36 marks, an unknown mark, or impossible numbers of marbles.
        """
        rows = "".join(text.split())
        if len(rows) != SIZE * SIZE or set(rows) - set("rb."):
            raise ValueError(f"expected six lines of six marks out of 'r', 'b' and '.': {text!r}")
        surplus = rows.count("r") - rows.count("b")
        if surplus not in (0, 1):
            raise ValueError(f"red has {surplus} marbles more than black; only 0 or 1 is possible")
        starts = range(SIZE * (SIZE - 1), -1, -SIZE)
        cells = "".join(rows[start : start + SIZE] for start in starts)
        red_next = surplus == (0 if phase == "place" else 1)
        if cells == EMPTY * SIZE * SIZE and phase == "rotate":
            raise ValueError("nobody can rotate an empty board")
        return Position(cells, "red" if red_next else "black", phase, judge(cells))
