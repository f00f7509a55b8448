"""A bound on the length of plays, from facts that never come back.

In: a system and its invariants. Out: a number of moves that no play exceeds, if each move
uses up at least one of some facts: a blank cell that is filled stays filled.

Which facts never come back is found as invariants are: all that no sampled move refutes
are guessed, and those that some step refutes are dropped until the rest stands. Each then
changes once at most, so a step that changes none of them would be needed to play on for
ever; if there is none, there are at most as many moves as such facts. Of facts that
exclude each other, such as the two colours of one cell, only one ever becomes true.
Where a step may change none of them (a pass, or the first part of a turn) two and three in
a row are asked about: if one of two always does, a play is at most twice as long, and one.

Source: ranking functions as in Floyd, "Assigning Meanings to Programs", 1967.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import combinations
from typing import Final, TypeAlias

from gdl.certify.paths import runs_at_most
from gdl.circuit.aig import Aig, Lit, negate
from gdl.circuit.logic import disj_all
from gdl.verify.proving.evidence import UsedUp
from gdl.verify.proving.free_path import FreePath
from gdl.verify.proving.invariants import Invariants
from gdl.verify.proving.prove import Prover
from gdl.verify.proving.search import Assumptions
from gdl.verify.solvers.budget import Budget
from gdl.verify.solvers.sat import Solver
from gdl.verify.systems.sampling import Sample
from gdl.verify.systems.system import System
from gdl.verify.systems.transition import StepSolver, transition

MAX_DROPS: Final = 200
"""Attempts at doing with fewer facts."""
IN_A_ROW: Final = 3
"""Steps, at most, of which one has to get on: a turn of so many moves, or a move after passes."""

SAMPLED: Final = 64
"""Random plays that are looked through for what comes back."""

Group: TypeAlias = tuple[tuple[int, bool], ...]
"""Facts, each with a value: the group is used up, for good, where one of them has it."""


def monotone_bound(prover: Prover, budget: Budget) -> tuple[int, UsedUp | None] | None:
    """Return a length that no play exceeds, None where this does not find one.

    With it comes what others can check, where every step was asked about.

    Raises:
        OutOfBudgetError: Time or memory ran out first.
    """
    system, invariants = prover.system, prover.invariants
    proof = _MonotoneProof(system, invariants, prover.sampled, budget)
    try:
        lasting, steps = proof.lasting(), 1
        groups = proof.used_up(lasting)
        if groups is None:
            groups = proof.used_up(proof.lasting(is_last_step_free=True))
            # Only steps after which play goes on were asked about: one more may end it.
            if groups is not None:
                return len(groups) + 1, None
            while groups is None and steps < IN_A_ROW:
                steps += 1
                proof.walk(steps)
                groups = proof.used_up(lasting)
    finally:
        proof.close()
    if groups is None:
        return None
    used_up = UsedUp(system.asking(()), invariants, tuple(groups), steps)
    return runs_at_most(len(groups), steps), used_up


class _MonotoneProof:
    """Attempts at one system: over all steps, those after which play goes on, some in a row."""

    def __init__(
        self, system: System, invariants: Invariants, sampled: Sample, budget: Budget
    ) -> None:
        self.step = step = transition(system.asking(()), invariants.same)
        self.solver = solver = StepSolver(step, budget)
        Assumptions(solver, step, invariants)
        self._budget, self._invariants, self._sampled = budget, invariants, sampled
        self._rivals = invariants.exclusive
        self._given: list[int] = []
        # What is asked about: a solver, and the facts before and after in its graph.
        self._asked: tuple[Solver, Sequence[Lit], Sequence[Lit]] = (solver, step.facts, step.next)
        self.path: FreePath | None = None

    def close(self) -> None:
        """Give the memory of the solvers back."""
        self.solver.close()
        if self.path is not None:
            self.path.close()

    def walk(self, steps: int) -> None:
        """Ask from now on what so many steps in a row do, whether the last ends play or not."""
        self._given = []
        if self.path is None:
            self.path = FreePath(self.step.system, self._invariants, self._budget)
        while len(self.path.states) < steps:
            self.path.go_on()
        self._asked = (self.path.solver, self.path.states[0], self.path.facts)

    def used_up(self, lasting: Sequence[Group]) -> list[Group] | None:
        """Return groups of facts of which what is asked about uses up one; None for none.

        Facts that become false are tried alone, then those that become true: a bound from one
        kind counts each cell once, where both together would count it twice. Then all single
        facts, and with them groups of which no fact by itself lasts.
        """
        single = [group for group in lasting if len(group) == 1]
        kinds = ([group for group in single if group[0][1] is wanted] for wanted in (False, True))
        for groups in (*kinds, single, lasting):
            needed = self._needed(groups)
            if needed is not None:
                return self._counted_once(self._fewer(needed))
        return None

    def _counted_once(self, groups: Sequence[Group]) -> list[Group]:
        """Return the same facts in fewer groups, each used up in one step. Cost O(pairs).

        Facts that become true for good and exclude each other count as one. When the first of
        them has become true it stays so, and by `_never_both` no step then makes another true:
        all that become true do so in one step. A fact that becomes false for good leaves room
        for its rivals, so it is counted alone.
        """
        single = [group[0] for group in groups if len(group) == 1]
        others = [group for group in groups if len(group) > 1 or not group[0][1]]
        cliques = self._cliques([fact for fact, value in single if value])
        pairs = [pair for clique in cliques for pair in combinations(clique, 2)]
        if pairs and not self._never_both(pairs):
            return list(groups)
        return [*others, *(tuple((fact, True) for fact in clique) for clique in cliques)]

    def _cliques(self, facts: Iterable[int]) -> list[list[int]]:
        """Return facts in groups that exclude each other. Cost O(pairs)."""
        cliques: list[list[int]] = []
        for fact in facts:
            own = next((c for c in cliques if all(self._are_rivals(fact, o) for o in c)), None)
            if own is None:
                cliques.append([fact])
            else:
                own.append(fact)
        return cliques

    def _are_rivals(self, left: int, right: int) -> bool:
        return (min(left, right), max(left, right)) in self._rivals

    def _never_both(self, pairs: Sequence[tuple[int, int]]) -> bool:
        """Return whether no step makes one true where the other is, also where play ends."""
        step, aig = self.step, self.step.aig
        edges = [
            aig.conj(step.facts[a], step.next[b])
            for pair in pairs
            for a, b in (pair, reversed(pair))
        ]
        return not self.solver.solve([*self._given, self.solver.lit(disj_all(aig, edges))])

    def lasting(self, *, is_last_step_free: bool = False) -> list[Group]:
        """Return what no step brings back, or none after which play goes on: facts, and groups.

        Guessed is that what no sampled step takes back never comes back; and of facts that are
        taken back and exclude each other, as the two colours of a stone that is turned over, that
        one of them is true from when the first was. Then each guess is asked about for itself: may
        a step from a state that the invariants allow refute it? No answer assumes another's, so
        what stands is not an induction over many but one group after the other, each proved of
        every step.
        """
        solver, step, system = self.solver, self.step, self.step.system
        self._given = [solver.lit(step.next_going)] if is_last_step_free else []
        changed = self._sampled.changes(SAMPLED, to_the_end=not is_last_step_free)
        free = [fact for fact in range(len(system.facts)) if fact not in self._invariants.same]
        kept = [fact for fact in free if not changed[int(system.initial[fact]), fact]]
        standing: list[Group] = [((fact, not system.initial[fact]),) for fact in kept]
        turned = set(free) - set(kept)
        cliques = self._cliques(fact for fact in sorted(turned) if not system.initial[fact])
        standing += (tuple((fact, True) for fact in c) for c in cliques if len(c) > 1)
        leaves = {
            group: solver.lit(
                step.aig.conj(
                    _used(step.aig, step.facts, group), negate(_used(step.aig, step.next, group))
                )
            )
            for group in standing
        }
        while standing:
            goal = solver.new_variable()
            solver.add([-goal, *(leaves[group] for group in standing)])
            if not solver.solve([*self._given, goal]):
                break
            standing = [group for group in standing if not solver.value(leaves[group])]
            solver.add([-goal])
        return standing

    def _unchanged(self, group: Group) -> int:
        """Return that a group is not used up by what is asked about."""
        solver, before, after = self._asked
        was, now = (_used(solver.aig, facts, group) for facts in (before, after))
        return -solver.lit(solver.aig.conj(negate(was), now))

    def _needed(self, groups: Sequence[Group]) -> list[Group] | None:
        """Return groups of which every step uses up one, None where a step uses up none.

        Assumed is that none of them is; the core of the denial names those that it needed. Of
        steps in a row the first state and the last are compared: what one of them uses up for
        good still is after the last.
        """
        literals = {self._unchanged(group): group for group in groups}
        solver, *_ = self._asked
        if not groups or solver.solve([*self._given, *literals]):
            return None
        return [literals[literal] for literal in solver.core() if literal in literals]

    def _fewer(self, groups: list[Group]) -> list[Group]:
        """Return some groups that do as well; half of the time is left for what follows."""
        needed, enough = groups, self._budget.left / 2
        for group in groups[:MAX_DROPS]:
            if self._budget.left < enough:
                break
            if group in needed:
                less = self._needed([other for other in needed if other != group])
                needed = needed if less is None else less
        return needed


def _used(aig: Aig, facts: Sequence[Lit], group: Group) -> Lit:
    """Return whether a group is used up in the state of these facts."""
    return disj_all(aig, [facts[fact] ^ (not value) for fact, value in group])
