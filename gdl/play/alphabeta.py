"""The alpha-beta player: iterative deepening, a transposition table, the history heuristic.

Compiled games are searched by machine code (`gdl.play.compiled_alphabeta`); here is the search of
all others.

In: a state of a game of one role, or of two whose goals have a constant sum, in which one role at a
time has a choice. Out: the value of the state as deep as time allows, exact where every line was
followed to its end: what the role can force, whatever the other does. Where the game does not end
before the horizon, compiled games are judged by random games in the lanes, all others as worth
half.

Source: Knuth and Moore, "An Analysis of Alpha-Beta Pruning", 1975; Schaeffer, "The History
Heuristic and Alpha-Beta Search Enhancements in Practice", 1989.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from random import Random
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from gdl.game import Game
from gdl.language.syntax import Term
from gdl.machine import JointMove, StateMachine, choosing
from gdl.play.anytime import Thinker, UnsuitedError, without_collections
from gdl.play.budget import Budget
from gdl.play.fallback_thoughts import BEGUN, fallback_thoughts
from gdl.play.information import InformationState, is_nature
from gdl.play.mcts import MctsPlayer
from gdl.play.mcts_fallback import MctsFallback
from gdl.play.player import Position
from gdl.play.registry import Kind, Option
from gdl.play.thoughts import Candidate, Thoughts
from gdl.state import State

if TYPE_CHECKING:
    from gdl.play.compiled_alphabeta import CompiledAlphaBeta
    from gdl.play.workspace import Workspace

HALF: Final = 50.0
"""What a state is worth of which nothing is known."""
LOW, HIGH = -1.0, 101.0
"""Below and above every goal of the language."""
SAMPLE: Final = 1_000
"""Moves of random plays that tell what goals come together, at most."""
SAMPLE_SHARE: Final = 0.05
"""Part of the time that they may take."""
LEAST_GUESS, MOST_GUESS = 0.5, 99.5
"""Bounds of what a state that is not over may look worth."""
DEEPEST: Final = 400
"""Plies; no game is searched deeper."""
MOST_KEPT: Final = 500_000
"""Positions in the table."""
Evaluate: TypeAlias = Callable[[Any], float]


class StoppedError(Exception):
    """The time is up in the middle of a search."""


@dataclass(frozen=True, slots=True)
class Entry:
    """What is known of a position.

    Attributes:
        depth: Plies that were looked ahead.
        lower: Least that it is worth to the role.
        upper: Most that it is worth.
        is_exact: Whether this holds however far one looks, so that any depth may use it.
        move: The best move found, or the one that cut.
    """

    depth: int
    lower: float
    upper: float
    is_exact: bool
    move: Term | None


@dataclass(frozen=True, slots=True)
class Value:
    """The value of a state, to the role that searches.

    Attributes:
        value: Between bounds that were asked for exact, else a bound.
        is_exact: Whether no line was broken off at the horizon.
    """

    value: float
    is_exact: bool


class AlphaBeta:
    """A search from one state (`gdl.play.anytime.Search`), one ply deeper each time.

    Attributes:
        depth: Plies of the last search that was finished.
        value: What it found.
        nodes: States looked at.
        goal_sum: What the goals of two roles added up to at all ends that were seen; None before
            the first, and with one role.
    """

    def __init__(
        self,
        machine: StateMachine[Any],
        state: Hashable,
        role: Term,
        *,
        budget: Budget,
        evaluate: Evaluate | None = None,
    ) -> None:
        """Prepare.

        Args:
            machine: The game.
            state: Where to begin.
            role: Whose value is wanted.
            budget: Breaks off the search.
            evaluate: The value to the role of a state that is not over.

        Raises:
            UnsuitedError: More than two roles, or one of them is nature, which wants nothing.
        """
        if len(machine.roles) > 2 or any(map(is_nature, machine.roles)):  # noqa: PLR2004  # two
            raise UnsuitedError
        self._machine = machine
        self._state = state
        self._role = role
        self._budget = budget
        self._evaluate = evaluate
        self._table: dict[Hashable, Entry] = {}
        self._history: dict[Term, int] = {}
        self.goal_sum: int | None = None
        self._begun = time.monotonic()
        self.depth = 0
        self.nodes = 0
        self.value: Value | None = None
        self.best: tuple[tuple[Term, float], ...] = ()

    def go_on(self) -> bool:
        """Search one ply deeper; False when the value is exact or time is up.

        Raises:
            UnsuitedError: Both roles have a choice, or the sum of the goals is not constant.
        """
        if self.depth >= DEEPEST or (self.value is not None and self.value.is_exact):
            return False
        try:
            if not self.depth:
                self._sample()
            self._deepen()
        except StoppedError:
            return False
        return not (self.value is not None and self.value.is_exact)

    def halt(self) -> None:
        """Nothing needs to be said: it looks at the time in every state."""

    def _sample(self) -> None:
        """Look at the goals of random plays: what is cut off may be where they have another sum.

        Raises:
            UnsuitedError: The sum is not constant, or a goal lies beyond those of the language.
        """
        rng, state = Random(0), self._state  # noqa: S311  # a sample
        until = time.monotonic() + SAMPLE_SHARE * self._budget.left
        for _ in range(min(SAMPLE, self._budget.simulations or SAMPLE)):
            if time.monotonic() > until:
                break
            state = self._machine.successor(state, rng.choice(self._choices(state)[1]))
            if self._machine.is_terminal(state):
                self._goal(state)
                state = self._state

    def _deepen(self) -> None:
        depth = self.depth + 1
        mover, moves = self._choices(self._state)
        sign = 1.0 if mover == self._role else -1.0
        order = self._ordered(self._state, moves)
        index = self._machine.roles.index(mover)
        values: list[tuple[JointMove, float]] = []
        alpha, beta, is_exact = LOW, HIGH, True
        for joint in order:
            after = self._machine.successor(self._state, joint)
            value = self._search(after, depth - 1, alpha, beta, 1)
            values.append((joint, value.value))
            is_exact = is_exact and value.is_exact
            if sign > 0:
                alpha = max(alpha, value.value)
            else:
                beta = min(beta, value.value)
            # The best goal there is cannot be beaten: it is exact whatever the moves not looked at.
            if value.is_exact and self._is_extreme(value.value, sign):
                is_exact = True
                break
            # In the midst of the first depth the best so far is better than to know nothing.
            if depth == 1 and (not self.best or sign * value.value > sign * self.best[0][1]):
                self.best = ((joint[index], value.value),)
        # A move searched after the best one has a bound in place of its value, and is sorted behind
        # it: sorting keeps the order of equals.
        values.sort(key=lambda joint_value: -sign * joint_value[1])
        best = values[0]
        self.best = tuple((joint[index], value) for joint, value in values)
        self.value = Value(best[1], is_exact)
        self._keep(self._state, Entry(depth, best[1], best[1], is_exact, best[0][index]))
        self.depth = depth

    @staticmethod
    def _is_extreme(value: float, sign: float) -> bool:
        return value >= 100 if sign > 0 else value <= 0  # noqa: PLR2004  # the highest goal

    def _search(self, state: Hashable, depth: int, alpha: float, beta: float, ply: int) -> Value:
        """Return the value of a state to the role, so many plies deep (fail-soft).

        Between alpha and beta it is the value itself; at most alpha it is an upper bound, at least
        beta a lower one. Nothing is negated for the other role: it makes beta small where the role
        makes alpha great.
        """
        self.nodes += 1
        most = self._budget.simulations
        if self._budget.is_over or (most is not None and self.nodes > most):
            raise StoppedError
        machine = self._machine
        if machine.is_terminal(state):
            return Value(self._goal(state), is_exact=True)
        entry = self._table.get(state)
        if entry is not None and (entry.is_exact or entry.depth >= depth):
            if entry.lower >= beta or entry.lower == entry.upper:
                return Value(entry.lower, entry.is_exact)
            if entry.upper <= alpha:
                return Value(entry.upper, entry.is_exact)
        if depth <= 0 or ply >= DEEPEST:
            return Value(self._guess(state), is_exact=False)
        return self._search_moves(state, depth, alpha, beta, ply)

    def _guess(self, state: Hashable) -> float:
        """Return what a state looks worth: never as good as a win that is known, nor as bad.

        So a proven win is preferred to any guess, and a guess to a proven loss.
        """
        if self._evaluate is None:
            return HALF
        return min(max(self._evaluate(state), LEAST_GUESS), MOST_GUESS)

    def _search_moves(
        self, state: Hashable, depth: int, alpha: float, beta: float, ply: int
    ) -> Value:
        """Return the value of a state in which the game goes on, and keep what it shows."""
        mover, moves = self._choices(state)
        is_mine = mover == self._role
        index = self._machine.roles.index(mover)
        best = LOW if is_mine else HIGH
        chosen: JointMove | None = None
        is_exact = True
        a, b = alpha, beta
        for joint in self._ordered(state, moves):
            after = self._machine.successor(state, joint)
            value = self._search(after, depth - 1, a, b, ply + 1)
            is_exact = is_exact and value.is_exact
            if chosen is None or (value.value > best if is_mine else value.value < best):
                best, chosen = value.value, joint
            if is_mine:
                a = max(a, best)
            else:
                b = min(b, best)
            if a >= b:
                move = joint[index]
                self._history[move] = self._history.get(move, 0) + depth * depth
                # One reply refutes: the bound rests on this line alone, and is as exact as it is.
                is_exact = value.is_exact
                break
        assert chosen is not None
        # Above alpha the value is at least this, below beta at most this: both, where in between.
        lower = best if best > alpha else LOW
        upper = best if best < beta else HIGH
        self._keep(state, Entry(depth, lower, upper, is_exact, chosen[index]))
        return Value(best, is_exact)

    def _keep(self, state: Hashable, entry: Entry) -> None:
        if len(self._table) < MOST_KEPT or state in self._table:
            self._table[state] = entry

    def _ordered(self, state: Hashable, moves: Sequence[JointMove]) -> list[JointMove]:
        """Return the moves: the best of last time first, then those that cut elsewhere."""
        entry = self._table.get(state)
        first = entry.move if entry is not None else None
        history = self._history
        return sorted(
            moves,
            key=lambda joint: (
                -max(1 << 60 if move == first else history.get(move, 0) for move in joint)
            ),
        )

    def _choices(self, state: Hashable) -> tuple[Term, list[JointMove]]:
        """Return who has a choice and all joint moves."""
        machine = self._machine
        legal = [machine.legal(state, role) for role in machine.roles]
        chooser = choosing(legal)
        if len(chooser) > 1 or not all(legal):
            raise UnsuitedError
        i = chooser[0] if chooser else machine.roles.index(self._role)
        return machine.roles[i], [
            tuple(move if r == i else moves[0] for r, moves in enumerate(legal))
            for move in legal[i]
        ]

    def _goal(self, state: Hashable) -> float:
        every = [self._machine.goals(state, role) for role in self._machine.roles]
        if any(len(values) != 1 for values in every):
            raise UnsuitedError
        goals = [values[0] for values in every]
        if not all(LOW < goal < HIGH for goal in goals):
            raise UnsuitedError
        if len(goals) > 1:
            if self.goal_sum is None:
                self.goal_sum = sum(goals)
            if sum(goals) != self.goal_sum:
                raise UnsuitedError
        return float(goals[self._machine.roles.index(self._role)])

    def thoughts(self) -> Thoughts | None:
        """Return what the last finished depth found, before the first what is known of it."""
        if not self.best:
            return None
        exact = self.value is not None and self.value.is_exact
        return Thoughts(
            self._role,
            tuple(
                Candidate(move, 1, value, exact and i == 0)
                for i, (move, value) in enumerate(self.best)
            ),
            line=self._line(self.best[0][0]),
            simulations=self.nodes,
            seconds=time.monotonic() - self._begun,
            note="exact" if exact else f"{self.depth} plies deep" if self.depth else BEGUN,
        )

    def _line(self, move: Term) -> tuple[JointMove, ...]:
        line: list[JointMove] = []
        state, machine = self._state, self._machine
        wanted: Term | None = move
        while wanted is not None and len(line) <= self.depth and not machine.is_terminal(state):
            joint = next((j for j in self._choices(state)[1] if wanted in j), None)
            if joint is None:
                break
            line.append(joint)
            state = machine.successor(state, joint)
            entry = self._table.get(state)
            wanted = entry.move if entry is not None else None
        return tuple(line)


class AlphaBetaPlayer(MctsFallback):
    """Alpha-beta search; games that are none for it are played by ``mcts``."""

    def __init__(
        self,
        *,
        role: Term | None = None,
        seed: int = 0,
        playouts: bool = True,
        value: str = "",
    ) -> None:
        """Prepare.

        Args:
            role: Whom it plays; None for the only one that can move.
            seed: Of the playouts.
            playouts: Whether compiled games are judged by playouts at the horizon.
            value: A file of ``gdl train``, by which they are judged instead.

        Raises:
            NetworkError: There is no such file, or it is none.
        """
        # At the horizon the network judges alone, whatever mcts would make of it.
        mcts = MctsPlayer(role=role, seed=seed, value=value, weight=1.0, rehearsal=_rehearse)
        super().__init__(mcts)
        self._playouts = playouts
        self._seed, self._moves = seed, 0
        self._thinker = Thinker()

    def __call__(self, game: Game, state: Position, budget: Budget) -> Term:
        """Return the move that is best as deep as was looked."""
        game, state = self._mcts.follow(game, state)
        legal = state.legal(self.role)
        role = legal.role
        if (sure := self._by_table(state, role)) is not None:
            return sure
        if (
            isinstance(state, InformationState)
            or len(legal) == 1
            or not self._thinker.is_idle(budget)
        ):
            return self._ask_mcts(game, state, budget)
        try:
            search = self._compiled(state, role, budget) or AlphaBeta(
                state.machine, state.inner, role, budget=budget, evaluate=self._judge(state, role)
            )
            with without_collections():
                thoughts = self._thinker.think(search, budget)
        except UnsuitedError:
            return self._ask_mcts(game, state, budget)
        self.thoughts = thoughts or fallback_thoughts(state, role, legal, budget, self.thoughts)
        return self.thoughts.best.move

    def _compiled(self, state: State, role: Term, budget: Budget) -> CompiledAlphaBeta | None:
        """Return the search by machine code; None where the game is none for it, or not ready.

        Raises:
            UnsuitedError: The sum of the goals is known not to be constant.
        """
        workspace = self._mcts.workspace_for(state)
        if workspace is None:
            return None
        from gdl.play.compiled_alphabeta import CompiledAlphaBeta, is_suited

        index = workspace.roles.index(role)
        if not workspace.is_zero_sum:
            raise UnsuitedError
        if not is_suited(workspace, index):
            return None
        self._moves += 1
        workspace.seed(self._seed + self._moves)
        return CompiledAlphaBeta(
            workspace,
            state.inner,
            index,
            simulations=budget.simulations,
            playouts=self._playouts,
        )

    def _judge(self, state: Position, role: Term) -> Evaluate | None:
        workspace = self._mcts.workspace_for(state)
        if workspace is None or not self._playouts:
            return None
        index = workspace.roles.index(role)
        workspace.resume()
        return lambda inner: workspace.mean(inner, index)


def _rehearse(workspace: Workspace) -> None:
    """Make the machine code of alpha-beta, too."""
    from gdl.play.compiled_alphabeta import rehearse

    rehearse(workspace)


ALPHABETA_PLAYER: Final = Kind(
    "alphabeta",
    "iterative deepening for two players of a constant sum",
    AlphaBetaPlayer,
    (
        Option("playouts", True, "judge by playouts where the game runs as machine code"),  # noqa: FBT003
        Option("value", "", "a file of gdl train that judges instead", of_machine=True),
    ),
)
