"""Chess and its variants in lockstep with pyffish."""

from __future__ import annotations

import pytest

from tests.shared import IS_WHOLE_CORPUS, missing, needs, some

pytest.importorskip("pyffish", reason=missing("oracle"))

from gdl.conform import Lockstep, every_state, random_games
from tests.library.chess_oracles import VARIANTS
from tests.library.chess_positions import load
from tests.library.chess_random import Twins, game_rng, twins

pytestmark = needs("native")

GAMES = 50 if IS_WHOLE_CORPUS else 4
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
    both = twins(ruleset)
    for number in range(GAMES):
        assert both.play(game_rng(seed, number)) is None
    assert both.games == GAMES


@pytest.mark.slow
def test_games_by_numbers_are_those_of_the_lockstep() -> None:
    ruleset = "chess/gardner"
    report = random_games(Lockstep(load(ruleset), VARIANTS[ruleset]), 2, seed=1)
    assert report.difference is None, str(report.difference)
    both = twins(ruleset)
    assert [both.play(game_rng(1, number)) for number in range(2)] == [None, None]
    assert (both.positions, both.games) == (report.states, report.games)


@pytest.mark.slow
@pytest.mark.parametrize("other", ["chess/antichess", "chess/atomic", "chess/crazyhouse"])
def test_games_by_numbers_tell_variants_apart_where_the_lockstep_does(other: str) -> None:
    game = load("chess")
    report = random_games(Lockstep(game, VARIANTS[other]), 4, seed=2)
    assert report.difference is not None
    both = Twins(game, VARIANTS[other])
    found = next(filter(None, (both.play(game_rng(2, number)) for number in range(4))))
    # The hands of crazyhouse are compared here too, so that it differs from the start.
    assert len(found.rpartition("after ")[2].split()) <= len(report.difference.moves)
