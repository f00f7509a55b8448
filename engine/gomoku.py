"""Freestyle Gomoku on 15x15, with the state model of source 002.

Black begins; five stones or more in a row, a column or a diagonal win; a full board without such a
line is a draw. States are immutable and `place` is a pure function, so a log of moves rebuilds the
state exactly (section 9). Giving up and offering a draw belong to the match around the game and
are no moves here.

Index order: x runs from the left and y from the top, both from 0 to 14, and ``board[y][x]`` is the
intersection (x, y): a list of rows, as the source's nested list is read. That y points down
follows from its section 7, which calls the direction (1, 1) descending.

Example:
    >>> state = place(State(), 7, 7)
    >>> state.board[7][7], state.next_color, state.phase
    ('B', 'W', 'placing')
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final, Literal

from .faults import Fault, IllegalMoveError, NotationError

GAME_ID: Final = "gomoku"
RULESET_VERSION: Final = "freestyle-15x15-v1"
SIZE: Final = 15
FIVE: Final = 5
DIRECTIONS: Final = ((1, 0), (0, 1), (1, 1), (1, -1))
"""Steps (x, y) of the scan: horizontal, vertical, diagonal descending and ascending."""

Color = Literal["B", "W"]
Phase = Literal["placing", "finished"]
EMPTY: Final = "."


@dataclass(frozen=True, slots=True)
class PlaceStone:
    """The one kind of move: put a stone of the own colour on an empty intersection."""

    x: int
    """0 at the left to 14."""
    y: int
    """0 at the top to 14."""


@dataclass(frozen=True, slots=True)
class Stone:
    """An entry of the move history."""

    x: int
    y: int
    color: Color


@dataclass(frozen=True, slots=True)
class State:
    """The state of the game (source 002, section 3)."""

    board: tuple[str, ...] = (EMPTY * SIZE,) * SIZE
    """15 rows of 15 marks ``B``, ``W`` or ``.``; ``board[y][x]``."""
    move_history: tuple[Stone, ...] = ()
    """Every stone in the order of play."""
    next_color: Color = "B"
    """Whose stone comes next. It changes after every stone, the last one of a game included: the
    source gives it no empty value."""
    winner_color: Color | None = None
    """Who has made a line; None while nobody has, which includes a draw."""
    phase: Phase = "placing"
    """``finished`` after a line or on a full board (section 4)."""

    @property
    def is_draw(self) -> bool:
        """Whether the game ended without a line."""
        return self.phase == "finished" and self.winner_color is None

    def payload(self) -> dict[str, object]:
        """Return exactly the fields of section 3, as values that ``json`` writes.

        ``gameId``, ``rulesetVersion`` and the phase are no part of it.
        """
        return {
            "board": [list(row) for row in self.board],
            "moveHistory": [{"x": s.x, "y": s.y, "color": s.color} for s in self.move_history],
            "nextColor": self.next_color,
            "winnerColor": self.winner_color,
            "ruleFlags": {"allowOverlineWin": True},
        }


def place(
    state: State, x: int, y: int, color: str | None = None, sequence: int | None = None
) -> State:
    """Return the state after a stone.

    Args:
        state: Where it is placed; not changed.
        x: Column, 0 to 14 from the left.
        y: Row, 0 to 14 from the top.
        color: ``B`` or ``W``; None stands for the colour whose turn it is.
        sequence: Number of the move in the game, from 0, when the caller numbers its moves: a
            move sent twice is refused (section 8). None is not checked.

    Returns:
        The next state; its line scan costs a few steps from the new stone in four directions.

    Raises:
        IllegalMoveError: Game over, repeated or premature sequence number, colour not due, off
            the board, or occupied; looked for in this order (sections 6 and 8).
    """
    _check(state, x, y, color, sequence)
    mine = state.next_color
    row = state.board[y]
    board = (*state.board[:y], row[:x] + mine + row[x + 1 :], *state.board[y + 1 :])
    history = (*state.move_history, Stone(x, y, mine))
    wins = makes_line(board, x, y)
    return State(
        board=board,
        move_history=history,
        next_color="W" if mine == "B" else "B",
        winner_color=mine if wins else None,
        phase="finished" if wins or len(history) == SIZE * SIZE else "placing",
    )


def makes_line(board: tuple[str, ...], x: int, y: int) -> bool:
    """Say whether the stone at (x, y) belongs to a line of five or more (section 7)."""
    return any(
        1 + _run(board, x, y, dx, dy) + _run(board, x, y, -dx, -dy) >= FIVE for dx, dy in DIRECTIONS
    )


def _run(board: tuple[str, ...], x: int, y: int, dx: int, dy: int) -> int:
    """Return how many stones of its colour follow the one at (x, y) without a gap."""
    color = board[y][x]
    length = 0
    x, y = x + dx, y + dy
    while 0 <= x < SIZE and 0 <= y < SIZE and board[y][x] == color:
        length += 1
        x, y = x + dx, y + dy
    return length


def _check(state: State, x: int, y: int, color: str | None, sequence: int | None) -> None:
    """Raise the first fault of a placement, if it has one."""
    if state.phase == "finished":
        raise IllegalMoveError(Fault.GAME_OVER, "the game is finished")
    if sequence is not None and sequence != len(state.move_history):
        due = len(state.move_history)
        raise IllegalMoveError(Fault.OUT_OF_SEQUENCE, f"move {due} is due, not move {sequence}")
    if color is not None and color != state.next_color:
        raise IllegalMoveError(Fault.OUT_OF_TURN, f"{state.next_color} is to move, not {color}")
    if not (0 <= x < SIZE and 0 <= y < SIZE):
        raise IllegalMoveError(Fault.OUT_OF_RANGE, f"({x}, {y}): x and y go from 0 to 14")
    if state.board[y][x] != EMPTY:
        raise IllegalMoveError(Fault.OCCUPIED, f"({x}, {y}) is occupied by {state.board[y][x]}")


def replay(moves: Iterable[tuple[int, int]]) -> State:
    """Return the state after a log of moves (x, y), black first (section 9).

    Raises:
        IllegalMoveError: At the first move that is not legal.
    """
    state = State()
    for x, y in moves:
        state = place(state, x, y)
    return state


def from_text(text: str, last: tuple[int, int] | None = None) -> State:
    """Return the state that a drawing shows, reached by alternating stones in reading order.

    Args:
        text: 15 lines of 15 marks ``B``, ``W`` or ``.``, top row first; blanks are skipped.
        last: The stone to be laid last: needed when the drawing shows a line, because the game
            ends with it.

    Raises:
        ValueError: Not such a drawing, numbers of stones that alternation cannot give, or a line
            that stands before the last stone (an `IllegalMoveError`).
    """
    marks = "".join(text.split())
    if len(marks) != SIZE * SIZE or set(marks) - set("BW."):
        raise ValueError(f"expected 15 lines of 15 marks out of 'B', 'W' and '.': {text!r}")
    stones: dict[str, list[tuple[int, int]]] = {"B": [], "W": [], EMPTY: []}
    for index, mark in enumerate(marks):
        stones[mark].append((index % SIZE, index // SIZE))
    black, white = stones["B"], stones["W"]
    surplus = len(black) - len(white)
    if surplus not in (0, 1):
        raise ValueError(f"black has {surplus} stones more than white; only 0 or 1 is possible")
    if last is not None:
        mover = black if surplus else white
        mover.append(mover.pop(mover.index(last)))
    count = len(black) + len(white)
    return replay((black if n % 2 == 0 else white)[n // 2] for n in range(count))


_MOVES: Final = tuple(tuple(PlaceStone(x, y) for x in range(SIZE)) for y in range(SIZE))
_COLORS: Final[dict[str, Color]] = {"black": "B", "white": "W"}
_NOTATION: Final = re.compile(r"\s*PLACE_STONE\s*\{\s*(-?\d{1,4})\s*,\s*(-?\d{1,4})\s*\}\s*")


@dataclass(frozen=True, slots=True)
class GomokuGame:
    """The rules of ``gomoku/freestyle`` (`engine.game.Game`) with roles for colours."""

    @property
    def ruleset(self) -> str:
        """``gomoku/freestyle``."""
        return "gomoku/freestyle"

    @property
    def roles(self) -> tuple[str, str]:
        """Black and white; black moves first (section 2)."""
        return ("black", "white")

    def initial(self) -> State:
        """Return the empty board."""
        return State()

    def to_move(self, position: State) -> str | None:
        """Return whose turn it is, or None at the end of the game."""
        if position.phase == "finished":
            return None
        return "black" if position.next_color == "B" else "white"

    def is_terminal(self, position: State) -> bool:
        """Say whether the phase is ``finished``."""
        return position.phase == "finished"

    def goals(self, position: State) -> dict[str, int]:
        """Return goal values per role: 100 win, 50 draw, 0 loss, and 0 for both while open."""
        if position.winner_color is not None:
            return {
                role: 100 if color == position.winner_color else 0
                for role, color in _COLORS.items()
            }
        value = 50 if position.is_draw else 0
        return {"black": value, "white": value}

    def legal_moves(self, position: State) -> tuple[PlaceStone, ...]:
        """Return the empty intersections in reading order; none at the end of the game."""
        if position.phase == "finished":
            return ()
        return tuple(
            move
            for moves, row in zip(_MOVES, position.board, strict=True)
            for move, mark in zip(moves, row, strict=True)
            if mark == EMPTY
        )

    def play(self, position: State, move: PlaceStone, role: str | None = None) -> State:
        """Return the state after a stone; see `place` for the faults.

        Args:
            position: Where it is placed; not changed.
            move: The intersection.
            role: ``black`` or ``white``; None stands for the one whose turn it is.

        Raises:
            IllegalMoveError: The rules forbid the move.
        """
        color = None if role is None else _COLORS.get(role, role)
        return place(position, move.x, move.y, color)

    def key(self, position: State) -> tuple[tuple[str, ...], Color | None]:
        """Return board and winner: the order in which the stones came does not matter."""
        return (position.board, position.winner_color)

    def parse(self, text: str) -> PlaceStone:
        """Return the move that a text means.

        Args:
            text: ``PLACE_STONE {x,y}`` with numbers for x and y, blanks as one likes.

        Raises:
            NotationError: Anything else.
        """
        match = _NOTATION.fullmatch(text)
        if match is None:
            raise NotationError(text, "'PLACE_STONE {x,y}', for instance 'PLACE_STONE {7,7}'")
        return PlaceStone(int(match[1]), int(match[2]))

    def format(self, move: PlaceStone) -> str:
        """Return the move as text, for instance ``PLACE_STONE {7,7}``."""
        return f"PLACE_STONE {{{move.x},{move.y}}}"

    def draw(self, position: State) -> str:
        """Return the board as 15 lines of ``B``, ``W`` and ``.``, top row first."""
        return "\n".join(position.board)
