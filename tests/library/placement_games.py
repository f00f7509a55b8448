"""Games of placement written anew in plain Python, or open_spiel's in moves of one ply.

They answer the questions that `tests.library.spiel_walk` asks of a state of open_spiel.
"""

from __future__ import annotations

from typing import Any

import pyspiel

from tests.library.plain_games import PlainGame


class TwoPlayers(PlainGame):
    """What games of two players who take turns share."""

    def is_simultaneous_node(self) -> bool:
        return False

    def current_player(self) -> int:
        return len(self.played) % 2

    def won(self, _seat: int) -> bool:
        raise NotImplementedError

    def legal_actions(self, _player: int = 0) -> list[int]:
        raise NotImplementedError

    def is_terminal(self) -> bool:
        return self.won(0) or self.won(1) or not self.legal_actions()

    def returns(self) -> list[float]:
        value = float(self.won(0)) - float(self.won(1))
        return [value, -value]


class CylinderConnectFour(TwoPlayers):
    """Seven columns of six, the last beside the first; an action is a column from 0."""

    def __init__(self) -> None:
        super().__init__()
        self.columns: list[list[int]] = [[] for _ in range(7)]

    def legal_actions(self, _player: int = 0) -> list[int]:
        return [number for number, discs in enumerate(self.columns) if len(discs) < 6]

    def apply_action(self, action: int) -> None:
        self.columns[action].append(self.current_player())
        self.played.append(action)

    def won(self, seat: int) -> bool:
        mine = {
            (x, y)
            for x, discs in enumerate(self.columns)
            for y, owner in enumerate(discs)
            if owner == seat
        }
        return any(
            all(((x + n * dx) % 7, y + n * dy) in mine for n in range(4))
            for x, y in mine
            for dx, dy in ((1, 0), (0, 1), (1, 1), (1, -1))
        )


class SwapHex(TwoPlayers):
    """Hex of four by four; an action is 4 * row + column, or 16 to take the stone over."""

    SIZE = 4
    SWAP = 16

    def __init__(self) -> None:
        super().__init__()
        self.owner: dict[tuple[int, int], int] = {}

    def legal_actions(self, _player: int = 0) -> list[int]:
        cells = [self.SIZE * y + x for y in range(4) for x in range(4) if (x, y) not in self.owner]
        return cells + ([self.SWAP] if len(self.played) == 1 else [])

    def apply_action(self, action: int) -> None:
        if action == self.SWAP:
            ((x, y),) = self.owner
            self.owner = {(y, x): 1}
        else:
            self.owner[action % self.SIZE, action // self.SIZE] = self.current_player()
        self.played.append(action)

    def won(self, seat: int) -> bool:
        mine = {cell for cell, owner in self.owner.items() if owner == seat}
        reached, fresh = set[tuple[int, int]](), {cell for cell in mine if cell[1 - seat] == 0}
        while fresh:
            reached |= fresh
            steps = ((1, 0), (-1, 0), (0, 1), (0, -1), (1, -1), (-1, 1))
            fresh = {(x + dx, y + dy) for x, y in fresh for dx, dy in steps} & mine - reached
        return any(cell[1 - seat] == self.SIZE - 1 for cell in reached)


class StandardGomoku(TwoPlayers):
    """Fifteen by fifteen, exactly five in a row; an action is 15 * row + column from below."""

    def __init__(self) -> None:
        super().__init__()
        self.owner: dict[tuple[int, int], int] = {}

    def legal_actions(self, _player: int = 0) -> list[int]:
        return [n for n in range(225) if (n % 15, n // 15) not in self.owner]

    def apply_action(self, action: int) -> None:
        self.owner[action % 15, action // 15] = self.current_player()
        self.played.append(action)

    def won(self, seat: int) -> bool:
        mine = {cell for cell, owner in self.owner.items() if owner == seat}
        for x, y in mine:
            for dx, dy in ((1, 0), (0, 1), (1, 1), (1, -1)):
                row = [(x + n * dx, y + n * dy) in mine for n in range(-1, 6)]
                if row == [False, *[True] * 5, False]:
                    return True
        return False


class WholeUltimate(PlainGame):
    """open_spiel's ultimate tic-tac-toe, where choosing a board is no move of its own.

    An action is 9 * board + square, both counted from the top left in rows.
    """

    def __init__(self) -> None:
        super().__init__()
        self.inner: Any = pyspiel.load_game("ultimate_tic_tac_toe").new_initial_state()

    def clone(self) -> WholeUltimate:
        after = WholeUltimate()
        after.inner, after.played = self.inner.clone(), [*self.played]
        return after

    def is_simultaneous_node(self) -> bool:
        return False

    def current_player(self) -> int:
        return int(self.inner.current_player())

    def legal_actions(self, _player: int = 0) -> list[int]:
        actions = self.inner.legal_actions()
        text = self.inner.action_to_string(actions[0]) if actions else ""
        if text.startswith("Choose"):
            return [9 * a + b for a in actions for b in self.inner.child(a).legal_actions()]
        return [9 * int(text.split(":")[0][-1]) + action for action in actions]

    def apply_action(self, action: int) -> None:
        if self.inner.action_to_string(self.inner.legal_actions()[0]).startswith("Choose"):
            self.inner.apply_action(action // 9)
        self.inner.apply_action(action % 9)
        self.played.append(action)

    def child(self, action: int) -> WholeUltimate:
        after = self.clone()
        after.apply_action(action)
        return after

    def is_terminal(self) -> bool:
        return bool(self.inner.is_terminal())

    def returns(self) -> list[float]:
        return list(self.inner.returns())


class QuietMorris(PlainGame):
    """open_spiel's nine men's morris, drawn after a hundred moves in a row without a mill."""

    def __init__(self) -> None:
        super().__init__()
        self.inner: Any = pyspiel.load_game("nine_mens_morris").new_initial_state()
        self.quiet = 0

    def clone(self) -> QuietMorris:
        after = QuietMorris()
        after.inner, after.played = self.inner.clone(), [*self.played]
        after.quiet = self.quiet
        return after

    def child(self, action: int) -> QuietMorris:
        after = self.clone()
        after.apply_action(action)
        return after

    def is_simultaneous_node(self) -> bool:
        return False

    def current_player(self) -> int:
        return int(self.inner.current_player())

    def legal_actions(self, _player: int = 0) -> list[int]:
        return list(self.inner.legal_actions())

    def apply_action(self, action: int) -> None:
        is_move = self.inner.action_to_string(action).startswith("Move")
        self.quiet = self.quiet + 1 if is_move else 0
        self.inner.apply_action(action)
        self.played.append(action)

    def is_terminal(self) -> bool:
        return bool(self.inner.is_terminal()) or self.quiet == 100

    def returns(self) -> list[float]:
        return list(self.inner.returns()) if self.inner.is_terminal() else [0.0, 0.0]
