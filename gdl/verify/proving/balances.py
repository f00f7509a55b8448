"""Counts of facts that never change, with the clauses that need them: proved together.

In: a system, invariants that were proved of it, guessed balances and clauses. Out: `Balanced`, what
of these is inductive; and whether a step from there leads to something bad.

That a number which is kept is the number of pieces on the board says that one piece is left where
it says so, and then that it is never lowered below nothing. So clauses that are no invariants by
themselves may be with balances, and these with them: all guesses are proved at once, and what a
step breaks is dropped until nothing is (Houdini).

Of a balance a step is not asked whether the count after it is the same: two counts of a whole board
are a pigeonhole question to a solver. It is asked whether as many groups begin to count as cease
to, of which there are few where the move is known. Balances hold of all states of a play; clauses
and other invariants where play goes on.

Source: Flanagan, Leino, "Houdini, an Annotation Assistant for ESC/Java", 2001; Murata, "Petri Nets:
Properties, Analysis and Applications", Proc. IEEE 1989.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from gdl.circuit.aig import Lit, negate
from gdl.circuit.copy import copy_cone
from gdl.circuit.logic import conj_all, disj_all
from gdl.verify.proving.balance_guesses import Balance
from gdl.verify.proving.invariants import Clause, Invariants, first_refuting
from gdl.verify.solvers.budget import Budget
from gdl.verify.solvers.cardinality import Counters, sorted_literals
from gdl.verify.systems.bit_parallel import of_facts
from gdl.verify.systems.sampling import RandomPlay
from gdl.verify.systems.system import System
from gdl.verify.systems.transition import StepSolver, transition

FOLLOWED: Final = 8
"""Plies of random play from a state that a guess is false in."""
LANES: Final = 64
"""Such plays."""
MAX_CLAUSES: Final = 12_000
"""Clauses that are guessed beside balances, at most."""


@dataclass(frozen=True, slots=True)
class Balanced:
    """What was proved together.

    Attributes:
        invariants: What holds wherever play goes on.
        balances: What holds in all states of a play.
    """

    invariants: Invariants
    balances: tuple[Balance, ...]


def find_balanced(
    system: System,
    invariants: Invariants,
    balances: Sequence[Balance],
    clauses: Sequence[Clause],
    budget: Budget,
) -> Balanced:
    """Return what of guessed balances and clauses is inductive, beside what is known.

    All of them have to be true at first. Cost: a question for each step that breaks some.

    Args:
        system: Its own questions are not looked at.
        invariants: What was proved to hold wherever play goes on, by itself; equal gates are not
            made use of.
        balances: Guesses.
        clauses: Guesses.
        budget: For everything.

    Raises:
        OutOfBudgetError: Before it was found.
    """
    known = replace(invariants, gates={})
    proof = _Proof(system.asking(()), known, balances, clauses[:MAX_CLAUSES], budget)
    try:
        proof.run()
    finally:
        proof.solver.close()
    standing = (*known.clauses, *proof.clauses)
    return Balanced(replace(known, clauses=standing), tuple(proof.balances))


def is_kept_out(system: System, balanced: Balanced, budget: Budget) -> bool:
    """Return whether what was proved together keeps play from anything bad.

    Args:
        system: With what is asked as its bads.
        balanced: What was proved of it.
        budget: For the question.

    Raises:
        OutOfBudgetError: Time or memory ran out first.
    """
    import numpy as np

    bads = [bad.edge for bad in system.bads]
    start = np.array(system.initial, np.bool_)[:, None]
    if of_facts(system, bads).run(start).any():
        return False
    step = _CountedStep(system.asking(()), balanced.invariants, budget)
    try:
        table = {e >> 1: f for e, f in zip(system.fact_inputs, step.step.next, strict=True)}
        after = copy_cone(system.aig, step.step.aig, table, bads)
        held = [one for b in balanced.balances for one in step.holds(b)]
        return not step.solver.solve([*held, step.solver.lit(disj_all(step.step.aig, after))])
    finally:
        step.close()


class _CountedStep:
    """A step from where invariants hold, in which groups of facts can be counted."""

    def __init__(self, system: System, invariants: Invariants, budget: Budget) -> None:
        self.step = step = transition(system, invariants.same)
        self.solver = solver = StepSolver(step, budget)
        for clause in invariants.clauses:
            solver.add([solver.lit(step.facts[fact] ^ (not value)) for fact, value in clause])
        self._counters = Counters(solver)

    def holds(self, balance: Balance) -> list[int]:
        """Return assumptions that a balance holds before the step."""
        literals = [self.solver.lit(edge) for edge in self._counting(balance, self.step.facts)]
        return self._counters.exactly(literals, balance.value)

    def breaks(self, balance: Balance) -> int:
        """Return a literal that implies that other many groups begin to count than cease to."""
        aig, solver = self.step.aig, self.solver
        before = self._counting(balance, self.step.facts)
        after = self._counting(balance, self.step.next)
        pairs = [(b, a) for b, a in zip(before, after, strict=True) if b != a]
        rows = (
            [aig.conj(negate(b), a) for b, a in pairs],
            [aig.conj(b, negate(a)) for b, a in pairs],
        )
        gained, lost = (
            sorted_literals(solver, [solver.lit(edge) for edge in row if edge]) for row in rows
        )
        apart = []
        for k in range(max(len(gained), len(lost))):
            more, less = gained[k : k + 1], lost[k : k + 1]
            for row, other in ((more, less), (less, more)):
                if row:
                    unequal = solver.new_variable()
                    solver.add([-unequal, row[0]])
                    for literal in other:
                        solver.add([-unequal, -literal])
                    apart.append(unequal)
        broken = solver.new_variable()
        solver.add([-broken, *apart])
        return broken

    def _counting(self, balance: Balance, facts: Sequence[Lit]) -> list[Lit]:
        aig = self.step.aig
        return [
            disj_all(aig, [facts[f] for f in group]) ^ (not counts)
            for group, counts in balance.groups
        ]

    def close(self) -> None:
        """Give the solver's memory back."""
        self.solver.close()


class _Proof(_CountedStep):
    """All guesses together, by induction over a step; what a step breaks is dropped."""

    def __init__(
        self,
        system: System,
        invariants: Invariants,
        balances: Sequence[Balance],
        clauses: Sequence[Clause],
        budget: Budget,
    ) -> None:
        super().__init__(system, invariants, budget)
        self._player = RandomPlay(system)
        first = system.initial
        known = set(invariants.clauses)
        self.balances = [b for b in balances if b.of(first) == b.value]
        self.clauses = [
            c for c in clauses if c not in known and any(first[f] == value for f, value in c)
        ]
        aig = self.step.aig
        solver, step = self.solver, self.step
        self._held = {b: self.holds(b) for b in self.balances}
        self._broken = {b: self.breaks(b) for b in self.balances}
        self._active: dict[Clause, int] = {}
        self._denied: dict[Clause, int] = {}
        for clause in self.clauses:
            self._active[clause] = active = solver.new_variable()
            solver.add([-active, *(solver.lit(step.facts[f] ^ (not v)) for f, v in clause)])
            false = [step.next[f] ^ v for f, v in clause]
            self._denied[clause] = solver.lit(conj_all(aig, [step.next_going, *false]))

    def run(self) -> None:
        """Drop guesses until no step breaks one that is left."""
        solver = self.solver
        while self.balances or self.clauses:
            goal = solver.new_variable()
            broken = [self._broken[b] for b in self.balances]
            solver.add([-goal, *broken, *(self._denied[c] for c in self.clauses)])
            held = [one for b in self.balances for one in self._held[b]]
            active = [self._active[c] for c in self.clauses]
            if not solver.solve([goal, *held, *active]):
                return
            solver.add([-goal])
            self._drop(solver.state(), solver.state_after())

    def _drop(self, before: Sequence[bool], after: Sequence[bool]) -> None:
        """Drop what is false after a step, and in random play from its states.

        What is inductive of the guesses holds before the step, and so wherever play goes on to.
        """
        import numpy as np

        random = np.random.default_rng(len(self.clauses))
        met = [
            self._player.play(state, self.solver.budget, random, LANES, plies)
            for state, plies in ((after, FOLLOWED), (before, 1))
        ]
        going = np.concatenate([states for played in met for states in played.going], axis=1)
        stopped = np.concatenate([states for played in met for states in played.stopped], axis=1)
        self.balances = [b for b in self.balances if b.is_true_of(going, stopped)]
        refuting = first_refuting(self.clauses, going)
        self.clauses = [c for c, state in zip(self.clauses, refuting, strict=True) if state < 0]
