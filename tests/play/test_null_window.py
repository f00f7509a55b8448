"""Alpha-beta by machine code: every value beside plain minimax over the state machine."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gdl.game import Game, load
from gdl.play import Budget, choose, make, prepare
from gdl.play import null_window as nw
from gdl.play.anytime import UnsuitedError
from gdl.play.compiled_alphabeta import CompiledAlphaBeta, is_suited
from gdl.play.player import thoughts_of
from gdl.play.workspace import Settings, Workspace
from gdl.state import State
from tests.play.games import COUNTER, DICE, PENNIES, THREE, game_of, minimax, random_state
from tests.shared import examples

GAMES = {"tictactoe": 3, "connectfour": 34, "pentago/classic": 34, "hex?size=3": 4}
"""Games, and after how many plies what is left can be looked at whole."""


@cache
def workspace(name: str) -> Workspace:
    native = load(name, backend="native").back_end.native
    assert native is not None
    return Workspace(native, settings=Settings(megabytes=16), seed=0)


def searched(
    engine: Workspace, state: State, role: int, *, depth: int = 400, playouts: bool = False
) -> CompiledAlphaBeta:
    """Return a search that has ended, or has come to a depth."""
    search = CompiledAlphaBeta(engine, state.inner, role, playouts=playouts)
    while search.depth < depth and search.go_on():
        pass
    return search


@pytest.mark.later
@pytest.mark.parametrize("name", GAMES)
@given(seed=st.integers(0, 10_000), role=st.integers(0, 1), small=st.booleans())
@settings(max_examples=examples(25), deadline=None)
def test_what_is_exact_is_the_value_that_minimax_finds(
    name: str, seed: int, role: int, *, small: bool
) -> None:
    engine, game = workspace(name), load(name, backend="native")
    engine.clear()
    state = random_state(game, GAMES[name], seed)
    whose = str(game.roles[role])
    if small:  # a table that is full at once: states drive each other out all the time
        engine.null_window(role)
        engine._null_window = nw.make_null_window(engine.words, engine.most_moves, 2, megabytes=0)
    search = searched(engine, state, role)
    engine._null_window = None
    known: dict[object, int] = {}
    assert search.is_exact
    assert search.value == search.lower == minimax(state, whose, known)
    thoughts = search.thoughts()
    assert thoughts is not None
    assert thoughts.note.startswith(f"exact: {search.lower}, {search.depth} plies deep")
    mover = state.movers[0]
    assert thoughts.best.move in state.legal(mover)
    assert minimax(state.play(thoughts.best.move), whose, known) == search.lower
    after = state
    for joint in thoughts.line:
        after = after.play(joint)  # the line can be played


@pytest.mark.slow
@given(seed=st.integers(0, 10_000), depth=st.integers(1, 4), playouts=st.booleans())
@settings(max_examples=examples(100), deadline=None)
def test_what_is_proven_at_any_depth_holds(seed: int, depth: int, *, playouts: bool) -> None:
    engine, game = workspace("tictactoe"), load("tictactoe", backend="native")
    engine.clear()
    state = random_state(game, 1 + seed % 3, seed)
    search = searched(engine, state, seed % 2, depth=depth, playouts=playouts)
    value = minimax(state, str(game.roles[seed % 2]), {})
    assert search.lower <= value <= search.upper
    assert search.is_exact == (search.lower == search.upper)


def test_the_same_seed_and_states_find_the_same() -> None:
    engine, game = workspace("connectfour"), load("connectfour", backend="native")
    state = random_state(game, 6, 3)
    found = []
    for _ in range(2):
        engine.clear()
        engine.seed(7)
        search = CompiledAlphaBeta(engine, state.inner, 0, simulations=3_000, playouts=True)
        while search.go_on():
            pass
        thoughts = search.thoughts()
        assert thoughts is not None
        found.append((search.nodes, search.depth, thoughts.candidates, thoughts.line))
    assert found[0] == found[1]
    assert found[0][0] >= 3_000


def test_one_role_finds_the_single_line_of_a_puzzle(tmp_path: Path) -> None:
    engine = of(game_of(COUNTER, tmp_path))
    search = searched(engine, game_of(COUNTER, tmp_path).initial(), 0)
    assert (search.lower, search.upper, search.depth) == (100, 100, 6)


@pytest.mark.parametrize("text", [THREE, PENNIES, DICE])
def test_games_that_are_none_for_it_are_refused_and_played_all_the_same(
    text: str, tmp_path: Path
) -> None:
    game = game_of(text, tmp_path)
    native = game.back_end.native
    assert native is not None
    engine = Workspace(native, settings=Settings(megabytes=16), seed=0)
    if is_suited(engine, 0):
        with pytest.raises(UnsuitedError):
            searched(engine, game.initial(), 0)
    role = game.role(game.roles[-1])
    player = make("alphabeta", role=role, seed=1)
    prepare(player, game, Budget())
    move = choose(player, game.initial(), Budget(simulations=50), role=role)
    assert move in game.initial().legal(role)
    thoughts = thoughts_of(player)
    assert thoughts is None or "exact" not in thoughts.note


def of(game: Game) -> Workspace:
    native = game.back_end.native
    assert native is not None
    return Workspace(native, settings=Settings(megabytes=16), seed=0)
