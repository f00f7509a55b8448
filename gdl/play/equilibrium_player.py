"""The player whose moves cannot be read: it draws them from an equilibrium of the whole game.

The equilibrium is improved for as long as the start clock and the clocks of moves allow. Where the
game is too large for that, or none of two with a constant sum, or play did not begin at its
beginning, ``mcts`` plays.
"""

from __future__ import annotations

import random
from typing import Final

from gdl.game import Game
from gdl.language.syntax import Term
from gdl.play.budget import Budget
from gdl.play.equilibrium import GameTree, Knowledge, NoEquilibriumError, Regrets
from gdl.play.information import InformationState
from gdl.play.mcts import MctsPlayer
from gdl.play.mcts_fallback import MctsFallback
from gdl.play.mixed_strategy import odds
from gdl.play.player import Position
from gdl.play.registry import Kind
from gdl.play.thoughts import Candidate, Thoughts
from gdl.solve.limits import TooLargeError

ENOUGH: Final = 2_000
"""Improvements after which a policy is left as it is."""
SHARE: Final = 0.5
"""Part of the time of a move for improvements."""


class EquilibriumPlayer(MctsFallback):
    """Draws its moves from an equilibrium."""

    def __init__(self, *, role: Term | None = None, seed: int = 0) -> None:
        """Prepare; ``seed`` is that of the draws."""
        super().__init__(MctsPlayer(role=role, seed=seed))
        self._rng = random.Random(seed)  # noqa: S311  # play, not secrets
        self._prepared_for: Game | None = None
        self._regrets: Regrets | None = None
        self._cost = 0.0

    def prepare(self, game: Game, budget: Budget) -> None:
        """Make the tree of the game, and improve the policy as far as the start clock allows."""
        if self._prepared_for != game:
            self._prepared_for = game
            started = budget.spent
            try:
                self._regrets = Regrets(GameTree(game, budget=budget))
            except (TooLargeError, NoEquilibriumError):
                self._regrets = None
            self._cost = budget.spent - started  # an improvement takes no longer
        if self._regrets is None:
            super().prepare(game, budget)
        else:
            self._improve(self._regrets, budget, 1.0)

    def _improve(self, regrets: Regrets, budget: Budget, share: float) -> None:
        """Improve for a part of the time that is left, or by so many simulations."""
        most = min(ENOUGH, regrets.iterations + (budget.simulations or ENOUGH))
        until = budget.spent + max(0.0, budget.left) * share
        while regrets.iterations < most and budget.spent <= until and not budget.is_over:
            if budget.left < self._cost:
                return
            started = budget.spent
            regrets.improve()
            self._cost = budget.spent - started

    def __call__(self, game: Game, state: Position, budget: Budget) -> Term:
        """Return a move, as often as the equilibrium takes it."""
        legal = state.legal(self.role)
        if len(legal) == 1:
            self.thoughts = Thoughts(
                legal.role, (Candidate(legal[0], 0, 0.0),), note="the only move"
            )
            return legal[0]
        if (sure := self._by_table(state, legal.role)) is not None:
            return sure
        regrets = self._regrets if self._prepared_for == game else None
        at = None
        if regrets is not None:
            self._improve(regrets, budget, SHARE)
            knowledge = _knowledge(state)
            at = None if knowledge is None else regrets.tree.number_of(legal.role, knowledge)
        if regrets is None or at is None or not regrets.iterations:
            return self._ask_mcts(game, state, budget)
        moves, shares = regrets.tree.sets[at].moves, regrets.policy()[at]
        chosen: Term = self._rng.choices(moves, shares)[0]
        self.thoughts = _thoughts(legal.role, chosen, moves, shares, regrets.iterations)
        return chosen


def _knowledge(position: Position) -> Knowledge | None:
    """Return what a role did and saw, as the tree has it; None if play began elsewhere."""
    start = position.start if isinstance(position, InformationState) else position.history[0]
    if start.inner != start.game.machine.initial() or start.machine is not start.game.machine:
        return None
    if isinstance(position, InformationState):
        return tuple((step.move, step.percepts) for step in position.steps)
    return tuple(s.last_move for s in position.history if s.last_move is not None)


def _thoughts(
    role: Term, chosen: Term, moves: tuple[Term, ...], shares: list[float], iterations: int
) -> Thoughts:
    """Return all moves with the percentage that the equilibrium takes them, the drawn one first."""
    taken = odds(dict(zip(moves, shares, strict=True)))
    note = f"drawn from an equilibrium ({taken}) after {iterations} improvements"
    return Thoughts(role, (Candidate(chosen, iterations, 0.0),), simulations=iterations, note=note)


EQUILIBRIUM_PLAYER: Final = Kind(
    "equilibrium", "draws its moves from an equilibrium, in small games of two", EquilibriumPlayer
)
