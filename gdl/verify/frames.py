"""What is known of the states that play can reach in exactly so many plies.

In: a step and proved invariants. Out: for each ply, facts and sums of facts whose value
is the same in all plays (whose turn it is, the number of marbles of each colour), proved
ply by ply.

Which sums there are is guessed from a sample: a sum has one value at each ply when it is
orthogonal to all differences between two sampled states of the same ply. The proof looks
at each choice apart: with one choice fixed, the facts after it are mostly facts before
it, moved about, and what a sum gains can be read off without a solver, to which counting
is a pigeonhole problem.

Source: ours; linear invariants as in Murata, "Petri Nets: Properties, Analysis and
Applications", Proc. IEEE 1989 (place invariants).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from gdl.verify.cofactor import Cofactors, joint_choices
from gdl.verify.invariants import Invariants
from gdl.verify.sampling import Sample
from gdl.verify.transition import Transition

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

    def of(self, state: Sequence[bool]) -> int:
        """Return its value in a state."""
        return sum(weight for fact, weight in self.weights if state[fact])

    @property
    def is_count(self) -> bool:
        """Whether it says how many of its facts hold."""
        return all(weight == 1 for _, weight in self.weights)


Frame = dict[Sum, int]
"""The value of each sum at one ply."""


def guess_sums(states: Sample, invariants: Invariants) -> list[Sum]:
    """Return sums that had one value at each ply in all sampled plays. Cost O(facts ** 3)."""
    import numpy as np

    leaders = [i for i in range(len(states.going[0])) if i not in invariants.same]
    rows = []
    random = np.random.default_rng(0)
    for ply in states.going:
        if ply.shape[1] < 2:  # noqa: PLR2004  # nothing to compare
            continue
        part = ply[leaders].astype(np.int64)
        rows.append((part[:, 1:] - part[:, :1]).T)
    if not rows:
        return []
    whole = np.concatenate(rows)
    limit = ROWS_PER_FACT * len(leaders) + 64
    if len(whole) > limit:
        whole = whole[random.choice(len(whole), limit, replace=False)]
    return [
        Sum(tuple((leaders[i], int(vector[i])) for i in np.flatnonzero(vector)))
        for vector in _null_space(whole, len(leaders))
        if np.abs(vector).max() <= MAX_WEIGHT
    ]


def _null_space(rows: NDArray[np.int64], size: int) -> list[NDArray[np.int64]]:
    """Return a basis of the vectors orthogonal to all rows, with small signed entries."""
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


class Frames:
    """Values of sums, ply by ply; grows when a later ply is asked for."""

    def __init__(self, step: Transition, invariants: Invariants, sums: Sequence[Sum]) -> None:
        """Start from the first state."""
        self.step = step
        self.invariants = invariants
        self._followers: dict[int, list[int]] = {}
        for index, found in invariants.same.items():
            if found.fact >= 0 and not found.flipped:
                self._followers.setdefault(found.fact, []).append(index)
        first = {each: each.of(step.system.initial) for each in sums}
        self._frames: list[Frame] = [first]
        self._strong: dict[Sum, set[int]] = {
            each: set(range(1 + max(map(len, self._followers.values()), default=0)))
            for each in first
        }
        self._gains: dict[tuple[tuple[int, int], ...], list[dict[Sum, int | None]]] = {}

    def __getitem__(self, ply: int) -> Frame:
        """Return what is known at a ply. Cost of a new one: O(nodes * choices) at worst."""
        while len(self._frames) <= ply:
            self._frames.append(self._after(self._frames[-1]))
        return self._frames[ply]

    def after(self, ply: int) -> list[tuple[tuple[int, ...], int]]:
        """Return counts that hold of every state at a ply, also where play has ended there.

        Each is facts, of which so many hold. Elsewhere sums speak of states where play goes on.
        """
        frame = self[ply]
        found = []
        for each, value in frame.items():
            if each.is_count and self._strong[each]:
                rank = min(self._strong[each])
                found.append((tuple(self._member(f, rank) for f, _ in each.weights), value))
        return found

    def _member(self, fact: int, rank: int) -> int:
        members = self.members(fact)
        return members[min(rank, len(members) - 1)]

    def is_possible(self, ply: int) -> bool:
        """Return whether play can still go on at a ply, as far as the sums say."""
        return all(
            sum(min(w, 0) for _, w in each.weights)
            <= value
            <= sum(max(w, 0) for _, w in each.weights)
            for each, value in self[ply].items()
        )

    def _after(self, frame: Frame) -> Frame:
        known = tuple(
            sorted((s.weights[0][0], value) for s, value in frame.items() if len(s.weights) == 1)
        )
        if known not in self._gains:
            self._gains[known] = self._gains_of(dict(known), list(frame))
        rows = self._gains[known]
        found: Frame = {}
        for each, value in frame.items():
            gains = {row.get(each) for row in rows}
            if len(gains) == 1 and (gain := gains.pop()) is not None:
                found[each] = value + gain
        return found

    def members(self, fact: int) -> list[int]:
        """Return a fact and those that are equal to it."""
        return [fact, *self._followers.get(fact, ())]

    def _gains_of(self, known: dict[int, int], sums: list[Sum]) -> list[dict[Sum, int | None]]:
        """Return for each joint choice what it adds to each sum, None where that is not known."""
        joints = joint_choices(self.step, known)
        if joints is None:
            return [dict.fromkeys(sums)]
        if not joints.shape[1]:
            return []
        reader = _Reader(self, Cofactors(self.step, known, joints))
        for each in sums:
            self._strong[each] = {
                rank
                for rank in self._strong[each]
                if reader.is_strong(each, [self._member(f, rank) for f, _ in each.weights])
            }
        return reader.gains(sums)


class _Reader:
    """Reads off what sums gain when the joint choice is fixed."""

    def __init__(self, frames: Frames, cofactors: Cofactors) -> None:
        """Remember which values are plain: facts and constants."""
        import numpy as np

        self.frames, self.cofactors = frames, cofactors
        aig = frames.step.aig
        self._is_plain = np.zeros(len(aig), np.bool_)
        self._is_plain[[0, *aig.inputs]] = True

    def gains(self, sums: list[Sum]) -> list[dict[Sum, int | None]]:
        """Return what each sum gains in each lane."""
        rows: list[dict[Sum, int | None]] = [{} for _ in range(self.cofactors.lanes)]
        for each in sums:
            after = [self._after(fact) for fact, _ in each.weights]
            is_fixed, gain = self._gain(each, after)
            for index, (fixed, each_gain) in enumerate(zip(is_fixed, gain, strict=True)):
                rows[index][each] = each_gain if fixed else None
        return rows

    def is_strong(self, each: Sum, members: list[int]) -> bool:
        """Return whether a sum's gain can be read off certain facts alone, in all lanes."""
        follows = self.frames.step.next
        is_fixed, _ = self._gain(each, [self.cofactors.of(follows[fact]) for fact in members])
        return all(is_fixed)

    def _gain(self, each: Sum, after: list[NDArray[np.int64]]) -> tuple[list[bool], list[int]]:
        """Return, for each lane, whether a sum gains a fixed amount, and which."""
        import numpy as np

        lanes = self.cofactors.lanes
        lane = np.arange(lanes)
        balance = np.zeros((len(self._is_plain), lanes), np.int64)
        gain = np.zeros(lanes, np.int64)
        for (fact, weight), value_after in zip(each.weights, after, strict=True):
            before = self.cofactors.of(self.frames.step.facts[fact])
            for value, factor in ((value_after, weight), (before, -weight)):
                gain += np.where(value & 1, factor, 0)
                np.add.at(balance, (value >> 1, lane), np.where(value & 1, -factor, factor))
        balance[0] = 0
        return (balance == 0).all(axis=0).tolist(), gain.tolist()

    def _after(self, fact: int) -> NDArray[np.int64]:
        """Return a fact after the step, by whichever of its equals is plain in a lane."""
        import numpy as np

        first, *others = self.frames.members(fact)
        found = self.cofactors.of(self.frames.step.next[first])
        for member in others:
            value = self.cofactors.of(self.frames.step.next[member])
            found = np.where(self._is_plain[found >> 1], found, value)
        return found
