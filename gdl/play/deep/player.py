"""The player by a deep network, a file of ``gdl train --deep``: for any game that was learned.

It needs numpy and no more. Rules run as machine code once that is there, and its search is
`gdl.play.deep.search`; clocks, tables and what is said where there is no time are those of `mcts`.
"""

from __future__ import annotations

from typing import Final

from gdl.game import Game
from gdl.language.syntax import Term
from gdl.play.budget import Budget
from gdl.play.deep.eyes import Eyes
from gdl.play.deep.network import Network, read_network
from gdl.play.deep.search import DeepSearch
from gdl.play.mcts import MctsPlayer
from gdl.play.player import Position
from gdl.play.registry import Kind, Option, PlayerOptionError
from gdl.play.uct import PlainSearch

C: Final = 1.5
"""Exploration; that of the trees by which networks are trained."""


class DeepPlayer(MctsPlayer):
    """Tree search by a network."""

    def __init__(
        self,
        *,
        role: Term | None = None,
        seed: int = 0,
        network: str = "",
        c: float = C,
        native: bool = True,
    ) -> None:
        """Prepare; see `DEEP_PLAYER` for the options.

        Raises:
            NetworkError: The file is no deep network.
            PlayerOptionError: No file is named.
        """
        super().__init__(role=role, seed=seed, native=native)
        if not network:
            raise PlayerOptionError(
                "the player deep needs a network",
                expected="deep:network=FILE, a file of gdl train --deep",
            )
        self._deep: Network = read_network(network)
        self._explore = c
        self._eyes: tuple[Game, Eyes] | None = None

    def check(self, game: Game) -> None:
        """See that the network is of the rules of a game.

        Raises:
            NetworkError: It is not.
        """
        self._deep.head.check(game)

    def _begin(self, game: Game) -> None:
        if self._prepared_for != game:
            self.check(game)
            self._prepared_for = game

    def _plain(self, state: Position, role: Term, budget: Budget) -> PlainSearch:
        game = state.game
        if self._eyes is None or self._eyes[0] is not game:
            self._eyes = game, Eyes(self._deep, game)
        return DeepSearch(
            state,
            role,
            eyes=self._eyes[1],
            budget=budget,
            seed=self._rng.randrange(1 << 30),
            c=self._explore,
            believer=self._believer,
        )


DEEP_PLAYER: Final = Kind(
    "deep",
    "tree search by a network of gdl train --deep",
    DeepPlayer,
    (
        Option("network", "", "a file of gdl train --deep", of_machine=True),
        Option("c", C, "weight of exploration", least=0.01),
        Option("native", True, "run the rules as machine code where they can be"),  # noqa: FBT003
    ),
    needs_file=True,
)
