"""A value network asked from Python, by players that look at one state at a time."""

from __future__ import annotations

from gdl.game import Game
from gdl.play.lane_tables import pack_state
from gdl.play.value_network import Network, facts_of, judge_state


class Judge:
    """A network that is asked from Python about states of a compiled game."""

    def __init__(self, network: Network, game: Game) -> None:
        """Prepare.

        Raises:
            NetworkError: The network is of other rules, or the game is not compiled.
        """
        self._network = network
        self._tables = network.tables_for(game)

    def value(self, state: bytes, role: int) -> float:
        """Return the goal that a role may hope for in a state that is not over.

        The state is one of the native machine.
        """
        words = pack_state(state, facts_of(self._tables))
        return self._network.value(float(judge_state(self._tables, words)), role)
