"""AlphaZero with a network in JAX: residual layers, Adam, compiled; the loop is that of `zero.py`.

    pip install 'gdl-framework[play,jax]'
    python examples/zero_jax.py connectfour --iterations 40

The search asks for as many positions at once as are not over, another number each time, and JAX
compiles for each shape of arrays; so rows are filled up to the next power of two.
"""

from __future__ import annotations

import sys
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray
from zero import Array, main

try:
    import jax
    import jax.numpy as jnp
except ImportError:
    print("needs jax: pip install 'gdl-framework[jax]'")
    sys.exit()

RATE, HIDDEN, LAYERS = 1e-3, 128, 2
Tensor: TypeAlias = Any
Weights: TypeAlias = Any
"""An array of JAX is a tensor; weights are a tree of them."""


def forward(weights: Weights, facts: Tensor, movers: Tensor) -> tuple[Tensor, Tensor]:
    """Return a score of each move, and the logit of the first role's share of the points."""
    x = jnp.hstack([facts.astype(jnp.float32), jax.nn.one_hot(movers, 2)]) @ weights["in"]
    for layer in weights["layers"]:
        x = x + jax.nn.relu(x) @ layer
    out = jax.nn.relu(x) @ weights["out"] + weights["bias"]
    return out[:, :-1], out[:, -1]


@jax.jit
def judged(weights: Weights, facts: Tensor, legal: Tensor, movers: Tensor) -> tuple[Tensor, Tensor]:
    """Return priors of moves and both roles' shares."""
    scores, logit = forward(weights, facts, movers)
    first = jax.nn.sigmoid(logit)
    return jax.nn.softmax(jnp.where(legal, scores, -1e9)), jnp.stack([first, 1 - first], axis=1)


def loss(weights: Weights, batch: tuple[Tensor, ...]) -> Tensor:
    """Return the cross entropies of the policy and of the share of the points."""
    facts, movers, legal, policy, share = batch
    scores, logit = forward(weights, facts, movers)
    moves = -(policy * jax.nn.log_softmax(jnp.where(legal, scores, -1e9))).sum(axis=1)
    ends = jax.nn.softplus(logit) - share * logit
    return (moves + ends).mean()


@jax.jit
def adam(weights: Weights, memory: Weights, step: int, *batch: Tensor) -> tuple[Weights, Weights]:
    """Make a step (Kingma and Ba, 2015)."""
    slopes = jax.grad(loss)(weights, batch)
    tree = jax.tree_util.tree_map
    means = tree(lambda m, g: 0.9 * m + 0.1 * g, memory[0], slopes)
    squares = tree(lambda v, g: 0.999 * v + 0.001 * g * g, memory[1], slopes)
    scale = RATE * jnp.sqrt(1 - 0.999**step) / (1 - 0.9**step)
    new = tree(lambda w, m, v: w - scale * m / (jnp.sqrt(v) + 1e-8), weights, means, squares)
    return new, (means, squares)


class Net:
    """What a search and a learner ask of a network."""

    def __init__(self, facts: int, moves: int, rng: np.random.Generator) -> None:
        """Draw weights."""

        def drawn(rows: int, columns: int) -> Array:
            return np.asarray(rng.normal(size=(rows, columns)) / np.sqrt(rows), np.float32)

        self.weights: Weights = {
            "in": drawn(facts + 2, HIDDEN),
            "layers": [drawn(HIDDEN, HIDDEN) for _ in range(LAYERS)],
            "out": drawn(HIDDEN, moves + 1),
            "bias": np.zeros(moves + 1, np.float32),
        }
        zeros = jax.tree_util.tree_map(np.zeros_like, self.weights)
        self.memory, self.steps = (zeros, zeros), 0

    def __call__(
        self, facts: NDArray[np.bool_], legal: NDArray[np.bool_], movers: NDArray[np.int64]
    ) -> tuple[Array, Array]:
        """Return priors of moves and both roles' shares, as a search asks for them."""
        n = len(facts)
        rows = np.arange(1 << (n - 1).bit_length()) % n
        priors, shares = judged(self.weights, facts[rows], legal[rows], movers[rows])
        return np.asarray(priors)[:n], np.asarray(shares)[:n]

    def learn(self, *batch: NDArray[Any]) -> None:
        """Make a step: facts, movers, legal moves, policies, shares of the first role."""
        self.steps += 1
        self.weights, self.memory = adam(self.weights, self.memory, self.steps, *batch)


if __name__ == "__main__":
    main(Net)
