"""Games that open_spiel does not have, written anew in plain Python from their rule texts.

They answer the questions that `tests.library.spiel_walk` asks of a state of open_spiel.
"""

from __future__ import annotations

from copy import deepcopy


class PlainGame:
    """What they share: no chance, and a history."""

    def __init__(self) -> None:
        self.played: list[int] = []

    def clone(self) -> PlainGame:
        return deepcopy(self)

    def child(self, action: int) -> PlainGame:
        after = deepcopy(self)
        after.apply_action(action)
        return after

    def apply_action(self, action: int) -> None:
        raise NotImplementedError

    def history(self) -> list[int]:
        return self.played

    def is_chance_node(self) -> bool:
        return False


class ThreePlayerTicTacToe(PlainGame):
    """Five by five, four in a row; square = 5 * row + column, both from 0 at a1."""

    def __init__(self) -> None:
        super().__init__()
        self.owner: dict[int, int] = {}

    def is_simultaneous_node(self) -> bool:
        return False

    def current_player(self) -> int:
        return len(self.played) % 3

    def legal_actions(self, _player: int = 0) -> list[int]:
        return [square for square in range(25) if square not in self.owner]

    def apply_action(self, square: int) -> None:
        self.owner[square] = self.current_player()
        self.played.append(square)

    def winner(self) -> int | None:
        for row in range(5):
            for column in range(5):
                for up, right in ((0, 1), (1, 0), (1, 1), (1, -1)):
                    squares = [(row + n * up, column + n * right) for n in range(4)]
                    owners = {self.owner.get(5 * y + x) for y, x in squares if x in range(5)}
                    if all(x in range(5) for _, x in squares) and len(owners) == 1:
                        (owner,) = owners
                        if owner is not None:
                            return owner
        return None

    def is_terminal(self) -> bool:
        return self.winner() is not None or len(self.owner) == 25

    def returns(self) -> list[float]:
        winner = self.winner()
        return [33.0] * 3 if winner is None else [100.0 * (seat == winner) for seat in range(3)]


class Tron(PlainGame):
    """Ten by ten; the ways are north, east, south, west, as steps in the plane."""

    WAYS = (1j, 1, -1j, -1)

    def __init__(self) -> None:
        super().__init__()
        self.heads = [complex(3, 3), complex(8, 8)]
        self.walls = set(self.heads)
        self.crashed: set[int] = set()

    def is_simultaneous_node(self) -> bool:
        return True

    def num_players(self) -> int:
        return 2

    def legal_actions(self, _player: int = 0) -> list[int]:
        return [0, 1, 2, 3]

    def apply_actions(self, ways: tuple[int, ...]) -> None:
        self.played += ways
        self.heads = [head + self.WAYS[way] for head, way in zip(self.heads, ways, strict=True)]
        for seat, head in enumerate(self.heads):
            on_board = 1 <= head.real <= 10 and 1 <= head.imag <= 10
            if not on_board or head in self.walls or self.heads.count(head) == 2:
                self.crashed.add(seat)
        self.walls |= set(self.heads)

    def is_terminal(self) -> bool:
        return bool(self.crashed)

    def returns(self) -> list[float]:
        if len(self.crashed) == 2:
            return [0.0, 0.0]
        return [-1.0 if seat in self.crashed else 1.0 for seat in range(2)]
