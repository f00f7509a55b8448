"""The player that looks one ply ahead.

It takes the move after which its goal is highest at once, and avoids moves that end the game
badly; what the others do at the same time it draws. Among equals it draws as well. Where no state
is found that agrees with what it has seen, it goes by what it knows (`gdl.play.fallback_thoughts`).
"""

from __future__ import annotations

import random
from typing import TYPE_CHECKING, Any, Final

from gdl.game import Game
from gdl.language.syntax import Term
from gdl.play.belief import Believer
from gdl.play.budget import Budget
from gdl.play.fallback_thoughts import NO_TIME, fallback_thoughts
from gdl.play.information import InformationState, NoStateError
from gdl.play.player import Position
from gdl.play.registry import Kind, Option
from gdl.play.tablebase import table_thoughts
from gdl.play.thoughts import Candidate, Thoughts
from gdl.state import State

if TYPE_CHECKING:
    from gdl.play.judge import Judge
    from gdl.play.value_network import Network

NEUTRAL: Final = 50.0
"""What a state is taken to be worth in which the game goes on."""

LOOKED: Final = "{}: {} of {} moves were looked at"
"""What is said where time was up before all moves were."""


class GreedyPlayer:
    """Takes the best goal that one move brings.

    Attributes:
        role: Whom it plays; None for the only one that can move.
        thoughts: What it thought of its last move.
    """

    def __init__(self, *, role: Term | None = None, seed: int = 0, value: str = "") -> None:
        """Prepare.

        Args:
            role: Whom it plays; None for the only one that can move.
            seed: Makes the draws repeatable.
            value: A file of ``gdl train``, which says what states are worth that are not over.

        Raises:
            NetworkError: There is no such file, or it is none.
        """
        self.role = role
        self._network: Network | None = None
        if value:
            from gdl.play.value_network import read_network

            self._network = read_network(value)
        self._judged: tuple[Game, Judge] | None = None
        self.thoughts: Thoughts | None = None
        self._believer = Believer(seed=seed)
        self._rng = random.Random(seed)  # noqa: S311  # play, not secrets

    def check(self, game: Game) -> None:
        """See that the network, if there is one, is of the rules of a game.

        Raises:
            NetworkError: It is not.
        """
        if self._network is not None:
            self._network.head.check(game)

    def __call__(self, game: Game, state: Position, budget: Budget) -> Term:
        """Return the move with the best goal after it, as far as time allows to look."""
        self._judge(game)
        sure = table_thoughts(state, state.legal(self.role).role)
        if sure is not None:
            self.thoughts = sure
            return sure.best.move
        try:
            here = self._sample(state, budget) if isinstance(state, InformationState) else state
        except NoStateError:
            legal = state.legal(self.role)
            self.thoughts = fallback_thoughts(state, legal.role, legal, budget, self.thoughts)
            return self.thoughts.best.move
        legal = here.legal(self.role)
        moves = list(legal)
        self._rng.shuffle(moves)
        candidates: list[Candidate] = []
        for move in moves:
            if candidates and (budget.is_over or len(moves) == 1):
                break
            started = budget.spent
            candidates.append(Candidate(move, 1, self._value(here, legal.role, move)))
            budget.expect(budget.spent - started)
        candidates.sort(key=lambda candidate: -candidate.value)
        looked = len(candidates)
        note = "" if looked == len(moves) else LOOKED.format(NO_TIME, looked, len(moves))
        self.thoughts = Thoughts(legal.role, tuple(candidates), simulations=looked, note=note)
        return candidates[0].move

    def prepare(self, game: Game, budget: Budget) -> None:
        """See that the network is one for the game."""
        del budget
        self._judge(game)

    def _judge(self, game: Game) -> Judge | None:
        """Return what judges states of a game, None for nothing.

        Raises:
            NetworkError: The network is of other rules, or the game is not compiled.
        """
        if self._network is None:
            return None
        if self._judged is None or self._judged[0] is not game:
            from gdl.play.judge import Judge

            self._judged = game, Judge(self._network, game)
        return self._judged[1]

    def _sample(self, seen: InformationState, budget: Budget) -> State:
        """Return a state, as often as it is likely by what was seen."""
        belief = self._believer.follow(seen, budget)
        return belief.state(belief.sample(self._rng))

    def _value(self, state: State, role: Term, move: Term) -> float:
        """Return the goal after a move if the game ends there, else what the state looks worth."""
        machine: Any = state.machine
        joint_move = []
        for other in machine.roles:
            moves = machine.legal(state.inner, other)
            if other != role and not moves:
                return NEUTRAL
            joint_move.append(move if other == role else self._rng.choice(moves))
        after = machine.successor(state.inner, tuple(joint_move))
        if not machine.is_terminal(after):
            judge = self._judge(state.game)
            is_own = judge is not None and machine is state.game.machine
            return judge.value(after, machine.roles.index(role)) if judge and is_own else NEUTRAL
        goals = machine.goals(after, role)
        return float(goals[0]) if len(goals) == 1 else NEUTRAL


GREEDY_PLAYER: Final = Kind(
    "greedy",
    "takes the best goal that one move brings",
    GreedyPlayer,
    (Option("value", "", "a file of gdl train that judges what is not over", of_machine=True),),
)
