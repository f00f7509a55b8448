"""One game of a tournament.

In: a bout, its plan, its ruleset. Out: an `Outcome`, with every move. A player that fails or
names an illegal move gets a legal one drawn at random; this and every missed clock is told.
"""

from __future__ import annotations

import random
import traceback
from dataclasses import dataclass
from time import monotonic
from typing import Final

from gdl.game import Game
from gdl.language.diagnostics import GdlError
from gdl.language.syntax import Term, kif_text
from gdl.machine import IllegalMoveError
from gdl.play.budget import Budget
from gdl.play.player import Player, choose, describe_error, prepare
from gdl.play.registry import make
from gdl.play.tournament.plan import NATURE, Bout, Plan
from gdl.state import State

OPENING_TRIES: Final = 20
"""Openings that are drawn before a shorter one is."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a game ended.

    Attributes:
        bout: Which game.
        moves: Every joint move as KIF text, the opening included.
        opening: How many of them were drawn.
        is_over: Whether the game came to its end; if not it counts as drawn.
        goals: Every goal value that the rules give each role in the last state.
        faults: What players did wrong: ply, role and fault, in words.
        faulty: Number of the player of each fault; none for a game that ends too early.
        seconds: Longest time for one move, of each role.
        wall: How long the game took, in seconds.
    """

    bout: Bout
    moves: tuple[tuple[str, ...], ...]
    opening: int
    is_over: bool
    goals: tuple[tuple[int, ...], ...]
    faults: tuple[str, ...]
    faulty: tuple[int, ...]
    seconds: tuple[float, ...]
    wall: float


def play_game(game: Game, plan: Plan, bout: Bout) -> Outcome:
    """Play one game to its end.

    Args:
        game: The ruleset of the bout.
        plan: Players, budgets and the seed.
        bout: Which game of the plan.
    """
    return _RunningGame(game, plan, bout).play()


class _RunningGame:
    """A game while it is played."""

    def __init__(self, game: Game, plan: Plan, bout: Bout) -> None:
        self.game, self.plan, self.bout = game, plan, bout
        self.roles = game.machine.roles
        self.rng = _rng(plan, f"game/{bout.number}")
        self.faults: list[str] = []
        self.faulty: list[int] = []
        self.seconds = [0.0] * len(self.roles)
        self.players = [self._seated(index) for index in range(len(self.roles))]

    def _seated(self, index: int) -> Player | None:
        """Return the player of a role, None for nature."""
        number = self.bout.seats[index]
        if number == NATURE:
            return None
        seed = _rng(self.plan, f"player/{self.bout.number}/{index}").getrandbits(32)
        return make(self.plan.players[number], role=self.roles[index], seed=seed, own=True)

    def play(self) -> Outcome:
        begin = monotonic()
        state = opening(self.game, self.plan, self.bout)
        for index, player in enumerate(self.players):
            if player is not None:
                self._prepare(player, state, index)
        opening_plies = state.ply
        while not state.is_terminal and state.ply < self.plan.max_plies:
            legal = [state.legal(role) for role in self.roles]
            if not all(legal):
                self.faults.append(f"{state.ply}: a role has no legal move; the game ends here")
                break
            state = state.play([self._move(state, index) for index in range(len(self.roles))])
        machine = state.machine
        joint_moves = [after.last_move for after in state.history[1:]]
        return Outcome(
            bout=self.bout,
            moves=tuple(tuple(map(kif_text, joint)) for joint in joint_moves if joint is not None),
            opening=opening_plies,
            is_over=state.is_terminal,
            goals=tuple(machine.goals(state.inner, role) for role in self.roles),
            faults=tuple(self.faults),
            faulty=tuple(self.faulty),
            seconds=tuple(round(seconds, 3) for seconds in self.seconds),
            wall=round(monotonic() - begin, 3),
        )

    def _prepare(self, player: Player, state: State, index: int) -> None:
        try:
            prepare(player, self.game, Budget(self.plan.start_seconds))
        except (Exception, SystemExit) as error:  # noqa: BLE001  # somebody else may do anything
            traceback.print_exc()
            self._fault(state, index, f"failed to get ready: {describe_error(error)}")

    def _move(self, state: State, index: int) -> Term:
        role, player = self.roles[index], self.players[index]
        legal = state.legal(role)
        if player is None or len(legal) == 1:
            return self.rng.choice(legal)
        budget = Budget(self.plan.seconds, simulations=self.plan.simulations)
        try:
            move = choose(player, state, budget, role=role)
        except IllegalMoveError as error:
            return self._instead(state, index, f"named the illegal move {error.move}")
        except (Exception, SystemExit) as error:  # noqa: BLE001  # somebody else may do anything
            traceback.print_exc()
            return self._instead(state, index, f"failed: {describe_error(error)}")
        self.seconds[index] = max(self.seconds[index], budget.spent)
        if budget.is_missed:
            self._fault(state, index, f"took {budget.spent:.2f} of {budget.seconds:g} s")
        return move

    def _instead(self, state: State, index: int, what: str) -> Term:
        move = self.rng.choice(state.legal(self.roles[index]))
        self._fault(state, index, f"{what}; {move} was drawn instead")
        return move

    def _fault(self, state: State, index: int, what: str) -> None:
        number = self.bout.seats[index]
        name = self.plan.players[number]
        self.faulty.append(number)
        self.faults.append(f"{state.ply}: {self.roles[index]} ({name}) {what}")


def opening(game: Game, plan: Plan, bout: Bout) -> State:
    """Return the state from which the players begin, the same for all seatings of a round.

    Where the wanted number of plies ends the game each time, a shorter opening is drawn.
    """
    rng = _rng(plan, f"opening/{bout.opening}")
    for plies in range(plan.opening_plies, 0, -1):
        for _ in range(OPENING_TRIES):
            state = _after_random_plies(game.initial(), plies, rng)
            if state is not None:
                return state
    return game.initial()


def _after_random_plies(state: State, plies: int, rng: random.Random) -> State | None:
    for _ in range(plies):
        legal = [state.legal(role) for role in state.machine.roles]
        if not all(legal):
            return None
        try:
            state = state.play([rng.choice(moves) for moves in legal])
        except GdlError:
            return None
        if state.is_terminal:
            return None
    return state


def _rng(plan: Plan, what: str) -> random.Random:
    return random.Random(f"{plan.seed}/{what}")  # noqa: S311  # chance is for play
