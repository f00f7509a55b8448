"""Morris with three, six or nine men, after Murray: a mill wins, or takes a man.

A point is its ring and one of eight places on it; the corners are even.
"""

from __future__ import annotations

from itertools import pairwise
from random import Random
from typing import NamedTuple

Point = tuple[int, int]
Move = tuple[str, *tuple[Point, ...]]
"""``("put", to)``, ``("move", from, to)`` or ``("take", from)``."""
QUIET = 100
SIDES = ((-1, -1), (-1, 0), (-1, 1), (0, 1), (1, 1), (1, 0), (1, -1), (0, -1))
"""From the middle of the board to the eight places of a ring."""


class Position(NamedTuple):
    """The men on the board, those in hand, whose turn it is, and what it is to do."""

    men: tuple[frozenset[Point], frozenset[Point]]
    hand: tuple[int, int]
    turn: int = 0
    is_taking: bool = False
    quiet: int = 0


class Morris:
    roles = ("white", "black")

    def __init__(self, men: int) -> None:
        self.men, self.rings = men, {6: 2, 9: 3}[men]
        self.points = [(ring, place) for ring in range(self.rings) for place in range(8)]
        sides = [
            [(r, c), (r, c + 1), (r, (c + 2) % 8)] for r in range(self.rings) for c in (0, 2, 4, 6)
        ]
        across = [[(r, c) for r in range(self.rings)] for c in (1, 3, 5, 7)]
        self.mills = [set(line) for line in sides + across if len(line) == 3]
        steps = [pair for line in sides + across for pair in pairwise(line)]
        self.near = {
            p: {b for a, b in steps if a == p} | {a for a, b in steps if b == p}
            for p in self.points
        }

    def initial(self) -> Position:
        return Position((frozenset(), frozenset()), (self.men, self.men))

    def to_move(self, position: Position) -> str | None:
        is_over = self.loser(position) is not None or position.quiet == QUIET
        return None if is_over else self.roles[position.turn]

    def loser(self, position: Position) -> int | None:
        few = [s for s in (0, 1) if len(position.men[s]) + position.hand[s] < 3]
        return few[0] if few else None if self.legal_moves(position) else position.turn

    def in_mill(self, men: frozenset[Point], point: Point) -> bool:
        return any(point in mill and mill <= men for mill in self.mills)

    def legal_moves(self, position: Position) -> list[Move]:
        mine, yours = position.men[position.turn], position.men[1 - position.turn]
        if position.is_taking:
            open_men = [p for p in yours if not self.in_mill(yours, p)]
            return [("take", p) for p in open_men or yours]
        free = [p for p in self.points if p not in mine | yours]
        if position.hand[position.turn]:
            return [("put", p) for p in free]
        flies = self.men == 9 and len(mine) == 3
        return [("move", a, b) for a in mine for b in free if flies or b in self.near[a]]

    def play(self, position: Position, move: Move) -> Position:
        men, hand, turn = list(position.men), list(position.hand), position.turn
        kind, *points = move
        if kind == "take":
            men[1 - turn] = men[1 - turn] - {*points}
            return Position((men[0], men[1]), position.hand, 1 - turn)
        hand[turn] -= kind == "put"
        men[turn] = men[turn] - {*points[:-1]} | {points[-1]}
        mills = self.in_mill(men[turn], points[-1])
        then, quiet = turn if mills else 1 - turn, position.quiet + 1 if kind == "move" else 0
        return Position((men[0], men[1]), (hand[0], hand[1]), then, mills, quiet)

    def returns(self, position: Position) -> tuple[int, int]:
        return {None: (0, 0), 0: (-1, 1), 1: (1, -1)}[self.loser(position)]

    def text(self, point: Point) -> str:
        """Return where a point is: the letter of its column and the number of its row."""
        across, up = (self.rings + side * (self.rings - point[0]) for side in SIDES[point[1]])
        return f"{'abcdefg'[across]}{up + 1}"

    def format(self, move: Move) -> str:
        return ("x" if move[0] == "take" else "") + "-".join(map(self.text, move[1:]))

    def rare(self, rng: Random) -> Position:
        """Return few men of either, nobody's in hand, or a board that is nearly full."""
        most = min(self.men, len(self.points) // 2 - 1)
        counts = [rng.choice((3, 3, 4, most)), rng.choice((3, 3, 4, most))]
        points = rng.sample(self.points, sum(counts))
        men = frozenset(points[: counts[0]]), frozenset(points[counts[0] :])
        return Position(men, (0, 0), rng.randrange(2), rng.random() < 0.3, rng.choice((0, 98)))

    def facts(self, position: Position) -> list[str]:
        taking = ["taking"] if position.is_taking else []
        sides = list(zip(self.roles, position.men, position.hand, strict=True))
        return [
            *taking,
            f"(control {self.roles[position.turn]})",
            f"(quiet {position.quiet})",
            *(f"(hand {role} {hand})" for role, _, hand in sides),
            *(f"(left {role} {len(men) + hand})" for role, men, hand in sides),
            *(f"(cell {self.text(point)} {role})" for role, men, _ in sides for point in men),
        ]
