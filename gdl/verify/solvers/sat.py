"""A SAT solver over the edges of a graph, within a budget.

In: edges of an and-inverter graph. Out: satisfiable or not under assumptions, and values
of edges. Only the cones of edges that are asked about are given to the solver.

Source: Tseitin, "On the Complexity of Derivation in Propositional Calculus", 1968;
Een, Sorensson, "An Extensible SAT-solver", SAT 2003 (assumptions, cores).
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from typing import Any, Final

from gdl.circuit.aig import Aig, Lit
from gdl.verify.solvers.budget import Budget

SOLVER: Final = "minisat-gh"
"""It keeps a budget of conflicts at each of them. Others of python-sat (glucose) do so at their
restarts only, which may be minutes apart in long formulas, and are no quicker on thousands of small
incremental questions; cadical is quicker on long formulas and slower on small questions."""
NODES: Final = 4_096
"""Nodes that are encoded between two looks at the clock."""
CONFLICTS: Final = 5_000
"""Conflicts between two looks at the clock, at most: in a long formula each takes milliseconds."""
FEWEST: Final = 100
"""Likewise, at least."""
BETWEEN: Final = 0.3
"""Seconds between two looks, about: after longer ones there are half as many conflicts."""


class Solver:
    """One incremental solver bound to one graph.

    Literals of the solver are DIMACS numbers; `lit` gives that of an edge.
    """

    def __init__(self, aig: Aig, budget: Budget, name: str = SOLVER) -> None:
        """Start with no clauses, in a solver of python-sat."""
        from pysat.solvers import Solver as Oracle

        self.aig = aig
        self.budget = budget
        self._oracle: Any = Oracle(name=name)
        self._variable: dict[int, int] = {}
        self._last = 0
        self.calls = 0
        self._pace = CONFLICTS // 4
        self._model: list[int] = []
        self._clauses: list[list[int]] = []

    def new_variable(self) -> int:
        """Return a fresh variable."""
        self._last += 1
        return self._last

    def add(self, clause: Iterable[int]) -> None:
        """Add a clause of solver literals."""
        self._add(list(clause))

    def _add(self, clause: list[int]) -> None:
        self._oracle.add_clause(clause)
        if self.budget.proofs is not None:
            self._clauses.append(clause)

    def equate(self, edge: Lit, other: Lit) -> None:
        """Add that two edges are equal, their cones encoded."""
        mine, same = self.lit(edge), self.lit(other)
        self.add([-mine, same])
        self.add([mine, -same])

    def lit(self, edge: Lit) -> int:
        """Return the solver literal of an edge, its cone encoded. Cost O(new nodes).

        Raises:
            OutOfBudgetError: Time or memory ran out first.
        """
        node = edge >> 1
        if node not in self._variable:
            self._encode(node)
        return -self._variable[node] if edge & 1 else self._variable[node]

    def _encode(self, root: int) -> None:
        left, right, variable = self.aig.left, self.aig.right, self._variable
        stack = [root]
        while stack:
            node = stack[-1]
            if node in variable:
                stack.pop()
                continue
            if left[node] < 0:
                stack.pop()
                variable[node] = self.new_variable()
                if node == 0:
                    self.add([-variable[node]])
                continue
            missing = [e >> 1 for e in (left[node], right[node]) if e >> 1 not in variable]
            if missing:
                stack += missing
                continue
            if self._last % NODES == 0:
                self.budget.check()
            stack.pop()
            variable[node] = gate = self.new_variable()
            a = -variable[left[node] >> 1] if left[node] & 1 else variable[left[node] >> 1]
            b = -variable[right[node] >> 1] if right[node] & 1 else variable[right[node] >> 1]
            self._add([-gate, a])
            self._add([-gate, b])
            self._add([gate, -a, -b])

    def solve(self, assumptions: Sequence[int] = ()) -> bool:
        """Return whether the clauses can be satisfied under assumptions.

        Raises:
            OutOfBudgetError: Time or memory ran out first.
        """
        self.calls += 1
        while True:
            answer = self._go_on(assumptions, self._pace)
            if answer is not None:
                return self._answered(answer)

    def attempt(self, assumptions: Sequence[int], conflicts: int) -> bool | None:
        """Return what `solve` would, or None when so many conflicts did not tell.

        Raises:
            OutOfBudgetError: Time or memory ran out first.
        """
        self.calls += 1
        while conflicts > 0:
            some = min(conflicts, self._pace)
            answer = self._go_on(assumptions, some)
            if answer is not None:
                return self._answered(answer)
            conflicts -= some
        return None

    def _go_on(self, assumptions: Sequence[int], conflicts: int) -> bool | None:
        """Solve for so many conflicts at most, after a look at the clock.

        The solver is told to expect an interrupt: it then leaves Ctrl-C to Python, which raises
        it when this returns, and does not jump out of the middle of its own work.
        """
        self.budget.check()
        start = time.monotonic()
        self._oracle.conf_budget(conflicts)
        answer: bool | None = self._oracle.solve_limited(
            assumptions=list(assumptions), expect_interrupt=True
        )
        if time.monotonic() - start > BETWEEN:
            self._pace = max(FEWEST, self._pace // 2)
        elif answer is None:
            self._pace = min(CONFLICTS, 2 * self._pace)
        return answer

    def _answered(self, answer: bool) -> bool:  # noqa: FBT001  # the answer itself
        if answer:
            model = self._oracle.get_model()
            # It ends with the last variable of a clause; those behind it may have any value.
            self._model = model + [-free for free in range(len(model) + 1, self._last + 1)]
        elif self.budget.proofs is not None:
            self.budget.proofs.unsatisfiable(self._clauses, self.core(), self.budget.check)
        return answer

    def value(self, literal: int) -> bool:
        """Return the value of a solver literal in the model that was found last."""
        return (self._model[abs(literal) - 1] > 0) == (literal > 0)

    def true_of(self, literals: Iterable[int]) -> list[bool]:
        """Return the value of each of many literals likewise."""
        model = self._model
        return [(model[abs(literal) - 1] > 0) == (literal > 0) for literal in literals]

    def core(self) -> list[int]:
        """Return assumptions that cannot hold together, after an unsatisfiable answer."""
        return self._oracle.get_core() or []

    def prefer(self, literals: Iterable[int]) -> None:
        """Say which values to try first."""
        self._oracle.set_phases(list(literals))

    def close(self) -> None:
        """Give the solver's memory back."""
        self._oracle.delete()


def at_most_one(solver: Solver, literals: Sequence[int]) -> None:
    """Say that at most one literal holds. Clauses: about 4 each.

    Source: Klieber, Kwon, "Efficient CNF Encoding for Selecting 1 from N Objects", 2007.
    """
    row = list(literals)
    while len(row) > 1:
        commanders = []
        for start in range(0, len(row), 4):
            group = row[start : start + 4]
            for index, left in enumerate(group):
                for other in group[:index]:
                    solver.add([-left, -other])
            if len(group) == 1:
                commanders.append(group[0])
                continue
            commander = solver.new_variable()
            for left in group:
                solver.add([-left, commander])
            commanders.append(commander)
        row = commanders


def one_legal(solver: Solver, choices: Sequence[Lit], legal: Sequence[Lit]) -> None:
    """Say that exactly one of some choices is made, and that it is legal; edges, one of each."""
    literals = [solver.lit(edge) for edge in choices]
    solver.add(literals)
    at_most_one(solver, literals)
    for literal, edge in zip(literals, legal, strict=True):
        solver.add([-literal, solver.lit(edge)])
