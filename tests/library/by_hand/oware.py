"""Oware by the abapa rules of the Oware Society: houses 0 to 5 are south's, 6 to 11 north's."""

from __future__ import annotations

from random import Random
from typing import NamedTuple

QUIET = 100


class Position(NamedTuple):
    """The seeds in the houses and in the stores, whose turn it is, moves without a capture."""

    houses: tuple[int, ...] = (4,) * 12
    stores: tuple[int, int] = (0, 0)
    turn: int = 0
    quiet: int = 0


def row(turn: int) -> range:
    return range(6 * turn, 6 * turn + 6)


class Oware:
    roles = ("south", "north")

    def initial(self) -> Position:
        return Position()

    def to_move(self, position: Position) -> str | None:
        stores, quiet = position.stores, position.quiet
        is_over = max(stores) > 24 or stores == (24, 24) or quiet == QUIET
        return None if is_over or not self.legal_moves(position) else self.roles[position.turn]

    def legal_moves(self, position: Position) -> list[int]:
        """Return the houses that are not empty; those that give where the other has nothing."""
        houses, other = position.houses, row(1 - position.turn)
        full = [house for house in row(position.turn) if houses[house]]
        if any(houses[house] for house in other):
            return full
        return [house for house in full if any(sown(houses, house)[0][at] for at in other)]

    def play(self, position: Position, move: int) -> Position:
        _, stores, turn, quiet = position
        houses, last = sown(position.houses, move)
        other = row(1 - turn)
        caught = []
        while last in other and houses[last] in (2, 3):
            caught.append(last)
            last -= 1
        if sum(houses[house] for house in other) == sum(houses[house] for house in caught):
            caught = []  # a grand slam takes nothing
        won = sum(houses[house] for house in caught)
        kept = tuple(0 if at in caught else seeds for at, seeds in enumerate(houses))
        totals = (stores[0] + won, stores[1]) if turn == 0 else (stores[0], stores[1] + won)
        return Position(kept, totals, 1 - turn, 0 if won else quiet + 1)

    def returns(self, position: Position) -> tuple[int, int]:
        """Return who has more, when each has taken what is left in his row."""
        south = position.stores[0] + sum(position.houses[:6])
        value = (south > 24) - (south < 24)
        return value, -value

    def format(self, move: int) -> str:
        return f"{'ABCDEFFEDCBA'[move]}{1 + move // 6}"

    def rare(self, rng: Random) -> Position:
        """Return one or two heaps, or a row that is nearly empty, near some end."""
        houses = [0] * 12
        stores = [rng.randint(15, 23), rng.randint(12, 23)]
        for _ in range(48 - sum(stores)):
            houses[rng.choice((rng.randrange(12), 5, rng.choice((0, 11))))] += 1
        return Position(
            tuple(houses), (stores[0], stores[1]), rng.randrange(2), rng.choice((0, 97))
        )

    def facts(self, position: Position) -> list[str]:
        sides = (
            (letter, role)
            for role, letters in zip(self.roles, ("abcdef", "fedcba"), strict=True)
            for letter in letters
        )
        return [
            f"(control {self.roles[position.turn]})",
            f"(quiet {position.quiet})",
            *(f"(score {role} {n})" for role, n in zip(self.roles, position.stores, strict=True)),
            *(
                f"(seeds {a} {role} {n})"
                for (a, role), n in zip(sides, position.houses, strict=True)
            ),
        ]


def sown(houses: tuple[int, ...], house: int) -> tuple[list[int], int]:
    """Return the houses after one was sown, itself left out, and where the last seed fell."""
    after, at = list(houses), house
    seeds, after[house] = after[house], 0
    while seeds:
        at = (at + 1) % 12
        if at != house:
            after[at] += 1
            seeds -= 1
    return after, at
