"""What a player's process says of a step: the best that is known, whatever the player does."""

from __future__ import annotations

import io
import json
import random
from time import monotonic
from typing import Any

from gdl.game import Game, load
from gdl.ggp.seat import Seat
from gdl.ggp.worker import SO_FAR, Work
from gdl.language.syntax import Term
from gdl.play import Budget, Candidate, Thoughts
from gdl.play.fallback_thoughts import LAST, NOTHING
from gdl.play.player import Position


class Thinker:
    """A player that tells of the last move while it thinks, and then does what it was made for."""

    def __init__(self, role: Term, last: Term | None, *, fails: bool) -> None:
        self.fails = fails
        candidates = () if last is None else (Candidate(last, 9, 70.0),)
        self.thoughts = Thoughts(role, candidates) if candidates else None

    def __call__(self, game: Game, state: Position, budget: Budget) -> Term:
        legal = state.legal(game.role("x"))
        budget.tell(Thoughts(legal.role, (Candidate(legal[5], 1, 60.0),)))
        if self.fails:
            raise ValueError("no idea")
        self.thoughts = Thoughts(legal.role, (Candidate(legal[6], 2, 65.0),))
        return legal[6]


def asked(last: int | None, *, seconds: float, fails: bool = False) -> list[tuple[int, bool, str]]:
    """Return the number of each move that is told, whether it is the last word, and the note."""
    game = load("tictactoe", backend="reason")
    seat = Seat(game, game.role("x"), random.Random(0))
    legal = [str(move) for move in game.initial().legal("x")]
    out = io.StringIO()
    moves = game.initial().legal("x")
    player = Thinker(seat.role, None if last is None else moves[last], fails=fails)
    work = Work(out, seat=seat, player=player, rng=random.Random(0))
    work.play(
        {"text": "(PLAY m NIL)", "answered": None, "number": 1}, deadline=monotonic() + seconds
    )
    told: list[dict[str, Any]] = [json.loads(line) for line in out.getvalue().splitlines()]
    return [(legal.index(each["move"]), each["is_final"], each["note"]) for each in told]


def test_the_best_so_far_is_said_before_the_last_word() -> None:
    assert asked(3, seconds=5) == [(3, False, LAST), (5, False, SO_FAR), (6, True, "")]


def test_without_time_what_is_known_is_played_and_the_reason_said() -> None:
    for _ in range(5):
        assert asked(4, seconds=0.001) == [(4, False, LAST), (4, True, LAST)]
        assert asked(None, seconds=0.001) == [(0, False, NOTHING), (0, True, NOTHING)]


def test_a_player_that_fails_leaves_the_best_that_it_knew() -> None:
    *_, (move, is_last, note) = asked(2, seconds=5, fails=True)
    assert (move, is_last) == (2, True)
    assert note.startswith("the player failed: ValueError: no idea, ")
