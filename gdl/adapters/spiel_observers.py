"""What players of a game of OpenSpiel see of a state: planes, and text.

In: a state of OpenSpiel. Out: observations, as ``open_spiel/python/observation.py`` wants them.

Source: Lanctot et al., "OpenSpiel: A Framework for Reinforcement Learning in Games", 2019.
"""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from gdl.adapters.markov_game import MarkovGame
from gdl.language.syntax import kif_text, sort_key
from gdl.state import State


class Observed(Protocol):
    """What is asked of a state of OpenSpiel; as text it is its position."""

    @property
    def position(self) -> State:
        """The state of the game."""

    def information(self, player: int) -> str:
        """Return all that a player knows of the play so far, as text."""


class PlaneObserver:
    """What a player sees now, as planes and as text (``PyObserver``).

    Attributes:
        tensor: ``float32[size]``, written over by each `set_from`.
        dict: The same in its shape, under ``observation``.
    """

    def __init__(self, markov_game: MarkovGame) -> None:
        """Make room for one observation."""
        self._markov_game = markov_game
        self.tensor: NDArray[np.float32] = np.zeros(
            int(np.prod(markov_game.planes.shape)), np.float32
        )
        self.dict = {"observation": self.tensor.reshape(markov_game.planes.shape)}

    def set_from(self, state: Observed, player: int) -> None:
        """Take what a player sees."""
        self.dict["observation"][:] = self._markov_game.observe(state.position, player)

    def string_from(self, state: Observed, player: int) -> str:
        """Return what a player sees as text."""
        if not self._markov_game.hides_facts:
            return str(state)
        seen = sorted(self._markov_game.percepts(state.position, player), key=sort_key)
        return f"{self._markov_game.names[player]} sees: {' '.join(map(kif_text, seen))}"


class RecallObserver:
    """All that a player knows of the play so far, as text (``PyObserver``)."""

    def __init__(self) -> None:
        """Hold nothing: there is no tensor."""
        self.tensor = None
        self.dict: dict[str, Any] = {}

    def set_from(self, state: Observed, player: int) -> None:
        """Do nothing: there is no tensor."""

    def string_from(self, state: Observed, player: int) -> str:
        """Return the play as a player knows it."""
        return state.information(player)
