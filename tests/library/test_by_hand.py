"""Rules beside engines written by hand, in games by chance and from positions that are rare."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from random import Random
from typing import Any

import pytest

import gdl
from gdl.game import Game
from gdl.state import State
from tests.library.by_hand.checkers import Checkers
from tests.library.by_hand.go import Go
from tests.library.by_hand.lines_of_action import LinesOfAction
from tests.library.by_hand.morris import Morris
from tests.library.by_hand.oware import Oware
from tests.shared import needs

pytestmark = needs("native")

ENGINES: dict[str, Callable[[], Any]] = {
    "checkers/american": Checkers,
    "go": Go,
    "linesofaction": LinesOfAction,
    "morris/six": partial(Morris, 6),
    "morris/nine": partial(Morris, 9),
    "oware": Oware,
}
BEHIND = 6
"""Moves by chance from a rare position."""


def compare(state: State, engine: Any, position: Any) -> bool:  # noqa: ANN401  # any engine
    """Check that a position is the same on both sides; return whether play goes on."""
    assert sorted(map(str, state.facts)) == sorted(engine.facts(position))
    mover = engine.to_move(position)
    assert state.is_terminal == (mover is None), engine.facts(position)
    if mover is None:
        goals = [{-1: 0, 0: 50, 1: 100}[value] for value in engine.returns(position)]
        assert [state.goal(role) for role in engine.roles] == goals, engine.facts(position)
        return False
    assert list(map(str, state.movers)) == [mover]
    texts = sorted(map(engine.format, engine.legal_moves(position)))
    assert sorted(map(state.notation, state.legal(mover))) == texts, engine.facts(position)
    return True


def walk(state: State, engine: Any, position: Any, rng: Random, most: int) -> int:  # noqa: ANN401
    """Compare along moves by chance; return how many positions."""
    for count in range(1, most + 1):
        if not compare(state, engine, position):
            return count
        move = rng.choice(engine.legal_moves(position))
        state, position = state.play(engine.format(move)), engine.play(position, move)
    return most


def state_of(game: Game, facts: list[str]) -> State:
    """Return the state of a position, played by machine code."""
    return State(game, game.machine, game.machine.state(game.state(facts).facts))


@pytest.mark.later
@pytest.mark.parametrize(
    "games", [1, pytest.param(30, marks=pytest.mark.slow)], ids=["a game", "many games"]
)
@pytest.mark.parametrize("ruleset", ENGINES)
def test_games_by_chance_are_the_same(ruleset: str, games: int) -> None:
    game, engine = gdl.load(ruleset, backend="native"), ENGINES[ruleset]()
    for seed in range(games):
        assert walk(game.initial(), engine, engine.initial(), Random(seed), 400) > BEHIND


@pytest.mark.later
@pytest.mark.parametrize(
    "count", [40, pytest.param(2_000, marks=pytest.mark.slow)], ids=["some", "many"]
)
@pytest.mark.parametrize("ruleset", ENGINES)
def test_rare_positions_are_the_same(ruleset: str, count: int) -> None:
    game, engine, rng = gdl.load(ruleset, backend="native"), ENGINES[ruleset](), Random(1)
    positions = 0
    for _ in range(count):
        position = engine.rare(rng)
        positions += walk(state_of(game, engine.facts(position)), engine, position, rng, BEHIND)
    assert positions > count
