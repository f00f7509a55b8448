"""Programs that play chess and its variants: python-chess, and Fairy-Stockfish as pyffish.

Tests ask for the packages before they import this module.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

import chess
import chess.variant
import pyffish

from tests.library.chess_positions import men

ROLES: Final = ("white", "black")
BOARDS: Final[Mapping[str, type[chess.Board]]] = {
    "chess": chess.Board,
    "chess/antichess": chess.variant.AntichessBoard,
    "chess/atomic": chess.variant.AtomicBoard,
    "chess/crazyhouse": chess.variant.CrazyhouseBoard,
    "chess/horde": chess.variant.HordeBoard,
    "chess/kingofthehill": chess.variant.KingOfTheHillBoard,
    "chess/racingkings": chess.variant.RacingKingsBoard,
    "chess/threecheck": chess.variant.ThreeCheckBoard,
}
"""The rulesets that python-chess plays."""
MOST_DEAD: Final = 12
"""Men with which nobody can win, in play: kings and bishops on squares of one colour."""
PLIES: Final = 100
"""Without a capture or a move of a pawn: fifty moves of each player."""


def python_chess_leaves(board: chess.Board, depth: int) -> int:
    """Count the leaves below a position, which is the same afterwards."""
    if depth == 1:
        return int(board.legal_moves.count())
    total = 0
    for move in board.legal_moves:
        board.push(move)
        total += python_chess_leaves(board, depth - 1)
        board.pop()
    return total


def _sign(value: int) -> int:
    return (value > 0) - (value < 0)


@dataclass(frozen=True, slots=True)
class Position:
    """A position of pyffish; each answer of pyffish takes milliseconds, so it is asked once.

    Attributes:
        fen: The position, by which it is told from others.
        moves: What is legal, whether the game is over or not.
        result: 1, 0 or -1 for the mover at the end; None where the game goes on.
    """

    fen: str
    moves: tuple[str, ...] = field(compare=False)
    result: int | None = field(compare=False)

    @property
    def mover(self) -> str:
        """Whose turn it would be."""
        return ROLES[self.fen.split()[1] == "b"]


@dataclass(frozen=True, slots=True)
class Variant:
    """A variant of pyffish, asked the questions of a reference engine (`gdl.conform.Reference`).

    Attributes:
        name: What pyffish calls it.
        dead: Whether the game is over when nobody has men enough to win.
        ends: Whether there is another end than mate, stalemate and fifty moves.
    """

    name: str
    dead: bool = False
    ends: bool = True

    @property
    def roles(self) -> tuple[str, str]:
        return ROLES

    def initial(self) -> Position:
        return self._position(pyffish.start_fen(self.name))

    def _position(self, fen: str) -> Position:
        moves = tuple(pyffish.legal_moves(self.name, fen, []))
        return Position(fen, moves, self._result(fen, moves))

    def _result(self, fen: str, moves: tuple[str, ...]) -> int | None:
        if self.ends:
            is_over, value = pyffish.is_immediate_game_end(self.name, fen, [])
            if is_over:
                return _sign(value)
        if not moves:
            return _sign(pyffish.game_result(self.name, fen, []))
        if int(fen.split()[-2]) >= PLIES:
            return 0
        few = sum(1 for _ in men(fen.split(maxsplit=1)[0])) <= MOST_DEAD
        is_dead = self.dead and few and all(pyffish.has_insufficient_material(self.name, fen, []))
        return 0 if is_dead else None

    def to_move(self, position: Position) -> str | None:
        return None if self.is_terminal(position) else position.mover

    def leaves(self, fen: str, depth: int, play: tuple[str, ...] = ()) -> int:
        """Count the leaves below a position and some moves; the end of the game has none."""
        if self.ends and pyffish.is_immediate_game_end(self.name, fen, list(play))[0]:
            return 0
        moves = pyffish.legal_moves(self.name, fen, list(play))
        if depth == 1:
            return len(moves)
        return sum(self.leaves(fen, depth - 1, (*play, move)) for move in moves)

    def legal_moves(self, position: Position) -> tuple[str, ...]:
        return position.moves

    def play(self, position: Position, move: str, role: str | None = None) -> Position:
        if role not in (None, position.mover) or move not in position.moves:
            raise ValueError(f"{move} is not legal for {role}")
        return self._position(pyffish.get_fen(self.name, position.fen, [move]))

    def is_terminal(self, position: Position) -> bool:
        return position.result is not None

    def goals(self, position: Position) -> dict[str, int]:
        if position.result is None:
            return dict.fromkeys(ROLES, 0)
        other = ROLES[position.mover == "white"]
        return {position.mover: 50 + 50 * position.result, other: 50 - 50 * position.result}

    def key(self, position: Position) -> object:
        return position

    def parse(self, text: str) -> str:
        return text

    def format(self, move: str) -> str:
        return move

    def draw(self, position: Position) -> str:
        marks = {(file, rank): man[0] for file, rank, man in men(position.fen.split()[0])}
        size = position.fen.split()[0].count("/") + 1
        rows = range(size, 0, -1)
        return "\n".join(
            "".join(marks.get((file, rank), ".") for file in "abcdefgh"[:size]) for rank in rows
        )


VARIANTS: Final = {
    "chess": Variant("chess", dead=True, ends=False),
    "chess/antichess": Variant("antichess"),
    "chess/atomic": Variant("atomic"),
    "chess/crazyhouse": Variant("crazyhouse", ends=False),
    "chess/gardner": Variant("gardner", dead=True, ends=False),
    "chess/horde": Variant("horde"),
    "chess/kingofthehill": Variant("kingofthehill"),
    "chess/losalamos": Variant("losalamos", ends=False),
    "chess/racingkings": Variant("racingkings"),
    "chess/threecheck": Variant("3check"),
}
"""The rulesets that pyffish plays."""
