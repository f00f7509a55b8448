"""Verdicts on the shipped rulesets and on published games, held against play on the reasoner."""

import random

import pytest

from gdl.ruleset import find
from gdl.verify.properties.verdict import Verification
from gdl.verify.verification import verify
from tests.shared import GAMES, needs_games
from tests.verify.brute import contradictions, look_at_all, look_at_plays

RULESETS = (
    "tictactoe",
    "connectfour",
    "gomoku/freestyle",
    "pentago/strict",
    "pentago/utwente",
    "pentago/classic",
    "pentago/phased",
)
BOUNDS = {
    "tictactoe": 9,
    "connectfour": 42,
    "gomoku/freestyle": 225,
    "pentago/strict": 36,
    "pentago/utwente": 36,
    "pentago/classic": 36,
    "pentago/phased": 71,
}
"""Moves that no play exceeds: as many as there are cells; in the phased game, two plies each but
for the last, which fills the board."""
PICKED = [path.stem for path in random.Random(4).sample(GAMES, min(4, len(GAMES)))]
SMALL = ("nim1", "buttons", "maze", "blocks", "roshambo2", "switches")


def judged(game: str, *, seconds: float, playing: float) -> Verification:
    """Verify a game and fail if play contradicts a verdict."""
    found = verify(game, seconds=seconds)
    description = find(game).description
    seen = look_at_all(description, most=2_500, seconds=playing)
    if not seen.is_all:
        seen = look_at_plays(description, seconds=playing)
    assert contradictions(found, seen) == []
    return found


@pytest.mark.slow
@pytest.mark.parametrize("game", RULESETS)
def test_a_shipped_ruleset_is_well_formed(game: str) -> None:
    found = judged(game, seconds=200, playing=4)
    proved = {verdict.name for verdict in found.verdicts if verdict.status == "proved"}
    assert {"playable", "goals unique", "goals in range", "turn-taking", "constant sum"} <= proved
    assert {each.name for each in found.verdicts if each.name.startswith("winnable")} <= proved
    assert found["terminating"].depth == BOUNDS[game]


@pytest.mark.sample(3)
@needs_games
@pytest.mark.parametrize("game", SMALL)
def test_every_verdict_on_a_small_game_is_the_truth(game: str) -> None:
    path = next(path for path in GAMES if path.stem == game)
    assert judged(str(path), seconds=60, playing=30).open == ()


@pytest.mark.slow
@needs_games
@pytest.mark.parametrize("game", PICKED)
def test_play_contradicts_no_verdict(game: str) -> None:
    path = next(path for path in GAMES if path.stem == game)
    judged(str(path), seconds=10, playing=2)
