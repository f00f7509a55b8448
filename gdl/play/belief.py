"""How likely each state is, given what a role has done and seen: a particle filter.

In: an `InformationState`, and the belief of one step before, if it is kept. Out: states with their
probabilities. Nature draws each of its legal moves alike, and so, for want of a better opinion, do
the other roles; a role knows its own moves. While the states that agree with what was seen are few,
each is followed with all its joint moves, and the probabilities are exact. Where they grow too many
they are thinned out (systematic resampling), and where one has too many joint moves these are
drawn; what is left is a sample with weights.

The weight of a state is the probability of the percepts on the way to it: a state that could have
shown something else counts for less than one that could not. This is what tells the doors of the
Monty Hall problem apart.

Source: Gordon, Salmond and Smith, "Novel approach to nonlinear/non-Gaussian Bayesian state
estimation", 1993; Liu and Chen, "Sequential Monte Carlo Methods for Dynamic Systems", 1998 (a
proposal that looks at the percept); Kitagawa, 1996 (systematic resampling).
"""

from __future__ import annotations

import math
import random
from bisect import bisect_right
from collections.abc import Hashable, Iterator
from itertools import accumulate, product
from math import prod
from typing import Any, Final

from gdl.game import Game
from gdl.language.syntax import Term
from gdl.machine import JointMove
from gdl.play.budget import Budget
from gdl.play.information import InformationState, MoveAndPercepts, NoStateError
from gdl.state import State

__all__ = ["Belief", "Believer"]

PARTICLES: Final = 512
"""States that a belief keeps, where there are more."""
WORK: Final = 8_192
"""Joint moves that are looked at in one step, about."""
SHARE: Final = 0.3
"""Part of the time that is left for what to believe; the other is for what to do."""


class Belief:
    """States in which a match may be, with their probabilities.

    Attributes:
        game: The game.
        probabilities: Of each state of the machine; they sum to 1.
        ply: Moves made since the game began.
        is_exact: Whether nothing was drawn on the way, so that these are all states there are, with
            the probabilities that they have if all others move at random.
    """

    def __init__(
        self, start: State, probabilities: dict[Hashable, float], *, is_exact: bool, ply: int
    ) -> None:
        """Keep states and their weights, which need not sum to 1 yet."""
        total = sum(probabilities.values())
        self.game: Game = start.game
        self.is_exact = is_exact
        self.probabilities = {state: weight / total for state, weight in probabilities.items()}
        self.ply = ply
        self._start = start
        self._states = list(self.probabilities)
        self._bounds = list(accumulate(self.probabilities.values()))

    def sample(self, rng: random.Random) -> Hashable:
        """Return a state of the machine, as often as it is likely. Cost O(log n)."""
        at = bisect_right(self._bounds, rng.random() * self._bounds[-1])
        return self._states[min(at, len(self._states) - 1)]

    def state(self, inner: Hashable) -> State:
        """Return a state of the machine as one to ask and to play in; it has no history."""
        return State(self.game, self._start.machine, inner, None, None, self.ply)


class Believer:
    """Follows what one role sees, step by step, and keeps what it believes from move to move."""

    def __init__(self, *, seed: int = 0, particles: int = PARTICLES) -> None:
        """Begin with nothing seen; ``particles`` are the states that are kept, at most."""
        self._rng = random.Random(seed)  # noqa: S311  # play, not secrets
        self._particles = particles
        self._start: State | None = None
        self._role: Term | None = None
        self._steps: tuple[MoveAndPercepts, ...] = ()
        self._belief: Belief | None = None

    def follow(self, seen: InformationState, budget: Budget | None = None) -> Belief:
        """Return what to believe of a match; continues from the last time where it can.

        Where no particle agrees with what is seen next, states that do are searched for by
        `InformationState.sample`, which weighs nothing.

        Args:
            seen: What a role knows.
            budget: Its time, of which a part is spent; what was not looked at by then is left out.

        Raises:
            NoStateError: No state was found that agrees with what was seen.
        """
        followed = len(self._steps)
        if (
            self._belief is None
            or (seen.start, seen.role) != (self._start, self._role)
            or seen.steps[:followed] != self._steps
        ):
            self._start, self._role, self._steps, followed = seen.start, seen.role, (), 0
            self._belief = Belief(
                seen.start, {seen.start.inner: 1.0}, is_exact=True, ply=seen.start.ply
            )
        for at in range(followed, len(seen.steps)):
            until = _share(budget, len(seen.steps) - at)
            following = self._step(self._belief, seen.role, seen.steps[at], budget, until)
            if following is None:
                self._belief, self._steps = self._search(seen, budget), seen.steps
                break
            self._belief, self._steps = following, seen.steps[: at + 1]
        return self._belief

    def _step(
        self,
        belief: Belief,
        role: Term,
        step: MoveAndPercepts,
        budget: Budget | None,
        until: float,
    ) -> Belief | None:
        """Return the belief after one more step; None where no particle agrees with it.

        Kept: the weight of a state after the step is an unbiased estimate, up to one factor for
        all, of the probability to be there and to have seen what was seen.
        """
        start = self._start
        assert start is not None
        machine: Any = start.machine
        after: dict[Hashable, float] = {}
        is_exact = belief.is_exact
        states = list(belief.probabilities.items())
        self._rng.shuffle(states)  # where time runs out, chance decides who is left out
        room = max(1, WORK // len(states))
        for state, weight in states:
            if budget is not None and budget.spent > until:
                is_exact = False
                if after:
                    break
                if budget.is_over:
                    raise NoStateError
            others = _choices(machine, state, role, step.move)
            if others is None:
                continue
            count = prod(map(len, others))
            is_whole = count <= room
            is_exact &= is_whole
            joints = product(*others) if is_whole else self._samples(others, room)
            share = weight / (count if is_whole else room)
            for joint in joints:
                if machine.percepts(state, joint, role) == step.percepts:
                    reached = machine.successor(state, joint)
                    after[reached] = after.get(reached, 0.0) + share
        if not after:
            return None
        if len(after) > self._particles:
            after, is_exact = self._resample(after), False
        return Belief(start, after, is_exact=is_exact, ply=belief.ply + 1)

    def _samples(self, others: list[tuple[Term, ...]], count: int) -> Iterator[JointMove]:
        for _ in range(count):
            yield tuple(self._rng.choice(moves) for moves in others)

    def _resample(self, weights: dict[Hashable, float]) -> dict[Hashable, float]:
        """Return so many particles as are kept, each state as often as it is likely.

        Systematic: one random number places a comb of equal steps over the running sum of the
        weights, so that a state of weight w is hit w * n times, rounded up or down; no estimate is
        biased.
        """
        count = self._particles
        stride = sum(weights.values()) / count
        at = self._rng.random() * stride
        kept: dict[Hashable, float] = {}
        bound = 0.0
        for state, weight in weights.items():
            bound += weight
            while at < bound:
                kept[state] = kept.get(state, 0.0) + 1.0
                at += stride
        return kept

    def _search(self, seen: InformationState, budget: Budget | None) -> Belief:
        """Return states that agree with all that was seen, found one by one, all alike."""
        weights: dict[Hashable, float] = {}
        until = _share(budget, 1)
        for _ in range(self._particles):
            if weights and budget is not None and budget.spent > until:
                break
            try:
                state = seen.sample(self._rng, budget)
            except NoStateError:
                if not weights:
                    raise
                break
            weights[state.inner] = weights.get(state.inner, 0.0) + 1.0
        return Belief(seen.start, weights, is_exact=False, ply=seen.start.ply + len(seen.steps))


def _share(budget: Budget | None, steps: int) -> float:
    """Return until when, in seconds of a budget, the next of so many steps should be done."""
    return math.inf if budget is None else budget.spent + max(budget.left, 0.0) * SHARE / steps


def _choices(
    machine: Any,  # noqa: ANN401  # of any state machine
    state: Hashable,
    role: Term,
    move: Term,
) -> list[tuple[Term, ...]] | None:
    """Return what each role may have done; None where the move was not possible there."""
    if machine.is_terminal(state):
        return None
    choices = []
    for other in machine.roles:
        legal = machine.legal(state, other)
        if other == role:
            if move not in legal:
                return None
            legal = (move,)
        if not legal:
            return None
        choices.append(legal)
    return choices
