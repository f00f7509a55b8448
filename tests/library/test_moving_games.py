"""Moving and capture games side by side with open_spiel, and beside published counts."""

from __future__ import annotations

import pytest

from tests.shared import missing

pytest.importorskip("pyspiel", reason=missing("openspiel"))

import gdl
from tests.library import moving_twins as twins
from tests.library.spiel_walk import Twin, Walk

TWINS = [twin for twin, _ in twins.TABLES] + [twins.TILES]
every_twin = pytest.mark.parametrize("twin", TWINS, ids=lambda twin: twin.ruleset)

PUBLISHED = {
    # Aart Bik, "Computing deep perft and divide numbers for Reversi": a pass is a ply.
    "othello": [4, 12, 56, 244, 1_396, 8_200, 55_092, 390_216],
}
"""Leaves by depth, as programs of these games publish them."""


@pytest.mark.sample(3)
@every_twin
def test_a_random_game_is_the_same(twin: Twin) -> None:
    walk = Walk(twin)
    walk.random_plays(1, seed=1)
    assert walk.terminal == 1


@pytest.mark.slow
@every_twin
def test_many_random_games_are_the_same(twin: Twin) -> None:
    walk = Walk(twin)
    walk.random_plays(20, seed=2)
    assert walk.terminal == 20


@pytest.mark.slow
@pytest.mark.parametrize("ruleset", PUBLISHED)
def test_the_leaves_are_as_many_as_others_publish(ruleset: str) -> None:
    counts = gdl.load(ruleset).perft(len(PUBLISHED[ruleset]))
    assert [count.nodes for count in counts] == PUBLISHED[ruleset]
