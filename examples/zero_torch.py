"""AlphaZero with a network in torch: residual layers, Adam; the loop is that of `zero.py`.

pip install 'gdl-framework[play,torch]'
python examples/zero_torch.py connectfour --iterations 40
"""

from __future__ import annotations

import sys
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray
from zero import Array, main

try:
    import torch
    from torch.nn import functional
except ImportError:
    print("needs torch: pip install 'gdl-framework[torch]'")
    sys.exit()

RATE, HIDDEN, LAYERS = 1e-3, 128, 2
Tensor: TypeAlias = Any
"""A tensor of torch."""


class Layers(torch.nn.Module):
    """Facts and who moves in; a score of each move and the first role's logit out."""

    def __init__(self, facts: int, moves: int) -> None:
        """Draw weights."""
        super().__init__()
        self.into = torch.nn.Linear(facts + 2, HIDDEN)
        self.layers = torch.nn.ModuleList(torch.nn.Linear(HIDDEN, HIDDEN) for _ in range(LAYERS))
        self.out = torch.nn.Linear(HIDDEN, moves + 1)

    def forward(self, facts: Tensor, legal: Tensor, movers: Tensor) -> tuple[Tensor, Tensor]:
        """Return the logarithms of priors, and the logit of the first role's share."""
        x = self.into(torch.hstack([facts.float(), functional.one_hot(movers, 2).float()]))
        for layer in self.layers:
            x = x + layer(torch.relu(x))
        out = self.out(torch.relu(x))
        return out[:, :-1].masked_fill(~legal, -1e9).log_softmax(dim=1), out[:, -1]


class Net:
    """What a search and a learner ask of a network."""

    def __init__(self, facts: int, moves: int, rng: np.random.Generator) -> None:
        """Draw weights."""
        torch.manual_seed(int(rng.integers(1 << 31)))
        torch.set_num_threads(1)  # the batches are small
        self.layers = Layers(facts, moves)
        self.adam = torch.optim.Adam(self.layers.parameters(), lr=RATE)

    def __call__(
        self, facts: NDArray[np.bool_], legal: NDArray[np.bool_], movers: NDArray[np.int64]
    ) -> tuple[Array, Array]:
        """Return priors of moves and both roles' shares, as a search asks for them."""
        with torch.inference_mode():
            priors, logit = self.layers(*map(torch.from_numpy, (facts, legal, movers)))
            first = torch.sigmoid(logit)
            return priors.exp().numpy(), torch.stack([first, 1 - first], dim=1).numpy()

    def learn(
        self,
        facts: NDArray[np.bool_],
        movers: NDArray[np.int64],
        legal: NDArray[np.bool_],
        policy: Array,
        share: NDArray[np.float64],
    ) -> None:
        """Make a step against both cross entropies."""
        priors, logit = self.layers(*map(torch.from_numpy, (facts, legal, movers)))
        moves = -(torch.from_numpy(policy) * priors).sum(dim=1).mean()
        target = torch.from_numpy(share.astype(np.float32))
        ends = functional.binary_cross_entropy_with_logits(logit, target)
        self.adam.zero_grad()
        (moves + ends).backward()
        self.adam.step()


if __name__ == "__main__":
    main(Net)
