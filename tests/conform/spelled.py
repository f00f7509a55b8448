"""Engines whose moves are numbers that are spelled out, or that have signs behind a letter."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeAlias

Hands: TypeAlias = tuple[frozenset[str], frozenset[str], frozenset[str], str, int, int]
"""The prizes that are left, what left and right hold, the prize, the points of both."""
Stones: TypeAlias = tuple[str, ...]

CARDS = ("ace", "two", "three", "four", "five")


class Goofspiel:
    """Five cards; a move is the name of a card."""

    roles = ("left", "right")

    def initial(self) -> Hands:
        cards = frozenset(CARDS)
        return cards, cards, cards, "", 0, 0

    def to_move(self, position: Hands) -> str | tuple[str, ...] | None:
        if position[3]:
            return self.roles
        return "random" if position[0] else None

    def legal_moves(self, position: Hands, role: str) -> list[str]:
        hand = dict(zip(("random", *self.roles), position[:3], strict=True))[role]
        return [card for card in CARDS if card in hand]

    def chances(self, position: Hands) -> dict[str, float]:
        return {card: 1 / len(position[0]) for card in position[0]}

    def play(self, position: Hands, move: str | Mapping[str, str]) -> Hands:
        prizes, left, right, prize, mine, yours = position
        if isinstance(move, str):
            return prizes - {move}, left, right, move, mine, yours
        bids = [CARDS.index(move[role]) for role in self.roles]
        worth = CARDS.index(prize) + 1
        mine += worth * (bids[0] > bids[1])
        yours += worth * (bids[1] > bids[0])
        return prizes, left - {move["left"]}, right - {move["right"]}, "", mine, yours

    def returns(self, position: Hands) -> tuple[float, float]:
        sign = (position[4] > position[5]) - (position[5] > position[4])
        return float(sign), float(-sign)


class OneCardIsHeldBack(Goofspiel):
    """Right does not bid the five for the five, once three cards are gone."""

    def legal_moves(self, position: Hands, role: str) -> list[str]:
        moves = super().legal_moves(position, role)
        is_held = role == "right" and position[3] == "five" and moves[1:] == ["five"]
        return moves[:1] if is_held else moves


class Hex:
    """Hex of five: a move says how far a cell is from the middle, as in q-1r2."""

    roles = ("red", "blue")

    def __init__(self) -> None:
        self.names = [f"q{column}r{row}" for row in range(-2, 3) for column in range(-2, 3)]

    def initial(self) -> Stones:
        return ()

    def to_move(self, position: Stones) -> str | None:
        return None if self.has_won(position) else self.roles[len(position) % 2]

    def legal_moves(self, position: Stones) -> list[str]:
        return [name for name in self.names if name not in position]

    def play(self, position: Stones, move: str) -> Stones:
        return (*position, move)

    def returns(self, position: Stones) -> tuple[float, float]:
        first = 1.0 if len(position) % 2 else -1.0
        return first, -first

    def has_won(self, position: Stones) -> bool:
        """Red, who begins, joins top and bottom; blue left and right."""
        if not position:
            return False
        own = {divmod(self.names.index(name), 5) for name in position[::-2]}
        axis = 0 if len(position) % 2 else 1
        linked = [cell for cell in own if not cell[axis]]
        for row, column in linked:
            near = ((0, 1), (1, 0), (0, -1), (-1, 0), (1, -1), (-1, 1))
            cells = {(row + down, column + right) for down, right in near}
            linked += [cell for cell in cells & own if cell not in linked]
        return any(cell[axis] == 4 for cell in linked)
