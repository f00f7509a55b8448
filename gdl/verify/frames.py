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
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from gdl.compile.circuit import TRUE, Lit
from gdl.verify.invariants import Invariants
from gdl.verify.sampling import Sample
from gdl.verify.system import System, copy_cone
from gdl.verify.transition import Transition
from gdl.compile.circuit import Aig

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

PRIME: Final = 2_147_483_629
"""Sums are guessed modulo this; their proof is exact."""
ROWS_PER_FACT: Final = 2
"""Differences of sampled states that sums are guessed from; a wrong guess is not proved."""
MAX_WEIGHT: Final = 64
MAX_JOINT: Final = 20_000
"""Joint choices that are looked at one by one, at most."""


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
    found = []
    for vector in _null_space(whole, len(leaders)):
        if np.abs(vector).max() <= MAX_WEIGHT:
            found.append(Sum(tuple((leaders[i], int(vector[i])) for i in np.flatnonzero(vector))))
    return found


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
        self._gains: dict[tuple[tuple[int, int], ...], list[dict[Sum, int | None]]] = {}

    def __getitem__(self, ply: int) -> Frame:
        """Return what is known at a ply. Cost of a new one: O(nodes * choices) at worst."""
        while len(self._frames) <= ply:
            self._frames.append(self._after(self._frames[-1]))
        return self._frames[ply]

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
            self._gains[known] = Gains(self, dict(known)).of(list(frame))
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


class Gains:
    """What each joint choice adds to each sum, where some facts are known."""

    def __init__(self, frames: Frames, known: dict[int, int]) -> None:
        """Find the joint choices that are possible at all."""
        self.frames = frames
        step = frames.step
        self.known = {
            step.facts[fact] >> 1: value for fact, value in known.items() if step.facts[fact] > 1
        }
        table = {node: node * 2 for node in step.aig.inputs}
        table |= {node: value for node, value in self.known.items()}
        target = Aig()
        for node in step.aig.inputs:
            while 2 * len(target) <= 2 * node:
                target.add_input()
        self.legal: list[list[int]] = []
        for row in step.legal:
            made = copy_cone(step.aig, target, table, list(row))
            self.legal.append([index for index, edge in enumerate(made) if edge != 0])

    def of(self, sums: list[Sum]) -> list[dict[Sum, int | None]]:
        """Return for each joint choice what it adds to each sum, None where that is not known."""
        import numpy as np

        size = 1
        for row in self.legal:
            size *= len(row)
        if size > MAX_JOINT or size == 0:
            return [dict.fromkeys(sums)] if size else []
        grid = np.array(np.meshgrid(*self.legal, indexing="ij")).reshape(len(self.legal), -1)
        values = self._evaluate(grid)
        return self._read(values, grid.shape[1], sums)

    def _evaluate(self, grid: NDArray[np.int64]) -> list[NDArray[np.int64]]:
        """Return for each node, in each lane, a constant, a fact's edge or the node's own edge."""
        import numpy as np

        step, lanes = self.frames.step, grid.shape[1]
        aig = step.aig
        values: list[NDArray[np.int64]] = [np.zeros(0, np.int64)] * len(aig)
        values[0] = np.zeros(lanes, np.int64)
        for node in aig.inputs:
            values[node] = np.full(lanes, self.known.get(node, 2 * node), np.int64)
        for role, row in enumerate(step.choices):
            for choice, edge in enumerate(row):
                values[edge >> 1] = (grid[role] == choice).astype(np.int64)
        for role, row in enumerate(step.legal):
            for choice in self.legal[role]:
                for edge in _conjuncts(aig, row[choice]):
                    node = edge >> 1
                    if aig.left[node] < 0 and node not in self.known and node:
                        values[node][grid[role] == choice] = 1 - (edge & 1)
        for node in range(1, len(aig)):
            left, right = aig.left[node], aig.right[node]
            if left < 0:
                continue
            one, other = values[left >> 1] ^ (left & 1), values[right >> 1] ^ (right & 1)
            found = np.full(lanes, 2 * node, np.int64)
            found = np.where(one == other, one, found)
            found = np.where(one == 1, other, found)
            found = np.where(other == 1, one, found)
            values[node] = np.where((one == 0) | (other == 0) | (one == other ^ 1), 0, found)
        return values

    def _read(
        self, values: list[NDArray[np.int64]], lanes: int, sums: list[Sum]
    ) -> list[dict[Sum, int | None]]:
        import numpy as np

        step = self.frames.step
        inputs = np.zeros(len(step.aig), np.bool_)
        inputs[step.aig.inputs] = True
        rows: list[dict[Sum, int | None]] = [{} for _ in range(lanes)]
        for each in sums:
            balance = np.zeros((len(step.aig), lanes), np.int64)
            constant = np.zeros(lanes, np.int64)
            lane = np.arange(lanes)
            for fact, weight in each.weights:
                before = values[step.facts[fact] >> 1] ^ (step.facts[fact] & 1)
                after = self._after(fact, values, inputs)
                for value, factor in ((after, weight), (before, -weight)):
                    flipped = value & 1
                    constant += np.where(flipped == 1, factor, 0)
                    np.add.at(balance, (value >> 1, lane), np.where(flipped == 1, -factor, factor))
            balance[0] = 0
            is_fixed = ~balance.any(axis=0)
            for index, (fixed, gain) in enumerate(zip(is_fixed, constant, strict=True)):
                rows[index][each] = int(gain) if fixed else None
        return rows

    def _after(
        self, fact: int, values: list[NDArray[np.int64]], inputs: NDArray[np.bool_]
    ) -> NDArray[np.int64]:
        """Return a fact after the step, by whichever of its equals is the plainest in a lane."""
        import numpy as np

        found: NDArray[np.int64] | None = None
        for member in self.frames.members(fact):
            edge: Lit = self.frames.step.next[member]
            value = values[edge >> 1] ^ (edge & 1)
            if found is None:
                found = value
                continue
            is_plain = inputs[found >> 1] | (found <= TRUE)
            found = np.where(is_plain, found, value)
        assert found is not None
        return found


def _conjuncts(aig: Aig, edge: Lit) -> list[Lit]:
    """Return the edges whose conjunction an edge is, as far as plain gates go."""
    found, stack = [], [edge]
    while stack:
        top = stack.pop()
        if top & 1 or aig.left[top >> 1] < 0:
            found.append(top)
        else:
            stack += (aig.left[top >> 1], aig.right[top >> 1])
    return found
