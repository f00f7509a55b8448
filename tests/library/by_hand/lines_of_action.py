"""Lines of Action, after Sid Sackson, "A Gamut of Games": squares are complex numbers."""

from __future__ import annotations

from random import Random
from typing import NamedTuple

WAYS = (1, 1j, 1 + 1j, 1 - 1j, -1, -1j, -1 - 1j, -1 + 1j)
BOARD = [complex(x, y) for y in range(8) for x in range(8)]
LONGEST = 300


class Position(NamedTuple):
    """The pieces of both players, who moves now first, and the moves so far."""

    mine: frozenset[complex]
    yours: frozenset[complex]
    moves: int


def is_one_group(pieces: frozenset[complex]) -> bool:
    group = set(list(pieces)[:1])
    while new := {p + way for p in group for way in WAYS} & pieces - group:
        group |= new
    return group == pieces


def text(square: complex) -> str:
    return f"{'abcdefgh'[int(square.real)]}{int(square.imag) + 1}"


class LinesOfAction:
    roles = ("black", "white")

    def initial(self) -> Position:
        inner = range(1, 7)
        black = frozenset(complex(x, y) for x in inner for y in (0, 7))
        return Position(black, frozenset(complex(x, y) for x in (0, 7) for y in inner), 0)

    def mover(self, position: Position) -> str:
        return self.roles[position.moves % 2]

    def to_move(self, position: Position) -> str | None:
        is_over = any(map(is_one_group, position[:2])) or position.moves == LONGEST
        return None if is_over or not self.legal_moves(position) else self.mover(position)

    def legal_moves(self, position: Position) -> list[tuple[complex, complex]]:
        mine, yours, _ = position
        moves = []
        for piece in mine:
            for way in WAYS:
                line = {piece + n * way for n in range(-7, 8)}
                count = len(line & (mine | yours))
                passed = {piece + n * way for n in range(1, count)}
                target = piece + count * way
                if target in BOARD and target not in mine and not passed & yours:
                    moves.append((piece, target))
        return moves

    def play(self, position: Position, move: tuple[complex, complex]) -> Position:
        mine, yours, moves = position
        return Position(yours - {move[1]}, mine - {move[0]} | {move[1]}, moves + 1)

    def returns(self, position: Position) -> tuple[int, int]:
        """A move that brings both together wins for who made it; who cannot move has lost."""
        if is_one_group(position.yours):
            value = -1
        elif is_one_group(position.mine):
            value = 1
        else:
            value = 0 if self.legal_moves(position) else -1
        return (value, -value) if position.moves % 2 == 0 else (-value, value)

    def format(self, move: tuple[complex, complex]) -> str:
        return "-".join(map(text, move))

    def rare(self, rng: Random) -> Position:
        """Return few pieces of either, near the middle, near the last move."""
        squares = rng.sample([s for s in BOARD if abs(s - 3.5 - 3.5j) < rng.choice((3, 9))], 9)
        cut = rng.randint(2, 7)
        return Position(frozenset(squares[:cut]), frozenset(squares[cut:]), rng.choice((7, 298)))

    def facts(self, position: Position) -> list[str]:
        sides = zip(
            (self.mover(position), self.mover(position._replace(moves=position.moves + 1))),
            position[:2],
            strict=True,
        )
        cells = [f"(cell {text(s)[0]} {text(s)[1]} {role})" for role, side in sides for s in side]
        return [
            *cells,
            f"(control {self.mover(position)})",
            "(count {} {} {})".format(*f"{position.moves:03}"),
        ]
