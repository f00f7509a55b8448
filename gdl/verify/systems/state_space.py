"""All states of a small system, level by level, and the moves between them.

In: a system. Out: a `StateSpace` that grows by one level at a time: states as bits, how play
first comes to each, and which state each move leads to. A space that would be too large
says so before it is built.

Source: breadth-first search, of many states at once (`bit_parallel`).
"""

from __future__ import annotations

from itertools import product
from math import prod
from typing import TYPE_CHECKING, Final

from gdl.verify.solvers.budget import Budget
from gdl.verify.systems.bit_parallel import of_facts, of_step
from gdl.verify.systems.system import Play, System

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from gdl.verify.systems.bit_parallel import Bits

MAX_STATES: Final = 20_000
"""States in all; a system with more is not small."""
MAX_EDGES: Final = 400_000
"""Moves in all, one for each state and joint choice that is legal there."""
CHUNK: Final = 4_096
"""Moves that are simulated at once."""

Edge = tuple[int, tuple[int, ...]]
"""A state by its number, and the choice of each role."""


class StateSpace:
    """States known so far, numbered in the order in which they were found.

    Attributes:
        system: Whose states they are.
        level: States of the last level, ``bool[F, B]``: facts (rows) of each state (column).
        numbers: Their numbers.
        depth: Moves to the last level.
        states: Each state that play reaches, one array a level.
        edges: Every move from a state of all levels but the last.
        targets: The state that each leads to.
    """

    def __init__(self, system: System, budget: Budget, *, max_states: int = MAX_STATES) -> None:
        """Begin with the first state."""
        import numpy as np

        self.system, self.budget, self.max_states = system, budget, max_states
        flat = system.flat_legal
        self._looker = of_facts(system, [system.stop, *flat])
        choices = system.flat_choices
        self._mover = of_step(system)
        self._width = len(choices)
        self.level = np.array(system.initial, np.bool_)[:, None]
        self.numbers = [0]
        self.depth = 0
        self.states: list[Bits] = [self.level]
        self.edges: list[Edge] = []
        self.targets: list[int] = []
        self._seen: dict[bytes, int] = {self.level[:, 0].tobytes(): 0}
        self._origin: list[Edge] = [(-1, ())]

    def __len__(self) -> int:
        """Return how many states are known."""
        return len(self._origin)

    def grow(self) -> bool:
        """Find the next level; return whether the space is still small enough.

        Raises:
            OutOfBudgetError: Time or memory ran out first.
        """
        import numpy as np

        moves = self._moves()
        if moves is None:
            return False
        fresh: list[NDArray[np.bool_]] = []
        numbers: list[int] = []
        for start in range(0, len(moves), CHUNK):
            self.budget.check()
            part = moves[start : start + CHUNK]
            for (lane, joint), state in zip(part, self._after(part), strict=True):
                key = state.tobytes()
                number = self._seen.get(key)
                if number is None:
                    number = self._seen[key] = len(self._origin)
                    if number >= self.max_states:
                        return False
                    self._origin.append((self.numbers[lane], joint))
                    fresh.append(state)
                    numbers.append(number)
                self.edges.append((self.numbers[lane], joint))
                self.targets.append(number)
        empty = np.zeros((len(self.system.facts), 0), np.bool_)
        self.level = np.array(fresh).T if fresh else empty
        self.numbers = numbers
        if numbers:
            self.depth += 1
            self.states.append(self.level)
        return True

    def _moves(self) -> list[Edge] | None:
        """Return the legal moves of the last level by lane, None when there are too many."""
        values_of_states = self._looker.run(self.level)
        rows: list[list[list[int]]] = []
        room = MAX_EDGES - len(self.edges)
        for values in values_of_states.T:
            options = self._options(values)
            room -= prod(map(len, options)) if options else 0
            if room < 0:
                return None
            rows.append(options)
        return [
            (lane, joint)
            for lane, options in enumerate(rows)
            if options
            for joint in product(*options)
        ]

    def _options(self, values: NDArray[np.bool_]) -> list[list[int]]:
        """Return the legal choices of each role, nothing where play has ended."""
        if values[0]:
            return []
        legal = values[1:]
        return [part.nonzero()[0].tolist() for part in self.system.by_role(legal)]

    def _after(self, moves: list[Edge]) -> Bits:
        """Return the state after each move, one a row."""
        import numpy as np

        before = self.level[:, [lane for lane, _ in moves]]
        return self._mover.run(np.concatenate([before, self.joints(moves)])).T

    def play(self, number: int) -> Play:
        """Return the shortest play to a state."""
        joints = []
        while number:
            number, joint = self._origin[number]
            joints.append(joint)
        return tuple(reversed(joints))

    def blocks(self) -> list[Bits]:
        """Return all states, ``bool[F, B]`` a level."""
        return self.states

    def columns(self) -> Bits:
        """Return all states, ``bool[F, N]``, in the order of their numbers."""
        import numpy as np

        return np.concatenate(self.states, axis=1)

    def joints(self, edges: list[Edge]) -> Bits:
        """Return the choices of moves as bits, ``bool[C, B]``."""
        import numpy as np

        chosen = np.zeros((self._width, len(edges)), np.bool_)
        columns = np.arange(len(edges))
        for role, part in enumerate(self.system.by_role(chosen)):
            part[[joint[role] for _, joint in edges], columns] = True
        return chosen


def whole_space(
    system: System, budget: Budget, *, max_states: int = MAX_STATES
) -> StateSpace | None:
    """Return all states of a system, None when there are too many.

    Raises:
        OutOfBudgetError: Time or memory ran out first.
    """
    space = StateSpace(system, budget, max_states=max_states)
    while space.numbers:
        if not space.grow():
            return None
    return space
