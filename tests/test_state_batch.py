"""Rows of a batch are taken out as states, set to them and pickled, beside states played alone."""

from __future__ import annotations

import copy
import pickle
import subprocess
import sys
from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import gdl
from gdl.state_batch import StateBatch
from tests.shared import examples, missing

pytest.importorskip("llvmlite", reason=missing("native"))

NAMES = ("tictactoe", "connectfour", "rockpaperscissors")
OPERATIONS = ("step", "step", "set", "some", "save", "restore", "fork", "pickle", "copy")


@cache
def native(name: str) -> gdl.Game:
    return gdl.load(name, backend="native")


def drawn(batch: StateBatch, rng: np.random.Generator) -> Any:  # noqa: ANN401  # an array
    """Return a legal move of each role in each row."""
    rows = [
        [rng.choice(np.flatnonzero(legal[row])) if legal[row].any() else 0 for legal in batch.legal]
        for row in range(batch.size)
    ]
    return np.array(rows, np.int64)


def played(state: gdl.State, moves: Any) -> gdl.State:  # noqa: ANN401  # a row of an array
    return state if state.is_terminal else state.apply(tuple(map(int, moves)))


def done(
    what: str, batch: StateBatch, states: list[gdl.State], rng: np.random.Generator
) -> tuple[StateBatch, list[gdl.State]]:
    """Return the batch and its mirror after an operation that keeps nothing for later."""
    order = rng.permutation(batch.size)
    shuffled = [states[row] for row in order]
    if what == "step":
        moves = drawn(batch, rng)
        batch.step(moves)
        return batch, [played(each, moves[row]) for row, each in enumerate(states)]
    if what == "set":
        batch.set(shuffled)
        return batch, shuffled
    if what == "some":
        rows = set(order[: batch.size // 2].tolist())
        batch.set([states[0]] * len(rows), sorted(rows))
        return batch, [states[0] if row in rows else each for row, each in enumerate(states)]
    if what == "fork":
        forked = batch.fork(order)
        batch.reset()
        return forked, shuffled
    copied = copy.deepcopy(batch) if what == "copy" else pickle.loads(pickle.dumps(batch))
    batch.reset()
    return copied, states


@pytest.mark.slow
@settings(max_examples=examples(300))
@given(st.sampled_from(NAMES), st.integers(1, 70), st.data())
def test_programs_of_operations_go_with_states(name: str, size: int, data: st.DataObject) -> None:
    game = native(name)
    batch, states = game.batch(size), [game.initial()] * size
    saved, kept = batch.save(), states
    rng = np.random.default_rng(data.draw(st.integers(0, 99)))
    for what in data.draw(st.lists(st.sampled_from(OPERATIONS), max_size=12)):
        if what == "save":
            saved, kept = batch.save(), states
        elif what == "restore":
            batch.restore(saved)
            states = kept
        else:
            batch, states = done(what, batch, states, rng)
    assert batch.states() == states
    assert batch.terminal.tolist() == [each.is_terminal for each in states]
    for row, state in enumerate(states):
        for r, role in enumerate(game.roles):
            legal = np.flatnonzero(batch.legal[r][row]).tolist()
            assert state.is_terminal or legal == list(state.legal_ids(role))


def test_states_know_their_game_and_the_plies_that_they_are_given() -> None:
    batch = native("tictactoe").batch(3)
    first, second = batch.states([2, 0], plies=[4, 5])
    assert (first.game, first.ply, second.ply) == (native("tictactoe"), 4, 5)
    assert first.play("b2").position != first.position


@pytest.mark.slow
def test_a_batch_is_pickled_without_the_rules_and_goes_on_elsewhere() -> None:
    batch = native("connectfour").batch(5, auto_reset=True)
    batch.step(batch.sample(np.random.default_rng(1)))
    pickled = pickle.dumps(batch)
    assert len(pickled) < 1_000
    code = (
        "import pickle, sys; batch = pickle.load(sys.stdin.buffer); "
        "print(batch.size, batch.auto_reset, batch.save().tolist())"
    )
    ran = subprocess.run(
        [sys.executable, "-c", code], input=pickled, capture_output=True, check=True
    )
    assert ran.stdout.decode().strip() == f"5 True {batch.save().tolist()}"


@pytest.mark.parametrize(
    ("states", "text"),
    [
        (list, "0 states for 1 rows\n  expected: one a row"),
        (
            lambda: [gdl.load("connectfour").initial()],
            "state 0 is of connectfour, not of tictactoe\n  expected: states of tictactoe",
        ),
        (
            lambda: ["b2"],
            "state 0 is no state but of the type str\n  expected: states of tictactoe",
        ),
        (
            lambda: [native("tictactoe").state(["(control x)", "(control o)"])],
            "state 0 is one that machine code cannot judge\n  expected: states of tictactoe",
        ),
        (
            lambda: native("tictactoe").initial(),
            f"states must be a list of states of the game, not {native('tictactoe').initial()!r}",
        ),
    ],
)
def test_what_no_row_can_be_set_to_is_named(states: Callable[[], Any], text: str) -> None:
    batch = native("tictactoe").batch(2)
    before = batch.save()
    with pytest.raises(gdl.GdlError) as caught:
        batch.set(states(), [1])
    assert str(caught.value) == text
    assert (batch.save() == before).all()
