"""Chess and its variants in lockstep with pyffish."""

from __future__ import annotations

import pytest

from tests.shared import IS_WHOLE_CORPUS, missing, needs, some

pytest.importorskip("pyffish", reason=missing("oracle"))

from gdl.conform import Lockstep, every_state, random_games
from tests.library.chess_oracles import VARIANTS
from tests.library.chess_positions import load

pytestmark = needs("native")

GAMES = 50 if IS_WHOLE_CORPUS else 8
"""Random games of one test."""
SEEDS = some(range(20), 1)
"""With ``GDL_CORPUS=all`` they are a thousand games of each variant."""


@pytest.mark.parametrize("ruleset", ["chess/gardner"])
def test_the_first_moves_are_those_of_pyffish(ruleset: str) -> None:
    report = every_state(Lockstep(load(ruleset), VARIANTS[ruleset]), 1)
    assert report.difference is None, str(report.difference)
    assert report.states > 1


@pytest.mark.slow
@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("ruleset", VARIANTS)
def test_random_games_are_those_of_pyffish(ruleset: str, seed: int) -> None:
    steps = Lockstep(load(ruleset), VARIANTS[ruleset])
    report = random_games(steps, GAMES, seed=seed)
    assert report.difference is None, str(report.difference)
    assert report.games == GAMES
