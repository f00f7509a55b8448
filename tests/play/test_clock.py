"""Clocks: they are kept, whatever the game; a search can be stopped and watched."""

from __future__ import annotations

import math
import time
from threading import Timer

import pytest

from gdl.game import load
from gdl.play import Clock, Thoughts, choose, make, prepare
from gdl.play.search import Thinker
from tests.play.games import random_state

SECONDS = 0.4
HELD_UP = 1.5
"""Seconds for which a busy machine may let a process wait; a search that does not look at its
clock takes minutes here."""


@pytest.mark.parametrize("spec", ["mcts", "alphabeta", "solve", "greedy"])
@pytest.mark.parametrize("backend", ["native", "reason"])
def test_every_move_comes_within_its_time(spec: str, backend: str) -> None:
    """The reasoner takes most of the time for a single playout of Pentago."""
    game = load("pentago/classic", backend="native" if backend == "native" else "reason")
    state = random_state(game, 6, 2)
    role = state.movers[0]
    player = make(spec, role=game.role(role), seed=1)
    prepare(player, game, Clock(100))
    spent = []
    for _ in range(3):
        clock = Clock(SECONDS)
        choose(player, state, clock, role=role)
        spent.append(clock.spent)
    assert min(spent) <= SECONDS
    assert max(spent) <= SECONDS + HELD_UP


class Stubborn:
    """A search whose one slice takes longer than all the time there is."""

    def go_on(self) -> bool:
        time.sleep(1.0)
        return True

    def thoughts(self) -> Thoughts | None:
        return None


def test_who_thinks_waits_for_the_clock_and_not_for_the_search() -> None:
    thinker, clock = Thinker(), Clock(0.2)
    assert thinker.think(Stubborn(), clock) is None
    assert clock.spent <= 0.2
    assert not thinker.is_idle(Clock(0.1))
    assert thinker.is_idle(Clock(5.0))


def test_an_error_of_a_search_comes_out_where_it_is_waited_for() -> None:
    class Broken(Stubborn):
        def go_on(self) -> bool:
            raise LookupError("here")

    with pytest.raises(LookupError, match="here"):
        Thinker().think(Broken(), Clock(5))


def test_a_search_can_be_stopped_from_another_thread() -> None:
    game = load("pentago/utwente")
    player = make("mcts", role=game.role("black"), seed=1)
    prepare(player, game, Clock(100))
    clock = Clock(60)
    Timer(0.3, clock.stop).start()
    choose(player, game.initial(), clock, role="black")
    assert clock.spent < 20
    assert clock.is_over


def test_a_search_can_be_watched() -> None:
    game = load("pentago/utwente")
    told: list[Thoughts] = []
    player = make("mcts", role=game.role("black"), seed=1)
    prepare(player, game, Clock(100))
    move = choose(player, game.initial(), Clock(1.0, watch=told.append), role="black")
    assert len(told) >= 2
    assert told[-1].best.move == move
    counts = [each.simulations for each in told]
    assert counts == sorted(counts)


def test_a_clock_runs_from_the_moment_it_is_made() -> None:
    clock = Clock(0.1)
    assert 0 < clock.left < 0.1
    time.sleep(0.11)
    assert clock.is_over
    assert clock.is_missed
    assert not Clock().is_over
    assert Clock().left == math.inf


@pytest.mark.parametrize(
    ("seconds", "simulations", "text"),
    [
        (0, None, "seconds must be more than 0, not 0"),
        (math.nan, None, "seconds must be more than 0, not nan"),
        (1, 0, "simulations must be at least 1, not 0"),
    ],
)
def test_a_clock_of_nothing_is_refused(seconds: float, simulations: int | None, text: str) -> None:
    with pytest.raises(ValueError, match=text):
        Clock(seconds, simulations=simulations)
