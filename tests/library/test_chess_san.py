"""Moves of chess and its variants in SAN, both ways, beside python-chess."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from random import Random

import pytest

from tests.shared import IS_WHOLE_CORPUS, missing

pytest.importorskip("chess", reason=missing("oracle"))

import chess

import gdl
from gdl.state import State
from tests.library.chess_oracles import BOARDS

POSITIONS = 2000 if IS_WHOLE_CORPUS else 10
"""Positions of one variant."""
SKIPPED = 7
"""Plies between two positions that are looked at; the last one of a game always is."""


def positions(ruleset: str, seed: int) -> Iterator[tuple[State, chess.Board]]:
    """Yield positions of random games, in which captures and checks are sought."""
    game, rng = gdl.load(ruleset, backend="reason"), Random(seed)
    while True:
        state, board = game.initial(), BOARDS[ruleset]()
        while not state.is_terminal:
            moves = list(board.legal_moves)
            sharp = [m for m in moves if board.is_capture(m) or m.promotion or board.is_castling(m)]
            move = rng.choice(sharp or moves if rng.random() < 1 / 3 else moves)
            after = state.play(move.uci())
            if after.is_terminal or board.ply() % SKIPPED == SKIPPED - 1:
                yield state, board
            state = after
            board.push(move)


@pytest.mark.slow
@pytest.mark.parametrize("ruleset", BOARDS)
def test_san_is_that_of_python_chess_both_ways(ruleset: str) -> None:
    for state, board in islice(positions(ruleset, 1), POSITIONS):
        ours = {state.notation(move): move for move in state.legal()}
        for move in board.legal_moves:
            term, san = ours[move.uci()], board.san(move)
            assert state.notation(term, short=True) == san, board.fen()
            assert state.move(san) is term, board.fen()
            assert state.move(san.rstrip("+#")) is term, board.fen()
