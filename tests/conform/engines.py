"""Engines of somebody else, with the six questions alone: what `module:Class` is for."""

import time
from collections.abc import Mapping
from typing import Any

LINES = ((0, 1, 2), (3, 4, 5), (6, 7, 8), (0, 3, 6), (1, 4, 7), (2, 5, 8), (0, 4, 8), (2, 4, 6))
EMPTY = "." * 9


class SharedLog:
    """Positions that share one list of moves: a move from one is a move from all before it."""

    roles = ("first", "second")

    def __init__(self) -> None:
        self._right = TicTacToe()

    def initial(self) -> tuple[str, list[int]]:
        return EMPTY, []

    def to_move(self, position: tuple[str, list[int]]) -> str | None:
        return self._right.to_move(position[0])

    def legal_moves(self, position: tuple[str, list[int]]) -> list[int]:
        board, log = position
        return [n for n in self._right.legal_moves(board) if n not in log or len(log) < 5]

    def play(self, position: tuple[str, list[int]], move: int) -> tuple[str, list[int]]:
        board, log = position
        log.append(move)
        return self._right.play(board, move), log

    def returns(self, position: tuple[str, list[int]]) -> tuple[float, float]:
        return self._right.returns(position[0])


class Opaque:
    """A move without a name or number: only what it does tells it from others."""

    def __init__(self, place: int) -> None:
        self.place = place

    def __repr__(self) -> str:
        return "<move>"


class TicTacToe:
    """Tic-tac-toe whose moves are numbers of squares; positions are text."""

    roles: tuple[str, ...] = ("first", "second")
    lines: tuple[tuple[int, int, int], ...] = LINES

    def initial(self) -> str:
        return EMPTY

    def to_move(self, position: str) -> str | None:
        if self.winner(position) is not None or "." not in position:
            return None
        return self.roles[position.count(".") % 2 == 0]

    def legal_moves(self, position: str) -> list[int]:
        return [place for place in range(9) if position[place] == "."]

    def play(self, position: str, move: int) -> str:
        mark = "12"[position.count(".") % 2 == 0]
        return position[:move] + mark + position[move + 1 :]

    def returns(self, position: str) -> tuple[float, float]:
        winner = self.winner(position)
        return (0, 0) if winner is None else (1, -1) if winner == "1" else (-1, 1)

    def winner(self, position: str) -> str | None:
        for a, b, c in self.lines:
            if position[a] != "." and position[a] == position[b] == position[c]:
                return position[a]
        return None


class OneLineMissing(TicTacToe):
    """It does not know the second diagonal."""

    lines = LINES[:-1]


class MiddleLater(TicTacToe):
    """The middle cannot be marked first, which is seen at once in every game."""

    def legal_moves(self, position: str) -> list[int]:
        return [move for move in super().legal_moves(position) if move != 4 or position != EMPTY]


class ThreeBugs(OneLineMissing):
    """It does not know the second diagonal, forgets a corner late, and pays a full board."""

    def legal_moves(self, position: str) -> list[int]:
        legal = super().legal_moves(position)
        return [place for place in legal if place != 8 or position.count(".") != 3]

    def returns(self, position: str) -> tuple[float, float]:
        return (1, -1) if self.winner(position) is None else super().returns(position)


class Twice(TicTacToe):
    """It lists the middle twice when that is the last square but two."""

    def legal_moves(self, position: str) -> list[int]:
        legal = super().legal_moves(position)
        return [*legal, 4] if 4 in legal and len(legal) == 3 else legal


class OBegins(TicTacToe):
    """Its roles are called as those of the rules are, and the other one begins."""

    roles = ("o", "x")


class AnyOrder(TicTacToe):
    """The squares are numbered in an order that nothing tells."""

    numbers = (4, 0, 8, 2, 6, 1, 7, 3, 5)

    def legal_moves(self, position: str) -> list[int]:
        return [self.numbers[square] for square in super().legal_moves(position)]

    def play(self, position: str, move: int) -> str:
        return super().play(position, self.numbers.index(move))


class AnyOrderOneMissing(AnyOrder):
    """The same, and one diagonal is no line."""

    lines = LINES[:-1]


class PlaceAmongFree(TicTacToe):
    """A move is the place of a square among those that are free."""

    def legal_moves(self, position: str) -> list[int]:
        return list(range(position.count(".")))

    def play(self, position: str, move: int) -> str:
        return super().play(position, super().legal_moves(position)[move])


class PlaceAmongFreeOneMissing(PlaceAmongFree):
    """The same, and one diagonal is no line."""

    lines = LINES[:-1]


class PlaceAsSeen(PlaceAmongFree):
    """The same, for the second player from the other end of the board: he sits opposite."""

    def play(self, position: str, move: int) -> str:
        is_second = position.count(".") % 2 == 0
        return super().play(position, position.count(".") - 1 - move if is_second else move)


class PlaceInAnyOrder(PlaceAmongFree):
    """The same, and the free squares are in an order that nothing tells."""

    def play(self, position: str, move: int) -> str:
        free = [square for square in AnyOrder.numbers if position[square] == "."]
        return TicTacToe.play(self, position, free[move])


class NeverEqual(TicTacToe):
    """Its moves are objects, new ones each time."""

    def legal_moves(self, position: str) -> list[Opaque]:  # type: ignore[override]
        return list(map(Opaque, super().legal_moves(position)))

    def play(self, position: str, move: Opaque) -> str:  # type: ignore[override]
        return super().play(position, move.place)


class Mute(TicTacToe):
    """Its moves have no text, no number and no order that anybody knows."""

    places = (3, 7, 0, 5, 8, 1, 2, 6, 4)
    moves = tuple(map(Opaque, range(9)))

    def legal_moves(self, position: str) -> list[Opaque]:  # type: ignore[override]
        return [self.moves[n] for n in range(9) if position[self.places[n]] == "."]

    def play(self, position: str, move: Opaque) -> str:  # type: ignore[override]
        return super().play(position, self.places[move.place])


class Changing:
    """Tic-tac-toe that changes its position and gives nothing back."""

    roles = ("first", "second")
    rules = TicTacToe()

    def initial(self) -> list[str]:
        return list(EMPTY)

    def to_move(self, position: list[str]) -> str | None:
        return self.rules.to_move("".join(position))

    def legal_moves(self, position: list[str]) -> list[int]:
        return self.rules.legal_moves("".join(position))

    def play(self, position: list[str], move: int) -> None:
        position[:] = self.rules.play("".join(position), move)

    def returns(self, position: list[str]) -> dict[str, float]:
        return dict(zip(self.roles, self.rules.returns("".join(position)), strict=True))


class Silent:
    """It answers nothing but who plays."""

    roles = ("first", "second")


class Raising(TicTacToe):
    """It fails when the middle is taken third."""

    def play(self, position: str, move: int) -> str:
        if move == 4 and position.count(".") == 7:
            raise IndexError("the middle")
        return super().play(position, move)


class RaisingLate(TicTacToe):
    """It fails when it is asked for the last three squares."""

    def legal_moves(self, position: str) -> list[int]:
        if position.count(".") == 3:
            raise IndexError("three")
        return super().legal_moves(position)


class RaisingAtOnce(TicTacToe):
    """It fails wherever it is asked."""

    def legal_moves(self, position: str) -> list[int]:
        raise ZeroDivisionError(position)


class Pennies:
    """Matching pennies: both choose at once; ``even`` wins where both are alike."""

    roles = ("even", "odd")
    even_wins = True

    def initial(self) -> tuple[str, ...]:
        return ()

    def to_move(self, position: tuple[str, ...]) -> tuple[str, ...] | None:
        return None if position else self.roles

    def legal_moves(self, position: tuple[str, ...], role: str) -> list[str]:
        del position, role
        return ["heads", "tails"]

    def play(self, position: tuple[str, ...], move: Mapping[str, str]) -> tuple[str, ...]:
        del position
        return move["even"], move["odd"]

    def returns(self, position: tuple[str, ...]) -> tuple[float, float]:
        is_even = (position[0] == position[1]) == self.even_wins
        return (1, -1) if is_even else (-1, 1)


class WrongPennies(Pennies):
    """It pays the wrong one."""

    even_wins = False


class Coin:
    """A coin is thrown, 2 to 1 for heads; the one player guesses without having seen it."""

    roles = ("guesser",)
    bounds = (0.0, 100.0)
    heads = 2 / 3
    is_seen = False

    def initial(self) -> tuple[str, ...]:
        return ()

    def to_move(self, position: tuple[str, ...]) -> str | None:
        return ("random", "guesser", None)[len(position)]

    def legal_moves(self, position: tuple[str, ...]) -> list[str]:
        del position
        return ["heads", "tails"]

    def chances(self, position: tuple[str, ...]) -> dict[str, float]:
        del position
        return {"heads": self.heads, "tails": 1 - self.heads}

    def play(self, position: tuple[str, ...], move: str) -> tuple[str, ...]:
        return (*position, move)

    def returns(self, position: tuple[str, ...]) -> tuple[float]:
        return (100.0 if position[0] == position[1] else 0.0,)

    def observation(self, position: tuple[str, ...], role: str) -> tuple[str, ...]:
        del role
        return position if self.is_seen else position[1:]


class FairCoin(Coin):
    """Heads and tails are as likely."""

    heads = 1 / 2


class ShownCoin(Coin):
    """The guesser sees the coin."""

    is_seen = True


class Cards:
    """One of three cards is dealt, 0 the lowest; who bets is paid by it, who folds a little."""

    roles = ("player",)
    bounds = (0.0, 100.0)

    def initial(self) -> tuple[int | str, ...]:
        return ()

    def to_move(self, position: tuple[int | str, ...]) -> str | None:
        return ("random", "player", None)[len(position)]

    def legal_moves(self, position: tuple[int | str, ...]) -> list[int | str]:
        return ["bet", "fold"] if position else [0, 1, 2]

    def chances(self, position: tuple[int | str, ...]) -> dict[int, float]:
        del position
        return dict.fromkeys(range(3), 1 / 3)

    def play(self, position: tuple[int | str, ...], move: int | str) -> tuple[int | str, ...]:
        return (*position, move)

    def returns(self, position: tuple[int | str, ...]) -> tuple[float]:
        return (50.0 * int(position[0]) if position[1] == "bet" else 10.0,)


class Armies:
    """Colonel Blotto: a division is a set of fields and units, in no order; so is what was sent."""

    roles = ("one", "two")
    fields = ("north", "middle", "south")

    def initial(self) -> tuple[object, ...]:
        return ()

    def to_move(self, sent: tuple[object, ...]) -> tuple[str, ...] | None:
        return None if sent else self.roles

    def legal_moves(self, sent: tuple[object, ...], role: str) -> list[object]:
        del sent, role
        units = [(a, b, 10 - a - b) for a in range(11) for b in range(11 - a)]
        return [frozenset(zip(self.fields, row, strict=True)) for row in units]

    def play(self, sent: tuple[object, ...], moves: Mapping[str, Any]) -> tuple[object, ...]:
        del sent
        return tuple(moves[role] for role in self.roles)

    def returns(self, sent: tuple[Any, Any]) -> tuple[int, int]:
        one, two = map(dict, sent)
        ahead = sum((one[f] > two[f]) - (one[f] < two[f]) for f in self.fields)
        return (ahead > 0) - (ahead < 0), (ahead < 0) - (ahead > 0)


class Slow(TicTacToe):
    """Takes its time for each answer."""

    def legal_moves(self, position: str) -> list[int]:
        time.sleep(0.02)
        return super().legal_moves(position)

    def play(self, position: str, move: int) -> str:
        time.sleep(0.02)
        return super().play(position, move)


class Compiled(TicTacToe):
    """Takes its time for the first answer of each kind, as what is compiled does."""

    def __init__(self) -> None:
        self.is_ready = False

    def play(self, position: str, move: int) -> str:
        if not self.is_ready:
            time.sleep(3)
            self.is_ready = True
        return super().play(position, move)


class Sealed(Armies):
    """The same in texts of two numbers, from which nobody can tell what is sent."""

    def legal_moves(self, sent: tuple[object, ...], role: str) -> list[object]:
        known = super().legal_moves(sent, role)
        return [f"{17 * place % 66} {29 * place % 66}" for place in range(len(known))]

    def play(self, sent: tuple[object, ...], moves: Mapping[str, Any]) -> tuple[object, ...]:
        known = super().legal_moves(sent, "one")
        texts = self.legal_moves(sent, "one")
        return tuple(known[texts.index(moves[role])] for role in self.roles)
