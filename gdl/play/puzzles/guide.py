"""How near states are to a goal, from the condition that the rules set for it."""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from gdl.circuit.game import GameCircuit
from gdl.play.puzzles.lanes import Rows
from gdl.verify.systems.nearness import Nearness

ENDING: Final = 0.2
"""Weight of how near the end is, beside the goal."""


class Guide:
    """Says of many states how near they are to the highest goal, 0 to 1 and a little."""

    def __init__(self, circuit: GameCircuit) -> None:
        """Take the condition apart. Cost O(nodes)."""
        _, best = max(circuit.goals[0])
        self._near = Nearness(circuit, (best, circuit.terminal))

    def __call__(self, states: Rows) -> NDArray[np.float32]:
        """Return how near each state is."""
        goal, ending = self._near(states)
        return goal + np.float32(ENDING) * ending
