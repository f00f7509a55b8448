"""Plays of a fixed length as one formula: bounded model checking.

In: a system. Out: for a length, a play that ends in a bad state, or that none does. Each
step is a copy of the system; the first state is constant, so early copies are small. Which gates a
copy goes through is found out once, and most of them are constant: what a long play of a large
system costs is one quick pass a step.

Source: Biere, Cimatti, Clarke, Zhu, "Symbolic Model Checking without BDDs", TACAS 1999.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import islice
from typing import TypeAlias

from gdl.circuit.aig import FALSE, TRUE, Aig, Lit, negate
from gdl.circuit.cone import live
from gdl.circuit.logic import disj_all
from gdl.verify.solvers.budget import Budget, OutOfBudgetError
from gdl.verify.solvers.sat import Solver, one_legal
from gdl.verify.systems.system import Play, System

_Gates: TypeAlias = tuple[list[int], list[int], list[int], list[int], list[int]]
"""Of gates, operands before users: nodes, and of both operands node and sign."""


def _gates(aig: Aig, nodes: list[int]) -> _Gates:
    left, right = [aig.left[node] for node in nodes], [aig.right[node] for node in nodes]
    return (
        nodes,
        [edge >> 1 for edge in left],
        [edge & 1 for edge in left],
        [edge >> 1 for edge in right],
        [edge & 1 for edge in right],
    )


class Unrolling:
    """A system copied step after step into one incremental solver."""

    def __init__(self, system: System, budget: Budget, *, anywhere: bool = False) -> None:
        """Begin with the first state; or with any at all, whether play reaches it or not."""
        self.system = system
        self.aig = Aig()
        self.solver = Solver(self.aig, budget)
        self._facts: list[Lit] = [
            self.aig.add_input() if anywhere else int(value) for value in system.initial
        ]
        self._choices: list[list[list[Lit]]] = []
        # Of each node of the system its edge in the last copy: first what hangs on facts alone.
        self._values: list[Lit] = [FALSE] * len(system.aig)
        looks = [system.stop, *(bad.edge for bad in system.bads), *system.flat_legal]
        seen = live(system.aig, looks)
        self._now = _gates(system.aig, seen)
        seen_now = set(seen)
        later = [node for node in live(system.aig, system.next) if node not in seen_now]
        self._then = _gates(system.aig, later)
        self._bad = self._look()

    @property
    def size(self) -> int:
        """Nodes of all copies."""
        return len(self.aig)

    def ask(self, depth: int) -> Play | None:
        """Return a play of exactly so many moves to a bad state, None when there is none.

        Depths must rise from call to call.

        Raises:
            OutOfBudgetError: Time or memory ran out first.
        """
        while len(self._choices) < depth:
            self.extend()
        if not self.solver.solve([self.solver.lit(self._bad)]):
            return None
        return self.play()

    @property
    def facts(self) -> tuple[Lit, ...]:
        """Edges of the facts after the last step."""
        return tuple(self._facts)

    def play(self) -> Play:
        """Return the choices in the model that was found last."""
        return tuple(
            tuple(
                next(i for i, edge in enumerate(row) if self.solver.value(self.solver.lit(edge)))
                for row in rows
            )
            for rows in self._choices
        )

    def _look(self) -> Lit:
        """Copy what hangs on the facts after the last step; return whether something is bad."""
        for edge, fact in zip(self.system.fact_inputs, self._facts, strict=True):
            self._values[edge >> 1] = fact
        self._fill(self._now)
        return disj_all(self.aig, map(self._copy, (bad.edge for bad in self.system.bads)))

    def _copy(self, edge: Lit) -> Lit:
        return self._values[edge >> 1] ^ (edge & 1)

    def _fill(self, gates: _Gates) -> None:
        values, conj = self._values, self.aig.conj
        for node, left, left_sign, right, right_sign in zip(*gates, strict=True):
            a, b = values[left] ^ left_sign, values[right] ^ right_sign
            if a <= TRUE:
                values[node] = b if a else FALSE
            elif b <= TRUE:
                values[node] = a if b else FALSE
            else:
                values[node] = conj(a, b)

    def extend(self) -> None:
        """Add one step: play has not ended, and each role makes one legal choice."""
        system, aig, solver = self.system, self.aig, self.solver
        # The clauses below are never taken back: from now on the formula speaks only of plays
        # that go on here and were not bad here. That is right because depths rise, and the play
        # asked for is the first that is bad: a shorter one would have been the answer before.
        solver.add([solver.lit(negate(self._copy(system.stop)))])
        solver.add([solver.lit(negate(self._bad))])
        rows = [[aig.add_input() for _ in row] for row in system.choice_inputs]
        allowed = map(self._copy, system.flat_legal)
        for row, inputs in zip(rows, system.choice_inputs, strict=True):
            one_legal(solver, row, list(islice(allowed, len(row))))
            for edge, mine in zip(inputs, row, strict=True):
                self._values[edge >> 1] = mine
        self._choices.append(rows)
        self._fill(self._then)
        self._facts = list(map(self._copy, system.next))
        self._bad = self._look()

    def close(self) -> None:
        """Give the solver's memory back."""
        self.solver.close()


def bounded(
    system: System,
    budget: Budget,
    *,
    met: Play | None = None,
    max_depth: int | None = None,
    on_depth: Callable[[int], None] | None = None,
) -> tuple[Play | None, int]:
    """Return the shortest play to a bad state, as far as the budget goes; plain and early.

    Args:
        system: What is asked.
        budget: Ends it, without an error.
        met: A play that is known to be bad: no longer one is looked for.
        max_depth: Longest play to look for.
        on_depth: Told of each length before it is tried.

    Returns:
        A play, None where none was found; and the length up to which there is none, -1 for none.
    """
    refuted = -1
    try:
        unrolling = Unrolling(system, budget)
    except OutOfBudgetError:
        return None, refuted
    try:
        while max_depth is None or refuted < max_depth:
            if met is not None and len(met) == refuted + 1:
                return met, refuted
            if on_depth is not None:
                on_depth(refuted + 1)
            play = unrolling.ask(refuted + 1)
            if play is not None:
                return play, refuted
            if not unrolling.solver.solve():
                break  # no play is as long as this
            refuted += 1
    except OutOfBudgetError:
        pass
    finally:
        unrolling.close()
    return None, refuted
