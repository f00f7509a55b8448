"""The exact value of a state, where what is left of the game is small enough.

In: a state of a game of one role, or of two whose goals have a constant sum. Out: a `Solution`. A
compiled game is solved by proof search, for one goal after the other from the highest down; all
others by alpha-beta to the end.

Either way it is found what the role can force whatever the other does, by the role's own goals
alone. That it is also what comes of best play of both rests on the sum, which random plays and a
search suggest and `gdl.play.constant_sum` proves.

Source: see `gdl.play.dfpn` and `gdl.play.alphabeta`.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from gdl.game import Game
from gdl.language.diagnostics import GdlError
from gdl.language.syntax import Term
from gdl.play.alphabeta import AlphaBeta
from gdl.play.anytime import NotSequentialError, Thinker, UnsuitedError, without_collections
from gdl.play.budget import Budget
from gdl.play.constant_sum import SECONDS, is_sum_constant
from gdl.play.fallback_thoughts import fallback_thoughts
from gdl.play.information import InformationState
from gdl.play.mcts import MctsPlayer
from gdl.play.mcts_fallback import MctsFallback
from gdl.play.player import Position
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
    """What a role can force from a state.

    Attributes:
        role: Whose goal it is.
        value: The goal, 0 to 100, that it can force whatever all others do, and none above it; play
            that never ends counts as half of what two roles share, as in `gdl.solve`.
        move: A move of the role that keeps it; None where the role is not to move.
        states: States that were expanded.
        is_best_play: Whether it is proved that no other goal comes of best play, each for its own
            goal: the role is the only one, or the goals of both add up to the same at every end
            that play may come to from here. Else all ends that were seen did so.
    """

    role: Term
    value: int
    move: Term | None
    states: int
    is_best_play: bool = False


def solve(
    state: State,
    *,
    role: RoleLike | None = None,
    budget: Budget | None = None,
    clock: Budget | None = None,
) -> Solution:
    """Return the exact value of a state: the goal that a role can force, whatever the other does.

    With two roles it is also proved, where that takes no longer than two seconds of the processor,
    that they have a constant sum of goals (with the extra ``verify``): then this is what comes of
    best play of both. `Solution.is_best_play` says whether it was.

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
        return Solution(term, state.goal(term), None, 0, is_best_play=True)
    term = state.game.role(role) if role is not None else state.legal().role
    budget = budget or clock or Budget()
    searcher = MctsPlayer(role=term)
    searcher.prepare(state.game, budget)
    solution, total = Solver(searcher).solve(state, term, budget)
    if len(state.game.roles) == 1:
        return replace(solution, is_best_play=True)
    if total is None or budget.is_over:
        return solution
    is_constant = is_sum_constant(state, total, seconds=min(SECONDS, budget.left))
    if is_constant is False:
        raise _unsuited(state)
    return replace(solution, is_best_play=bool(is_constant))


class Solver:
    """Solves states of one game, by machine code where that is ready."""

    def __init__(self, searcher: MctsPlayer) -> None:
        """Keep the player that holds the code."""
        self._searcher = searcher

    def solve(self, state: State, role: Term, budget: Budget) -> tuple[Solution, int | None]:
        """Return what the role can force from a state, and what goals added up to where play ended.

        The sum is None where no end was seen, or there is one role alone. That it is the same at
        all other ends is not proved.

        Raises:
            UnsolvedError: See `solve`.
        """
        workspace = self._searcher.workspace_for(state)
        if workspace is None or not workspace.is_sequential:
            return _by_alphabeta(state, role, budget)
        if len(workspace.roles) > 1 and workspace.goal_sum is None:
            raise _unsuited(state)
        return _by_proof(workspace, state, role, budget)

    def halt(self, state: State) -> None:
        """End a proof that is under way; called from another thread."""
        workspace = self._searcher.workspace_for(state)
        if workspace is not None:
            workspace.halt()


def _by_proof(
    workspace: Workspace, state: State, role: Term, budget: Budget
) -> tuple[Solution, int | None]:
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
    # or on positions in which play is stuck: they are worth nothing, and no goal that rules name.
    may_lack = search.value == lowest and search.ever_lacked
    move = search.move if search.is_mine else None
    if may_lack and len(workspace.roles) == 1:  # one line of play shows that it has a goal
        move = _move_to(workspace, state, lowest, budget)
        may_lack = move is None
    is_open = search.is_unsure or may_lack
    if not is_open and workspace.goal_sum is not None:
        is_open = not _must_end(workspace, state, index, search.value, budget)
    if is_open:
        return _by_alphabeta(state, role, budget)
    if move is None and role in map(state.game.role, state.movers):
        move = state.legal(role)[0]  # the lowest goal: every move keeps it
    total = None if search.ever_lacked else workspace.goal_sum  # a goal that is missing has no sum
    return Solution(role, search.value, move, search.states), total


def _move_to(workspace: Workspace, state: State, goal: int, budget: Budget) -> Term | None:
    """Return a move of the only role by which it is proven to come to an end with a goal."""
    from gdl.play import dfpn

    if not _is_forced(workspace, state, 0, goal, budget):
        return None
    best = int(workspace.proof.status[dfpn.BEST_MOVE])
    move: Term = workspace.native.kernel.compiled.moves[0][best]
    return move


def _must_end(workspace: Workspace, state: State, index: int, value: int, budget: Budget) -> bool:
    """Return whether neither of two roles would rather play on for ever, or cannot.

    A goal that is proven is forced by the role, and one that is disproven rests on ends that the
    other forces. So both force an end with a value that lies between two goals. But the lowest was
    not proven, and above the highest nothing was disproven: who has more of play that never ends,
    which is worth half of the sum, might go round in circles there.
    """
    total, goals = workspace.goal_sum, workspace.native.kernel.compiled.goals[index]
    assert total is not None
    if value == min(goals) and 2 * value > total:  # the other has less, and would rather go on
        return _is_forced(workspace, state, index, value, budget)
    if value == max(goals) and 2 * value < total:  # the role itself would
        return _is_forced(workspace, state, 1 - index, total - value, budget)
    return True


def _is_forced(workspace: Workspace, state: State, index: int, goal: int, budget: Budget) -> bool:
    """Return whether it is proven in the time that a role forces an end with so much."""
    from gdl.play import dfpn
    from gdl.play.proof_search import COUNTED

    workspace.start_proof(state.inner, index, goal)
    code = dfpn.RUNNING
    while code == dfpn.RUNNING and not budget.is_over:
        code = dfpn.prove(workspace.proof, workspace.lanes.stepping, COUNTED)
    return code == dfpn.FINISHED and bool(workspace.proof.status[dfpn.IS_PROVEN])


def _by_alphabeta(state: State, role: Term, budget: Budget) -> tuple[Solution, int | None]:
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
    return Solution(role, int(search.value.value), move, search.nodes), search.goal_sum


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


class SolvePlayer(MctsFallback):
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
        if (sure := self._by_table(state, legal.role)) is not None:
            return sure
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
            self.thoughts = fallback_thoughts(state, legal.role, legal, budget, self.thoughts)
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
            self._solution, _ = self._solver.solve(self._state, self._role, self.budget)
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
            note=f"proven: {solution.value} can be forced, and no more",
        )


SOLVE_PLAYER: Final = Kind(
    "solve",
    "the exact value where it can be found, else like mcts",
    SolvePlayer,
    (Option("share", 0.6, "part of the time for the exact value", most=0.9),),
)
