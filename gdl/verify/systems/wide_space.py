"""All states of a system of many, level by level, and nothing else of them.

In: a system. Out: a `WideSpace` that grows by one level at a time and can be stopped in the middle
of one. It knows no moves but to come from one state to the next: a play to a state is found anew,
backwards. A hundred times as many states as of a `StateSpace` fit.

Source: breadth-first search, of thousands of states at once (`bit_parallel`).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from gdl.verify.solvers.budget import Budget
from gdl.verify.systems.bit_parallel import Simulator, of_facts, of_step
from gdl.verify.systems.system import Play, System

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from gdl.verify.systems.bit_parallel import Bits

    Rows = NDArray[np.uint8]
    Numbers = NDArray[np.int64]

MOST_STATES: Final = 2_000_000
"""States in all."""
KEEPING: Final = 0.5
"""Of the memory left, what states may take: whoever else is asked needs some, too."""
BYTES_A_STATE: Final = 160
"""What a state takes, beside three times its bits: as a key, in its level and while that is made.
"""
MOST_JOINT_MOVES: Final = 1 << 16
"""Joint moves of one state, at most."""
BLOCK: Final = 4_096
"""States whose moves are looked for at once."""
WORDS: Final = 1 << 24
"""Words of 64 bits that simulating may take, and as many again each copy of what goes into it."""


class WideSpace:
    """States known so far, as rows of packed bits, a level behind the other.

    Attributes:
        system: Whose states they are.
        levels: The states of each level, ``uint8[N, W]``: bit n of a row is fact n.
        is_closed: Whether there are no other states.
    """

    def __init__(self, system: System, budget: Budget) -> None:
        """Begin with the first state."""
        import numpy as np

        self.system, self.budget = system, budget
        self._looker = of_facts(system, [system.stop, *system.flat_legal])
        self._mover = of_step(system)
        # A gate takes a bit of each lane; a fact or a choice a byte, before it is packed.
        bits = len(system.aig) + 8 * (len(system.facts) + len(system.flat_choices))
        self._lanes = 64 * max(32, min(1024, WORDS // bits))
        first = np.ascontiguousarray(_packed(np.array(system.initial, np.bool_)[:, None]))
        self.levels: list[Rows] = [first]
        self.is_closed = False
        self._seen = {first[0].tobytes()}
        self._fresh: list[bytes] = []
        self._at = 0  # states of the last level whose moves were made
        taken = BYTES_A_STATE + 3 * first.shape[1]
        self._most = min(MOST_STATES, int(KEEPING * budget.bytes_left) // taken)

    def __len__(self) -> int:
        """Return how many states are known."""
        return len(self._seen)

    @property
    def depth(self) -> int:
        """Moves to the last level."""
        return len(self.levels) - 1

    def grow(self) -> bool:
        """Find the next level; return whether the space is still small enough.

        Where time runs out, the next call goes on from there.

        Raises:
            OutOfBudgetError: Time or memory ran out first.
        """
        import numpy as np

        if not self.system.facts:
            return False  # a row of nothing is no key
        level = self.levels[-1]
        while self._at < len(level):
            part = level[self._at : self._at + BLOCK]
            moves = self._moves(part)
            if moves is None:
                return False
            for lanes, joints in moves:
                self.budget.check()
                for row in np.unique(_keys(self._played(part, lanes, joints))):
                    key = row.tobytes()
                    if key not in self._seen:
                        # First into the level: a block that is broken off is begun once more, and
                        # a state that were seen and in no level would never be gone on from.
                        self._fresh.append(key)
                        self._seen.add(key)
                if len(self._seen) > self._most:
                    return False
            self._at += BLOCK
        if self._fresh:
            fresh = np.frombuffer(b"".join(self._fresh), np.uint8)
            self.levels.append(fresh.reshape(len(self._fresh), level.shape[1]))
            self._fresh, self._at = [], 0
        else:
            self.is_closed = True
        return True

    def bits(self, rows: Rows) -> Bits:
        """Return states as bits, ``bool[F, N]``."""
        import numpy as np

        # Turned as bytes before it is unpacked: that is an eighth of what is turned as bits.
        turned = np.ascontiguousarray(rows.T)
        unpacked = np.empty((len(turned), 8, len(rows)), np.uint8)
        for n in range(8):
            np.bitwise_and(turned >> n, 1, out=unpacked[:, n])
        return unpacked.reshape(8 * len(turned), len(rows))[: len(self.system.facts)].view(np.bool_)

    def blocks(self) -> Iterator[Bits]:
        """Yield all states as bits, ``bool[F, B]``, level by level and not too many at once."""
        for level in self.levels:
            for start in range(0, len(level), BLOCK):
                yield self.bits(level[start : start + BLOCK])

    def find(self, bads: Simulator, depth: int) -> Rows | None:
        """Return a state of a level in which one of some edges is true, None for none.

        Raises:
            OutOfBudgetError: Time or memory ran out first.
        """
        level = self.levels[depth]
        for start in range(0, len(level), BLOCK):
            self.budget.check()
            part = level[start : start + BLOCK]
            bad = bads.run(self.bits(part)).any(axis=0)
            if bad.any():
                state: Rows = part[int(bad.argmax())]
                return state
        return None

    def play(self, state: Rows, depth: int) -> Play:
        """Return a shortest play to a state of a level, ``uint8[W]``.

        Of each level before, the first state is taken of which a move leads to the one that is
        known: its level was made of such moves.

        Raises:
            OutOfBudgetError: Time or memory ran out first.
        """
        joints: list[tuple[int, ...]] = []
        for level in reversed(self.levels[:depth]):
            state, joint = self._before(level, state)
            joints.append(joint)
        return tuple(reversed(joints))

    def _before(self, level: Rows, state: Rows) -> tuple[Rows, tuple[int, ...]]:
        """Return a state of a level and the move of it that leads to a state."""
        for start in range(0, len(level), BLOCK):
            part = level[start : start + BLOCK]
            for lanes, joints in self._moves(part) or ():
                self.budget.check()
                reached = (self._played(part, lanes, joints) == state).all(axis=1)
                if reached.any():
                    at = int(reached.argmax())
                    return part[lanes[at]], tuple(int(n) for n in joints[:, at])
        raise AssertionError("no move leads to a state that a move has led to")

    def _moves(self, rows: Rows) -> Iterator[tuple[Numbers, Numbers]] | None:
        """Return the joint moves of some states, so many as are simulated at once at a time.

        Of each part: of which state each is one, ``int64[M]``, and the choice of each role,
        ``int64[R, M]``. None where a state has too many.
        """
        import numpy as np

        values = self._looker.run(self.bits(rows))
        legal = [part & ~values[0] for part in self.system.by_role(values[1:])]
        counts = [part.sum(axis=0, dtype=np.int64) for part in legal]
        joint_counts = np.ones(len(rows), np.int64)
        for count in counts:
            # Factor by factor: no product of two numbers that are not too many overflows.
            joint_counts *= count
            if max(count.max(), joint_counts.max()) > MOST_JOINT_MOVES:
                return None
        return self._parts(legal, counts, joint_counts)

    def _parts(
        self, legal: list[Bits], counts: list[Numbers], joint_counts: Numbers
    ) -> Iterator[tuple[Numbers, Numbers]]:
        import numpy as np

        choices = [part.T.nonzero()[1] for part in legal]  # those of a state behind one another
        firsts = [count.cumsum() - count for count in counts]
        ends = joint_counts.cumsum()
        for start in range(0, int(ends[-1]), self._lanes):
            numbers = np.arange(start, min(start + self._lanes, int(ends[-1])))
            lanes = np.searchsorted(ends, numbers, side="right")
            # The moves of a state are numbered from 0 on. The digits of a number, of which each
            # role's has as many values as it has choices, say which of them each role makes.
            left = numbers - (ends - joint_counts)[lanes]
            joints = np.empty((len(legal), len(lanes)), np.int64)
            for role, count in enumerate(counts):
                left, digit = np.divmod(left, count[lanes])
                joints[role] = choices[role][firsts[role][lanes] + digit]
            yield lanes, joints

    def _played(self, rows: Rows, lanes: Numbers, joints: Numbers) -> Rows:
        """Return the state after each move, a row each."""
        import numpy as np

        chosen = np.zeros((len(self.system.flat_choices), len(lanes)), np.bool_)
        columns = np.arange(len(lanes))
        for part, choices in zip(self.system.by_role(chosen), joints, strict=True):
            part[choices, columns] = True
        return _packed(self._mover.run(np.concatenate([self.bits(rows[lanes]), chosen])))


def _packed(bits: Bits) -> Rows:
    """Return states, ``bool[F, N]``, as rows of bytes; a fifth of the time of `numpy.packbits`."""
    import numpy as np

    facts, states = bits.shape
    padded = np.zeros((-(-facts // 8), 8, states), np.uint8)
    padded.reshape(8 * len(padded), states)[:facts] = bits
    rows = padded[:, 0].copy()
    for n in range(1, 8):
        rows |= padded[:, n] << n
    return rows.T


def _keys(rows: Rows) -> NDArray[np.void]:
    """Return rows as values that can be sorted."""
    import numpy as np

    return np.ascontiguousarray(rows).view(np.dtype((np.void, rows.shape[1])))[:, 0]
