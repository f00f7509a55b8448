"""Engines whose moves no reading of words matches: squares with directions, players' numbers."""

from __future__ import annotations

import random
from functools import cache
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


class Shuffled(Breakthrough):
    """The same, and the moves are numbered in an order that nothing tells."""

    numbers = tuple(random.Random(2).sample(range(192), 192))

    def legal_moves(self, position: tuple[str, int]) -> list[int]:
        return sorted(self.numbers[move] for move in super().legal_moves(position))

    def play(self, position: tuple[str, int], move: int) -> tuple[str, int]:
        return super().play(position, self.numbers.index(move))


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


class TakesApart(Breakthrough):
    """A move is a square, one of six ways, and 1 where it takes: all three in one number."""

    lacks = frozenset[int]()
    """Numbers of moves that are not legal."""

    def legal_moves(self, position: tuple[str, int]) -> list[int]:
        board, mover = position
        numbers = [
            12 * (move // 3) + 6 * mover + 2 * (move % 3) + (board[to] != ".")
            for move in super().legal_moves(position)
            for to in [self._to(*divmod(move, 3), mover)]
        ]
        return [number for number in numbers if number not in self.lacks]

    def play(self, position: tuple[str, int], move: int) -> tuple[str, int]:
        square, way = divmod(move, 12)
        return super().play(position, 3 * square + way // 2 % 3)


class EdgeNotTaken(TakesApart):
    """Nobody takes from b5 on a4."""

    lacks = frozenset({12 * 33 + 6 + 1})


class FileStuck(TakesApart):
    """No man of the second player goes straight ahead on the last file: every game meets that."""

    def legal_moves(self, position: tuple[str, int]) -> list[int]:
        is_late = position[0].count(".") > 33  # two men are taken
        legal = super().legal_moves(position)
        return [m for m in legal if not is_late or m % 12 != 8 or m // 12 % 8 != 7]


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


class LinesOfDots(DotsAndBoxes):
    """A line is its two dots, each a column and a row from 0."""

    def dots(self, line: int) -> tuple[int, int, int, int]:
        row, column = divmod(line, 3) if line < 12 else divmod(line - 12, 4)
        return (column, row, column + (line < 12), row + (line >= 12))

    def legal_moves(  # type: ignore[override]
        self, position: tuple[frozenset[int], tuple[int, int], int]
    ) -> list[tuple[int, int, int, int]]:
        return list(map(self.dots, super().legal_moves(position)))

    def play(  # type: ignore[override]
        self,
        position: tuple[frozenset[int], tuple[int, int], int],
        move: tuple[int, int, int, int],
    ) -> tuple[frozenset[int], tuple[int, int], int]:
        return super().play(position, next(n for n in range(24) if self.dots(n) == move))


class Kuhn:
    """Kuhn poker; a position is what happened. Who may check may not fold, and both are a pass."""

    roles = ("dealer", "other")
    bounds = (-2, 2)

    def initial(self) -> str:
        return ""

    def to_move(self, told: str) -> str | None:
        if not told:
            return "random"
        return None if told[2:] in {"cc", "cbf", "cbk", "bf", "bk"} else self.roles[len(told) % 2]

    def legal_moves(self, told: str) -> list[str]:
        if not told:
            return ["JQ", "JK", "QJ", "QK", "KJ", "KQ"]
        return ["fold", "call"] if told.endswith("b") else ["check", "bet"]

    def play(self, told: str, move: str) -> str:
        return told + {"fold": "f", "call": "k", "check": "c", "bet": "b"}.get(move, move)

    def returns(self, told: str) -> tuple[int, int]:
        higher = 1 if "JQK".index(told[0]) > "JQK".index(told[1]) else -1
        gain = {"cc": higher, "cbf": -1, "bf": 1}.get(told[2:], 2 * higher)
        return gain, -gain


class KuhnOfNames(Kuhn):
    """Deals have names that say nothing."""

    deals = ("ant", "bee", "cat", "dog", "emu", "fox")

    def legal_moves(self, told: str) -> list[str]:
        return super().legal_moves(told) if told else list(self.deals)

    def play(self, told: str, move: str) -> str:
        deals = dict(zip(self.deals, super().legal_moves(""), strict=True))
        return super().play(told, deals.get(move, move))


class FoldedTwice(Kuhn):
    """Who folds after a check pays two."""

    def returns(self, told: str) -> tuple[int, int]:
        return (-2, 2) if told.endswith("cbf") else super().returns(told)


Men: TypeAlias = tuple[str, tuple[int, int], int, bool, int]
"""The board, men in hand, who moves, whether a man is to be taken, and quiet moves."""


class Mill:
    """Nine men's morris in sentences, points 0 to 23 ring by ring, clockwise from a corner."""

    roles = ("White", "Black")
    lines = tuple(
        (8 * k + i, 8 * k + i + 1, 8 * k + (i + 2) % 8) for k in range(3) for i in (0, 2, 4, 6)
    )
    lines += tuple((i, 8 + i, 16 + i) for i in (1, 3, 5, 7))
    flies = True
    said: tuple[str, ...] = ("put a man on {}", "move from {} to {}", "remove the man on {}")

    def initial(self) -> Men:
        return "." * 24, (9, 9), 0, False, 0

    @cache  # noqa: B019  # one engine a test
    def lines_of(self, point: int) -> list[tuple[int, int, int]]:
        return [line for line in self.lines if point in line]

    @cache  # noqa: B019
    def near(self, point: int) -> list[int]:
        rows = ((line, line.index(point)) for line in self.lines_of(point))
        return [line[n] for line, at in rows for n in range(3) if abs(n - at) == 1]

    def is_mill(self, board: str, point: int) -> bool:
        colour = board[point]
        return any(board[a] == board[b] == board[c] == colour for a, b, c in self.lines_of(point))

    def choices(self, position: Men) -> list[tuple[int, ...]]:
        board, hands, mover, takes, _ = position
        mine, theirs = (
            [p for p in range(24) if board[p] == colour] for colour in ("WB"[mover], "BW"[mover])
        )
        if takes:
            return [(2, p) for p in theirs if not self.is_mill(board, p)] or [
                (2, p) for p in theirs
            ]
        if hands[mover]:
            return [(0, p) for p in range(24) if board[p] == "."]
        to = {p: range(24) if self.flies and len(mine) == 3 else self.near(p) for p in mine}
        return [(1, p, q) for p in mine for q in to[p] if board[q] == "."]

    def loser(self, position: Men) -> int | None:
        few = [k for k in (0, 1) if position[0].count("WB"[k]) + position[1][k] < 3]
        stuck = [position[2]] if not self.choices(position) else []
        return next(iter(few + stuck), None)

    def to_move(self, position: Men) -> str | None:
        over = self.loser(position) is not None or position[4] == 100
        return None if over else self.roles[position[2]]

    def legal_moves(self, position: Men) -> list[str]:
        return [self.said[kind].format(*points) for kind, *points in self.choices(position)]

    def play(self, position: Men, move: str) -> Men:
        board, hands, mover, _, quiet = position
        place = self.legal_moves(position).index(move)
        kind, *points = self.choices(position)[place]
        cells = list(board)
        for point in points:
            cells[point] = "."
        if kind == 2:
            return "".join(cells), hands, 1 - mover, False, 0
        cells[points[-1]] = "WB"[mover]
        put = kind == 0
        left = (hands[0] - (put and not mover), hands[1] - (put and bool(mover)))
        closed = self.is_mill("".join(cells), points[-1])
        after = mover if closed else 1 - mover
        return "".join(cells), left, after, closed, quiet + 1 if kind else 0

    def returns(self, position: Men) -> tuple[int, int]:
        return {None: (0, 0), 0: (-1, 1), 1: (1, -1)}[self.loser(position)]


class MillOfNumbers(Mill):
    """A move is a row of numbers: 0, 1 or 2 for what is done, then the points."""

    said: tuple[str, ...] = ()

    def legal_moves(self, position: Men) -> list[tuple[int, ...]]:  # type: ignore[override]
        return self.choices(position)


class NobodyFlies(Mill):
    """Who has three men left steps like all others."""

    flies = False
