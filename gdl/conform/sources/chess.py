"""Chess and its variants as python-chess and Fairy-Stockfish play them.

``python-chess`` or ``python-chess:atomic``; ``pyffish:crazyhouse``. A game is over by checkmate,
by stalemate, or as the variant says; draws that a player has to claim are conventions, and are
taken as drawn only where the engine ends the game by itself (``python-chess:chess+claims`` ends
it by the fifty-move rule and threefold repetition).

Source: python-chess by Niklas Fiekas; Fairy-Stockfish by Fabian Fichter.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from gdl.adapters.packages import require
from gdl.conform.source import EngineMove, Plain, SourceError

ROLES = ("white", "black")
CLAIMS = "+claims"


class ChessSource(Plain):
    """A variant of python-chess; moves are UCI text."""

    roles = ROLES
    bounds = (-1.0, 1.0)

    def __init__(self, board: Any, name: str, *, claims: bool) -> None:  # noqa: ANN401
        """Ask a board, which stands at the first position."""
        import chess

        self.name = name
        self.version = f"python-chess {chess.__version__}"
        self._board = board
        self._claims = claims

    def initial(self) -> Any:  # noqa: ANN401  # no types of an optional package
        """Return where play begins."""
        return self._board.copy()

    def movers(self, position: Any) -> tuple[int, ...]:  # noqa: ANN401
        """Return whose turn it is."""
        return () if self.is_terminal(position) else (0 if position.turn else 1,)

    def legal(self, position: Any, role: int) -> Sequence[EngineMove]:  # noqa: ANN401
        """Return the legal moves."""
        del role
        return [move.uci() for move in position.legal_moves]

    def play(self, position: Any, moves: Mapping[int, EngineMove]) -> Any:  # noqa: ANN401
        """Return what follows."""
        after = position.copy(stack=self._claims)
        (move,) = moves.values()
        after.push_uci(move)
        return after

    def is_terminal(self, position: Any) -> bool:  # noqa: ANN401
        """Return whether the game is over."""
        return position.outcome(claim_draw=self._claims) is not None

    def returns(self, position: Any) -> tuple[float, ...]:  # noqa: ANN401
        """Return 1 for a win, -1 for a loss, 0 for a draw."""
        winner = position.outcome(claim_draw=self._claims).winner
        if winner is None:
            return (0.0, 0.0)
        return (1.0, -1.0) if winner else (-1.0, 1.0)

    def script(self, plays: Sequence[Mapping[int, EngineMove]]) -> str | None:
        """Return a script of python-chess alone."""
        lines = [
            "import chess.variant",
            "",
            f"state = chess.variant.find_variant({type(self._board).uci_variant!r})()",
        ]
        lines += [f"state.push_uci({next(iter(moves.values()))!r})" for moves in plays]
        return "\n".join(lines)


def python_chess_game(name: str) -> ChessSource:
    """Return a variant of python-chess by its name there, ``chess`` where none is given.

    Raises:
        MissingPackageError: python-chess is not installed.
        SourceError: It has no such variant.
    """
    require("boards of python-chess", "chess", extra="chess")
    import chess.variant

    variant = name.removesuffix(CLAIMS) or "chess"
    try:
        board = chess.variant.find_variant(variant)()
    except ValueError:
        names = ", ".join(each.uci_variant for each in chess.variant.VARIANTS if each.uci_variant)
        raise SourceError(f"python-chess has no variant {variant}", expected=names) from None
    return ChessSource(board, f"python-chess:{name or 'chess'}", claims=name.endswith(CLAIMS))


@dataclass(frozen=True, slots=True)
class FairyPosition:
    """The position after moves from the variant's first one.

    Attributes:
        moves: In UCI.
        legal: The legal moves.
    """

    moves: tuple[str, ...]
    legal: tuple[str, ...]


class FairySource(Plain):
    """A variant of Fairy-Stockfish, asked through pyffish; moves are UCI text."""

    roles = ROLES
    bounds = (-1.0, 1.0)

    def __init__(self, variant: str) -> None:
        """Ask about a variant."""
        import pyffish

        self._engine = pyffish
        self._variant = variant
        self.name = f"pyffish:{variant}"
        self.version = f"pyffish {'.'.join(map(str, pyffish.version()))}"
        self._first = pyffish.start_fen(variant)

    def initial(self) -> FairyPosition:
        """Return where play begins."""
        return self._at(())

    def _at(self, moves: tuple[str, ...]) -> FairyPosition:
        legal = self._engine.legal_moves(self._variant, self._first, list(moves))
        return FairyPosition(moves, tuple(legal))

    def movers(self, position: FairyPosition) -> tuple[int, ...]:
        """Return whose turn it is."""
        if self.is_terminal(position):
            return ()
        fen = self._first.split()[1]
        return ((len(position.moves) + (fen == "b")) % 2,)

    def legal(self, position: FairyPosition, role: int) -> Sequence[EngineMove]:
        """Return the legal moves."""
        del role
        return position.legal

    def play(self, position: FairyPosition, moves: Mapping[int, EngineMove]) -> FairyPosition:
        """Return what follows."""
        (move,) = moves.values()
        return self._at((*position.moves, str(move)))

    def _immediate(self, position: FairyPosition) -> tuple[bool, int]:
        args = (self._variant, self._first, list(position.moves))
        over, value = self._engine.is_immediate_game_end(*args)
        return bool(over), int(value)

    def is_terminal(self, position: FairyPosition) -> bool:
        """Return whether there is no move, or the variant ends the game."""
        return not position.legal or self._immediate(position)[0]

    def returns(self, position: FairyPosition) -> tuple[float, ...]:
        """Return 1 for a win, -1 for a loss, 0 for a draw."""
        over, value = self._immediate(position)
        if not over:
            moves = list(position.moves)
            value = self._engine.game_result(self._variant, self._first, moves)
        sign = (value > 0) - (value < 0)
        mover = (len(position.moves) + (self._first.split()[1] == "b")) % 2
        return (float(sign), float(-sign)) if mover == 0 else (float(-sign), float(sign))

    def draw(self, position: FairyPosition) -> str:
        """Return the position as FEN."""
        return str(self._engine.get_fen(self._variant, self._first, list(position.moves)))


def fairy_game(variant: str) -> FairySource:
    """Return a variant of Fairy-Stockfish.

    Raises:
        MissingPackageError: pyffish is not installed.
        SourceError: It has no such variant.
    """
    require("variants of Fairy-Stockfish", "pyffish", extra="chess")
    import pyffish

    if variant not in pyffish.variants():
        from difflib import get_close_matches

        near = get_close_matches(variant, pyffish.variants())
        raise SourceError(
            f"Fairy-Stockfish has no variant {variant}", expected=" or ".join(near) or None
        )
    return FairySource(variant)
