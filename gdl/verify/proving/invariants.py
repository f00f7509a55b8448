"""Facts about facts that hold wherever play goes on: guessed from random plays, then proved.

In: a system and a sample of its states. Out: `Invariants`: facts that never change, facts
that are equal or opposite (across two games, mostly: the same square), and clauses of two
facts (no square holds two marbles, someone is in control).

What is guessed is all that no sampled state refutes. The proof is by induction, all
guesses at once: if they hold before a step, they hold after it. A step that refutes some
becomes a sampled state, until nothing is refuted. From such a state random play goes on: all that
it refutes need not be asked of the solver, guess by guess.

Source: van Eijk, "Sequential Equivalence Checking Based on Structural Similarities",
IEEE TCAD 2000; Flanagan, Leino, "Houdini, an Annotation Assistant for ESC/Java", 2001.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from gdl.circuit.aig import Lit
from gdl.circuit.logic import conj_all
from gdl.verify.solvers.budget import Budget
from gdl.verify.systems.sampling import RandomPlay, Sample
from gdl.verify.systems.system import System
from gdl.verify.systems.transition import Same, StepSolver, transition

if TYPE_CHECKING:
    from gdl.verify.systems.bit_parallel import Bits

MAX_COLUMNS: Final = 12_000
"""Sampled states that guesses are made from."""
MAX_CLAUSES: Final = 40_000
"""More guessed clauses than these are not tried: the sample says too little."""

LANES: Final = 64
PLIES: Final = 16
"""Random plays from a state that refutes a guess, and how many moves each goes on."""
MAX_GROUP: Final = 64
"""Facts of which exactly one holds, at most."""

Clause = tuple[tuple[int, bool], ...]
"""Facts, each with the value that makes the clause true."""


@dataclass(frozen=True, slots=True)
class Invariants:
    """What was proved of every state where play goes on.

    Attributes:
        same: Facts that are another one, or fixed.
        clauses: Of each, at least one half holds.
        gates: Gates of facts, each with the edge of a lower node of the graph that it equals.
    """

    same: dict[int, Same]
    clauses: tuple[Clause, ...]
    gates: dict[int, Lit] = field(default_factory=dict)

    @property
    def fixed(self) -> int:
        """How many facts never change."""
        return sum(same.fact < 0 for same in self.same.values())

    @property
    def equal(self) -> int:
        """How many facts are always equal to another, or its opposite."""
        return len(self.same) - self.fixed

    @property
    def exclusive(self) -> frozenset[tuple[int, int]]:
        """Pairs of facts that never hold together, the smaller number first."""
        return exclusive_pairs(self.clauses)

    def beside(self, others: Invariants) -> Invariants | None:
        """Return what both sets say; None where they say two things of one gate."""
        gates = self.gates | others.gates
        if gates != others.gates | self.gates:
            return None
        same = (
            clause for fact, leader in others.same.items() for clause in _as_clauses(fact, leader)
        )
        return Invariants(self.same, (*self.clauses, *others.clauses, *same), gates)


def _as_clauses(fact: int, same: Same) -> tuple[Clause, ...]:
    if same.fact < 0:
        return (((fact, same.flipped),),)
    other = same.fact
    return ((fact, True), (other, same.flipped)), ((fact, False), (other, not same.flipped))


def find_invariants(
    system: System,
    sampled: Sample,
    budget: Budget,
    *,
    among: Collection[int] | None = None,
    on_round: Callable[[str], None] | None = None,
) -> Invariants:
    """Guess and prove invariants. Cost: one solver call for each guess that fails, at worst.

    Args:
        system: The system.
        sampled: Some of its states.
        budget: Of time and memory.
        among: Facts to which guesses are confined; None for all.
        on_round: Is told what is to be proved.

    Raises:
        OutOfBudgetError: Before the proof was found.
    """
    import numpy as np

    states, player = _columns(system, sampled), RandomPlay(system)
    facts = sorted(range(len(states)) if among is None else among)
    while True:
        same = _guess_same(states, facts)
        clauses = _guess_clauses(states, [fact for fact in facts if fact not in same])
        clauses += _guess_groups(states, clauses)
        if on_round is not None:
            on_round(f"{len(same)} facts equal or fixed and {len(clauses)} clauses to prove")
        proof = _Proof(system, same, clauses, player, budget)
        try:
            refuting = proof.run()
        finally:
            proof.solver.close()
        if not refuting:
            return Invariants(same, tuple(proof.standing))
        new = np.array(refuting, np.bool_).T
        states = np.concatenate([states, new], axis=1)


def _columns(system: System, sampled: Sample) -> Bits:
    """Return sampled states as columns, the first state first, not too many."""
    import numpy as np

    start = np.array(system.initial, np.bool_)[:, None]
    whole = np.concatenate([start, *sampled.going], axis=1)
    if whole.shape[1] <= MAX_COLUMNS:
        return whole
    chosen = np.random.default_rng(0).choice(whole.shape[1] - 1, MAX_COLUMNS, replace=False) + 1
    return np.concatenate([start, whole[:, chosen]], axis=1)


def _guess_same(states: Bits, facts: Sequence[int]) -> dict[int, Same]:
    """Return facts that no sampled state tells from an earlier one, its opposite or a constant."""
    leaders: dict[bytes, int] = {}
    same: dict[int, Same] = {}
    for index in facts:
        row = states[index]
        first = bool(row[0])
        if (row == first).all():
            same[index] = Same(-1, first)
            continue
        key = (row ^ first).tobytes()
        leader = leaders.setdefault(key, index)
        if leader != index:
            same[index] = Same(leader, first != bool(states[leader, 0]))
    return same


def _guess_clauses(states: Bits, leaders: Sequence[int]) -> list[Clause]:
    """Return clauses of two of some facts that every sampled state satisfies."""
    import numpy as np

    # For all pairs at once, in how many samples both, one or neither hold: float32[F, F], exact
    # below 2 ** 24 samples. What never occurs is guessed to be impossible.
    rows = states[leaders].astype(np.float32)
    count = rows.shape[1]
    both = rows @ rows.T
    ones = rows.sum(axis=1)
    only = ones[:, None] - both
    neither = count - ones[:, None] - ones[None, :] + both
    clauses: list[Clause] = []
    for missing, sign, other_sign in (
        (both, False, False),
        (neither, True, True),
        (only, False, True),
    ):
        left, right = np.nonzero(missing < 0.5)  # noqa: PLR2004  # counts, kept as floats
        clauses += (
            ((leaders[int(a)], sign), (leaders[int(b)], other_sign))
            for a, b in zip(left, right, strict=True)
            if (a < b if sign == other_sign else a != b)
        )
        if len(clauses) > MAX_CLAUSES:
            return clauses[:0]
    return clauses


def exclusive_pairs(clauses: Iterable[Clause]) -> frozenset[tuple[int, int]]:
    """Return the pairs that clauses of two facts forbid, the smaller number first."""
    return frozenset(
        (min(c[0][0], c[1][0]), max(c[0][0], c[1][0]))
        for c in clauses
        if len(c) == 2 and not c[0][1] and not c[1][1]  # noqa: PLR2004  # a pair
    )


def rivals_of(pairs: Iterable[tuple[int, int]]) -> dict[int, set[int]]:
    """Return for each fact those that it excludes."""
    rivals: dict[int, set[int]] = {}
    for left, right in pairs:
        rivals.setdefault(left, set()).add(right)
        rivals.setdefault(right, set()).add(left)
    return rivals


def pair_off(
    firsts: Iterable[int], seconds: Iterable[int], rivals: Mapping[int, set[int]]
) -> dict[int, int]:
    """Return facts, each with another of the others that it excludes, as long as there are such."""
    left = set(seconds)
    partner_of: dict[int, int] = {}
    for fact in firsts:
        if excluded := rivals.get(fact, set()) & left:
            partner_of[fact] = min(excluded)
            left.remove(partner_of[fact])
    return partner_of


def _guess_groups(states: Bits, clauses: list[Clause]) -> list[Clause]:
    """Return, for groups of mutually exclusive facts that cover every state, that one holds."""
    import numpy as np

    rivals = rivals_of(exclusive_pairs(clauses))
    groups: dict[Clause, None] = {}
    grouped: set[int] = set()
    for start in sorted(rivals):
        if start in grouped:
            continue
        # Greedy cover: ``open_to`` are facts that exclude all of the group, ``bare`` the samples
        # (bool[N]) in which none of it holds.
        group, open_to, bare = [start], set(rivals[start]), ~states[start]
        while open_to and bare.any() and len(group) < MAX_GROUP:
            candidates = sorted(open_to)
            covered = np.count_nonzero(states[candidates] & bare, axis=1)
            best = candidates[int(covered.argmax())]
            group.append(best)
            open_to &= rivals[best]
            bare &= ~states[best]
        if not bare.any() and len(group) > 2:  # noqa: PLR2004  # pairs are clauses already
            groups[tuple((fact, True) for fact in sorted(group))] = None
            grouped.update(group)
    return list(groups)


class _Proof:
    """One attempt: all guesses together, by induction over a step.

    Base: every guess was made from states of which the first state is one. Step: the solver's
    models are steps from a state where play goes on to a state where play goes on (the clause
    of ``next_going``), in which the equal facts are one input and the clauses that still stand
    hold before. If none of them breaks a guess, all states of a play up to its end satisfy all
    guesses. So nothing is claimed of states where play has ended; see `successors` for those.
    """

    def __init__(
        self,
        system: System,
        same: dict[int, Same],
        clauses: list[Clause],
        player: RandomPlay,
        budget: Budget,
    ) -> None:
        import numpy as np

        self.system, self.same = system, same
        self._player, self._budget, self._random = player, budget, np.random.default_rng(0)
        self.step = step = transition(system, same)
        self.solver = solver = StepSolver(step, budget)
        self.standing = list(clauses)
        self._active: dict[Clause, int] = {}
        self._broken: dict[Clause, int] = {}
        solver.add([solver.lit(step.next_going)])
        for clause in clauses:
            active = self._active[clause] = solver.new_variable()
            halves = [solver.lit(step.facts[f] ^ (not value)) for f, value in clause]
            solver.add([-active, *halves])
            after = [step.next[f] ^ value for f, value in clause]
            self._broken[clause] = solver.lit(conj_all(step.aig, after))
        self._unequal = [
            solver.lit(edge)
            for index, equal in same.items()
            if (edge := step.differs_after(index, equal)) > 0
        ]

    def run(self) -> list[tuple[bool, ...]]:
        """Drop clauses until the rest stands; return states that refute guesses, if facts are told.

        None are returned where all equal facts stand.

        A clause is dropped by leaving out its activation literal, so that it is no longer
        assumed before the step either. Equal facts are built into the graph as one input; once
        a step tells them apart, everything was asked of a wrong graph, and the caller starts
        again with one more state to guess from. Each round drops a clause or splits a class of
        equal facts, so it ends, with the largest set of guesses that is inductive.

        The caller gets the states that refuted clauses too, or it would refute each of them once
        more: a state from which a step led there still satisfies all that is guessed then, since
        that follows from what was guessed now.
        """
        met: list[tuple[bool, ...]] = []
        self.solver.prefer(self._broken.values())  # a model that refutes many is worth more
        asking = playing = 0.0
        while True:
            began = self._budget.clock()
            goal = self.solver.new_variable()
            broken = [self._broken[clause] for clause in self.standing]
            self.solver.add([-goal, *self._unequal, *broken])
            active = [self._active[clause] for clause in self.standing]
            if not self.solver.solve([goal, *active]):
                return []
            after = self.solver.state_after()
            met.append(after)
            self.solver.add([-goal])
            asked = self._budget.clock()
            asking += asked - began
            # Play goes on as long as it takes no longer than the questions that it spares.
            plies = PLIES if playing <= asking else 0
            is_apart = any(self.solver.true_of(self._unequal))
            if is_apart or self._play_on(after, plies, met):
                return met
            playing += self._budget.clock() - asked

    def _play_on(self, start: tuple[bool, ...], plies: int, met: list[tuple[bool, ...]]) -> bool:
        """Drop clauses that a state refutes, or what random play comes to from there.

        The solver's state refutes some clauses and satisfies all that are left. So a step from it
        is a step from where all that is left holds, and what it leads to refutes guesses in the
        same right; and so on along a play.

        Args:
            start: The state.
            plies: How far each play goes.
            met: States that refute guesses; grows.

        Returns:
            Whether facts were told apart that were guessed to be equal.
        """
        import numpy as np

        states = np.array(start, np.bool_)[:, None]
        if plies:
            played = self._player.play(start, self._budget, self._random, LANES, plies)
            states = np.concatenate([states, *played.going], axis=1)
        refuting = first_refuting(self.standing, states)
        apart = list(self._told_apart(states))
        met += (tuple(states[:, n].tolist()) for n in {*refuting, *apart} - {-1, 0})
        if apart:
            return True
        self.standing = [
            clause for clause, column in zip(self.standing, refuting, strict=True) if column < 0
        ]
        return False

    def _told_apart(self, states: Bits) -> Iterator[int]:
        """Yield for each fact that is not what it was guessed to be the first such state."""
        for fact, same in self.same.items():
            leader = states[same.fact] if same.fact >= 0 else False
            apart = states[fact] ^ leader ^ same.flipped
            if apart.any():
                yield int(apart.argmax())


def first_refuting(clauses: Sequence[Clause], states: Bits) -> list[int]:
    """Return for each clause the first state that refutes it, -1 for none. Cost O(literals * B)."""
    import numpy as np

    # A row a fact, a bit a state: where it is false, and where it is true.
    rows = np.packbits(np.stack([~states, states]), axis=2)
    columns = np.full(len(clauses), -1)
    sizes = np.fromiter(map(len, clauses), np.int64, len(clauses))
    for size in np.unique(sizes).tolist():
        places = np.flatnonzero(sizes == size)
        literals = np.array([clauses[place] for place in places.tolist()], np.int64)
        # Refuted is a clause of which no fact has the value that makes it true.
        refuted = np.bitwise_and.reduce(rows[1 - literals[..., 1], literals[..., 0]], axis=1)
        found = refuted.any(axis=1)
        columns[places[found]] = np.unpackbits(refuted[found], axis=1).argmax(axis=1)
    return columns.tolist()
