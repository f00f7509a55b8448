"""An engine is asked once about a position, and anew when a move was made from it."""

from __future__ import annotations

from collections import Counter

from gdl.conform.sources.guarded import guarded
from gdl.conform.sources.own import OwnSource
from tests.conform.engines import TicTacToe


class Counting(TicTacToe):
    """It counts what it is asked."""

    def __init__(self) -> None:
        self.asked: Counter[str] = Counter()

    def to_move(self, position: str) -> str | None:
        self.asked["to_move"] += 1
        return super().to_move(position)

    def legal_moves(self, position: str) -> list[int]:
        self.asked["legal_moves"] += 1
        return super().legal_moves(position)


def test_answers_are_kept_until_a_move_is_made() -> None:
    engine = Counting()
    source = guarded(OwnSource(engine, "counting"))
    position = source.initial()
    engine.asked.clear()
    for _ in range(3):
        (role,) = source.movers(position)
        moves = source.legal(position, role)
        assert source.legal(position, role) == moves
    assert engine.asked == {"to_move": 1, "legal_moves": 1}
    source.play(position, {role: moves[0]})
    assert source.legal(position, role) == moves
    assert engine.asked["legal_moves"] == 2
    source.initial()
    assert source.movers(position) == (role,)
    assert engine.asked["to_move"] == 2
