"""The machine code of the search beside the state machine: children, playouts, proofs, bounds."""

from __future__ import annotations

from statistics import mean

import numpy as np
import pytest

from gdl.game import Game, load
from gdl.play import prove, tree, vector
from gdl.play.compiled import CompiledGame, Settings
from gdl.state import State
from tests.play.games import minimax, random_state

GAMES = ("tictactoe", "connectfour", "pentago/classic", "pentago/phased", "gomoku/freestyle")
SMALL = Settings(megabytes=32)


def ready(game: Game) -> CompiledGame:
    native = game.back_end.native
    assert native is not None
    return CompiledGame(native, settings=SMALL, seed=3)


@pytest.mark.parametrize("name", GAMES)
def test_the_lanes_after_a_step_are_the_children_of_the_state_machine(name: str) -> None:
    game = load(name)
    engine = ready(game)
    wide, machine = engine.game.wide, game.machine
    width = wide.slots.shape[1] * 64
    moves = np.empty(engine.moves, np.int64)
    words = np.zeros(engine.words, np.uint64)
    block, states = np.zeros(64, np.uint64), np.zeros((width, engine.words), np.uint64)
    for plies in (0, 1, 6):
        state = random_state(game, plies, plies)
        vector.look(wide, engine.game.pack(state.inner))
        mover = vector.mover_of(wide)
        assert [game.roles[mover]] == list(state.movers)
        legal = state.legal(game.roles[mover])
        n = vector.legal_moves(wide, mover, moves)
        known = engine.native.kernel.compiled.moves[mover]
        assert [known[i] for i in moves[:n]] == list(legal)
        vector.step(wide, mover, moves, 0, n)
        vector.take_all(wide, n, block, states)
        for lane, move in enumerate(legal):
            after = state.play(move)
            assert engine.game.unpack(states[lane]) == after.inner
            vector.take(wide, lane, words)
            assert np.array_equal(words, states[lane])
            assert bool(vector.is_over(wide, lane)) == after.is_terminal
            for r, role in enumerate(machine.roles):
                goals = machine.goals(after.inner, role)
                assert vector.goal(wide, r, lane) == (goals[0] if len(goals) == 1 else -1)


def expected(state: State, role: str) -> float:
    """Return the mean goal of uniformly random play, by looking at everything."""
    if state.is_terminal:
        return float(state.goal(role))
    return mean(expected(state.play(move), role) for move in state.legal(state.movers[0]))


@pytest.mark.parametrize("plies", [3, 4, 5])
def test_playouts_from_a_state_have_the_mean_of_random_play(plies: int) -> None:
    game = load("tictactoe")
    engine = ready(game)
    state = random_state(game, plies, plies)
    for r, role in enumerate(game.roles):
        found = mean(engine.mean(state.inner, r) for _ in range(200))
        assert found == pytest.approx(expected(state, role), abs=1.5)  # five standard errors


def test_what_is_proven_and_disproven_is_what_a_plain_search_finds() -> None:
    game = load("tictactoe")
    engine = ready(game)
    known: dict[object, int] = {}
    answers = set()
    for seed in range(30):
        state = random_state(game, 2 + seed % 4, seed)
        value = minimax(state, "x", known)
        for goal in (50, 100):
            engine.start_proof(state.inner, 0, goal)
            while prove.prove(engine.proof, engine.game.wide, 50) == prove.RUNNING:
                pass
            answer = bool(engine.proof.status[prove.RESULT])
            assert answer == (value >= goal)
            answers.add(answer)
    assert answers == {True, False}


def test_bounds_of_the_tree_hold_at_all_times_and_meet_in_the_value() -> None:
    game = load("tictactoe")
    known: dict[object, int] = {}
    for seed in range(6):
        engine = ready(game)
        state = random_state(game, 2, seed)
        value = minimax(state, "x", known)
        root = engine.root(state.inner)
        code = tree.DONE
        while code == tree.DONE:
            code = tree.search(engine.tree, engine.game.wide, engine.knobs, root, 3)
            assert engine.tree.low[root, 0] <= value <= engine.tree.high[root, 0]
        assert code == tree.SOLVED
        assert engine.tree.low[root, 0] == value
        assert engine.tree.high[root, 0] == value


def test_a_tree_that_is_full_says_so_and_stays_whole() -> None:
    game = load("connectfour")
    engine = ready(game)
    small = tree.make_tree(engine.words, 2, nodes=400, edges=1_200)
    state = engine.game.pack(game.initial().inner)
    root = tree.add_root(small, engine.game.wide, engine.knobs, state)
    code = tree.search(small, engine.game.wide, engine.knobs, root, 10_000)
    assert code == tree.FULL
    assert small.used[0] <= 400
    assert small.used[1] <= 1_200
    first = small.first[root]
    tries = small.tries[first : first + small.branches[root]].sum()
    assert small.visits[root] == tries + 1


def test_turning_bits_twice_gives_them_back() -> None:
    chance = np.random.default_rng(1)
    block = chance.integers(0, 2**63, 64, np.uint64)
    turned = block.copy()
    vector.turn(turned)
    bits = [[int(word) >> place & 1 for word in block] for place in range(64)]
    assert [sum(bit << i for i, bit in enumerate(row)) for row in bits] == turned.tolist()
    vector.turn(turned)
    assert np.array_equal(turned, block)
