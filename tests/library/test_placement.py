"""Games of placement and connection, side by side with open_spiel or with plain Python."""

from __future__ import annotations

from math import isqrt
from random import Random

import pytest

from tests.shared import missing, some

pytest.importorskip("pyspiel", reason=missing("openspiel"))

import gdl
from tests.library import placement_twins as twins
from tests.library.spiel_walk import Twin, Walk


def named(value: object) -> str | None:
    return value.ruleset if isinstance(value, Twin) else None


@pytest.mark.sample(6)
@pytest.mark.parametrize(
    ("twin", "plays"), [(twin, plays) for twin, plays, _ in twins.PLAYS if plays], ids=named
)
def test_random_plays_are_the_same(twin: Twin, plays: int) -> None:
    walk = Walk(twin)
    walk.random_plays(plays, seed=1)
    assert walk.terminal == plays


@pytest.mark.slow
@pytest.mark.parametrize(("twin", "_fewer", "plays"), some(twins.PLAYS, 10), ids=named)
def test_many_random_plays_are_the_same(twin: Twin, _fewer: int, plays: int) -> None:
    walk = Walk(twin)
    walk.random_plays(plays, seed=2)
    assert walk.terminal == plays


def test_every_play_of_y_on_six_cells_is_the_same() -> None:
    walk = Walk(twins.Y_3)
    walk.every_play(depth=6)
    assert (walk.positions, walk.terminal) == (1597, 720)


THEIR_LIMIT = 195
"""open_spiel ends nine men's morris after two hundred turns, which the rules do not."""


@pytest.mark.parametrize("plays", [2, pytest.param(100, marks=pytest.mark.slow)])
def test_nine_mens_morris_is_the_same_until_open_spiel_ends_it(plays: int) -> None:
    walk, chance = Walk(twins.MORRIS), Random(plays)
    for _ in range(plays):
        pair = twins.MORRIS.start()
        while steps := walk.compare(pair):
            if len(pair.theirs.history()) >= THEIR_LIMIT:
                break
            pair = walk.step(pair, *chance.choice(steps))
    assert walk.positions > 60 * plays


@pytest.mark.slow
@pytest.mark.parametrize(
    ("twin", "plays"),
    [
        (twins.GO_3, 10),
        (twins.GO, 1),
        pytest.param(twins.GO_3, 300, marks=pytest.mark.slow),
        pytest.param(twins.GO, 50, marks=pytest.mark.slow),
        pytest.param(twins.GO_9, 1, marks=pytest.mark.slow),
    ],
    ids=named,
)
def test_go_is_the_same_until_a_position_comes_again(twin: Twin, plays: int) -> None:
    """open_spiel ends such a game as a draw; our rules know the simple ko alone."""
    walk, chance = Walk(twin), Random(plays)
    size = isqrt(twin.start().theirs.get_game().num_distinct_actions())
    for _ in range(plays):
        pair = twin.start()
        while not (pair.theirs.is_terminal() and repeats(pair.theirs.history(), size)):
            steps = walk.compare(pair)
            if not steps:
                break
            pair = walk.step(pair, *chance.choice(steps))
    assert walk.terminal > 0.9 * plays


def repeats(history: list[int], size: int) -> bool:
    """Return whether a game that is over is so neither by passes nor by its length."""
    return history[-2:] != [size * size] * 2 and len(history) < 2 * size * size


@pytest.mark.parametrize(
    ("opening", "movers", "colours"),
    [
        ("h8;h9;i9;take white", "oooa-a", "(plays answerer white) (plays opener black)"),
        ("h8;h9;i9;take black", "oooa-o", "(plays answerer black) (plays opener white)"),
        (
            "h8;h9;i9;two more;a1;b1;take white",
            "oooaaao-o",
            "(plays answerer black) (plays opener white)",
        ),
        (
            "h8;h9;i9;two more;a1;b1;take black",
            "oooaaao-a",
            "(plays answerer white) (plays opener black)",
        ),
    ],
)
def test_an_opening_of_swap2(opening: str, movers: str, colours: str) -> None:
    state = gdl.load("gomoku/swap2", backend="reason").initial()
    expected, then = movers.split("-")
    for move, mover in zip(opening.split(";"), expected, strict=True):
        assert [role[0] for role in state.movers] == [mover]
        state = state.play(move)
    facts = sorted(str(fact) for fact in state.facts)
    assert [role[0] for role in state.movers] == [then]
    assert " ".join(fact for fact in facts if fact.startswith("(plays")) == colours
    stones = [fact.rstrip(")").split()[-1] for fact in facts if fact.startswith("(cell")]
    assert stones.count("black") == stones.count("white") + 1
    after = {str(fact) for fact in state.play("o15").facts}
    assert "(cell 14 0 white)" in after
    assert "(turn black)" in after


@pytest.mark.parametrize(
    ("twin", "plays"),
    [
        (twins.TWIXT_5, 3),
        pytest.param(twins.TWIXT_5, 300, marks=pytest.mark.slow),
        pytest.param(twins.TWIXT, 30, marks=pytest.mark.slow),
    ],
    ids=named,
)
def test_twixt_is_the_same_from_a_peg_between_the_edges(twin: Twin, plays: int) -> None:
    """open_spiel writes the swap as a peg on the first one, so it has none on Red's edges."""
    walk, chance = Walk(twin), Random(plays)
    (size,) = twin.game.ruleset.parameters
    edges = {"1", str(size.value)}
    for _ in range(plays):
        pair = twin.start()
        steps = [
            step for step in walk.compare(pair) if pair.ours.notation(step[0][0])[1:] not in edges
        ]
        while steps:
            pair = walk.step(pair, *chance.choice(steps))
            steps = walk.compare(pair)
    assert walk.terminal == plays
