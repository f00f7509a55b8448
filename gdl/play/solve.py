"""The exact value of a state, where what is left of the game is small enough.

In: a state of a game of one role, or of two whose goals have a constant sum. Out: a `Solution`. A
compiled game is solved by proof search, for one goal after the other from the highest down; all
others by alpha-beta to the end.

Source: see `gdl.play.dfpn` and `gdl.play.alphabeta`.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from gdl.game import Game
from gdl.language.diagnostics import GdlError
from gdl.language.syntax import Term
from gdl.play.alphabeta import AlphaBeta
from gdl.play.anytime import NotSequentialError, Thinker, UnsuitedError, without_collections
from gdl.play.beside_mcts import BesideMcts
from gdl.play.budget import Budget
from gdl.play.information import InformationState
from gdl.play.mcts import MctsPlayer
from gdl.play.player import Position
from gdl.play.probing import table_thoughts
from gdl.play.recall import recall
from gdl.play.registry import Kind, Option
from gdl.play.thoughts import Candidate, Thoughts
from gdl.state import RoleLike, State

if TYPE_CHECKING:
    from gdl.play.workspace import Workspace


class UnsolvedError(GdlError):
    """The exact value was not found: the game is none that can be solved, or it is too large."""

    notes_first = True


@dataclass(frozen=True, slots=True)
class Solution:
    """The value of a state under best play of all.

    Attributes:
        role: Whose goal it is.
        value: The goal, 0 to 100.
        move: A move of the role that keeps it; None where the role is not to move.
        states: States that were expanded.
    """

    role: Term
    value: int
    move: Term | None
    states: int


def solve(
    state: State,
    *,
    role: RoleLike | None = None,
    budget: Budget | None = None,
    clock: Budget | None = None,
) -> Solution:
    """Return the exact value of a state.

    Args:
        state: Where to begin.
        role: Whose value is wanted, by default that of the only role that can move.
        budget: How long to search; by default as long as it takes.
        clock: The old name of ``budget``.

    Raises:
        UnsolvedError: Time is up, or the game is none of one role, or of two with a constant sum
            of goals, that take turns and leave nothing to chance.

    Example:
        >>> import gdl
        >>> from gdl.play import solve
        >>> solve(gdl.load("tictactoe").initial()).value
        50
    """
    if clock is not None:
        warnings.warn("solve(clock=...) is solve(budget=...) now", DeprecationWarning, stacklevel=2)
    if state.is_terminal:
        term = state.game.role(role if role is not None else state.game.roles[0])
        return Solution(term, state.goal(term), None, 0)
    term = state.game.role(role) if role is not None else state.legal().role
    budget = budget or clock or Budget()
    searcher = MctsPlayer(role=term)
    searcher.prepare(state.game, budget)
    return Solver(searcher).solve(state, term, budget)


class Solver:
    """Solves states of one game, by machine code where that is ready."""

    def __init__(self, searcher: MctsPlayer) -> None:
        """Keep the player that holds the code."""
        self._searcher = searcher

    def solve(self, state: State, role: Term, budget: Budget) -> Solution:
        """Return the exact value of a state.

        Raises:
            UnsolvedError: See `solve`.
        """
        workspace = self._searcher.workspace_for(state)
        if workspace is None or not workspace.is_sequential:
            return _by_alphabeta(state, role, budget)
        if not workspace.is_zero_sum:
            raise _unsuited(state)
        return _by_proof(workspace, state, role, budget)

    def halt(self, state: State) -> None:
        """End a proof that is under way; called from another thread."""
        workspace = self._searcher.workspace_for(state)
        if workspace is not None:
            workspace.halt()


def _by_proof(workspace: Workspace, state: State, role: Term, budget: Budget) -> Solution:
    from gdl.play.lane_tables import worst_goal
    from gdl.play.proof_search import ProofSearch

    index = workspace.roles.index(role)
    goals = workspace.native.kernel.compiled.goals[index]
    lowest = worst_goal(goals)
    if set(goals) <= {lowest}:  # nothing to prove of it but that play comes to an end
        return _by_alphabeta(state, role, budget)
    workspace.resume()
    try:
        search = ProofSearch(workspace, state.inner, index, simulations=budget.simulations)
        while not search.is_finished:
            if budget.is_over or not (search.go_on() or search.is_finished):
                raise _unsolved(state, search.states)
    except NotSequentialError:
        return _by_alphabeta(state, role, budget)
    # All but the lowest goal is proven. That the others are disproven may rest on ends without any,
    # which are worth nothing, and no goal that the rules name.
    may_lack = search.value == lowest and len(set(goals)) > 1 and not workspace.gives_goals
    if search.is_unsure or may_lack:
        return _by_alphabeta(state, role, budget)
    move = search.move if search.is_mine else None
    if move is None and role in map(state.game.role, state.movers):
        move = state.legal(role)[0]  # the lowest goal: every move keeps it
    return Solution(role, search.value, move, search.states)


def _by_alphabeta(state: State, role: Term, budget: Budget) -> Solution:
    try:
        search = AlphaBeta(state.machine, state.inner, role, budget=budget)
        while search.go_on():
            pass
    except UnsuitedError:
        raise _unsuited(state) from None
    if search.value is None or not search.value.is_exact:
        raise _unsolved(state, search.nodes)
    is_mine = role in map(state.game.role, state.movers)
    move = search.best[0][0] if is_mine else None
    return Solution(role, int(search.value.value), move, search.nodes)


def _unsuited(state: State) -> UnsolvedError:
    return UnsolvedError(
        f"{state.game.id} cannot be solved",
        expected=(
            "a game of one role, or of two whose goals have a constant sum, in which they take "
            "turns and nothing is drawn"
        ),
    )


def _unsolved(state: State, states: int) -> UnsolvedError:
    return UnsolvedError(
        f"the value of this state of {state.game.id} was not found in the time given",
        notes=[f"{states:,} states were looked at"],
        help="give more time, or begin later in the game",
    )


class SolvePlayer(BesideMcts):
    """Solves what can be solved in a part of its time; else it plays like ``mcts``."""

    def __init__(self, *, role: Term | None = None, seed: int = 0, share: float = 0.6) -> None:
        """Prepare.

        Args:
            role: Whom it plays; None for the only one that can move.
            seed: Of the playouts.
            share: Part of the time for the exact value.
        """
        super().__init__(MctsPlayer(role=role, seed=seed))
        self._share = min(max(share, 0.0), 0.9)
        self._thinker = Thinker()

    def __call__(self, game: Game, state: Position, budget: Budget) -> Term:
        """Return a move that keeps the exact value, or what ``mcts`` would play."""
        game, state = self._mcts.follow(game, state)
        legal = state.legal(self.role)
        if (known := table_thoughts(state, legal.role)) is not None:
            self.thoughts = known
            return known.best.move
        if (
            not isinstance(state, InformationState)
            and len(legal) > 1
            and self._thinker.is_idle(budget)
        ):
            task = _SolveTask(Solver(self._mcts), state, legal.role, budget, self._share)
            with without_collections():
                thoughts = self._thinker.think(task, task.budget)
            if thoughts is not None:
                self.thoughts = thoughts
                return thoughts.best.move
        if not self._thinker.is_idle(budget):
            self.thoughts = recall(state, legal.role, legal, budget, self.thoughts)
            return self.thoughts.best.move
        return self._ask_mcts(game, state, budget)


class _SolveTask:
    """The exact value as something to be thought about for a part of the time."""

    def __init__(
        self, solver: Solver, state: State, role: Term, budget: Budget, share: float
    ) -> None:
        self._solver, self._state, self._role = solver, state, role
        self._solution: Solution | None = None
        whole = budget.seconds == float("inf")
        self.budget = (
            Budget(simulations=budget.simulations)
            if whole
            else Budget(max(budget.left * share, 0.001))
        )

    def go_on(self) -> bool:
        """Solve; all at once."""
        try:
            self._solution = self._solver.solve(self._state, self._role, self.budget)
        except UnsolvedError:
            self._solution = None
        return False

    def halt(self) -> None:
        """End a proof that is under way; all else looks at the time."""
        self._solver.halt(self._state)

    def thoughts(self) -> Thoughts | None:
        """Return the solution, if there is one."""
        solution = self._solution
        if solution is None or solution.move is None:
            return None
        return Thoughts(
            self._role,
            (Candidate(solution.move, solution.states, float(solution.value), proven=True),),
            simulations=solution.states,
            seconds=self.budget.spent,
            note=f"exact: the game is worth {solution.value}",
        )


SOLVE_PLAYER: Final = Kind(
    "solve",
    "the exact value where it can be found, else like mcts",
    SolvePlayer,
    (Option("share", 0.6, "part of the time for the exact value", most=0.9),),
)
