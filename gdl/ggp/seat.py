"""What a player knows of its match: where the game stands, what was said, what was repeated.

In: the news of each step, in whatever order and how often they come. Out: where they belong
(`Hearing`), and the states that the player must reckon with. Nothing here waits or sends.

A message may come twice, since a manager that saw no answer sends it again; or late. The
joint move of a step is told apart from that of the step before by what is legal and by what
this player said; GDL-II numbers its steps.
"""

from __future__ import annotations

import random
from collections.abc import Collection
from dataclasses import dataclass, field
from enum import Enum

from gdl.game import Game
from gdl.ggp.belief import after, common_moves, possible_percepts
from gdl.ggp.messages import News, Sensed
from gdl.language.syntax import Compound, Constant, Term, Variable
from gdl.machine import JointMove
from gdl.play import InformationState, MoveAndPercepts, Position
from gdl.play.changeover import followed
from gdl.state import LegalMoves, State


class Hearing(Enum):
    """Where news belong."""

    NEW = "a step was made"
    REPEATED = "the step that is known already"
    LATE = "a step that is long past"
    LOST = "a step that does not follow from what is known"


@dataclass(slots=True)
class Seat:
    """One role of one match.

    Attributes:
        game: The game; `adopt` exchanges it for the same one on another back end.
        role: Whom the player plays.
        rng: Where chance comes from.
        states: What may be the case: one state, unless the player does not see all (GDL-II).
        said: The move that the player answered at each step, by step.
        heard: The news of each step that was made, in order.
    """

    game: Game
    role: Term
    rng: random.Random
    states: list[State] = field(default_factory=list)
    said: dict[int, Term] = field(default_factory=dict)
    heard: list[News] = field(default_factory=list)

    def __post_init__(self) -> None:
        """Begin where the game begins."""
        if not self.states:
            self.states = [self.game.initial()]

    @property
    def step(self) -> int:
        """Number of steps that are known to be made."""
        return len(self.heard)

    @property
    def is_over(self) -> bool:
        """Whether the game is over."""
        return all(state.is_terminal for state in self.states)

    def hear(self, news: News, *, was_answered: bool = True) -> Hearing:
        """Take the news of a step.

        Args:
            news: What the message says.
            was_answered: Whether the last answer was given in time. Where it was not, the same
                news are taken for the same message.
        """
        match news:
            case None:
                return Hearing.LATE if self.step else Hearing.REPEATED
            case Sensed():
                return self._hear_sensed(news)
            case _:
                return self._hear_moves(news, was_answered=was_answered)

    def step_of(self, news: News) -> int:
        """Return the step that news led to, the present one where they are not known."""
        if news is None:
            return 0
        if isinstance(news, Sensed):
            return min(news.turn, self.step)
        for number in range(self.step, 0, -1):
            if _same(self.heard[number - 1], news):
                return number
        return self.step

    # All moves are told -------------------------------------------------------------------

    def _hear_moves(self, moves: JointMove, *, was_answered: bool) -> Hearing:
        # The moves of the last step once more: a message that was sent again, or a step in which
        # all did the same again. It was sent again if this player's last answer did not arrive, or
        # was another move than the one told. Moves that are legal nowhere tell of an older step.
        successors = self._successors(self.states, moves)
        if successors and self.heard and _same(self.heard[-1], moves):
            said = self.said.get(self.step)
            told = successors[0].last_move  # as the rules write it, whatever its capitals
            assert told is not None
            if not was_answered or (said is not None and said is not told[self._index]):
                return Hearing.REPEATED
        if not successors:
            if self.heard and _same(self.heard[-1], moves):
                return Hearing.REPEATED
            if any(_same(old, moves) for old in self.heard):
                return Hearing.LATE
            successors = self._after_a_gap(moves)
        if not successors:
            return Hearing.LOST
        self.heard.append(moves)
        self.states = successors
        return Hearing.NEW

    @property
    def _index(self) -> int:
        return self.game.machine.roles.index(self.role)

    def _successors(self, states: list[State], moves: JointMove) -> list[State]:
        """Return the states after a joint move, of those states in which it is legal."""
        joints = [(state, legal_joint(state, moves)) for state in states]
        return [state.play(joint) for state, joint in joints if joint is not None]

    def _after_a_gap(self, moves: JointMove) -> list[State]:
        """Return the states that may follow when the news of one step never came."""
        own = self.said.get(self.step)
        missed = after(self.states, self.role, own_move=own, percepts=None, rng=self.rng)
        successors = self._successors(missed, moves)
        if successors:
            self.heard.append(None)
        return successors

    # Only percepts are told ---------------------------------------------------------------

    def _hear_sensed(self, news: Sensed) -> Hearing:
        is_first = news.turn == 0 or (
            not self.heard and news.turn == 1 and self._own_move(news) is None
        )
        turn = 0 if is_first else news.turn
        if turn <= self.step:
            return Hearing.REPEATED if turn == self.step else Hearing.LATE
        while self.step < turn:
            if self.step == turn - 1:
                self.heard.append(self._felt(news))
            else:
                self._feel(self.said.get(self.step), None)
                self.heard.append(None)
        return Hearing.NEW

    def _felt(self, news: Sensed) -> Sensed:
        """Go one step on with what was sensed, and return it as the rules write it."""
        own = self._own_move(news)
        before, percepts = self.states, news.percepts
        if not self._feel(own, percepts):
            possible = possible_percepts(before, self.role, own, self.rng)
            percepts = frozenset(_meant(percept, possible) for percept in percepts)
            if percepts != news.percepts:
                self.states = before
                self._feel(own, percepts)
        return Sensed(news.turn, own, percepts)

    def _own_move(self, news: Sensed) -> Term | None:
        """Return the own move as the rules write it; none for a ``NIL`` that is no such move."""
        if news.last_move is None:
            return None
        moves = {move for state in self.states for move in state.legal(self.role)}
        own = _meant(news.last_move, moves)
        return None if own not in moves and folded(own) == "nil" else own

    def _feel(self, own: Term | None, percepts: frozenset[Term] | None) -> bool:
        """Go one step on with what is known; give up the percepts first, then the own move.

        Returns:
            Whether nothing was given up.
        """
        told = (own, percepts)
        for own_move, seen in (told, (own, None), (None, None)):
            states = after(self.states, self.role, own_move=own_move, percepts=seen, rng=self.rng)
            if states:
                self.states = states
                return (own_move, seen) == told
        return False

    # Choosing -----------------------------------------------------------------------------

    def moves(self) -> tuple[Term, ...]:
        """Return the moves that may be answered."""
        if len(self.states) == 1:
            return tuple(self.states[0].legal(self.role))
        return common_moves(self.states, self.role)

    def position(self, legal: tuple[Term, ...]) -> Position:
        """Return what the player is to choose from: the state, or what it has seen so far."""
        steps = []
        for news, after_it in zip(self.heard, range(1, self.step + 1), strict=True):
            if not isinstance(news, Sensed) or news.last_move is None or news.turn != after_it:
                return self.states[0] if len(self.states) == 1 else self.rng.choice(self.states)
            steps.append(MoveAndPercepts(news.last_move, news.percepts))
        if not steps:
            return self.states[0]
        moves = LegalMoves(self.role, legal, self.game.move)
        return InformationState(self.game, self.role, self.game.initial(), tuple(steps), moves)

    def say(self, move: Term) -> None:
        """Remember what is answered at this step."""
        self.said[self.step] = move

    def adopt(self, game: Game) -> bool:
        """Go on with the same game on another back end; whether it agrees with this one."""
        states = []
        for state in self.states:
            there = followed(game, state)
            if there is None or set(there.legal(self.role)) != set(state.legal(self.role)):
                return False
            states.append(there)
        self.game, self.states = game, states
        return True


def legal_joint(state: State, moves: JointMove) -> JointMove | None:
    """Return the legal joint move that is meant; capitals do not count where they differ.

    None where there is no such move, or where the game is over.
    """
    roles = state.machine.roles
    if len(moves) != len(roles) or state.is_terminal:
        return None
    joint = []
    for role, told in zip(roles, moves, strict=True):
        legal = state.legal(role)
        move = _meant(told, legal)
        if move not in legal:
            return None
        joint.append(move)
    return tuple(joint)


def _meant(told: Term, possible: Collection[Term]) -> Term:
    """Return the one known term that differs in capitals alone, else the term itself."""
    if told in possible:
        return told
    alike = [term for term in possible if folded(term) == folded(told)]
    return alike[0] if len(alike) == 1 else told


def _same(old: News, new: News) -> bool:
    if not isinstance(old, tuple) or not isinstance(new, tuple):
        return old == new
    return tuple(map(folded, old)) == tuple(map(folded, new))


def folded(term: Term) -> str:
    """Return a term as text in which capitals do not count."""
    return str(term).casefold()


def find_role(game: Game, role: Term) -> Term | None:
    """Return the role of a game that is meant, whatever its capitals; None when there is none."""
    match role:
        case Constant() | Compound():
            roles = game.machine.roles
            alike = [other for other in roles if folded(other) == folded(role)]
            return role if role in roles else alike[0] if len(alike) == 1 else None
        case Variable():
            return None
