"""Games told in two ways: no way of proof is fooled by how, nor overlooks what few plays show."""

from __future__ import annotations

import pytest

from gdl.ruleset import Ruleset
from gdl.verify import verify
from tests.shared import some
from tests.verify.brute import contradictions, look_at_all
from tests.verify.reworded import reworded
from tests.verify.tabled import KINDS
from tests.verify.test_planted import ALONE, SLOWER, compared, is_right

SECONDS = 10


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["", *KINDS, *(f"{kind}, never" for kind in KINDS[1:])])
def test_what_is_said_of_games_told_in_two_ways_is_so(kind: str) -> None:
    """Of the same game, and of one that differs in one state, or would in one that never comes."""
    pair = reworded(0, kind=kind)
    answer = compared(pair, (), seconds=SECONDS)
    assert is_right(answer, pair), answer.headline
    assert answer.proved


@pytest.mark.slow
@pytest.mark.parametrize("seed", some(range(1, 41), 2))
def test_no_way_of_proof_is_fooled_by_how_a_game_is_told(seed: int) -> None:
    kinds = ("", *KINDS, *(f"{kind}, never" for kind in KINDS[1:]))
    pair = reworded(seed, kind=kinds[seed % len(kinds)])
    for number, way in enumerate(ALONE):
        if number % 7 == seed % 7:
            answer = compared(pair, ALONE[way], seconds=1)
            assert is_right(answer, pair), (pair.kind, way, answer.headline)
    assert is_right(answer := compared(pair, SLOWER, seconds=3), pair), answer.headline


@pytest.mark.slow
@pytest.mark.parametrize("seed", some(range(100, 120), 2))
def test_games_told_in_odd_ways_have_the_properties_that_are_proved_of_them(seed: int) -> None:
    game = Ruleset("told", (), text=reworded(seed, kind=KINDS[seed % len(KINDS)]).other)
    seen = look_at_all(game.description)
    assert seen.is_all
    assert not contradictions(verify(game, seconds=20), seen)
