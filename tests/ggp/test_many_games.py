"""Published games nobody chose: matches over loopback, without one fault.

The drawing player plays them to the end. Of a match of searching players, which takes two seconds
a move, the first six joint moves are played, so that all is done within minutes on one core;
``GDL_GGP_STEPS=200`` plays these to the end too, ``GDL_GGP_CLOCK`` gives another time for a move.
``GDL_SEED`` draws other games, ``GDL_GGP_GAMES=20`` more of them.
"""

from __future__ import annotations

import os
import random
from contextlib import AsyncExitStack
from pathlib import Path

import pytest

import gdl
from gdl.ggp.manager import StuckError
from gdl.ggp.record import MatchRecord
from gdl.language.keywords import RANDOM
from tests.ggp.loopback import manage, player, run
from tests.shared import GAMES, needs_games

SEED = int(os.environ.get("GDL_SEED", "5"))
NUMBER = int(os.environ.get("GDL_GGP_GAMES", "4"))
STEPS = {"random": 100, "mcts:memory=64": int(os.environ.get("GDL_GGP_STEPS", "6"))}
"""Players, and the joint moves after which a match of theirs need not go on."""
MATCHES = 3
"""Matches of which one must go without a fault; an illegal move is never excused."""
START_CLOCK, PLAY_CLOCK = 15, int(os.environ.get("GDL_GGP_CLOCK", "2"))
CHOSEN = random.Random(SEED).sample(GAMES, NUMBER) if GAMES else []


async def play(path: Path, name: str) -> MatchRecord:
    """Play a match between players of ours; one that is too long is cut, faults and all."""
    game = gdl.load(path)
    async with AsyncExitStack() as stack:
        seats = [role for role in game.roles if role != RANDOM]
        players = [await stack.enter_async_context(player(name)) for _ in seats]
        ports = [each.port for each in players]
        played: list[MatchRecord] = []
        try:
            return (
                await manage(
                    game,
                    ports,
                    start_clock=START_CLOCK,
                    play_clock=PLAY_CLOCK,
                    max_steps=STEPS[name],
                    keep=played.append,
                )
            ).record
        except StuckError:
            return played[-1]


@pytest.mark.slow
@needs_games
@pytest.mark.parametrize("name", STEPS)
@pytest.mark.parametrize("path", CHOSEN, ids=lambda path: path.stem)
def test_no_illegal_move_and_no_missed_clock(path: Path, name: str) -> None:
    """A machine that others use too may stall once; who is too slow is so in each match."""
    found: list[str] = []
    for _ in range(MATCHES):
        record = run(play(path, name), 60 + 3.0 * STEPS[name])
        assert record.moves
        assert record.is_completed or len(record.moves) == STEPS[name]
        found = [each for row in (record.start_errors, *record.errors) for each in row if each]
        assert "IL" not in found, found
        if not found:
            return
    pytest.fail(f"faults in each of {MATCHES} matches, in the last {found}")
