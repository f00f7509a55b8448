"""A game in JAX is the same game as in arrays of numpy, which are held against the definition."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.shared import missing, needs

pytest.importorskip("jax", reason=missing("jax"))

import jax as jax_itself
import jax.numpy as jnp

import gdl
from gdl.adapters import jax, vector
from gdl.adapters.jax_env import NOBODY, State
from gdl.language.diagnostics import GdlError
from tests.adapters.games import load
from tests.adapters.rules import CARD, DICE, write

pytestmark = [needs("native"), pytest.mark.slow]
B = 70


@pytest.mark.parametrize(
    ("name", "by"),
    [
        ("tictactoe", "gates"),
        ("connectfour", "gates"),
        ("hex?size=3", "gates"),
        ("kalah", "callback"),
        ("lightsout", "gates"),
        ("connectfour", "callback"),
    ],
)
def test_games_go_as_in_the_vector_environment(name: str, by: str) -> None:
    env, twin = jax.env(load(name), by=by), vector.env(load(name), B, seed=1, final=True)
    step = jax_itself.jit(env.step)
    state, ended = env.init((B,)), 0
    for _ in range(50):
        np.testing.assert_array_equal(state.mover, twin.movers)
        np.testing.assert_array_equal(state.legal, twin.masks)
        np.testing.assert_array_equal(env.observe(state), twin.observations)
        actions = twin.sample()
        state = step(state, jnp.asarray(actions))
        told = twin.step(actions)
        np.testing.assert_array_equal(state.terminated, told.terminated)
        np.testing.assert_array_equal(state.truncated, told.truncated)
        np.testing.assert_allclose(state.rewards, told.rewards, atol=1e-6)
        over = told.ended
        if over.any():
            ended += int(over.sum())
            np.testing.assert_array_equal(env.observe(state)[over], told.final_observations)
            after = step(state, jnp.asarray(actions))
            assert not np.asarray(after.rewards)[over].any()
            for one, two in zip(after, state, strict=True):
                if one is not after.rewards:
                    np.testing.assert_array_equal(np.asarray(one)[over], np.asarray(two)[over])
            begun = env.init((B,))
            state = State(
                *(
                    jnp.where(over.reshape(-1, *[1] * (one.ndim - 1)), two, one)
                    for one, two in zip(state, begun, strict=True)
                )
            )
    assert ended or name == "lightsout"


@pytest.mark.parametrize("by", ["gates", "callback"])
def test_leading_axes_maps_and_scans(by: str) -> None:
    env = jax.env(load("tictactoe"), by=by)
    one = env.step(env.init(), 4)
    grid = env.step(env.init((2, 3)), jnp.full((2, 3), 4))
    mapped = jax_itself.vmap(env.step)(env.init((5,)), jnp.full(5, 4))
    for many, lead in ((grid, (2, 3)), (mapped, (5,))):
        for alone, array in zip(one, many, strict=True):
            assert array.shape == (*lead, *alone.shape)
            assert (array == alone).all()

    def play(state: State, _: None) -> tuple[State, Any]:
        after = env.step(state, state.legal.argmax(axis=-1))
        return after, after.rewards

    last, rewards = jax_itself.lax.scan(play, env.init((4,)), None, length=9)
    assert last.terminated.all()
    assert rewards.sum(axis=0).tolist() == [[1.0, -1.0]] * 4
    assert (last.mover[0] == NOBODY) or not last.legal[0].any() or last.terminated[0]


def test_who_makes_an_illegal_move_loses() -> None:
    env = jax.env(load("tictactoe"))
    state = env.step(env.init((4,)), jnp.array([4, 4, 4, 4]))
    state = env.step(state, jnp.array([4, -1, 9, 0]))
    assert state.terminated.tolist() == [True, True, True, False]
    assert state.rewards.tolist() == [[0.0, -1.0]] * 3 + [[0.0, 0.0]]
    again = env.step(state, jnp.array([0, 0, 0, 1]))
    assert again.terminated.tolist() == [True, True, True, False]
    assert not again.rewards.any()


def test_what_cannot_be_is_refused_in_words(tmp_path: Path) -> None:
    env = jax.env(load("tictactoe"))
    calls: list[tuple[Callable[[], object], str]] = [
        (
            lambda: jax.env(load("rockpaperscissors")),
            (
                "rockpaperscissors may let several roles choose at once, as far as its rules show\n"
                "  expected: a game whose roles take turns, all seen"
            ),
        ),
        (lambda: jax.env(write(tmp_path, "dice", DICE)), "has nature draw moves"),
        (lambda: jax.env(write(tmp_path, "card", CARD)), "hides facts from its players"),
        (
            lambda: jax.env(gdl.load("tictactoe", backend="reason")),
            "batches need machine code, and tictactoe runs without",
        ),
        (
            lambda: env.step(env.init((4,)), jnp.zeros(3, int)),
            (
                "action has the shape (3,) and the type int32\n"
                "  expected: the number of a move for each game, int[4]"
            ),
        ),
    ]
    for call, said in calls:
        with pytest.raises(GdlError) as caught:
            call()
        assert said in str(caught.value)
    with pytest.raises(ValueError, match="by must be auto or gates or callback, not 'cpu'"):
        jax.env(load("tictactoe"), by="cpu")
