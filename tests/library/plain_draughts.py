"""International draughts in plain Python, by whole turns: a turn is its path and what it takes.

Written from the rules of the FMJD, in rows and columns; series of jumps are searched with the set
of what they have jumped at hand, which the rule files do in quite another way.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

WHITE, BLACK = "white", "black"
WAYS = ((-1, -1), (-1, 1), (1, -1), (1, 1))
Place = tuple[int, int]
Turn = tuple[tuple[int, ...], frozenset[int]]
"""The squares on which the piece stands one after the other, and those that are taken."""


@dataclass(frozen=True)
class Draughts:
    """A position: who moves, and by squares what stands there: its colour, whether a king."""

    size: int
    mover: str
    men: tuple[tuple[int, tuple[str, bool]], ...]

    def place(self, square: int) -> Place:
        row, k = divmod(square - 1, self.size // 2)
        return row, 2 * k + 1 - row % 2

    def square(self, place: Place) -> int:
        return place[0] * (self.size // 2) + place[1] // 2 + 1

    def ray(self, start: Place, way: Place) -> Iterator[Place]:
        row, column = start[0] + way[0], start[1] + way[1]
        while row in range(self.size) and column in range(self.size):
            yield row, column
            row, column = row + way[0], column + way[1]

    def turns(self) -> set[Turn]:
        """Return all legal turns."""
        board = {self.place(square): man for square, man in self.men}
        series: set[Turn] = set()
        for place, (colour, is_king) in board.items():
            if colour == self.mover:
                others = {each: man for each, man in board.items() if each != place}
                series.update(self._series(others, (place,), frozenset(), is_king=is_king))
        longest = max((len(taken) for _, taken in series), default=0)
        return {turn for turn in series if len(turn[1]) == longest} or self._strides(board)

    def _series(
        self,
        board: dict[Place, tuple[str, bool]],
        path: tuple[Place, ...],
        taken: frozenset[Place],
        *,
        is_king: bool,
    ) -> Iterator[Turn]:
        if taken:
            yield tuple(map(self.square, path)), frozenset(map(self.square, taken))
        for way in WAYS:
            victim = None
            for steps, place in enumerate(self.ray(path[-1], way)):
                if place in board:
                    if victim or place in taken or board[place][0] == self.mover:
                        break
                    if steps and not is_king:
                        break
                    victim = place
                elif victim:
                    yield from self._series(
                        board, (*path, place), taken | {victim}, is_king=is_king
                    )
                    if not is_king:
                        break
                elif not is_king:
                    break

    def _strides(self, board: dict[Place, tuple[str, bool]]) -> set[Turn]:
        forward = -1 if self.mover == WHITE else 1
        turns = set[Turn]()
        for start, (colour, is_king) in board.items():
            for way in WAYS if colour == self.mover else ():
                for place in self.ray(start, way) if is_king or way[0] == forward else ():
                    if place in board:
                        break
                    turns.add(((self.square(start), self.square(place)), frozenset[int]()))
                    if not is_king:
                        break
        return turns

    def after(self, turn: Turn) -> Draughts:
        """Return the position after a turn."""
        (start, *_, end), taken = turn
        men = dict(self.men)
        colour, is_king = men.pop(start)
        far = 0 if colour == WHITE else self.size - 1
        men[end] = colour, is_king or self.place(end)[0] == far
        left = tuple(sorted((each, man) for each, man in men.items() if each not in taken))
        return Draughts(self.size, BLACK if self.mover == WHITE else WHITE, left)

    def facts(self) -> list[str]:
        """Return the facts of the ruleset of which this position is made."""
        cells = [
            f"(cell {square} {colour} {'king' if is_king else 'man'})"
            for square, (colour, is_king) in self.men
        ]
        return [f"(control {self.mover})", "(quiet 0)", *cells]


def opening(size: int) -> Draughts:
    """Return the initial position."""
    half = size // 2
    black = dict.fromkeys(range(1, half * (half - 1) + 1), (BLACK, False))
    white = {size * half + 1 - square: (WHITE, False) for square in black}
    return Draughts(size, WHITE, tuple(sorted((black | white).items())))
