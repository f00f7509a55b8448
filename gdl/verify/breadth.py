"""All states of a small system, level by level.

In: a system. Out: the shortest play to a bad state, or the proof that there is none, when
there are few states; nothing when there are many.

Source: breadth-first search; bit-parallel as in `simulate`.
"""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING, Final

from gdl.verify.budget import Budget
from gdl.verify.search import Play, Result
from gdl.verify.simulate import Simulator
from gdl.verify.system import System

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from gdl.verify.simulate import Bits

MAX_STATES: Final = 20_000
"""States in all; a system with more is not small."""
MAX_JOINT: Final = 4_096
"""Joint choices in one level."""


def explore(system: System, budget: Budget) -> Result | None:
    """Look at every state that play reaches, None when there are too many.

    Raises:
        OutOfBudgetError: Time or memory ran out first.
    """
    return _Exploration(system, budget).run()


class _Exploration:
    """States known so far; each but the first with the one before it and the choices made."""

    def __init__(self, system: System, budget: Budget) -> None:
        self.system, self.budget = system, budget
        flat = [edge for row in system.legal for edge in row]
        bads = [bad.edge for bad in system.bads]
        self._looker = Simulator(system.aig, system.fact_inputs, [system.stop, *bads, *flat])
        choices = [edge for row in system.choice_inputs for edge in row]
        self._mover = Simulator(system.aig, [*system.fact_inputs, *choices], system.next)
        self._seen: dict[bytes, int] = {}
        self._origin: list[tuple[int, tuple[int, ...]]] = []

    def run(self) -> Result | None:
        """Go level by level."""
        import numpy as np

        level = np.array(self.system.initial, np.bool_)[:, None]
        self._seen[level.tobytes()] = 0
        self._origin.append((-1, ()))
        numbers, depth = [0], 0
        while numbers:
            self.budget.check()
            found = self._looker.run(level)
            bad = found[1 : 1 + len(self.system.bads)].any(axis=0)
            if bad.any():
                play = self._play(numbers[int(np.flatnonzero(bad)[0])])
                method = "every shorter play was looked at"
                return Result(play, proved=True, depth=depth - 1, method=method)
            legal = found[1 + len(self.system.bads) :] & ~found[0]
            after = self._successors(level, legal, numbers)
            if after is None:
                return None
            level, numbers = after
            depth += 1
        method = f"looking at all {len(self._seen)} states"
        return Result(None, proved=True, depth=depth, method=method)

    def _successors(
        self, level: Bits, legal: Bits, numbers: list[int]
    ) -> tuple[Bits, list[int]] | None:
        """Return the states that are new after one move, with their numbers."""
        import numpy as np

        rows, start = [], 0
        for row in self.system.legal:
            part = legal[start : start + len(row)]
            rows.append([(start, int(c), part[c]) for c in np.flatnonzero(part.any(axis=1))])
            start += len(row)
        size = 1
        for each in rows:
            size *= len(each)
        if size > MAX_JOINT:
            return None
        fresh: list[NDArray[np.bool_]] = []
        fresh_numbers: list[int] = []
        for joint in product(*rows):
            lanes = np.flatnonzero(np.all([allowed for _, _, allowed in joint], axis=0))
            if not len(lanes):
                continue
            chosen = np.zeros((start, len(lanes)), np.bool_)
            chosen[[offset + choice for offset, choice, _ in joint]] = True
            after = self._mover.run(np.concatenate([level[:, lanes], chosen]))
            for lane, state in zip(lanes, after.T, strict=True):
                key = state.tobytes()
                if key in self._seen:
                    continue
                number = self._seen[key] = len(self._origin)
                if number >= MAX_STATES:
                    return None
                self._origin.append((numbers[lane], tuple(choice for _, choice, _ in joint)))
                fresh.append(state)
                fresh_numbers.append(number)
        empty = np.zeros((level.shape[0], 0), np.bool_)
        return (np.array(fresh).T if fresh else empty), fresh_numbers

    def _play(self, number: int) -> Play:
        """Return the choices that lead to a state."""
        found = []
        while number:
            number, joint = self._origin[number]
            found.append(joint)
        return tuple(reversed(found))
