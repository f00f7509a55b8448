"""American checkers after the rules of the WCDF; each jump is a move of its own."""

from __future__ import annotations

from random import Random
from typing import NamedTuple

Square = tuple[int, int]
Move = tuple[Square, Square]
DARK = [(x, y) for y in range(8) for x in range(8) if (x + y) % 2 == 0]
QUIET = 80
UP = (-1, 1)
"""Rows towards the far side: black's, who begins at the top, and white's."""


class Position(NamedTuple):
    """The pieces of both players (1 is a king), whose turn it is, who jumps on, quiet plies."""

    pieces: tuple[tuple[tuple[Square, int], ...], tuple[tuple[Square, int], ...]]
    turn: int = 0
    jumper: Square | None = None
    quiet: int = 0


class Checkers:
    roles = ("black", "white")

    def initial(self) -> Position:
        top = tuple((square, 0) for square in DARK if square[1] > 4)
        return Position((top, tuple((square, 0) for square in DARK if square[1] < 3)))

    def moves(self, position: Position, far: int) -> list[Move]:
        """Return the moves of one step, or the jumps, of who has the turn."""
        mine, yours = (dict(position.pieces[s]) for s in (position.turn, 1 - position.turn))
        found = []
        for (x, y), is_king in mine.items():
            for up in (UP[position.turn], -UP[position.turn])[: 1 + is_king]:
                for side in (-1, 1):
                    target = (x + far * side, y + far * up)
                    is_free = target in DARK and target not in mine and target not in yours
                    if is_free and (far == 1 or (x + side, y + up) in yours):
                        found.append(((x, y), target))
        return found

    def legal_moves(self, position: Position) -> list[Move]:
        jumps = self.moves(position, 2)
        if position.jumper is not None:
            return [jump for jump in jumps if jump[0] == position.jumper]
        return jumps or self.moves(position, 1)

    def to_move(self, position: Position) -> str | None:
        is_over = position.quiet == QUIET or not self.legal_moves(position)
        return None if is_over else self.roles[position.turn]

    def play(self, position: Position, move: Move) -> Position:
        (x1, y1), (x2, y2) = move
        turn = position.turn
        mine, yours = (dict(position.pieces[s]) for s in (turn, 1 - turn))
        was_king = mine.pop(move[0])
        mine[move[1]] = int(was_king or y2 == (0, 7)[turn])
        is_jump = abs(x2 - x1) == 2
        if is_jump:
            del yours[(x1 + x2) // 2, (y1 + y2) // 2]
        sides = tuple(sorted(mine.items())), tuple(sorted(yours.items()))
        quiet = 0 if is_jump or not was_king else position.quiet + 1
        on = Position(sides if turn == 0 else sides[::-1], turn, move[1], quiet)
        if is_jump and was_king == mine[move[1]] and self.legal_moves(on):
            return on
        return on._replace(turn=1 - turn, jumper=None)

    def returns(self, position: Position) -> tuple[int, int]:
        if self.legal_moves(position):
            return 0, 0
        return (-1, 1) if position.turn == 0 else (1, -1)

    def format(self, move: Move) -> str:
        return "-".join(f"{'abcdefgh'[x]}{y + 1}" for x, y in move)

    def rare(self, rng: Random) -> Position:
        """Return few pieces, most of them kings, and men one step from their crowning."""
        squares = rng.sample(DARK, rng.randint(2, 9))
        cut = rng.randint(1, len(squares) - 1)
        sides = [
            tuple((s, int(rng.random() < 0.6 or s[1] == crown)) for s in side)
            for side, crown in ((squares[:cut], 0), (squares[cut:], 7))
        ]
        return Position((sides[0], sides[1]), rng.randrange(2), None, rng.choice((0, 78)))

    def facts(self, position: Position) -> list[str]:
        jumper = position.jumper
        on = [] if jumper is None else [f"(jumper {'abcdefgh'[jumper[0]]} {jumper[1] + 1})"]
        return [
            *on,
            f"(control {self.roles[position.turn]})",
            "(quiet {} {})".format(*f"{position.quiet:02}"),
            *(
                f"(cell {'abcdefgh'[x]} {y + 1} {role} {('man', 'king')[is_king]})"
                for role, side in zip(self.roles, position.pieces, strict=True)
                for (x, y), is_king in side
            ),
        ]
