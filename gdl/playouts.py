"""Uniform random playouts and what they add up to.

In goes a machine, a number and a seed; out comes a `Playouts` value: lengths and
goal vectors, counted. Two values of the same game add up to one.

Source: uniform random playouts ("depth charges") as in Finnsson and Björnsson,
"Simulation-Based Approach to General Game Playing", AAAI 2008; intervals after
Wilson, "Probable Inference, the Law of Succession, and Statistical Inference", 1927.
"""

from __future__ import annotations

import math
import random
from collections import Counter
from collections.abc import Callable, Hashable
from dataclasses import dataclass, field
from typing import Final, TypeVar

from gdl.language.diagnostics import GdlError
from gdl.language.terms import Term
from gdl.machine import JointMove, StateMachine

S = TypeVar("S", bound=Hashable)

MAX_PLIES: Final = 10_000
"""A playout longer than this many joint moves is cut off and counted apart."""

Z_95: Final = 1.959964
"""Two-sided 95% quantile of the normal distribution."""

GoalVector = tuple[int | None, ...]
"""The goal of each role in role order; None where the rules give no single value."""


@dataclass(slots=True)
class Playouts:
    """Counts over finished playouts.

    Attributes:
        roles: The roles, as text, in order.
        lengths: How many playouts ended after so many joint moves.
        goals: How many playouts ended with each goal vector.
        cut: Playouts stopped at the limit of plies; they are in no other count.
        stuck: Playouts in which a role had no legal move before the end; likewise.
    """

    roles: tuple[str, ...]
    lengths: Counter[int] = field(default_factory=Counter)
    goals: Counter[GoalVector] = field(default_factory=Counter)
    cut: int = 0
    stuck: int = 0

    @property
    def n(self) -> int:
        """Number of playouts, the unfinished ones included."""
        return self.lengths.total() + self.cut + self.stuck

    @property
    def finished(self) -> int:
        """Number of playouts that reached a terminal state."""
        return self.lengths.total()

    @property
    def mean_length(self) -> float:
        """Mean number of joint moves of a finished playout; nan when there is none."""
        total = sum(length * count for length, count in self.lengths.items())
        return total / self.finished if self.finished else math.nan

    def mean_goal(self, role: str) -> float:
        """Return the mean goal of a role over playouts that gave it one; nan if none did."""
        index = self._index(role)
        counted = [(goals[index], count) for goals, count in self.goals.items()]
        valued = [(goal, count) for goal, count in counted if goal is not None]
        total = sum(count for _, count in valued)
        return sum(goal * count for goal, count in valued) / total if total else math.nan

    def wins(self, role: str) -> int:
        """Return how many playouts gave this role strictly more than every other role.

        In a game of one role, a win is the full 100.
        """
        index = self._index(role)
        return sum(count for goals, count in self.goals.items() if _is_win(goals, index))

    def _index(self, role: str) -> int:
        if role not in self.roles:
            raise GdlError(f"no role {role!r}", expected=" or ".join(self.roles))
        return self.roles.index(role)

    @property
    def draws(self) -> int:
        """Finished playouts that nobody won."""
        return self.finished - sum(self.wins(role) for role in self.roles)

    def _repr_html_(self) -> str:
        """Return wins and goals of each role for notebooks."""
        from gdl.language.html import table_html, text_html

        rows = []
        for role in self.roles:
            wins, goal = self.wins(role), self.mean_goal(role)
            low, high = wilson_interval(wins, self.finished)
            share = wins / self.finished if self.finished else math.nan
            rows.append(
                [role, f"{wins:,}", f"{share:.2%}", f"{low:.2%} to {high:.2%}", f"{goal:.2f}"]
            )
        table = table_html(["role", "wins", "share", "95% interval", "mean goal"], rows)
        longest = max(self.lengths, default=0)
        said = [
            f"{self.n:,} random games, {self.draws:,} of them nobody's",
            f"{self.mean_length:.1f} moves on average, {longest} at most",
        ]
        said += [f"{self.cut:,} cut off"] if self.cut else []
        said += [f"{self.stuck:,} stuck"] if self.stuck else []
        return table + text_html("; ".join(said))

    def __add__(self, other: Playouts) -> Playouts:
        """Return the counts of both."""
        if not isinstance(other, Playouts):
            return NotImplemented
        if self.roles != other.roles:
            raise GdlError(
                f"playouts of {' and '.join(other.roles)} cannot be added to these",
                expected=f"playouts of {' and '.join(self.roles)}",
            )
        return Playouts(
            self.roles,
            self.lengths + other.lengths,
            self.goals + other.goals,
            self.cut + other.cut,
            self.stuck + other.stuck,
        )


def _is_win(goals: GoalVector, index: int) -> bool:
    mine = goals[index]
    if mine is None:
        return False
    others = [goal for i, goal in enumerate(goals) if i != index and goal is not None]
    return mine > max(others) if others else mine == 100  # noqa: PLR2004  # the full score


def wilson_interval(successes: float, n: int) -> tuple[float, float]:
    """Return the 95% confidence interval of a proportion, ``(0, 1)`` for no trials.

    Halves, of draws, make it too wide, if anything: they vary less than wins and losses.
    """
    if n == 0:
        return 0.0, 1.0
    p = successes / n
    spread = Z_95 * math.sqrt(p * (1 - p) / n + Z_95**2 / (4 * n**2))
    centre = p + Z_95**2 / (2 * n)
    scale = 1 + Z_95**2 / n
    return max(0.0, (centre - spread) / scale), min(1.0, (centre + spread) / scale)


def random_joint_move(
    machine: StateMachine[S], state: S, rng: random.Random
) -> tuple[Term, ...] | None:
    """Return one legal move a role, each drawn uniformly; None when a role has none."""
    joint_move: list[Term] = []
    for role in machine.roles:
        legal = machine.legal(state, role)
        if not legal:
            return None
        joint_move.append(rng.choice(legal))
    return tuple(joint_move)


def single_goals(machine: StateMachine[S], state: S) -> GoalVector:
    """Return the goal of each role, None where the rules give no single value."""
    values = [machine.goals(state, role) for role in machine.roles]
    return tuple(value[0] if len(value) == 1 else None for value in values)


def playout(
    machine: StateMachine[S],
    state: S,
    rng: random.Random,
    *,
    max_plies: int = MAX_PLIES,
    on_step: Callable[[S, JointMove], None] | None = None,
) -> tuple[S, int]:
    """Play uniformly at random to the end.

    Args:
        machine: The game.
        state: Where to begin.
        rng: Where the chance comes from.
        max_plies: Where to cut off.
        on_step: Called with each state and the joint move made in it.

    Returns:
        The last state, and how many joint moves led there. It is not terminal when the
        playout was cut off or when a role had no legal move.
    """
    plies = 0
    while plies < max_plies and not machine.is_terminal(state):
        joint_move = random_joint_move(machine, state, rng)
        if joint_move is None:
            break
        if on_step is not None:
            on_step(state, joint_move)
        state = machine.successor(state, joint_move)
        plies += 1
    return state, plies


def playouts(  # noqa: PLR0913  # each keyword is one knob of one loop
    machine: StateMachine[S],
    state: S,
    n: int,
    *,
    seed: int = 0,
    max_plies: int = MAX_PLIES,
    on_playout: Callable[[Playouts], None] | None = None,
) -> Playouts:
    """Run ``n`` uniform random playouts from a state.

    Playout number ``i`` depends on ``(seed, i)`` alone, so a run can be cut in pieces.

    Args:
        machine: The game.
        state: Where each playout begins.
        n: How many.
        seed: Makes the run repeatable.
        max_plies: Where a playout is cut off.
        on_playout: Called after each playout with the counts so far, for progress; it may
            raise to stop.
    """
    counts = Playouts(tuple(str(role) for role in machine.roles))
    for i in range(n):
        rng = random.Random(f"{seed}/{i}")  # noqa: S311  # chance for play, not for secrets
        last, plies = playout(machine, state, rng, max_plies=max_plies)
        if machine.is_terminal(last):
            counts.lengths[plies] += 1
            counts.goals[single_goals(machine, last)] += 1
        elif plies >= max_plies:
            counts.cut += 1
        else:
            counts.stuck += 1
        if on_playout is not None:
            on_playout(counts)
    return counts
