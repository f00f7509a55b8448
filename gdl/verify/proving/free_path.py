"""Paths from any state at all in which the invariants hold, whether play reaches it or not.

In: a system and its invariants. Out: paths that grow step by step, in one incremental solver. What
no path of some length does, no play does in as many moves, wherever it is.

Source: Sheeran, Singh, Stalmarck, "Checking Safety Properties Using Induction and a SAT-Solver",
FMCAD 2000.
"""

from __future__ import annotations

from collections.abc import Sequence

from gdl.circuit.aig import Lit
from gdl.circuit.logic import conj_all, disj_all
from gdl.verify.proving.inductive_check import conditions
from gdl.verify.proving.invariants import Invariants
from gdl.verify.proving.unroll import Unrolling
from gdl.verify.solvers.budget import Budget
from gdl.verify.systems.system import System


class FreePath(Unrolling):
    """A path from any state.

    Attributes:
        states: Edges of the facts in each state from which a step is made.
    """

    def __init__(self, system: System, invariants: Invariants, budget: Budget) -> None:
        """Begin with a state of which nothing is known yet."""
        super().__init__(system, budget, anywhere=True)
        self._invariants = invariants
        self.states: list[tuple[Lit, ...]] = []

    def go_on(self) -> None:
        """Let the invariants hold in the last state, and a step be made from it."""
        self.states.append(self.facts)
        for edge in conditions(self.system, self._invariants, self.aig, self.facts):
            self.solver.add([self.solver.lit(edge)])
        for fact in self.facts:
            self.solver.lit(fact)  # so that every model says what state it is
        self.extend()

    def makes(self, step: int, joints: Sequence[Sequence[int]]) -> Lit:
        """Return whether the choices of a step, numbered from 0, are one of these."""
        rows, aig = self._choices[step], self.aig
        each = (
            conj_all(aig, [row[choice] for row, choice in zip(rows, joint, strict=True)])
            for joint in joints
        )
        return disj_all(aig, each)
