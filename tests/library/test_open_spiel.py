"""Games of chance, secrets and simultaneous moves, side by side with open_spiel."""

from __future__ import annotations

import pytest

from tests.shared import IS_WHOLE_CORPUS, missing, some

pytest.importorskip("pyspiel", reason=missing("openspiel"))

from tests.library import spiel_twins as twins
from tests.library.spiel_walk import Twin, Walk

WHOLE = [
    (twins.ROCK_PAPER_SCISSORS, 10, 9),
    (twins.KUHN, 58, 30),
]
"""Games small enough to walk through every play: all positions, and those that are over."""
LARGER = [
    (twins.BLOTTO, 4357, 4356),
    (twins.LEDUC, 9457, 5520),
    (twins.GOOFSPIEL_FOUR, 19269, 13824),
    *([(twins.LIARS_DICE, 294883, 147420)] if IS_WHOLE_CORPUS else []),
]
"""The same, where that takes seconds; minutes with ``GDL_CORPUS=all``."""
DEPTHS = [
    (twins.GOOFSPIEL_FOUR, 3),
    (twins.OSHI_ZUMO_FIVE, 2),
    (twins.TRON, 2),
    (twins.THREE_PLAYER, 1),
    (twins.PIG, 4),
    (twins.LEDUC, 3),
    (twins.LIARS_DICE, 3),
    (twins.PHANTOM, 2),
    (twins.DARK_HEX, 2),
    (twins.EINSTEIN, 2),
]
"""How deep every play of a game is followed."""
PLAYS = [
    (twins.BLOTTO, 1, 50),
    (twins.GOOFSPIEL, 4, 100),
    (twins.GOOFSPIEL_FOUR, 20, 500),
    (twins.OSHI_ZUMO, 1, 100),
    (twins.OSHI_ZUMO_FIVE, 20, 500),
    (twins.TRON, 5, 500),
    (twins.THREE_PLAYER, 5, 200),
    (twins.PIG, 1, 50),
    (twins.PIG_TEN, 10, 500),
    (twins.LEDUC, 20, 500),
    (twins.LIARS_DICE, 20, 2000),
    (twins.PHANTOM, 10, 2000),
    (twins.DARK_HEX, 5, 2000),
    (twins.DARK_HEX_FOUR, 3, 500),
    (twins.BATTLESHIP, 2, 300),
    (twins.EINSTEIN, 2, 300),
]
"""How many random plays of a game are followed to their ends, in quick runs and in long ones."""


def named(value: object) -> str | None:
    return value.ruleset if isinstance(value, Twin) else None


@pytest.mark.parametrize(("twin", "positions", "terminal"), WHOLE, ids=named)
def test_every_play_is_the_same(twin: Twin, positions: int, terminal: int) -> None:
    walk = Walk(twin)
    walk.every_play(depth=100)
    assert (walk.positions, walk.terminal) == (positions, terminal)


@pytest.mark.slow
@pytest.mark.parametrize(("twin", "positions", "terminal"), LARGER, ids=named)
def test_every_play_of_a_larger_game_is_the_same(twin: Twin, positions: int, terminal: int) -> None:
    walk = Walk(twin)
    walk.every_play(depth=100)
    assert (walk.positions, walk.terminal) == (positions, terminal)


@pytest.mark.parametrize(("twin", "depth"), DEPTHS, ids=named)
def test_every_play_is_the_same_to_a_depth(twin: Twin, depth: int) -> None:
    Walk(twin).every_play(depth)


@pytest.mark.parametrize(("twin", "plays", "_more"), PLAYS, ids=named)
def test_random_plays_are_the_same(twin: Twin, plays: int, _more: int) -> None:
    walk = Walk(twin)
    walk.random_plays(plays, seed=1)
    assert walk.terminal == plays


@pytest.mark.slow
@pytest.mark.parametrize(("twin", "_fewer", "plays"), some(PLAYS, 8), ids=named)
def test_many_random_plays_are_the_same(twin: Twin, _fewer: int, plays: int) -> None:
    walk = Walk(twin)
    walk.random_plays(plays, seed=2)
    assert walk.terminal == plays


@pytest.mark.slow
@pytest.mark.parametrize(
    ("twin", "plies"),
    [(twins.TRON, 10), (twins.THREE_PLAYER, 20), (twins.PHANTOM, 12)],
    ids=named,
)
def test_plays_that_avoid_the_end_are_the_same(twin: Twin, plies: int) -> None:
    """Random play crashes early and seldom fills a board."""
    walk = Walk(twin)
    walk.random_plays(2, seed=3, linger=True)
    assert walk.positions > 2 * plies
