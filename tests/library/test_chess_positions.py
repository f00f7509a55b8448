"""Captures in passing in positions drawn at random, beside python-chess."""

from __future__ import annotations

from random import Random

import pytest

from tests.shared import missing, needs

pytest.importorskip("chess", reason=missing("oracle"))

import chess

from tests.library.chess_positions import load, state_of

pytestmark = needs("native")

FEW, MANY = 60, 3000
COLOURS = (chess.WHITE, chess.BLACK)
PIECES = (chess.QUEEN, chess.ROOK, chess.BISHOP, chess.KNIGHT, chess.PAWN)


def random_board(rng: Random) -> chess.Board:
    """Return a lawful position of few men, in which a pawn has just gone two squares beside one."""
    while True:
        board = chess.Board(None)
        board.turn = rng.choice(COLOURS)
        file = rng.randrange(7)
        beside = chess.square(file, 4 if board.turn else 3)
        pawns = [beside, beside + 1]
        rng.shuffle(pawns)
        passed = pawns[0] + (8 if board.turn else -8)
        others = rng.sample(sorted(set(chess.SQUARES) - {*pawns, passed}), rng.randint(4, 9))
        men = [chess.Piece(chess.PAWN, colour) for colour in (not board.turn, board.turn)]
        men += [chess.Piece(chess.KING, colour) for colour in COLOURS]
        men += [chess.Piece(rng.choice(PIECES), rng.choice(COLOURS)) for _ in others[2:]]
        board.set_piece_map(dict(zip([*pawns, *others], men, strict=True)))
        board.ep_square = passed
        if board.is_valid():
            return board


@pytest.mark.slow
@pytest.mark.parametrize(
    ("count", "seed"), [(FEW, 1), pytest.param(MANY, 2, marks=pytest.mark.slow)]
)
def test_the_legal_moves_are_those_of_python_chess(count: int, seed: int) -> None:
    game, rng = load("chess"), Random(seed)
    in_passing = 0
    for _ in range(count):
        board = random_board(rng)
        state = state_of(game, board.fen(en_passant="fen"))
        role = "white" if board.turn else "black"
        expected = sorted(move.uci() for move in board.legal_moves)
        assert sorted(map(state.notation, state.legal(role))) == expected, board.fen()
        in_passing += board.has_legal_en_passant()
    assert count // 2 < in_passing < count
