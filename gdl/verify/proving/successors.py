"""Which bad states no move can arrive at, by what is known of states after a move alone.

In: a step, invariants, counts. Out: whether a bad state of a ply can be ruled out by what
is known of states alone. Most lengths are refuted so, at little cost: the board is free
but for the number of its marbles, and no rotation has to be followed.

Invariants hold where play goes on; a bad state may be one where it has ended. Here only
those count that every move leads to, wherever it leads; which these are is asked of the
solver.

Source: as in Flanagan, Leino, "Houdini, an Annotation Assistant for ESC/Java", 2001.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from gdl.circuit.aig import Aig
from gdl.circuit.copy import copy_cone
from gdl.circuit.logic import conj_all, disj_all
from gdl.verify.proving.frames import Frames
from gdl.verify.proving.invariants import Clause, Invariants, exclusive_pairs, pair_off, rivals_of
from gdl.verify.solvers.budget import Budget
from gdl.verify.solvers.cardinality import Counters
from gdl.verify.solvers.sat import Solver
from gdl.verify.systems.transition import Same, StepSolver, Transition, add_facts

MAX_ROUNDS: Final = 40
"""Steps that may break invariants before all that are left are given up."""
MAX_CONFLICTS: Final = 40_000
"""Of one question; a hard one is left to those who look at the move too."""


class Successors:
    """Questions about states after a move."""

    def __init__(
        self, step: Transition, solver: StepSolver, invariants: Invariants, budget: Budget
    ) -> None:
        """Find out which invariants every move leads to.

        Args:
            step: The move.
            solver: Of the same step; the invariants hold in it before the move.
            invariants: What holds where play goes on.
            budget: For all questions.
        """
        self.step = step
        # No clause says that play goes on in these states: what is added to the solver below
        # must hold wherever a move leads, or an ended state that is bad would be called impossible.
        same, clauses = _lasting(step, solver, invariants)
        self._aig = Aig()
        self._facts = add_facts(self._aig, len(step.facts), same)
        self._solver = Solver(self._aig, budget)
        for clause in clauses:
            self._solver.add([self._lit(fact, value) for fact, value in clause])
        table = {
            edge >> 1: fact for edge, fact in zip(step.system.fact_inputs, self._facts, strict=True)
        }
        bads = [bad.edge for bad in step.system.bads]
        self._bad = disj_all(self._aig, copy_cone(step.system.aig, self._aig, table, bads))
        self._rivals = rivals_of(exclusive_pairs(clauses))
        self._counters = Counters(self._solver)

    def is_free_of_bad(self) -> bool:
        """Return whether no state that any move leads to can be bad, as far as is known."""
        return self._refuted([])

    def is_ruled_out(self, frames: Frames, ply: int) -> bool:
        """Return whether no state at a ply can be bad, as far as is known.

        False says nothing: the model need not be a state that play reaches. True is a proof,
        since every state of the ply satisfies the clauses (`_lasting`) and the counts of
        `Frames.after`, which speak of ended states too. Counts that contradict each other say
        that there is no such state at all.
        """
        assumed = self._counts(frames.after(ply))
        return assumed is None or self._refuted(assumed)

    def _refuted(self, assumed: Sequence[int]) -> bool:
        answer = self._solver.attempt([self._solver.lit(self._bad), *assumed], MAX_CONFLICTS)
        return answer is False

    def _lit(self, fact: int, value: bool) -> int:  # noqa: FBT001  # a literal is a fact and a value
        return self._solver.lit(self._facts[fact] ^ (not value))

    def _counts(self, counts: Sequence[tuple[tuple[int, ...], int]]) -> list[int] | None:
        """Return assumptions that so many of some facts hold, None when that cannot be."""
        assumptions: list[int] = []
        rows = [([self._facts[fact] for fact in facts], value) for facts, value in counts]
        # Two counts whose facts exclude each other in pairs add up over the pairs: on n squares
        # a black and b white marbles are a + b squares that are not empty. It follows from the
        # two counts, but by a pigeonhole argument, which resolution finds in exponential time.
        for index, (facts, value) in enumerate(counts):
            for others, more in counts[:index]:
                pairs = pair_off(facts, others, self._rivals).items()
                if len(pairs) == len(facts) == len(others):
                    edges = [self._aig.disj(self._facts[a], self._facts[b]) for a, b in pairs]
                    rows.append((edges, value + more))
        for edges, value in rows:
            if not 0 <= value <= len(edges):
                return None
            assumptions += self._counters.exactly(list(map(self._solver.lit, edges)), value)
        return assumptions

    def close(self) -> None:
        """Give the solver's memory back."""
        self._solver.close()


def _lasting(
    step: Transition, solver: StepSolver, invariants: Invariants
) -> tuple[dict[int, Same], list[Clause]]:
    """Return the invariants that hold after every move, also where play has ended.

    The solver's models are all steps from states that satisfy the invariants, and so, among
    others, every step of a play. An invariant that no model breaks holds after every move; of
    those that a model breaks nothing is kept. There is no induction here: the invariants before
    the step are proved already.
    """
    same = dict(invariants.same)
    clauses = list(invariants.clauses)
    broken_same = {f: solver.lit(step.differs_after(f, equal)) for f, equal in same.items()}
    broken = {
        clause: solver.lit(conj_all(step.aig, [step.next[f] ^ value for f, value in clause]))
        for clause in clauses
    }
    for _ in range(MAX_ROUNDS):
        goal = solver.new_variable()
        solver.add([-goal, *(broken_same[f] for f in same), *(broken[c] for c in clauses)])
        is_broken = solver.attempt([goal], MAX_CONFLICTS)
        if is_broken is False:
            return same, clauses
        if is_broken is None:
            break  # too hard: an invariant may be kept only on a "no"
        same = {f: equal for f, equal in same.items() if not solver.value(broken_same[f])}
        clauses = [clause for clause in clauses if not solver.value(broken[clause])]
    return {}, []
