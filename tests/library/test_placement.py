"""Games of placement and connection, side by side with open_spiel or with plain Python."""

from __future__ import annotations

import pytest

from tests.shared import missing

pytest.importorskip("pyspiel", reason=missing("openspiel"))

from tests.library import placement_twins as twins
from tests.library.spiel_walk import Twin, Walk


def named(value: object) -> str | None:
    return value.ruleset if isinstance(value, Twin) else None


@pytest.mark.parametrize(
    ("twin", "plays"), [(twin, plays) for twin, plays, _ in twins.PLAYS if plays], ids=named
)
def test_random_plays_are_the_same(twin: Twin, plays: int) -> None:
    walk = Walk(twin)
    walk.random_plays(plays, seed=1)
    assert walk.terminal == plays


@pytest.mark.slow
@pytest.mark.parametrize(("twin", "_fewer", "plays"), twins.PLAYS, ids=named)
def test_many_random_plays_are_the_same(twin: Twin, _fewer: int, plays: int) -> None:
    walk = Walk(twin)
    walk.random_plays(plays, seed=2)
    assert walk.terminal == plays


def test_every_play_of_y_on_six_cells_is_the_same() -> None:
    walk = Walk(twins.Y_3)
    walk.every_play(depth=6)
    assert (walk.positions, walk.terminal) == (1597, 720)
