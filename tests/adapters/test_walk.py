"""The walk by numbers beside the walk by states: the same in every position."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from tests.shared import missing

pytest.importorskip("numpy", reason=missing("native"))
pytest.importorskip("llvmlite", reason=missing("native"))

import gdl
from gdl.adapters.markov_game import Status, markov_game
from gdl.adapters.walk import Look, NumberedWalk, Walk, walk
from gdl.game import GameLike
from gdl.machine import IllegalMoveError
from tests.adapters.games import SHIPPED, UNKNOWN, load, pick
from tests.adapters.rules import CARD, DEAD_END, DICE, ENDLESS, GUESS, PENNIES, TORN, write
from tests.shared import needs_games, some


def hold_together(game: GameLike, *, episodes: int = 2, plies: int = 60) -> None:
    """Walk both ways by the same moves and the same chance, and compare all that is told."""
    played = markov_game(game, max_plies=plies)
    fast, slow = walk(played), Walk(played)
    assert isinstance(fast, NumberedWalk)
    for episode in range(episodes):
        rng = np.random.default_rng(episode)
        one, two = (np.random.default_rng(episode + 9) for _ in range(2))
        here, there = fast.start(one), slow.start(two)
        while True:
            compare(fast, here, slow, there)
            if here.status is not Status.GOING:
                break
            chosen = {p: int(rng.choice(fast.options(here, p))) for p in here.asked}
            here, there = fast.after(here, chosen, one), slow.after(there, chosen, two)
        assert fast.state(here).history == slow.state(there).history


def compare(fast: Walk, here: Look, slow: Walk, there: Look) -> None:
    assert (here.status, here.asked, here.ply) == (there.status, there.asked, there.ply)
    assert fast.goals(here) == slow.goals(there)
    assert fast.rewards(here) == slow.rewards(there)
    for player in range(len(fast.markov_game.players)):
        assert fast.options(here, player) == slow.options(there, player)
        for seen, wanted in (
            (fast.mask(here, player), slow.mask(there, player)),
            (fast.observe(here, player), slow.observe(there, player)),
        ):
            assert seen.dtype == wanted.dtype
            assert np.array_equal(seen, wanted)
            seen[...] = 1  # the array is the caller's own


@pytest.mark.sample(3)
@pytest.mark.parametrize("name", SHIPPED)
def test_a_shipped_ruleset_by_numbers(name: str) -> None:
    hold_together(load(name))


@needs_games
@pytest.mark.parametrize("path", UNKNOWN, ids=lambda path: path.name)
def test_a_file_nobody_chose_by_numbers(path: Path) -> None:
    hold_together(load(path))


@needs_games
@pytest.mark.slow
@pytest.mark.parametrize("path", some(pick(16, 30), 12), ids=lambda path: path.name)
def test_more_files_by_numbers(path: Path) -> None:
    hold_together(load(path), episodes=4)


@pytest.mark.parametrize("text", [DEAD_END, DICE, ENDLESS, PENNIES, TORN, GUESS])
def test_small_games_by_numbers(text: str, tmp_path: Path) -> None:
    game = gdl.load(write(tmp_path, "small", text), backend="native")
    if game.hides_facts:
        assert type(walk(markov_game(game))) is Walk
    else:
        hold_together(game, episodes=6)


def test_games_that_hide_facts_and_those_as_written_are_walked_by_states(tmp_path: Path) -> None:
    hidden = gdl.load(write(tmp_path, "card", CARD), backend="native")
    assert type(walk(markov_game(hidden))) is Walk
    assert type(walk(markov_game(gdl.load("tictactoe", backend="reason")))) is Walk


@pytest.mark.parametrize("number", [-1, 0, 9, 1 << 40])
def test_an_illegal_number_is_refused_in_the_same_words(number: int) -> None:
    played = markov_game(load("tictactoe"))
    texts = []
    for way in (walk(played), Walk(played)):
        rng = np.random.default_rng(0)
        look = way.after(way.start(rng), {0: 0}, rng)
        with pytest.raises(IllegalMoveError) as caught:
            way.check(look, 1, number)
        texts.append(str(caught.value))
    assert texts[0] == texts[1]
