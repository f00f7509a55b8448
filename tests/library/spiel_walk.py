"""A ruleset walked side by side with a game of open_spiel: chance, simultaneous moves, secrets.

At every pair of positions: both are over or neither is; the returns are those that the goals
mean; whoever chooses has the same moves; chance has the same outcomes with the same
probabilities. Over the whole walk: what a role did and saw tells two plays apart, where the role
is to choose, exactly if the information states of open_spiel do.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cache
from random import Random
from typing import Any

import pyspiel
import pytest

import gdl
from gdl.game import Game
from gdl.language.terms import Term
from gdl.state import State

Seen = tuple[tuple[str, frozenset[str]], ...]
"""What a role did and saw, ply by ply."""


@dataclass(frozen=True)
class Twin:
    """A ruleset and the game of open_spiel that it should be.

    Attributes:
        ruleset: Its id.
        spiel: The game, as `pyspiel.load_game` reads it, or what makes a first position that
            answers the same questions.
        seats: The role of each player of open_spiel.
        action: The action that a move means, given their state, the role and the notation.
        returns: The return that a goal stands for.
        secrets: Whether information states are compared (some games of open_spiel have none).
        forced: Whether open_spiel leaves out the plies in which nobody has a choice.
        theirs: What is compared of a return of open_spiel, where the goals do not say all of it.
        begin: Our moves and their actions up to where the comparison begins.
    """

    ruleset: str
    spiel: str | Callable[[], Any]
    seats: tuple[str, ...]
    action: Callable[[Any, str, str], int]
    returns: Callable[[int], float]
    secrets: bool = False
    forced: bool = False
    theirs: Callable[[float], float] = float
    begin: Callable[[], tuple[list[str], list[int]]] = lambda: ([], [])

    @property
    def game(self) -> Game:
        return load(self.ruleset)

    def start(self) -> Pair:
        ours = self.game.initial()
        make = self.spiel
        theirs = pyspiel.load_game(make).new_initial_state() if isinstance(make, str) else make()
        moves, actions = self.begin()
        for move in moves:
            ours = ours.play(move)
        for action in actions:
            theirs.apply_action(action)
        return Pair(ours, theirs, {str(role): () for role in self.game.roles})


@cache
def load(ruleset: str) -> Game:
    return gdl.load(ruleset, backend="reason")


@dataclass(frozen=True)
class Pair:
    """The same position on both sides, and what each role did and saw on the way."""

    ours: State
    theirs: Any
    seen: dict[str, Seen]


@dataclass
class Walk:
    """What a walk has met.

    Attributes:
        twin: What is compared.
        positions: Pairs of positions that were compared.
        terminal: Those among them that were over.
    """

    twin: Twin
    positions: int = 0
    terminal: int = 0
    _ours: dict[tuple[str, Seen], str] = field(default_factory=dict)
    _theirs: dict[tuple[str, str], Seen] = field(default_factory=dict)

    def every_play(self, depth: int, start: Pair | None = None) -> None:
        """Compare all positions down to a depth."""
        pair = start or self.twin.start()
        for joint, actions in self.compare(pair):
            if depth:
                self.every_play(depth - 1, self.step(pair, joint, actions))

    def random_plays(self, count: int, seed: int, *, linger: bool = False) -> None:
        """Compare the positions of random plays, to their ends.

        Args:
            count: How many plays.
            seed: Decides which.
            linger: Take steps that do not end the game while there are any: long plays, full
                boards.
        """
        chance = Random(seed)
        for _ in range(count):
            pair = self.twin.start()
            while steps := self.compare(pair):
                chance.shuffle(steps)
                afterwards = (self.step(pair, *step) for step in steps)
                first = next(afterwards)
                going_on = (each for each in afterwards if not each.ours.is_terminal)
                pair = next(going_on, first) if linger and first.ours.is_terminal else first

    def compare(self, pair: Pair) -> list[tuple[tuple[Term, ...], tuple[int, ...]]]:
        """Compare a pair of positions; return the steps on from it, ours beside theirs."""
        self.positions += 1
        ours, theirs = pair.ours, pair.theirs
        where = f"{self.twin.ruleset} after {theirs.history()}:\n{theirs}"
        assert ours.is_terminal == theirs.is_terminal(), where
        goals = [self.twin.returns(ours.goal(seat)) for seat in self.twin.seats]
        if ours.is_terminal:
            self.terminal += 1
            assert goals == pytest.approx([self.twin.theirs(each) for each in theirs.returns()]), (
                where
            )
            return []
        moves = {str(role): tuple(ours.legal(role)) for role in self.twin.game.roles}
        choosing = self._choosing(theirs)
        assert all(len(moves[role]) == 1 for role in moves if role not in choosing), where
        actions = {role: self._actions(pair, role, moves[role]) for role in choosing}
        for role in choosing:
            if role == "random":
                assert shares(actions[role]) == expected_shares(theirs), where
            else:
                legal = theirs.legal_actions(self.twin.seats.index(role))
                assert sorted(actions[role]) == sorted(legal), f"{role} in {where}"
                self._look(pair, role)
        return list(joint_steps(moves, actions, choosing))

    def step(self, pair: Pair, joint: tuple[Term, ...], actions: tuple[int, ...]) -> Pair:
        """Return the pair after a step."""
        theirs = pair.theirs.clone()
        if theirs.is_simultaneous_node():
            theirs.apply_actions(actions)
        else:
            theirs.apply_action(actions[0])
        seen = dict(pair.seen)
        machine = pair.ours.machine
        for role, move in zip(machine.roles, joint, strict=True):
            percepts = machine.percepts(pair.ours.inner, joint, role)
            seen[str(role)] += ((str(move), frozenset(map(str, percepts))),)
        ours = pair.ours.play(joint)
        while self.twin.forced and not ours.is_terminal and is_forced(ours):
            ours = ours.play([ours.legal(role)[0] for role in self.twin.game.roles])
        return Pair(ours, theirs, seen)

    def _choosing(self, theirs: Any) -> tuple[str, ...]:  # noqa: ANN401 (open_spiel has no types)
        if theirs.is_chance_node():
            return ("random",)
        if theirs.is_simultaneous_node():
            return self.twin.seats
        return (self.twin.seats[theirs.current_player()],)

    def _actions(self, pair: Pair, role: str, moves: Sequence[Term]) -> list[int]:
        notation = self.twin.game.ruleset.notation
        return [self.twin.action(pair.theirs, role, notation.format(move)) for move in moves]

    def _look(self, pair: Pair, role: str) -> None:
        """Hold what a role knows against the information state: neither tells more apart."""
        if not self.twin.secrets:
            return
        told = pair.theirs.information_state_string(self.twin.seats.index(role))
        seen = pair.seen[role]
        assert self._ours.setdefault((role, seen), told) == told, f"open_spiel tells apart {told}"
        assert self._theirs.setdefault((role, told), seen) == seen, f"we tell apart {told}"


def is_forced(state: State) -> bool:
    """Say whether nobody has a choice."""
    return all(len(state.legal(role)) == 1 for role in state.game.roles)


def shares(outcomes: Sequence[int]) -> dict[int, Fraction]:
    """Return the probability of each outcome where every move is equally likely."""
    return {each: Fraction(n, len(outcomes)) for each, n in Counter(outcomes).items()}


def expected_shares(theirs: Any) -> dict[int, Fraction]:  # noqa: ANN401 (open_spiel has no types)
    """Return open_spiel's probabilities, which are fractions of small numbers."""
    return {each: Fraction(p).limit_denominator(10_000) for each, p in theirs.chance_outcomes()}


def joint_steps(
    moves: dict[str, tuple[Term, ...]],
    actions: dict[str, list[int]],
    choosing: tuple[str, ...],
) -> Iterator[tuple[tuple[Term, ...], tuple[int, ...]]]:
    """Yield each joint move in role order, beside the actions in the order of seats."""
    choices: list[dict[str, int]] = [{}]
    for role in choosing:
        choices = [{**choice, role: n} for choice in choices for n in range(len(actions[role]))]
    for choice in choices:
        joint = tuple(moves[role][choice.get(role, 0)] for role in moves)
        yield joint, tuple(actions[role][choice[role]] for role in choosing)
