"""States and moves as a deep network numbers them, whoever runs the rules.

In: a state of any state machine. Out: what holds, by the network's order of facts. A compiled game
says it by bits; others say it by terms, which are looked up.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from gdl.game import Game
from gdl.language.parse import parse_term
from gdl.language.syntax import Term
from gdl.play.deep.network import Network

NONE: Final = -1
"""In place of a move that the network does not tell apart."""


class Eyes:
    """How a network sees the states of one game on one back end."""

    def __init__(self, network: Network, game: Game) -> None:
        """Look up facts and moves once. Cost: some microseconds for each."""
        self.network = network
        facts = {parse_term(text): i for i, text in enumerate(network.head.facts)}
        self._facts = facts
        self._moves = {parse_term(text): i for i, text in enumerate(network.head.moves)}
        native = game.back_end.native
        self._order: NDArray[np.intp] | None = None
        if native is not None:
            own = {fact: i for i, fact in enumerate(native.kernel.compiled.facts)}
            self._count = len(own)
            # A fact of the network that the code does not have never holds: one column more.
            self._order = np.array([own.get(fact, len(own)) for fact in facts], np.intp)

    def held(self, machine: Any, state: Any) -> NDArray[np.bool_]:  # noqa: ANN401  # a machine's own
        """Return what holds in a state of a machine, ``bool[facts]``."""
        if self._order is not None and isinstance(state, bytes):
            bits = np.zeros(self._count + 1, np.uint8)
            bits[:-1] = np.unpackbits(np.frombuffer(state, np.uint8), count=self._count)
            return bits[self._order].astype(np.bool_)
        result = np.zeros(len(self._facts), np.bool_)
        for fact in machine.facts(state):
            number = self._facts.get(fact)
            if number is not None:
                result[number] = True
        return result

    def numbers(self, moves: Sequence[Term]) -> NDArray[np.intp]:
        """Return the numbers of moves."""
        return np.array([self._moves.get(move, NONE) for move in moves], np.intp)
