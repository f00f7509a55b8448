"""What a role knows of a match that hides facts, and the states in which it may be.

In games that hide facts (GDL-II) a role knows its own moves and its percepts. An
`InformationState` is that knowledge (the name is OpenSpiel's); it can draw states that agree with
it, however likely they are; `gdl.play.belief` tells how likely.

Source: Thielscher, "A General Game Description Language for Incomplete Information Games",
AAAI 2010; sampling as in Cowling, Powley and Whitehouse, "Information Set Monte Carlo Tree
Search", 2012.
"""

from __future__ import annotations

import random
from dataclasses import dataclass
from typing import Any, Final

from gdl.game import Game
from gdl.language.keywords import RANDOM
from gdl.language.syntax import Term
from gdl.machine import JointMove
from gdl.play.budget import Budget
from gdl.state import LegalMoves, State

__all__ = ["InformationState", "MoveAndPercepts", "NoStateError", "information_state"]

TRIES: Final = 200
"""Joint moves that are tried at one step before a sampling goes back to an earlier one."""
MAX_STEPS: Final = 2_000
"""Steps of one sampling before it gives up."""


@dataclass(frozen=True, slots=True)
class MoveAndPercepts:
    """One step of a match as one role saw it.

    Attributes:
        move: The role's own move.
        percepts: What it saw of the joint move.
    """

    move: Term
    percepts: frozenset[Term]


class NoStateError(Exception):
    """No state was found in which everything that was seen could have happened."""


@dataclass(frozen=True, slots=True)
class InformationState:
    """All that a role knows of a match.

    Attributes:
        game: The game.
        role: The role.
        start: Where the match began, known to all.
        steps: What it did and saw, from the first move on.
        moves: Its legal moves now, where it was told them; it knows them in well-formed games.
    """

    game: Game
    role: Term
    start: State
    steps: tuple[MoveAndPercepts, ...] = ()
    moves: LegalMoves | None = None

    def after(self, move: Term, percepts: frozenset[Term]) -> InformationState:
        """Return what is known after one more step."""
        return InformationState(
            self.game, self.role, self.start, (*self.steps, MoveAndPercepts(move, percepts))
        )

    def legal(self, role: Term | str | None = None) -> LegalMoves:
        """Return the legal moves of the role, which it knows in well-formed games.

        Raises:
            NoStateError: What was seen cannot have happened.
            ValueError: Another role is asked for; its moves are not known.
        """
        if role is not None and self.game.role(role) != self.role:
            raise ValueError(f"{self.role} does not know what is legal for {role}")
        if self.moves is not None:
            return self.moves
        rng = random.Random(0)  # noqa: S311  # play, not secrets
        return self.sample(rng, None).legal(self.role)

    def sample(self, rng: random.Random, budget: Budget | None) -> State:
        """Draw a state that agrees with all that was seen.

        A walk from the start draws the moves of the others at random, and takes only steps after
        which the role would have seen what it saw; so every state that is returned is one in which
        the match may be. States do not come with the probabilities that they have given what was
        seen (for these see `gdl.play.belief`): a line is not weighed by how many others were
        refused beside it.

        A walk may come to where no step agrees, because a guess before was wrong, and nobody knows
        which one. The n-th failure at a depth goes back n steps: near causes are tried first, and
        in the end all of the walk is drawn anew.

        Args:
            rng: Source of the draws.
            budget: Ends the search for a state; None for no end but `MAX_STEPS`.

        Raises:
            NoStateError: None was found.
        """
        path = [self.start]
        failed = [0] * (len(self.steps) + 1)
        for _ in range(MAX_STEPS + 10 * len(self.steps)):
            depth = len(path) - 1
            if depth == len(self.steps):
                return path[-1]
            if budget is not None and budget.is_over:
                break
            following = self._step(path[-1], self.steps[depth], rng)
            if following is not None:
                path.append(following)
                continue
            failed[depth] += 1
            back = min(depth, failed[depth])  # further and further: the cause may lie far back
            del path[len(path) - back :]
        raise NoStateError

    def _step(self, state: State, seen: MoveAndPercepts, rng: random.Random) -> State | None:
        """Return a state after a step that looks as it was seen."""
        if state.is_terminal:
            return None
        machine: Any = state.machine
        others = [
            (seen.move,) if role == self.role else tuple(state.legal(role))
            for role in machine.roles
        ]
        if not all(others) or seen.move not in state.legal(self.role):
            return None
        for joint_move in _samples(others, rng):
            if machine.percepts(state.inner, joint_move, self.role) == seen.percepts:
                return state.play(joint_move)
        return None


def _samples(choices: list[tuple[Term, ...]], rng: random.Random) -> list[JointMove]:
    """Return joint moves in random order: all of them where they are few."""
    count = 1
    for moves in choices:
        count *= len(moves)
    if count > TRIES:
        return [tuple(rng.choice(moves) for moves in choices) for _ in range(TRIES)]
    joint_moves: list[JointMove] = [()]
    for moves in choices:
        joint_moves = [(*joint, move) for joint in joint_moves for move in moves]
    rng.shuffle(joint_moves)
    return joint_moves


def information_state(state: State, role: Term) -> InformationState:
    """Return what a role has seen on the way to a state.

    Of a state that was not reached by playing it is taken to know everything.
    """
    start, *later = state.history
    steps = []
    index = state.machine.roles.index(role)
    for after in later:
        before, joint_move = after.previous, after.last_move
        assert before is not None
        assert joint_move is not None
        percepts = before.machine.percepts(before.inner, joint_move, role)
        steps.append(MoveAndPercepts(joint_move[index], percepts))
    return InformationState(state.game, role, start, tuple(steps), state.legal(role))


def is_nature(role: Term) -> bool:
    """Return whether a role is rng itself, which GDL-II calls random."""
    return str(role) == RANDOM
