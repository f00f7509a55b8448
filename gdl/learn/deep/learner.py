"""A deep network that learns, in JAX: how positions are judged, and a step of Adam.

In: weights, and positions as arrays. Out: priors and values, or other weights. Nothing is kept
here: weights and what Adam remembers are handed in and given back, new arrays each time.

Positions are judged as many at once as were said first; fewer are filled up, for JAX compiles for
each shape of arrays anew, and so that a position is worth the same to the last bit.

Source: Kingma and Ba, "Adam", 2015; Loshchilov and Hutter, "Decoupled Weight Decay Regularization",
2019.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any, Final, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
import optax
from numpy.typing import NDArray

from gdl.learn.deep.layout import Layout
from gdl.learn.deep.positions import Rows
from gdl.learn.search import Judge
from gdl.play.deep.network import Shape, forward, planes

RATE: Final = 3e-3
"""How far a step goes at first."""
SETTLED: Final = 2000
"""Steps after which it goes a root of two less far; later it falls as the root of their number."""
DECAY: Final = 1e-4
STEEPEST: Final = 1.0
"""Norm of a gradient, at most."""
HIGHEST: Final = 100.0
NEVER: Final = -1e9
"""Score of a move that is not legal."""
Weights = dict[str, Any]
Tensor = Any


def _rate(steps: Tensor) -> Tensor:
    return RATE / jnp.sqrt(1 + steps / SETTLED)


ADAM: Final = optax.chain(
    optax.clip_by_global_norm(STEEPEST), optax.adamw(_rate, weight_decay=DECAY)
)


class Memory(NamedTuple):
    """What learning changes: weights, and what Adam remembers."""

    weights: Weights
    adam: Any


class Learner:
    """Judges and learns for one game."""

    def __init__(self, layout: Layout, size: int) -> None:
        """Prepare.

        Args:
            layout: What the network sees and tells.
            size: Positions that are judged at once, at most.
        """
        self._layout, self._size = layout, size
        worst, best = (np.array(each, np.float32) / HIGHEST for each in (layout.worst, layout.best))
        self._worst, self._range = worst, best - worst

    def begin(self, rng: np.random.Generator) -> Memory:
        """Return weights before anything was learned: all moves are alike, and all values."""
        weights = {}
        for name, shape in self._layout.shape.arrays.items():
            is_zero = name.endswith("_bias") or name.startswith(("second", "scores", "shares"))
            spread = 0.0 if is_zero else np.sqrt(2 / shape[0])
            weights[name] = (spread * rng.normal(size=shape)).astype(np.float32)
        return Memory(weights, ADAM.init(weights))

    def compile(self, memory: Memory, rows: Rows) -> None:
        """Compile what will be needed, with positions of any kind; it is kept for the process."""
        layout = self._layout
        held = np.zeros((self._size, len(layout.facts)), np.bool_)
        legal = np.ones((self._size, layout.columns.shape[1]), np.bool_)
        self.judge(memory.weights)(held, legal, np.zeros(self._size, np.int64))
        self.step(memory, rows, np.random.default_rng(0))

    def judge(self, weights: Weights) -> Judge:
        """Return how positions are judged by weights."""

        def judge(
            held: NDArray[np.bool_], legal: NDArray[np.bool_], movers: NDArray[np.int64]
        ) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
            count = len(held)
            filled = np.arange(self._size) % count
            at = movers[filled]
            seen = planes(self._layout.shape, self._layout.sources, held[filled], at)
            priors, shares = _judged(
                self._layout.shape, weights, seen, self._layout.columns[at], legal[filled]
            )
            values = self._worst + self._range * np.asarray(shares)[:count]
            return np.asarray(priors)[:count], values

        return judge

    def step(
        self, memory: Memory, rows: Rows, rng: np.random.Generator
    ) -> tuple[Memory, NDArray[np.float64]]:
        """Learn from some positions, each as a symmetry that is drawn shows it.

        Returns:
            What is known then, and the losses before: of the policy, of values.
        """
        layout = self._layout
        facts, moves = len(layout.facts), layout.columns.shape[1]
        which = rng.integers(len(layout.fact_images), size=rows.count)
        movers = rows.movers.astype(np.int64)
        held = np.unpackbits(rows.held, axis=1, count=facts).astype(np.bool_)
        legal = np.unpackbits(rows.legal, axis=1, count=moves).astype(np.bool_)
        policy = np.zeros((rows.count, moves), np.float32)
        np.put_along_axis(policy, rows.moves.astype(np.int64), rows.shares.astype(np.float32), 1)
        turned = layout.move_images[which, movers]
        held = np.take_along_axis(held, layout.fact_images[which], axis=1)
        legal = np.take_along_axis(legal, turned, axis=1)
        policy = np.take_along_axis(policy, turned, axis=1)
        seen = planes(layout.shape, layout.sources, held, movers)
        counts = np.broadcast_to(self._range > 0, rows.values.shape).astype(np.float32)
        weights, adam, losses = _stepped(
            layout.shape,
            memory.weights,
            memory.adam,
            seen,
            layout.columns[movers],
            legal,
            policy,
            rows.values,
            counts / counts.sum(axis=1, keepdims=True),
        )
        return Memory(weights, adam), np.asarray(losses, np.float64)

    def packed(self, memory: Memory) -> dict[str, NDArray[Any]]:
        """Return all that is remembered as arrays by name."""
        adam = {f"adam{i}": np.asarray(leaf) for i, leaf in enumerate(jax.tree.leaves(memory.adam))}
        return {name: np.asarray(array) for name, array in memory.weights.items()} | adam

    def unpacked(self, arrays: Mapping[str, NDArray[Any]]) -> Memory:
        """Return what was packed.

        Raises:
            ValueError: It is of other sizes or kinds, or has what is no number; so is KeyError.
        """
        empty = self.begin(np.random.default_rng(0))
        for name, array in self.packed(empty).items():
            kept = arrays[name]
            is_like = (kept.dtype, kept.shape) == (array.dtype, array.shape)
            if not is_like or not np.isfinite(kept).all():
                raise ValueError(name)
        leaves, form = jax.tree.flatten(empty.adam)
        adam = jax.tree.unflatten(form, [arrays[f"adam{i}"] for i in range(len(leaves))])
        return Memory({name: arrays[name] for name in empty.weights}, adam)


def _conv(shape: Shape, weights: Weights, name: str, x: Tensor) -> Tensor:
    """Return a layer that looks at neighbours; see `gdl.play.deep.network.forward`."""
    matrix = weights[name]
    if shape.cells == 1:
        return x @ matrix + weights[f"{name}_bias"]
    sides = matrix.reshape(3, 3, x.shape[2], -1)
    board = x.reshape(len(x), shape.rows, shape.columns, -1)
    out = jax.lax.conv_general_dilated(
        board, sides, (1, 1), "SAME", dimension_numbers=("NHWC", "HWIO", "NHWC")
    )
    return out.reshape(len(x), shape.cells, -1) + weights[f"{name}_bias"]


def _scores(
    shape: Shape, weights: Weights, seen: Tensor, columns: Tensor, legal: Tensor
) -> tuple[Tensor, Tensor]:
    """Return scores of the moves of who chooses, and logits of shares of goals."""
    scores, logits = forward(weights, seen, shape, partial(_conv, shape))
    return jnp.where(legal, jnp.take_along_axis(scores, columns, axis=1), NEVER), logits


@partial(jax.jit, static_argnums=0)
def _judged(
    shape: Shape, weights: Weights, seen: Tensor, columns: Tensor, legal: Tensor
) -> tuple[Tensor, Tensor]:
    """Return priors of moves, and shares of goals."""
    scores, logits = _scores(shape, weights, seen, columns, legal)
    return jax.nn.softmax(scores), jax.nn.sigmoid(logits)


def _losses(  # noqa: PLR0913, PLR0917  # arrays
    weights: Weights,
    shape: Shape,
    seen: Tensor,
    columns: Tensor,
    legal: Tensor,
    policy: Tensor,
    values: Tensor,
    counts: Tensor,
) -> tuple[Tensor, Tensor]:
    """Return the sum of both cross entropies, and each."""
    scores, logits = _scores(shape, weights, seen, columns, legal)
    chosen = jnp.maximum((policy.sum(axis=1) > 0).sum(), 1)
    of_moves = -(policy * jax.nn.log_softmax(scores)).sum() / chosen
    of_values = ((jax.nn.softplus(logits) - values * logits) * counts).sum(axis=1).mean()
    return of_moves + of_values, jnp.stack([of_moves, of_values])


@partial(jax.jit, static_argnums=0)
def _stepped(
    shape: Shape,
    weights: Weights,
    memory: Any,  # noqa: ANN401  # of optax
    *batch: Tensor,
) -> tuple[Weights, Any, Tensor]:
    """Return weights and what Adam remembers after a step, and the losses before."""
    slopes, losses = jax.grad(_losses, has_aux=True)(weights, shape, *batch)
    updates, memory = ADAM.update(slopes, memory, weights)
    return optax.apply_updates(weights, updates), memory, losses
