"""Moving and capture games side by side with open_spiel, and beside published counts."""

from __future__ import annotations

from random import Random

import pytest

from tests.shared import IS_WHOLE_CORPUS, missing

pytest.importorskip("pyspiel", reason=missing("openspiel"))

import gdl
from gdl.language.terms import Term
from gdl.state import State
from tests.library import moving_twins as twins
from tests.library.moving_twins import CutWalk
from tests.library.spiel_walk import Twin

TWINS = [twin for twin, _ in twins.TABLES] + [twins.TILES]
every_twin = pytest.mark.parametrize("twin", TWINS, ids=lambda twin: twin.ruleset)

PUBLISHED = {
    # Aart Bik, "Computing deep perft and divide numbers for Reversi": a pass is a ply.
    "othello": [4, 12, 56, 244, 1_396, 8_200, 55_092, 390_216],
}
"""Leaves by depth, as programs of these games publish them."""


@pytest.mark.sample(1)
@every_twin
def test_a_random_game_is_the_same(twin: Twin) -> None:
    walk = CutWalk(twin)
    walk.random_plays(1, seed=1)
    assert walk.terminal + walk.cut == 1


@pytest.mark.slow
@every_twin
def test_many_random_games_are_the_same(twin: Twin) -> None:
    walk = CutWalk(twin)
    plays = 20 if IS_WHOLE_CORPUS else 4
    walk.random_plays(plays, seed=2)
    assert walk.terminal + walk.cut == plays
    assert walk.terminal > walk.cut


@pytest.mark.slow
def test_quoridor_of_the_box_is_the_same() -> None:
    walk = CutWalk(twins.QUORIDOR_NINE)
    walk.random_plays(1, seed=3)
    assert walk.positions > 40


@pytest.mark.slow
@pytest.mark.parametrize("ruleset", PUBLISHED)
def test_the_leaves_are_as_many_as_others_publish(ruleset: str) -> None:
    counts = gdl.load(ruleset).perft(len(PUBLISHED[ruleset]))
    assert [count.nodes for count in counts] == PUBLISHED[ruleset]


def turns(state: State, depth: int, known: dict[tuple[State, int], int]) -> int:
    """Return how many sequences of whole turns there are: a turn ends when another role moves."""
    if state.is_terminal:
        return 0
    if (state, depth) not in known:
        (mover,) = state.movers
        after = [state.play({mover: move}) for move in state.legal(mover)]
        known[state, depth] = sum(
            turns(each, depth, known)
            if not each.is_terminal and each.movers == state.movers
            else 1
            if depth == 1
            else turns(each, depth - 1, known)
            for each in after
        )
    return known[state, depth]


@pytest.mark.slow
def test_american_checkers_has_as_many_turns_as_others_publish() -> None:
    """Aart Bik, "Computing deep perft and divide numbers for checkers"."""
    start = gdl.load("checkers/american").initial()
    assert [turns(start, depth, {}) for depth in range(1, 7)] == [
        7, 49, 302, 1_469, 7_361, 36_768,
    ]  # fmt: skip


def ahead(step: tuple[tuple[Term, ...], tuple[int, ...]], mover: int) -> int:
    """Return how many rows nearer to the opposite corner a step brings the first or second role."""
    words = str(step[0][mover]).strip("()").split()
    rows = int(words[4]) - int(words[2]) if len(words) > 1 else 0
    return -rows if mover else rows


@pytest.mark.slow
@pytest.mark.parametrize("seed", [1, 2])
def test_a_race_across_the_star_is_won_and_the_same(seed: int) -> None:
    """Random play never fills a corner; here both go ahead four times of five."""
    chance, walk = Random(seed), CutWalk(twins.STAR)
    pair = walk.twin.start()
    while steps := walk.compare(pair):
        mover = walk.twin.seats.index(pair.ours.movers[0])
        chance.shuffle(steps)
        gains = [ahead(step, mover) for step in steps]
        best = steps[gains.index(max(gains))]
        pair = walk.step(pair, *(best if chance.random() < 0.8 else steps[0]))
    assert walk.terminal == 1
    assert {pair.ours.goal("north"), pair.ours.goal("south")} == {0, 100}
