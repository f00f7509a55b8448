"""What players share that leave to ``mcts`` where their own way does not apply."""

from __future__ import annotations

from gdl.game import Game
from gdl.language.syntax import Term
from gdl.play.budget import Budget
from gdl.play.mcts import MctsPlayer
from gdl.play.player import Position
from gdl.play.tablebase import table_thoughts
from gdl.play.thoughts import Thoughts


class MctsFallback:
    """A player that falls back to ``mcts``.

    Attributes:
        role: Whom it plays; None for the only one that can move.
        thoughts: What it thought of its last move.
    """

    def __init__(self, mcts: MctsPlayer) -> None:
        """Prepare."""
        self.role = mcts.role
        self.thoughts: Thoughts | None = None
        self._mcts = mcts

    @property
    def backend(self) -> str:
        """The back end on which it thought, ``reason`` or ``native``; empty before."""
        return self._mcts.backend

    def check(self, game: Game) -> None:
        """See that it can play a game, as `mcts` does."""
        self._mcts.check(game)

    def prepare(self, game: Game, budget: Budget) -> None:
        """Make the code that the search needs."""
        self._mcts.prepare(game, budget)

    def _by_table(self, state: Position, role: Term) -> Term | None:
        """Return the move that keeps the value by the game's table, None where it has none."""
        thoughts = table_thoughts(state, role)
        if thoughts is None:
            return None
        self.thoughts = thoughts
        return thoughts.best.move

    def _ask_mcts(self, game: Game, state: Position, budget: Budget) -> Term:
        move = self._mcts(game, state, budget)
        self.thoughts = self._mcts.thoughts
        return move
