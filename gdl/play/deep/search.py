"""The tree of a deep network: plain search, by priors where playouts would tell nothing yet.

In: a position and a network. Out: thoughts. A new node is judged by the network in place of a
playout, and its moves have priors; a role that chooses alone takes the highest upper bound, as in
`gdl.learn.trees`, by which the network was trained. All else is that of `gdl.play.uct`: roles that
choose at once, nature, time.

Source: Silver et al., 2018 (PUCT).
"""

from __future__ import annotations

import math
from collections.abc import Hashable
from typing import Any, Final

import numpy as np

from gdl.play.deep.eyes import Eyes
from gdl.play.uct import Goals, Node, PlainSearch

HIGHEST: Final = 100.0


class DeepSearch(PlainSearch):
    """The search of one move."""

    def __init__(self, *given: Any, eyes: Eyes, c: float, **options: Any) -> None:  # noqa: ANN401  # those of `PlainSearch`
        """Prepare; see `PlainSearch`.

        Args:
            given: See there.
            eyes: How the network sees states.
            c: Weight of exploration, goals counted from 0 to 1.
            options: See `PlainSearch`.
        """
        super().__init__(*given, c=c, evaluate=self._judged, **options)
        self._eyes, self._weight = eyes, c
        self._priors: dict[Node, dict[int, list[float]]] = {}
        self._values: dict[Node, Goals] = {}
        self._reached: Node | None = None
        self._is_end = False

    def _root(self) -> Node:
        root = super()._root()
        if root.goals is None and root not in self._priors:
            self._reached = root
            self._judged(root.state)
        return root

    def _walk(self) -> tuple[list[tuple[Node, list[int]]], Node]:
        path, node = super()._walk()
        self._reached, self._is_end = node, node.goals is not None
        return path, node

    def _judged(self, state: Hashable) -> Goals | None:
        """Return what the network says of the node that was reached, and keep the priors.

        It is asked for each role that chooses, and what it says of values is averaged, as it was
        while it learned.
        """
        node = self._reached
        assert node is not None
        if node in self._values:
            return self._values[node]
        if not all(node.moves):
            return None
        choosing = [r for r, moves in enumerate(node.moves) if len(moves) > 1] or [0]
        held = np.repeat(self._eyes.held(self._machine, state)[None], len(choosing), axis=0)
        scores, goals = self._eyes.network.judge(held, np.array(choosing))
        priors: dict[int, list[float]] = {}
        for r, row in zip(choosing, scores, strict=True):
            if not self._nature[r]:
                numbers = self._eyes.numbers(node.moves[r])
                known = np.where(numbers >= 0, row[numbers], row.min())
                power = np.exp(known - known.max())
                priors[r] = (power / power.sum()).tolist()
        self._priors[node] = priors
        self._values[node] = tuple(goals.mean(axis=0).tolist())
        return self._values[node]

    def _select(self, node: Node, r: int, references: list[Node | None]) -> int:
        """Return the number of the move of a role with the highest upper bound."""
        priors = self._priors.get(node, {}).get(r)
        if priors is None:
            return super()._select(node, r, references)
        visits, total = node.move_visits[r], node.move_total[r]
        count = sum(visits)
        # A move that was never made is worth what the node was found to be.
        mean = (sum(total) + self._values[node][r]) / (count + 1)
        spread = HIGHEST * self._weight * math.sqrt(count + 1)
        return max(
            range(len(visits)),
            key=lambda i: (
                (total[i] / visits[i] if visits[i] else mean) + spread * priors[i] / (1 + visits[i])
            ),
        )

    def _remember(self, path: Any, played: Any, goals: Goals) -> None:  # noqa: ANN401  # see there
        """Remember a line to an end; what the network hopes for is none."""
        if self._is_end:
            super()._remember(path, played, goals)
