"""Games of chance, secrets and simultaneous moves, side by side with open_spiel."""

from __future__ import annotations

import pytest

from tests.shared import missing

pytest.importorskip("pyspiel", reason=missing("openspiel"))

from tests.library import spiel_twins as twins
from tests.library.spiel_walk import Twin, Walk

WHOLE = [
    (twins.ROCK_PAPER_SCISSORS, 10, 9),
    (twins.KUHN, 58, 30),
]
"""Games small enough to walk through every play: all positions, and those that are over."""


def named(value: object) -> str | None:
    return value.ruleset if isinstance(value, Twin) else None


@pytest.mark.parametrize(("twin", "positions", "terminal"), WHOLE, ids=named)
def test_every_play_is_the_same(twin: Twin, positions: int, terminal: int) -> None:
    walk = Walk(twin)
    walk.every_play(depth=100)
    assert (walk.positions, walk.terminal) == (positions, terminal)
