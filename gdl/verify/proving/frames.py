"""What is known of the states that play can reach in exactly so many plies.

In: a step and proved invariants. Out: for each ply, facts and sums of facts whose value
is the same in all plays (whose turn it is, the number of marbles of each colour), proved
ply by ply.

Which sums there are is guessed from a sample: a sum has one value at each ply when it is
orthogonal to all differences between two sampled states of the same ply. The proof looks
at each choice apart: with one choice fixed, the facts after it are mostly facts before
it, moved about, and what a sum gains can be read off without a solver, to which counting
is a pigeonhole problem.

What is said of states where play goes on and what is said of all states that a move leads
to are read off apart, each from what holds there: facts that are equal where play goes on
may be different where it has ended.

Source: linear invariants as in Murata, "Petri Nets: Properties, Analysis and
Applications", Proc. IEEE 1989 (place invariants).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from gdl.verify.proving.invariants import Invariants
from gdl.verify.systems.cofactor import Cofactors, joint_choices
from gdl.verify.systems.sampling import Sample
from gdl.verify.systems.transition import Transition

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

PRIME: Final = 2_147_483_629
"""Sums are guessed modulo this; their proof is exact."""
ROWS_PER_FACT: Final = 2
"""Differences of sampled states that sums are guessed from; a wrong guess is not proved."""
MAX_WEIGHT: Final = 64


@dataclass(frozen=True, slots=True)
class Sum:
    """A weighted sum of facts.

    Attributes:
        weights: Of each fact that counts; facts that are others never do.
    """

    weights: tuple[tuple[int, int], ...]

    @property
    def facts(self) -> tuple[int, ...]:
        """The facts that count."""
        return tuple(fact for fact, _ in self.weights)

    def of(self, state: Sequence[bool]) -> int:
        """Return its value in a state."""
        return sum(weight for fact, weight in self.weights if state[fact])

    @property
    def is_count(self) -> bool:
        """Whether it says how many of its facts hold."""
        return all(weight == 1 for _, weight in self.weights)


Frame = dict[Sum, int]
"""The value of each sum at one ply, in states where play goes on."""
Count = tuple[tuple[int, ...], int]
"""Facts, and how many of them hold."""


def guess_sums(states: Sample, invariants: Invariants) -> list[Sum]:
    """Return sums that had one value at each ply in all sampled plays. Cost O(facts ** 3)."""
    import numpy as np

    if not states.going:
        return []
    leaders = [i for i in range(len(states.going[0])) if i not in invariants.same]
    rows = []
    random = np.random.default_rng(0)
    for ply in states.going:
        if ply.shape[1] < 2:  # noqa: PLR2004  # nothing to compare
            continue
        values = ply[leaders].astype(np.int64)
        rows.append((values[:, 1:] - values[:, :1]).T)
    if not rows:
        return []
    differences = np.concatenate(rows)
    limit = ROWS_PER_FACT * len(leaders) + 64
    if len(differences) > limit:
        differences = differences[random.choice(len(differences), limit, replace=False)]
    return [
        Sum(tuple((leaders[i], int(vector[i])) for i in np.flatnonzero(vector)))
        for vector in null_space(differences, len(leaders))
        if np.abs(vector).max() <= MAX_WEIGHT
    ]


def null_space(rows: NDArray[np.int64], size: int) -> list[NDArray[np.int64]]:
    """Return a basis of the vectors orthogonal to all rows, with small signed entries.

    Args:
        rows: ``int64[D, F]``: differences of two sampled states (row), of each fact (column).
        size: How many facts (F) there are.

    Returns:
        Vectors ``int64[F]``. Modulo a prime Gauss-Jordan elimination is exact and its numbers
        stay small; a vector that is orthogonal modulo the prime alone is a wrong guess, which
        the proof of `Frames` then drops.
    """
    import numpy as np

    matrix = rows % PRIME
    pivots: list[int] = []
    top = 0
    for column in range(size):
        below = np.flatnonzero(matrix[top:, column])
        if not len(below):
            continue
        pick = top + int(below[0])
        matrix[[top, pick]] = matrix[[pick, top]]
        matrix[top] = matrix[top] * pow(int(matrix[top, column]), -1, PRIME) % PRIME
        others = np.flatnonzero(matrix[:, column])
        others = others[others != top]
        matrix[others] = (matrix[others] - matrix[others, column][:, None] * matrix[top]) % PRIME
        matrix = np.concatenate([matrix[: top + 1], _without_zero_rows(matrix[top + 1 :])])
        pivots.append(column)
        top += 1
        if top == len(matrix):
            break
    # One vector for each column without a pivot: that fact weighs 1, each pivot what cancels it.
    basis = []
    for free in sorted(set(range(size)) - set(pivots)):
        vector = np.zeros(size, np.int64)
        vector[free] = 1
        for row, pivot in enumerate(pivots):
            entry = -int(matrix[row, free]) % PRIME
            vector[pivot] = entry - PRIME if entry > PRIME // 2 else entry
        basis.append(vector)
    return basis


def _without_zero_rows(rows: NDArray[np.int64]) -> NDArray[np.int64]:
    return rows[rows.any(axis=1)]


@dataclass(frozen=True, slots=True)
class _Gains:
    """What one step adds to sums, whatever is chosen; a sum that is missing has no such amount.

    Attributes:
        going: To each sum, where play goes on after the step.
        anywhere: To each count, wherever the step leads: facts that are equal to those of the
            count before the step, and by how many more of them hold after it.
    """

    going: dict[Sum, int]
    anywhere: dict[Sum, tuple[tuple[int, ...], int]]


class Frames:
    """Values of sums, ply by ply; grows when a later ply is asked for.

    Two things are kept apart, both by induction over plies:

    - ``frames[n]`` holds in every state that n moves lead to *and where play goes on*. At ply 0
      it is read off the first state. A move to ply n begins where play goes on, so ``frames[n -
      1]`` and the invariants hold before it; if then each joint choice that they leave possible
      adds the same to a sum wherever play goes on afterwards, that amount is proved for ply n.
    - ``after(n)`` holds in *every* state that n moves lead to. Before the move the same is
      known; but of the state after it nothing may be used, not even that equal facts are equal.

    A sum without one such amount is dropped, and is not known at any later ply either.
    """

    def __init__(self, step: Transition, invariants: Invariants, sums: Sequence[Sum]) -> None:
        """Start from the first state."""
        self.step = step
        self.invariants = invariants
        self._followers: dict[int, list[int]] = {}
        for index, same in invariants.same.items():
            if same.fact >= 0 and not same.flipped:
                self._followers.setdefault(same.fact, []).append(index)
        first = {sum_: sum_.of(step.system.initial) for sum_ in sums}
        self._frames: list[Frame] = [first]
        self._counts: list[list[Count]] = [
            [(sum_.facts, value) for sum_, value in first.items() if sum_.is_count]
        ]
        self._gains: dict[tuple[tuple[int, int], ...], _Gains] = {}

    def __getitem__(self, ply: int) -> Frame:
        """Return what is known at a ply. Cost of a new one: O(nodes * choices) at worst."""
        while len(self._frames) <= ply:
            self._extend()
        return self._frames[ply]

    def after(self, ply: int) -> list[Count]:
        """Return counts that hold of every state at a ply, also where play has ended there.

        Elsewhere sums speak of states where play goes on.
        """
        while len(self._frames) <= ply:
            self._extend()
        return self._counts[ply]

    def _extend(self) -> None:
        """Add a ply. Each value is that of the last ply, where play went on, and its own gain."""
        frame = self._frames[-1]
        # A sum of one fact is that fact's value: it says which choices are possible at this ply.
        # What a step adds depends on these alone, so plies that agree in them share the work.
        fixed = tuple(
            sorted((s.weights[0][0], value) for s, value in frame.items() if len(s.weights) == 1)
        )
        if fixed not in self._gains:
            self._gains[fixed] = self._gains_of(dict(fixed), list(frame))
        gains = self._gains[fixed]
        going: Frame = {}
        counts: list[Count] = []
        for sum_, value in frame.items():
            if sum_ in gains.going:
                going[sum_] = value + gains.going[sum_]
            if sum_ in gains.anywhere:
                facts, gain = gains.anywhere[sum_]
                counts.append((facts, value + gain))
        self._frames.append(going)
        self._counts.append(counts)

    def members(self, fact: int) -> list[int]:
        """Return a fact and those that are equal to it where play goes on."""
        return [fact, *self._followers.get(fact, ())]

    def _gains_of(self, fixed: dict[int, int], sums: list[Sum]) -> _Gains:
        """Return what every joint choice that known facts allow adds to sums."""
        joints = joint_choices(self.step, fixed)
        if joints is None or not joints.shape[1]:
            return _Gains({}, {})  # nothing is claimed, which is right of any states
        reader = _Reader(self, Cofactors(self.step, fixed, joints))
        going, anywhere = {}, {}
        for sum_ in sums:
            gain = reader.gain_going(sum_)
            if gain is not None:
                going[sum_] = gain
            if sum_.is_count:
                gained = reader.gain_anywhere(sum_)
                if gained is not None:
                    anywhere[sum_] = gained
        return _Gains(going, anywhere)


class _Reader:
    """Reads off what sums gain when the joint choice is fixed."""

    def __init__(self, frames: Frames, cofactors: Cofactors) -> None:
        """Remember which values are plain: facts and constants."""
        import numpy as np

        self.frames, self.cofactors = frames, cofactors
        aig = frames.step.aig
        self._is_plain = np.zeros(len(aig), np.bool_)
        self._is_plain[[0, *aig.inputs]] = True

    def gain_going(self, sum_: Sum) -> int | None:
        """Return what a sum gains where play goes on; None where that is no fixed amount.

        There, and only there, a fact after the step may be read off those that are equal to it.
        """
        return self._gain(sum_, [self._after(fact) for fact in sum_.facts])

    def gain_anywhere(self, sum_: Sum) -> tuple[tuple[int, ...], int] | None:
        """Return facts that a count speaks of before a step, and their gain wherever it leads.

        Before the step play goes on, so that the count may be taken of facts that are equal to
        its own. Where the step ends play they need not be equal any more: what is read off is
        then true of the very facts that it was read off, and of no others.
        """
        members = [self.frames.members(fact) for fact in sum_.facts]
        for rank in range(max(map(len, members))):
            facts = tuple(row[min(rank, len(row) - 1)] for row in members)
            follows = self.frames.step.next
            gain = self._gain(sum_, [self.cofactors.of(follows[fact]) for fact in facts])
            if gain is not None:
                return facts, gain
        return None

    def _gain(self, sum_: Sum, after: list[NDArray[np.int64]]) -> int | None:
        """Return what a sum gains in every lane alike, None where there is no such amount.

        The gain is the weighted sum of values after the step less that before. With the choice
        fixed each value is a constant, a fact before the step or its opposite, or a gate of its
        own; so the gain is a constant and a coefficient for each node. Where all coefficients
        are 0 the constant is the gain in *every* state, by arithmetic alone; where some are not,
        it may still be constant, but that is not claimed.

        Args:
            sum_: The sum.
            after: For each of its facts, in order, ``int64[L]``: its edge in each lane after
                the step.
        """
        import numpy as np

        lanes = self.cofactors.lanes
        lane = np.arange(lanes)
        signed = []
        for (fact, weight), value_after in zip(sum_.weights, after, strict=True):
            before = self.cofactors.of(self.frames.step.facts[fact])
            signed += [(value_after, weight), (before, -weight)]
        used = np.zeros(len(self._is_plain), np.bool_)
        for value, _ in signed:
            used[value >> 1] = True
        row = np.cumsum(used) - 1
        balance = np.zeros((int(row[-1]) + 1, lanes), np.int64)  # coefficient of node, in lane
        gain = np.zeros(lanes, np.int64)
        for value, factor in signed:
            # An edge is its node's value, or where it is odd 1 less that.
            gain += np.where(value & 1, factor, 0)
            balance[row[value >> 1], lane] += np.where(value & 1, -factor, factor)
        if used[0]:
            balance[0] = 0  # the constant
        if balance.any() or (gain != gain[0]).any():
            return None
        return int(gain[0])

    def _after(self, fact: int) -> NDArray[np.int64]:
        """Return a fact after the step, ``int64[L]``, by whichever of its equals is plain there.

        Right only of states where play goes on: there its equals are equal to it.
        """
        import numpy as np

        first, *others = self.frames.members(fact)
        value_after = self.cofactors.of(self.frames.step.next[first])
        for member in others:
            other_value = self.cofactors.of(self.frames.step.next[member])
            value_after = np.where(self._is_plain[value_after >> 1], value_after, other_value)
        return value_after
