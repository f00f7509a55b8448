"""Symmetries for learners: an image of a play is a play, and looks as the permutation says."""

from __future__ import annotations

import numpy as np
import pytest

from gdl.adapters import vector
from gdl.language.diagnostics import GdlError
from tests.adapters.games import load
from tests.shared import missing, needs

pytest.importorskip("llvmlite", reason=missing("native"))

COUNTS = {
    "tictactoe": 8,
    "connectfour": 2,
    "hex?size=4": 2,
}


@pytest.mark.slow
@needs("verify")
@pytest.mark.parametrize("turned", [False, True])
@pytest.mark.parametrize("name", COUNTS)
def test_an_image_of_a_play_looks_as_the_permutation_says(name: str, *, turned: bool) -> None:
    try:
        env = vector.env(load(name), 32, seed=1, turned=turned)
    except GdlError as error:
        pytest.skip(str(error))
    found = env.symmetries
    assert len(found) == COUNTS[name], found.note
    size = int(np.prod(env.shape))
    assert (found.places[0] == np.arange(size)).all()
    assert (found.moves[0] == np.arange(env.moves)).all()
    images = [vector.env(load(name), 32, seed=2, turned=turned) for _ in range(len(found))]
    for _ in range(80):
        seen, masks, actions = env.observations.reshape(32, -1), env.masks, env.sample()
        outcome = env.step(actions)
        for k, image in enumerate(images):
            assert (image.observations.reshape(32, -1) == seen[:, found.places[k]]).all()
            assert (image.masks == masks[:, found.moves[k]]).all()
            there = np.argsort(found.moves[k])[actions]
            assert (image.step(there).rewards == outcome.rewards).all()


def test_games_that_hide_facts_are_refused() -> None:
    with pytest.raises(GdlError, match=r"^kuhnpoker hides facts from its players, "):
        _ = vector.env(load("kuhnpoker"), 2).symmetries
