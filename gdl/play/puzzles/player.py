"""The player that looks for a whole plan and then plays it.

It keeps the best plan from move to move, and looks for a better one until the plan is proven best.
Where the game is no puzzle (several roles, chance, hidden facts, no machine code) or no play comes
to an end in the time given, ``mcts`` plays.
"""

from __future__ import annotations

from typing import Final

from gdl.game import Game
from gdl.language.syntax import Term
from gdl.play.anytime import Thinker, UnsuitedError, without_collections
from gdl.play.budget import Budget
from gdl.play.information import InformationState
from gdl.play.mcts import MctsPlayer
from gdl.play.mcts_fallback import MctsFallback
from gdl.play.player import Position
from gdl.play.puzzles.planner import Plan, Planner, Workshop, thoughts_of_plan
from gdl.play.registry import Kind
from gdl.state import State


class PuzzlePlayer(MctsFallback):
    """Finds a plan and plays it."""

    def __init__(self, *, role: Term | None = None, seed: int = 0) -> None:
        """Prepare; ``seed`` is that of random plays and beams."""
        super().__init__(MctsPlayer(role=role, seed=seed))
        self._seed = seed
        self._thinker = Thinker()
        self._prepared_for: Game | None = None
        self._workshop: Workshop | None = None
        self._plan: tuple[State, Plan] | None = None

    def prepare(self, game: Game, budget: Budget) -> None:
        """Make the code that the searches need; where it is no puzzle, that of ``mcts``."""
        if self._prepared_for != game:
            self._prepared_for, self._plan = game, None
            try:
                self._workshop = Workshop(game)
            except UnsuitedError:
                self._workshop = None
        if self._workshop is None:
            super().prepare(game, budget)

    def __call__(self, game: Game, state: Position, budget: Budget) -> Term:
        """Return the next move of the best plan."""
        role = state.legal(self.role).role
        if (sure := self._by_table(state, role)) is not None:
            return sure
        if len(game.machine.roles) == 1 and self._prepared_for != game:
            self.prepare(game, budget)
        shop = self._workshop if self._prepared_for == game else None
        if shop is None or isinstance(state, InformationState) or state.machine is not game.machine:
            return self._ask_mcts(game, state, budget)
        plan = self._rest(state)
        if plan is None or not plan.is_proven:
            plan = self._think(shop, state, plan, budget)
        if plan is None:
            return self._ask_mcts(game, state, budget)
        self.thoughts = thoughts_of_plan(role, plan)
        self._plan = (state.play(plan.moves[0]), plan.after_first())
        return plan.moves[0]

    def _rest(self, state: State) -> Plan | None:
        """Return what is left of the plan, where play has followed it."""
        if self._plan is None:
            return None
        expected, plan = self._plan
        return plan if plan.moves and expected.inner == state.inner else None

    def _think(
        self, shop: Workshop, state: State, plan: Plan | None, budget: Budget
    ) -> Plan | None:
        """Search on, beginning with what is known; return the best plan."""
        if not self._thinker.is_idle(budget):
            return plan
        planner = Planner(shop, state, seed=self._seed + state.ply, plan=plan)
        with without_collections():
            self._thinker.think(planner, budget)
        if self._thinker.wait(0):
            planner.close()
        return planner.result() or plan


PUZZLE_PLAYER: Final = Kind(
    "puzzle", "finds a whole plan in games of one role, and plays it", PuzzlePlayer
)
