"""k-induction: where the last k states were not bad, the next is not either.

In: a system, and invariants that were proved of it. Out: a `Result`: the shortest play to
something bad, a proof that there is none, or up to which length there is none.

Two questions a length. *Base*: is something bad after a play of k - 1 moves? *Step*: is there a
path of k moves, from any state at all, whose first k states are not bad and where play goes on and
all invariants hold, and whose last one is bad? Where neither is so, nothing bad is ever reached:
the first bad state of a play would have k states of that kind before it, or fewer than k, which is
what the bases deny. The states of a path may be asked to differ pairwise, since the shortest play
to something bad comes to no state twice; then some k tells of every system, if not soon.

Nothing is called proved before `check_k_induction` has asked both questions anew (another formula,
all lengths in one, a fresh solver, and none of what was learned on the way), and `check_inductive`
the invariants.

Source: Sheeran, Singh, Stalmarck, "Checking Safety Properties Using Induction and a SAT-Solver",
FMCAD 2000; Een, Sorensson, "Temporal Induction by Incremental SAT Solving", BMC 2003 (states are
asked to differ only where a model takes them for the same).
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import combinations
from typing import Final

from gdl.circuit.aig import Aig, Lit, negate
from gdl.circuit.copy import copy_cone
from gdl.circuit.logic import conj_all, disj_all, exactly_one, xor
from gdl.verify.proving.evidence import Induction, KInduction
from gdl.verify.proving.free_path import FreePath
from gdl.verify.proving.inductive_check import UnsoundError, check_inductive, conditions
from gdl.verify.proving.invariants import Invariants
from gdl.verify.proving.search import SHORTER_REFUTED, Result
from gdl.verify.proving.unroll import Unrolling
from gdl.verify.solvers.budget import Budget, OutOfBudgetError
from gdl.verify.solvers.sat import Solver
from gdl.verify.systems.system import System

MAX_LENGTH: Final = 60
"""Lengths that are tried, at most: what needs more has another way to be proved."""


def induct(  # noqa: PLR0913  # all but three have a default
    system: System,
    invariants: Invariants,
    budget: Budget,
    *,
    is_simple: bool = True,
    max_length: int = MAX_LENGTH,
    on_length: Callable[[int], None] | None = None,
) -> Result:
    """Try k = 1, 2, and so on. A spent budget gives what is known by then.

    Args:
        system: What is asked.
        invariants: Invariants that were proved of where play goes on.
        budget: For everything, the check at the end included.
        is_simple: Whether the states of a path have to differ.
        max_length: Largest k.
        on_length: Told of each k before it is tried.

    Raises:
        UnsoundError: A proof did not pass the check: a fault of this package.
    """
    refuted = -1
    base = step = None
    try:
        base = Unrolling(system, budget)
        step = _Step(system, invariants, budget, is_simple=is_simple)
        for k in range(1, max_length + 1):
            if on_length is not None:
                on_length(k)
            # Base first: the step takes for granted that fewer than k moves lead to nothing bad.
            play = base.ask(k - 1)
            if play is not None:
                return Result(play, proved=True, depth=refuted, method=SHORTER_REFUTED)
            refuted = k - 1
            if not step.is_bad_after(k):
                if budget.proofs is None:  # what was taken as given has to pass its check, too
                    check_inductive(system.asking(()), invariants, budget, settled=system.bads)
                check_k_induction(system, invariants, k, budget, is_simple=step.told_apart)
                method = f"{k}-induction" if k > 1 else "induction over one move"
                evidence = (
                    Induction(system, invariants)
                    if k == 1
                    else KInduction(system, invariants, k, step.told_apart)
                )
                return Result(None, proved=True, depth=refuted, method=method, evidence=evidence)
    except OutOfBudgetError as spent:
        return Result(None, proved=False, depth=refuted, method=str(spent))
    finally:
        for unrolling in (base, step):
            if unrolling is not None:
                unrolling.close()
    return Result(None, proved=False, depth=refuted, method=f"no k up to {max_length} tells")


class _Step(FreePath):
    """Paths from any state at all, longer and longer, in one incremental solver."""

    def __init__(
        self, system: System, invariants: Invariants, budget: Budget, *, is_simple: bool
    ) -> None:
        # A proof that is written down takes nothing as given that has none itself.
        assumed = invariants if budget.proofs is None else Invariants({}, ())
        super().__init__(system, assumed, budget)
        self._is_simple = is_simple
        self._apart: set[tuple[int, int]] = set()

    def is_bad_after(self, length: int) -> bool:
        """Return whether a path of so many moves ends in something bad; lengths must rise."""
        while len(self.states) < length:
            self.go_on()
        bad = self.solver.lit(self._bad)
        while self.solver.solve([bad]):
            if not (self._is_simple and self._tell_apart()):
                return True
        return False

    @property
    def told_apart(self) -> bool:
        """Whether states were asked to differ."""
        return bool(self._apart)

    def _tell_apart(self) -> bool:
        """Ask states that the model takes for the same to differ; return whether there are any."""
        values = [
            tuple(self.solver.value(self.solver.lit(edge)) for edge in state)
            for state in self.states
        ]
        pairs = [
            (i, j)
            for i, j in combinations(range(len(values)), 2)
            if values[i] == values[j] and (i, j) not in self._apart
        ]
        for i, j in pairs:
            self._apart.add((i, j))
            self.solver.add([self.solver.lit(_differ(self.aig, self.states[i], self.states[j]))])
        return bool(pairs)


def _differ(aig: Aig, left: tuple[Lit, ...], right: tuple[Lit, ...]) -> Lit:
    return disj_all(aig, [xor(aig, a, b) for a, b in zip(left, right, strict=True)])


def check_k_induction(
    system: System, invariants: Invariants, k: int, budget: Budget, *, is_simple: bool
) -> None:
    """Ask base and step anew, each in one formula for a fresh solver.

    Args:
        system: Of its questions none may be reached.
        invariants: Invariants of where play goes on; proved elsewhere, and taken as given here.
        k: States before a bad one that are not bad.
        budget: For both.
        is_simple: Whether these may be asked to differ.

    Raises:
        UnsoundError: One of them has the wrong answer.
        OutOfBudgetError: Time or memory ran out first.
    """
    if k < 1:
        raise UnsoundError("induction over no state at all")
    aig = Aig()
    _, bads = _path(system, aig, [int(value) for value in system.initial], k - 1)
    if _is_possible(aig, disj_all(aig, bads), budget):
        raise UnsoundError(f"something bad is true after fewer than {k} moves")
    aig = Aig()
    states, bads = _path(system, aig, [aig.add_input() for _ in system.facts], k)
    asked = [bads[-1], *map(negate, bads[:-1])]
    for state in states[:-1]:
        if budget.proofs is None:
            asked += conditions(system, invariants, aig, state)
    if is_simple:
        asked += (_differ(aig, left, right) for left, right in combinations(states[:-1], 2))
    if _is_possible(aig, conj_all(aig, asked), budget):
        raise UnsoundError(f"a path of {k} moves leads to something bad")


def _path(
    system: System, aig: Aig, facts: list[Lit], length: int
) -> tuple[list[tuple[Lit, ...]], list[Lit]]:
    """Return the states of a path, and for each that it is one up to there, and bad."""
    states, bads, is_path = [tuple(facts)], [], 1
    for ply in range(length + 1):
        rows = [[aig.add_input() for _ in row] for row in system.choice_inputs]
        table = system.put(states[-1], rows)
        wanted = [*(bad.edge for bad in system.bads), system.stop, *system.flat_legal, *system.next]
        copies = iter(copy_cone(system.aig, aig, table, wanted))
        bad = disj_all(aig, [next(copies) for _ in system.bads])
        bads.append(aig.conj(is_path, bad))
        if ply == length:
            break
        stop, legal = next(copies), iter([next(copies) for _ in system.flat_legal])
        conditions = [is_path, negate(stop)]
        for row in rows:
            conditions.append(exactly_one(aig, row))
            conditions += (negate(aig.conj(choice, negate(next(legal)))) for choice in row)
        is_path = conj_all(aig, conditions)
        states.append(tuple(copies))
    return states, bads


def _is_possible(aig: Aig, edge: Lit, budget: Budget) -> bool:
    solver = Solver(aig, budget)
    try:
        return solver.solve([solver.lit(edge)])
    finally:
        solver.close()
