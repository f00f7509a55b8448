"""The edges of the rules, as names that a step of a game may earn.

An edge is a case in which two readings of a source text would part: both colours get a line, a
line is made by the placement and broken by the rotation, the board fills up, six stand in a row.
`edges_of` says which of them a step is, seen by the reference engine; `EDGES` lists those that a
ruleset has, so that a test can demand that each has occurred.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final

from engine import Game, board6, phased
from engine.gomoku import DIRECTIONS, FIVE, SIZE, PlaceStone
from engine.gomoku import State as GomokuState
from engine.pentago import Position as TurnPosition
from engine.pentago_turn import Turn

SIX_IN_A_ROW: Final = tuple(
    {
        first | second
        for first in board6.LINES
        for second in board6.LINES
        if (first & second).bit_count() == 4
    }
)
"""Two lines of five that share four squares: six squares in a row."""

ROTATIONS_THAT_KEEP: Final = ("turns an empty quadrant", "turns a symmetric quadrant")
AFTER_THE_ROTATION: Final = (
    "the rotation makes the mover's line",
    "the rotation makes the opponent's line",
    "both lines by the first player",
    "both lines by the second player",
)
LAST_ROTATION: Final = (
    "36th marble: the rotation wins",
    "36th marble: the rotation loses",
    "36th marble: both lines",
)
BROKEN: Final = (
    "the placement's line stands after the rotation",
    "the placement's line is broken",
    "the placement's line is broken and the opponent's made",
    "36th marble: the placement's line is broken",
)
DRAWN: Final = ("36th marble: draw", "six in a row")

EDGES: Final[Mapping[str, tuple[str, ...]]] = {
    "pentago/strict": (
        *ROTATIONS_THAT_KEEP,
        *AFTER_THE_ROTATION,
        *LAST_ROTATION,
        *BROKEN,
        *DRAWN,
    ),
    "pentago/utwente": (
        *ROTATIONS_THAT_KEEP,
        *AFTER_THE_ROTATION,
        *LAST_ROTATION,
        *BROKEN,
        *DRAWN,
    ),
    "pentago/classic": (
        *ROTATIONS_THAT_KEEP,
        *AFTER_THE_ROTATION,
        *LAST_ROTATION,
        *DRAWN,
        "the placement wins by itself",
        "36th marble: the placement wins",
    ),
    "pentago/phased": (
        *ROTATIONS_THAT_KEEP,
        *AFTER_THE_ROTATION,
        *DRAWN,
        "the placement wins by itself",
        "36th marble: the placement wins",
    ),
    "gomoku/freestyle": (
        "five by the first player",
        "five by the second player",
        "line horizontal",
        "line vertical",
        "line descending",
        "line ascending",
        "line into the border",
        "overline",
        "two lines by one stone",
        "the last cell draws",
        "the last cell wins",
    ),
}

OnStep = Callable[[Any, Any, Any], None]


def edges_of(game: Game[Any, Any], before: Any, move: Any, after: Any) -> Iterator[str]:  # noqa: ANN401 (any engine)
    """Yield the edges that a step is; ``after`` is the position after ``move``."""
    if isinstance(before, TurnPosition):
        yield from _turn_edges(before, move, after)
    elif isinstance(before, phased.Position):
        yield from _ply_edges(game, before, move, after)
    else:
        yield from _stone_edges(before, move, after)


def counting(game: Game[Any, Any], counts: Counter[str]) -> OnStep:
    """Return a function that counts the edges of each step it is told of."""

    def count(before: Any, move: Any, after: Any) -> None:  # noqa: ANN401 (any engine)
        counts.update(edges_of(game, before, move, after))

    return count


# --- Pentago in whole turns -----------------------------------------------------------------------


def _turn_edges(before: TurnPosition, turn: Turn, after: TurnPosition) -> Iterator[str]:
    is_first = before.mover == "black"
    old = (before.black, before.white) if is_first else (before.white, before.black)
    mine, theirs = (after.black, after.white) if is_first else (after.white, after.black)
    placed = board6.completes_line(old[0], board6.SIZE * turn.row + turn.column)
    is_full = mine | theirs == board6.FULL
    if any(mine & six == six for six in SIX_IN_A_ROW):
        yield "six in a row"
    if turn.rotation is None:
        yield "the placement wins by itself"
        if is_full:
            yield "36th marble: the placement wins"
        return
    if (mine, theirs) == (old[0] | board6.square_bit(turn.row, turn.column), old[1]):
        is_empty = not (mine | theirs) & _quadrant(turn.rotation.quadrant)
        yield ROTATIONS_THAT_KEEP[0 if is_empty else 1]
    lines = board6.has_line(mine), board6.has_line(theirs)
    yield from _line_edges(*lines, placed=placed, is_first=is_first)
    if is_full:
        yield from _last_turn_edges(*lines, placed=placed)


def _quadrant(number: int) -> int:
    top, left = (3 * part for part in divmod(number, 2))
    return sum(board6.square_bit(top + row, left + col) for row in range(3) for col in range(3))


def _line_edges(my_line: bool, their_line: bool, *, placed: bool, is_first: bool) -> Iterator[str]:  # noqa: FBT001 (two of a kind)
    if my_line and their_line:
        yield f"both lines by the {'first' if is_first else 'second'} player"
    elif my_line:
        standing = "the placement's line stands after the rotation"
        yield standing if placed else "the rotation makes the mover's line"
    elif their_line:
        yield "the rotation makes the opponent's line"
        if placed:
            yield "the placement's line is broken and the opponent's made"
    elif placed:
        yield "the placement's line is broken"


def _last_turn_edges(my_line: bool, their_line: bool, *, placed: bool) -> Iterator[str]:  # noqa: FBT001 (two of a kind)
    if my_line and their_line:
        yield "36th marble: both lines"
    elif my_line and not placed:
        yield "36th marble: the rotation wins"
    elif their_line:
        yield "36th marble: the rotation loses"
    elif placed and not my_line:
        yield "36th marble: the placement's line is broken"
    elif not my_line:
        yield "36th marble: draw"


# --- Pentago in plies -----------------------------------------------------------------------------


def _ply_edges(
    game: Game[Any, Any], before: phased.Position, move: phased.Move, after: phased.Position
) -> Iterator[str]:
    mark = phased.MARKS[before.control]
    other_mark = phased.MARKS[phased.other(before.control)]
    my_line = phased.has_line(after.cells, mark)
    their_line = phased.has_line(after.cells, other_mark)
    is_full = phased.EMPTY not in after.cells
    marks = game.draw(after).replace("\n", "")
    squares = sum(1 << square for square, each in enumerate(marks) if each == mark)
    if any(squares & six == six for six in SIX_IN_A_ROW):
        yield "six in a row"
    if isinstance(move, phased.Place):
        if my_line:
            yield "36th marble: the placement wins" if is_full else "the placement wins by itself"
        elif is_full:
            yield "36th marble: draw"
    elif isinstance(move, phased.Rotate):
        if before.cells == after.cells:
            cells = [after.at(move.quadrant, x, y) for x in phased.INDICES for y in phased.INDICES]
            is_empty = set(cells) == {phased.EMPTY}
            yield ROTATIONS_THAT_KEEP[0 if is_empty else 1]
        yield from _line_edges(
            my_line, their_line, placed=False, is_first=before.control == game.roles[0]
        )


# --- Gomoku ---------------------------------------------------------------------------------------

_WAYS: Final = dict(
    zip(DIRECTIONS, ("horizontal", "vertical", "descending", "ascending"), strict=True)
)


def _stone_edges(before: GomokuState, stone: PlaceStone, after: GomokuState) -> Iterator[str]:
    ends = {way: _ends(after.board, stone, *way) for way in DIRECTIONS}
    lines = {way: pair for way, pair in ends.items() if _length(*pair) >= FIVE}
    is_last = len(after.move_history) == SIZE * SIZE
    if lines:
        yield f"five by the {'first' if before.next_color == 'B' else 'second'} player"
        yield from (f"line {_WAYS[way]}" for way in lines)
        if any(_length(*pair) > FIVE for pair in lines.values()):
            yield "overline"
        if len(lines) > 1:
            yield "two lines by one stone"
        if any({0, SIZE - 1} & {*first, *last} for first, last in lines.values()):
            yield "line into the border"
    if is_last:
        yield "the last cell wins" if lines else "the last cell draws"


Cell = tuple[int, int]


def _length(first: Cell, last: Cell) -> int:
    return 1 + max(abs(last[0] - first[0]), abs(last[1] - first[1]))


def _ends(board: tuple[str, ...], stone: PlaceStone, dx: int, dy: int) -> tuple[Cell, Cell]:
    """Return both ends of the run through a stone in one way."""
    color = board[stone.y][stone.x]
    found = []
    for sign in (-1, 1):
        x, y = stone.x, stone.y
        while _at(board, x + sign * dx, y + sign * dy) == color:
            x, y = x + sign * dx, y + sign * dy
        found.append((x, y))
    return found[0], found[1]


def _at(board: tuple[str, ...], x: int, y: int) -> str | None:
    return board[y][x] if 0 <= x < SIZE and 0 <= y < SIZE else None
