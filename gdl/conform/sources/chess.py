"""Chess and its variants as python-chess and Fairy-Stockfish play them.

``python-chess`` or ``python-chess:atomic``; ``pyffish:crazyhouse``. A game is over by checkmate,
by stalemate, or as the variant says; draws that a player has to claim are conventions, and are
taken as drawn only where the engine ends the game by itself. ``python-chess:chess+claims`` ends it
by the fifty-move rule and threefold repetition; ``+draws``, for either engine, by the fifty-move
rule and where nobody has men enough to win, but not by repetition, which few rules carry.

Source: python-chess by Niklas Fiekas; Fairy-Stockfish by Fabian Fichter.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from gdl.adapters.packages import require
from gdl.conform.source import EngineMove, Plain, SourceError

ROLES = ("white", "black")
CLAIMS, DRAWS = "+claims", "+draws"
FIFTY: Final = 100
"""Plies without a capture or a move of a pawn after which a player may claim a draw."""


class ChessSource(Plain):
    """A variant of python-chess; moves are UCI text."""

    roles = ROLES
    bounds = (-1.0, 1.0)

    def __init__(self, board: Any, name: str, *, claims: bool, draws: bool) -> None:  # noqa: ANN401
        """Ask a board, which stands at the first position."""
        import chess

        self.name = name
        self.version = f"python-chess {chess.__version__}"
        self._board = board
        self._claims, self._draws = claims, draws

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
        is_late = self._draws and position.halfmove_clock >= FIFTY
        return is_late or position.outcome(claim_draw=self._claims) is not None

    def returns(self, position: Any) -> tuple[float, ...]:  # noqa: ANN401
        """Return 1 for a win, -1 for a loss, 0 for a draw."""
        outcome = position.outcome(claim_draw=self._claims)
        if outcome is None or outcome.winner is None:
            return (0.0, 0.0)
        return (1.0, -1.0) if outcome.winner else (-1.0, 1.0)

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
    require("boards of python-chess", "chess", extra="oracle")
    import chess.variant

    variant = name.removesuffix(CLAIMS).removesuffix(DRAWS) or "chess"
    try:
        board = chess.variant.find_variant(variant)()
    except ValueError:
        names = ", ".join(
            board.uci_variant for board in chess.variant.VARIANTS if board.uci_variant
        )
        raise SourceError(f"python-chess has no variant {variant}", expected=names) from None
    claims, draws = name.endswith(CLAIMS), name.endswith(DRAWS)
    return ChessSource(board, f"python-chess:{name or 'chess'}", claims=claims, draws=draws)


@dataclass(frozen=True, slots=True)
class FairyPosition:
    """A position of a variant.

    Attributes:
        fen: As Fairy-Stockfish writes it: all but the positions before.
        legal: The legal moves, in UCI.
        result: What the end is worth to who would move: 1, 0 or -1; None while play goes on.
    """

    fen: str
    legal: tuple[str, ...]
    result: int | None

    @property
    def mover(self) -> int:
        """Whose turn it is, or would be."""
        return int(self.fen.split()[1] == "b")


class FairySource(Plain):
    """A variant of Fairy-Stockfish, asked through pyffish; moves are UCI text."""

    roles = ROLES
    bounds = (-1.0, 1.0)

    def __init__(self, variant: str, *, draws: bool) -> None:
        """Ask about a variant."""
        import pyffish

        self._engine = pyffish
        self._variant = variant
        self._draws = draws
        self.name = f"pyffish:{variant}{DRAWS if draws else ''}"
        self.version = f"pyffish {'.'.join(map(str, pyffish.version()))}"

    def initial(self) -> FairyPosition:
        """Return where play begins."""
        return self._at(self._engine.start_fen(self._variant))

    def _at(self, fen: str) -> FairyPosition:
        legal = tuple(self._engine.legal_moves(self._variant, fen, []))
        return FairyPosition(fen, legal, self._result(fen, legal))

    def _result(self, fen: str, legal: tuple[str, ...]) -> int | None:
        engine = self._engine
        asked: tuple[str, str, list[str]] = (self._variant, fen, [])
        is_over, value = engine.is_immediate_game_end(*asked)
        if not is_over and not legal:
            is_over, value = True, engine.game_result(*asked)
        if is_over:
            return int(value > 0) - int(value < 0)
        if self._draws and int(fen.split()[-2]) >= FIFTY:
            return 0
        return 0 if self._draws and all(engine.has_insufficient_material(*asked)) else None

    def movers(self, position: FairyPosition) -> tuple[int, ...]:
        """Return whose turn it is."""
        return () if self.is_terminal(position) else (position.mover,)

    def legal(self, position: FairyPosition, role: int) -> Sequence[EngineMove]:
        """Return the legal moves."""
        del role
        return position.legal

    def play(self, position: FairyPosition, moves: Mapping[int, EngineMove]) -> FairyPosition:
        """Return what follows."""
        (move,) = moves.values()
        return self._at(self._engine.get_fen(self._variant, position.fen, [str(move)]))

    def is_terminal(self, position: FairyPosition) -> bool:
        """Return whether there is no move, or the variant ends the game."""
        return position.result is not None

    def returns(self, position: FairyPosition) -> tuple[float, ...]:
        """Return 1 for a win, -1 for a loss, 0 for a draw."""
        value = float(position.result or 0)
        return (-value, value) if position.mover else (value, -value)

    def draw(self, position: FairyPosition) -> str:
        """Return the position as FEN."""
        return position.fen

    def script(self, plays: Sequence[Mapping[int, EngineMove]]) -> str | None:
        """Return a script of pyffish alone; ``state`` is the FEN."""
        moves = [str(next(iter(choice.values()))) for choice in plays]
        return (
            f"import pyffish\n\nfirst = pyffish.start_fen({self._variant!r})\n"
            f"state = pyffish.get_fen({self._variant!r}, first, {moves})"
        )


def fairy_game(variant: str) -> FairySource:
    """Return a variant of Fairy-Stockfish.

    Raises:
        MissingPackageError: pyffish is not installed.
        SourceError: It has no such variant.
    """
    require("variants of Fairy-Stockfish", "pyffish", extra="oracle")
    import pyffish

    draws = variant.endswith(DRAWS)
    variant = variant.removesuffix(DRAWS)
    if variant not in pyffish.variants():
        from difflib import get_close_matches

        near = get_close_matches(variant, pyffish.variants())
        raise SourceError(
            f"Fairy-Stockfish has no variant {variant}", expected=" or ".join(near) or None
        )
    return FairySource(variant, draws=draws)
