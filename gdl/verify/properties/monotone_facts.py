"""A bound on the length of plays, from facts that never come back.

In: a system and its invariants. Out: a number of moves that no play exceeds, if each move
uses up at least one of some facts: a blank cell that is filled stays filled.

Which facts never come back is found as invariants are: all that no sampled move refutes
are guessed, and those that some step refutes are dropped until the rest stands. Each then
changes once at most, so a step that changes none of them would be needed to play on for
ever; if there is none, there are at most as many moves as such facts. Of facts that
exclude each other, such as the two colours of one cell, only one ever becomes true.

Source: ranking functions as in Floyd, "Assigning Meanings to Programs", 1967.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from typing import Final

from gdl.circuit.logic import disj_all
from gdl.verify.proving.evidence import UsedUp
from gdl.verify.proving.invariants import Invariants
from gdl.verify.proving.search import Assumptions
from gdl.verify.solvers.budget import Budget
from gdl.verify.systems.system import System
from gdl.verify.systems.transition import StepSolver, transition

MAX_DROPS: Final = 200
"""Attempts at doing with fewer facts."""

MonotoneFact = tuple[int, bool]
"""A fact and the value that it keeps once it has it."""


def monotone_bound(
    system: System, invariants: Invariants, budget: Budget
) -> tuple[int, UsedUp | None] | None:
    """Return a length that no play exceeds, None where this does not find one.

    With it comes what others can check, where every step was asked about.

    Raises:
        OutOfBudgetError: Time or memory ran out first.
    """
    for is_last_step_free in (False, True):
        progress = _MonotoneProof(system, invariants, budget, is_last_step_free=is_last_step_free)
        try:
            groups = progress.run()
        finally:
            progress.solver.close()
        if groups is not None:
            # Where only steps after which play goes on were asked about, one more may end it.
            if is_last_step_free:
                return len(groups) + 1, None
            return len(groups), UsedUp(system.asking(()), invariants, tuple(map(tuple, groups)))
    return None


class _MonotoneProof:
    """One attempt, over all steps or over those after which play goes on."""

    def __init__(
        self, system: System, invariants: Invariants, budget: Budget, *, is_last_step_free: bool
    ) -> None:
        self.step = step = transition(system.asking(()), invariants.same)
        self.solver = solver = StepSolver(step, budget)
        Assumptions(solver, step, invariants)
        self._rivals = invariants.exclusive
        if is_last_step_free:
            solver.add([solver.lit(step.next_going)])
        self.standing: list[MonotoneFact] = [
            (fact, value)
            for fact, start in enumerate(system.initial)
            if fact not in invariants.same
            for value in (not start,)
        ]

    def run(self) -> list[list[MonotoneFact]] | None:
        """Return groups of facts of which each step uses up one; None if there are none.

        Facts that become false are tried alone, then those that become true: a bound from one
        kind counts each cell once, where both together would count it twice.
        """
        self._keep_what_lasts()
        for wanted in (False, True):
            few = [once for once in self.standing if once[1] is wanted]
            needed = self._needed(few)
            if needed is not None:
                return self._groups(self._fewer(needed))
        needed = self._needed(self.standing)
        return None if needed is None else self._groups(self._fewer(needed))

    def _groups(self, facts: Sequence[MonotoneFact]) -> list[list[MonotoneFact]]:
        """Return facts in groups, each of which changes in one step at most. Cost O(pairs).

        Facts that become true for good and exclude each other count as one. When the first of
        them has become true it stays so, and by `_never_both` no step then makes another true:
        all that become true do so in one step. A fact that becomes false for good leaves room
        for its rivals, so it is counted alone.
        """
        losses: list[list[MonotoneFact]] = [[(fact, value)] for fact, value in facts if not value]
        groups: list[list[int]] = []
        for fact in (fact for fact, value in facts if value):
            group = next((g for g in groups if all(self._are_rivals(fact, o) for o in g)), None)
            if group is None:
                groups.append([fact])
            else:
                group.append(fact)
        pairs = [pair for group in groups for pair in combinations(group, 2)]
        is_one_a_group = not pairs or self._never_both(pairs)
        if not is_one_a_group:
            return [[once] for once in facts]
        return [*losses, *([(fact, True) for fact in group] for group in groups)]

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
        return not self.solver.solve([self.solver.lit(disj_all(aig, edges))])

    def _keep_what_lasts(self) -> None:
        """Drop facts that a step can bring back.

        Each fact is asked about for itself: may a step from a state that the invariants allow
        take it from its kept value? No fact's answer assumes another's, so what stands is not
        an induction over many but one fact after the other, each proved of every step.
        """
        solver, step = self.solver, self.step
        leaves = {
            (fact, value): solver.lit(
                step.aig.conj(step.facts[fact] ^ (not value), step.next[fact] ^ value)
            )
            for fact, value in self.standing
        }
        while self.standing:
            goal = solver.new_variable()
            solver.add([-goal, *(leaves[once] for once in self.standing)])
            if not solver.solve([goal]):
                break
            self.standing = [once for once in self.standing if not solver.value(leaves[once])]
            solver.add([-goal])

    def _unchanged(self, once: MonotoneFact) -> int:
        fact, value = once
        step = self.step
        return -self.solver.lit(
            step.aig.conj(step.facts[fact] ^ value, step.next[fact] ^ (not value))
        )

    def _needed(self, facts: Sequence[MonotoneFact]) -> list[MonotoneFact] | None:
        """Return facts of which every step changes one, None where a step changes none.

        Assumed is that none of them changes; the core of the denial names those that it needed.
        """
        literals = {self._unchanged(once): once for once in facts}
        if not facts or self.solver.solve([*literals]):
            return None
        return [literals[literal] for literal in self.solver.core()]

    def _fewer(self, facts: list[MonotoneFact]) -> list[MonotoneFact]:
        needed = facts
        for once in facts[:MAX_DROPS]:
            if once in needed:
                less = self._needed([fact for fact in needed if fact != once])
                needed = needed if less is None else less
        return needed
