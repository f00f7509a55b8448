"""Engines whose moves no reading of words matches: squares with directions, players' numbers."""

from __future__ import annotations

from typing import TypeAlias

Board: TypeAlias = tuple[str, ...]


class Clobber:
    """Moves are row, column and direction, rows from the top."""

    roles = ("black", "white")
    ways = (("U", -1, 0), ("D", 1, 0), ("L", 0, -1), ("R", 0, 1))

    def initial(self) -> tuple[Board, str]:
        return tuple("".join("WB"[(r + c) % 2] for c in range(6)) for r in range(5)), "W"

    def legal_moves(self, position: tuple[Board, str]) -> list[tuple[int, int, str]]:
        board, mover = position
        return [
            (r, c, way)
            for r in range(5)
            for c in range(6)
            for way, down, right in self.ways
            if board[r][c] == mover and 0 <= r + down < 5 and 0 <= c + right < 6
            if board[r + down][c + right] not in {mover, "."}
        ]

    def play(self, position: tuple[Board, str], move: tuple[int, int, str]) -> tuple[Board, str]:
        rows, mover = [list(row) for row in position[0]], position[1]
        r, c, way = move
        down, right = next((d, e) for name, d, e in self.ways if name == way)
        rows[r][c] = "."
        rows[r + down][c + right] = mover
        return tuple(map("".join, rows)), "B" if mover == "W" else "W"

    def to_move(self, position: tuple[Board, str]) -> str | None:
        if not self.legal_moves(position):
            return None
        return "white" if position[1] == "W" else "black"

    def returns(self, position: tuple[Board, str]) -> tuple[int, int]:
        return (1, -1) if position[1] == "W" else (-1, 1)


class ClobberPlaces(Clobber):
    """A move is its place, from 1, in the list of legal moves."""

    def legal_moves(self, position: tuple[Board, str]) -> list[int]:  # type: ignore[override]
        return [n for n, _ in enumerate(super().legal_moves(position), start=1)]

    def play(self, position: tuple[Board, str], move: int) -> tuple[Board, str]:  # type: ignore[override]
        return super().play(position, super().legal_moves(position)[move - 1])


class ClobberSquares(Clobber):
    """A move is a number: thirty times the square where it begins and the one where it ends."""

    def legal_moves(self, position: tuple[Board, str]) -> list[int]:  # type: ignore[override]
        ends = {name: 6 * down + right for name, down, right in self.ways}
        return [
            30 * (6 * r + c) + 6 * r + c + ends[way] for r, c, way in super().legal_moves(position)
        ]

    def play(self, position: tuple[Board, str], move: int) -> tuple[Board, str]:  # type: ignore[override]
        place = self.legal_moves(position).index(move)
        return super().play(position, super().legal_moves(position)[place])


class Misere(Clobber):
    """Who cannot move wins when few stones are left: a bug of nearly every game."""

    def returns(self, position: tuple[Board, str]) -> tuple[int, int]:
        one, other = super().returns(position)
        left = sum(6 - row.count(".") for row in position[0])
        return (other, one) if left <= 9 else (one, other)


class Breakthrough:
    """A move is three times the square, and 0, 1 or 2 for left, ahead and right."""

    roles = ("first", "second")

    def initial(self) -> tuple[str, int]:
        return "1" * 16 + "." * 32 + "2" * 16, 0

    def legal_moves(self, position: tuple[str, int]) -> list[int]:
        board, mover = position
        return [
            3 * square + way
            for square in range(64)
            for way in range(3)
            if board[square] == "12"[mover] and 0 <= square % 8 + way - 1 < 8
            if board[self._to(square, way, mover)] in (".", "." if way == 1 else "21"[mover])
        ]

    @staticmethod
    def _to(square: int, way: int, mover: int) -> int:
        return square + (-8 if mover else 8) + way - 1

    def play(self, position: tuple[str, int], move: int) -> tuple[str, int]:
        board, mover = list(position[0]), position[1]
        square, way = divmod(move, 3)
        board[square] = "."
        board[self._to(square, way, mover)] = "12"[mover]
        return "".join(board), 1 - mover

    def winner(self, board: str) -> int | None:
        if "1" in board[56:] or "2" not in board:
            return 0
        return 1 if "2" in board[:8] or "1" not in board else None

    def to_move(self, position: tuple[str, int]) -> str | None:
        return None if self.winner(position[0]) is not None else self.roles[position[1]]

    def returns(self, position: tuple[str, int]) -> tuple[int, int]:
        return (-1, 1) if self.winner(position[0]) else (1, -1)


class AheadToo(Breakthrough):
    """The second player captures straight ahead on the last file."""

    def legal_moves(self, position: tuple[str, int]) -> list[int]:
        board, mover = position
        legal = super().legal_moves(position)
        file = range(15, 64, 8) if mover else ()
        return legal + [3 * s + 1 for s in file if board[s] == "2" and board[s - 8] == "1"]


class LastTaken(Breakthrough):
    """Who takes the last man of the other has lost: an end that chance hardly ever comes to."""

    def returns(self, position: tuple[str, int]) -> tuple[int, int]:
        one, other = super().returns(position)
        return (one, other) if {"1", "2"} <= {*position[0]} else (other, one)


class Lame(Breakthrough):
    """The man on c2 cannot go straight ahead, which is seen at once in every game."""

    def legal_moves(self, position: tuple[str, int]) -> list[int]:
        return [move for move in super().legal_moves(position) if move != 3 * 10 + 1]


class Steps(Breakthrough):
    """A move is a row, a column, and how far the man steps to the side."""

    def legal_moves(self, position: tuple[str, int]) -> list[tuple[int, ...]]:  # type: ignore[override]
        legal = super().legal_moves(position)
        return [(*divmod(move // 3, 8), move % 3 - 1) for move in legal]

    def play(self, position: tuple[str, int], move: tuple[int, ...]) -> tuple[str, int]:  # type: ignore[override]
        row, column, aside = move
        return super().play(position, 3 * (8 * row + column) + aside + 1)


class DotsAndBoxes:
    """Three by three boxes: lines 0 to 11 are level, row by row, and 12 to 23 upright."""

    roles = ("A", "B")
    boxes = tuple(
        (3 * r + c, 3 * r + 3 + c, 12 + 4 * r + c, 13 + 4 * r + c)
        for r in range(3)
        for c in range(3)
    )

    def initial(self) -> tuple[frozenset[int], tuple[int, int], int]:
        return frozenset(), (0, 0), 0

    def to_move(self, position: tuple[frozenset[int], tuple[int, int], int]) -> str | None:
        return None if len(position[0]) == 24 else self.roles[position[2]]

    def legal_moves(self, position: tuple[frozenset[int], tuple[int, int], int]) -> list[int]:
        return sorted(set(range(24)) - position[0])

    def play(
        self, position: tuple[frozenset[int], tuple[int, int], int], move: int
    ) -> tuple[frozenset[int], tuple[int, int], int]:
        drawn, (first, second), mover = position
        closed = sum(move in box and drawn.issuperset({*box} - {move}) for box in self.boxes)
        points = (first, second + closed) if mover else (first + closed, second)
        return drawn | {move}, points, mover if self.goes_on(closed) else 1 - mover

    def goes_on(self, closed: int) -> bool:
        return closed > 0

    def returns(self, position: tuple[frozenset[int], tuple[int, int], int]) -> tuple[int, int]:
        first, second = position[1]
        return (first > second) - (first < second), (second > first) - (second < first)


class LinePlaces(DotsAndBoxes):
    """A move is the place of a line among those that are not drawn."""

    def legal_moves(self, position: tuple[frozenset[int], tuple[int, int], int]) -> list[int]:
        return list(range(24 - len(position[0])))

    def play(
        self, position: tuple[frozenset[int], tuple[int, int], int], move: int
    ) -> tuple[frozenset[int], tuple[int, int], int]:
        return super().play(position, super().legal_moves(position)[move])


class OneBoxAlone(DotsAndBoxes):
    """Two boxes at once end the turn."""

    def goes_on(self, closed: int) -> bool:
        return closed == 1


Boards: TypeAlias = tuple[tuple[str, ...], int | None, str]


class Ultimate:
    """Ultimate tic-tac-toe; a move is a board and a cell, both 1 to 9 from the top left.

    A position is the nine boards, the one that must be played on, if any, and the mark to be put.
    """

    roles = ("X", "O")
    lines = ((0, 1, 2), (3, 4, 5), (6, 7, 8), (0, 3, 6), (1, 4, 7), (2, 5, 8), (0, 4, 8), (2, 4, 6))

    def initial(self) -> Boards:
        return ("-" * 9,) * 9, None, "X"

    def line(self, cells: str) -> str:
        met = (cells[a] for a, b, c in self.lines if cells[a] == cells[b] == cells[c] != "-")
        return next(met, "-")

    def won(self, position: Boards) -> str:
        return self.line("".join(map(self.line, position[0])))

    def is_open(self, cells: str) -> bool:
        return self.line(cells) == "-" and "-" in cells

    def to_move(self, position: Boards) -> str | None:
        is_over = self.won(position) != "-" or not any(map(self.is_open, position[0]))
        return None if is_over else position[2]

    def legal_moves(self, position: Boards) -> list[tuple[int, int]]:
        boards, sent, _ = position
        free = sent is None or not self.is_open(boards[sent])
        return [
            (board + 1, cell + 1)
            for board in (range(9) if free else [sent])
            if board is not None and self.is_open(boards[board])
            for cell in range(9)
            if boards[board][cell] == "-"
        ]

    def play(self, position: Boards, move: tuple[int, int]) -> Boards:
        boards, _, mark = position
        board, cell = move[0] - 1, move[1] - 1
        marked = boards[board][:cell] + mark + boards[board][cell + 1 :]
        return (*boards[:board], marked, *boards[board + 1 :]), cell, "O" if mark == "X" else "X"

    def returns(self, position: Boards) -> tuple[int, int]:
        return {"X": (1, -1), "O": (-1, 1), "-": (0, 0)}[self.won(position)]


class CentreFree(Ultimate):
    """Who is sent by the very centre may play anywhere: a bug of nearly every game."""

    def play(self, position: Boards, move: tuple[int, int]) -> Boards:
        boards, sent, mark = super().play(position, move)
        return boards, None if move == (5, 5) else sent, mark
