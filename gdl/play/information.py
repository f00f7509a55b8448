"""What a role has seen of a match, and the states in which the match may be.

In games that hide facts (GDL-II) a role knows its own moves and its percepts. A `Sight` is
that knowledge; it can draw states that agree with it (determinisation).

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
from gdl.play.budget import Clock
from gdl.state import LegalMoves, State

TRIES: Final = 200
"""Joint moves that are tried at one step before a sampling goes back to an earlier one."""
MAX_STEPS: Final = 2_000
"""Steps of one sampling before it gives up."""


@dataclass(frozen=True, slots=True)
class Seen:
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
class Sight:
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
    steps: tuple[Seen, ...] = ()
    moves: LegalMoves | None = None

    def after(self, move: Term, percepts: frozenset[Term]) -> Sight:
        """Return what is known after one more step."""
        return Sight(self.game, self.role, self.start, (*self.steps, Seen(move, percepts)))

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
        chance = random.Random(0)  # noqa: S311  # play, not secrets
        return self.sample(chance, None).legal(self.role)

    def sample(self, chance: random.Random, clock: Clock | None) -> State:
        """Draw a state that agrees with all that was seen.

        A walk from the start draws the moves of the others at random; where the percepts
        differ it draws again, and where that does not help it goes back.

        Args:
            chance: Source of the draws.
            clock: Ends the search for a state; None for no end but `MAX_STEPS`.

        Raises:
            NoStateError: None was found.
        """
        path = [self.start]
        failed = [0] * (len(self.steps) + 1)
        for _ in range(MAX_STEPS + 10 * len(self.steps)):
            depth = len(path) - 1
            if depth == len(self.steps):
                return path[-1]
            if clock is not None and clock.is_over:
                break
            following = self._step(path[-1], self.steps[depth], chance)
            if following is not None:
                path.append(following)
                continue
            failed[depth] += 1
            back = min(depth, failed[depth])  # further and further: the cause may lie far back
            del path[len(path) - back :]
        raise NoStateError

    def _step(self, state: State, seen: Seen, chance: random.Random) -> State | None:
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
        for joint_move in _draws(others, chance):
            if machine.percepts(state.inner, joint_move, self.role) == seen.percepts:
                return state.play(joint_move)
        return None


def _draws(choices: list[tuple[Term, ...]], chance: random.Random) -> list[JointMove]:
    """Return joint moves in random order: all of them where they are few."""
    count = 1
    for moves in choices:
        count *= len(moves)
    if count > TRIES:
        return [tuple(chance.choice(moves) for moves in choices) for _ in range(TRIES)]
    found: list[JointMove] = [()]
    for moves in choices:
        found = [(*joint, move) for joint in found for move in moves]
    chance.shuffle(found)
    return found


def sight(state: State, role: Term) -> Sight:
    """Return what a role has seen on the way to a state.

    Of a state that was not reached by playing it is taken to know everything.
    """
    start, *rest = state.history
    steps = []
    index = state.machine.roles.index(role)
    for after in rest:
        before, joint_move = after.previous, after.last_move
        assert before is not None
        assert joint_move is not None
        percepts = before.machine.percepts(before.inner, joint_move, role)
        steps.append(Seen(joint_move[index], percepts))
    return Sight(state.game, role, start, tuple(steps), state.legal(role))


def is_nature(role: Term) -> bool:
    """Return whether a role is chance itself, which GDL-II calls random."""
    return str(role) == RANDOM
