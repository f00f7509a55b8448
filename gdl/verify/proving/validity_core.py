"""Inductive validity core: the definitions and invariants that an induction needs, and no more.

In: an induction that was proved. Out: a `Core`: a part of what it stands on, with which it is
proved still. What is left out may be anything: a fact whose definition is left out has any value
after any step, a move whose legality is left out can be made anywhere, and where the end is left
out play never stops. So whatever else is changed in the rules, as long as these definitions and the
first state stay, the proof stays.

Each definition and each invariant is switched on by a literal of its own. What the solver used of
them is a first core; then one after the other is switched off, and stays off where the rest is
proved without it. A part that is proved lets a larger part be proved, so what stays on at the end
is a least one: without any of it this induction fails. (Another core may be smaller.)

Source: Ghassabani, Gacek, Whalen, "Efficient Generation of Inductive Validity Cores for Safety
Properties", FSE 2016.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

from gdl.circuit.aig import FALSE, TRUE, Aig, Lit, negate
from gdl.circuit.copy import copy_cone
from gdl.circuit.logic import disj_all
from gdl.verify.proving.evidence import Induction
from gdl.verify.proving.inductive_check import UnsoundError, check_inductive, conditions
from gdl.verify.proving.invariants import Invariants
from gdl.verify.solvers.budget import Budget, OutOfBudgetError
from gdl.verify.solvers.sat import Solver, at_most_one
from gdl.verify.systems.system import System
from gdl.verify.systems.transition import transition

Part: TypeAlias = tuple[str, str | int]
"""What may be switched off: ``next``, ``legal`` or ``terminal`` with the name of the facts or moves
that it defines (empty for the last), or ``invariant`` with its number."""
END: Part = ("terminal", "")


@dataclass(frozen=True, slots=True)
class Core:
    """What an induction needs.

    Attributes:
        parts: Definitions, and invariants by number, in the order of `conditions`.
        left_out: Definitions without which it is proved.
        invariants: Those of the parts.
        available: How many invariants there were.
        is_minimal: Whether nothing more can be left out; else the time was too short.
    """

    parts: frozenset[Part]
    left_out: frozenset[Part]
    invariants: Invariants
    available: int
    is_minimal: bool

    @property
    def needed(self) -> int:
        """How many invariants it needs."""
        return sum(kind == "invariant" for kind, _ in self.parts)


def find_core(proof: Induction, moves: Sequence[str], budget: Budget) -> Core:
    """Return what an induction needs, as little as the time allows.

    Args:
        proof: What was proved.
        moves: Of each choice of all roles, the name by which its legality is left out.
        budget: Of half of it as little as possible is sought; the rest is for the check.

    Raises:
        UnsoundError: The induction fails, or the core does not pass its check.
        OutOfBudgetError: Not even a first core was found, or checked.
    """
    search = _Search(proof, moves, budget)
    try:
        needed = search.proved(search.every)
        if needed is None:
            raise UnsoundError("the induction fails")
        shrinking, is_minimal = budget.share(budget.left / 2), True
        search.solver.budget = shrinking
        try:
            # Definitions first: it is rules that people ask about.
            for part in sorted(needed, key=lambda it: (it[0] == "invariant", *map(str, it))):
                if part in needed:
                    needed = search.proved(needed - {part}) or needed
        except OutOfBudgetError:
            budget.check()
            is_minimal = False
    finally:
        search.solver.close()
    invariants = _only(proof.invariants, needed)
    check_core(proof.system, invariants, moves, needed, budget)
    left_out = frozenset(part for part in search.every - needed if part[0] != "invariant")
    return Core(frozenset(needed), left_out, invariants, search.count, is_minimal)


def check_core(
    system: System,
    invariants: Invariants,
    moves: Sequence[str],
    parts: Collection[Part],
    budget: Budget,
) -> None:
    """Prove the induction anew in a system in which what is no part may be anything.

    Raises:
        UnsoundError: It fails there.
        OutOfBudgetError: Time or memory ran out first.
    """
    names = iter(moves)
    legal = [
        tuple(edge if ("legal", next(names)) in parts else TRUE for edge in row)
        for row in system.legal
    ]
    choices, after = list(system.choice_inputs), list[Lit]()
    for label, edge in zip(system.facts, system.next, strict=True):
        if ("next", label.term.name) in parts:
            after.append(edge)
            continue
        either = system.aig.add_input(), system.aig.add_input()  # one more role, free to choose
        choices.append(either)
        legal.append((TRUE, TRUE))
        after.append(either[1])
    havocked = replace(
        system,
        choice_inputs=tuple(choices),
        legal=tuple(legal),
        next=tuple(after),
        stop=system.stop if END in parts else FALSE,
    )
    check_inductive(havocked, invariants, budget)


def _only(invariants: Invariants, parts: Collection[Part]) -> Invariants:
    """Return the invariants of some parts; numbers are those of `conditions`."""
    same, gates = list(invariants.same.items()), sorted(invariants.gates.items())
    kept = [number for kind, number in parts if kind == "invariant" and isinstance(number, int)]
    first, second = len(same), len(same) + len(gates)
    return Invariants(
        dict(same[n] for n in sorted(kept) if n < first),
        tuple(invariants.clauses[n - second] for n in sorted(kept) if n >= second),
        dict(gates[n - first] for n in sorted(kept) if first <= n < second),
    )


class _Search:
    """One step, in which each definition and each invariant can be switched off."""

    def __init__(self, proof: Induction, moves: Sequence[str], budget: Budget) -> None:
        system = proof.system
        step = transition(system)
        aig = step.aig
        self.solver = solver = Solver(aig, budget)
        self._switch: dict[Part, int] = {}
        after = [aig.add_input() for _ in system.facts]
        for label, edge, own in zip(system.facts, step.next, after, strict=True):
            left, right = solver.lit(own), solver.lit(edge)
            switch = self._of(("next", label.term.name))
            solver.add([-switch, -left, right])
            solver.add([-switch, left, -right])
        names = iter(moves)
        for row, legal in zip(step.choices, step.legal, strict=True):
            literals = [solver.lit(edge) for edge in row]
            solver.add(literals)
            at_most_one(solver, literals)
            for literal, edge in zip(literals, legal, strict=True):
                solver.add([-self._of(("legal", next(names))), -literal, solver.lit(edge)])
        (stop, bad), (next_stop, next_bad) = (
            _look(system, aig, facts) for facts in (step.facts, after)
        )
        solver.add([-solver.lit(bad)])
        solver.add([-self._of(END), -solver.lit(stop)])
        self._bad = solver.lit(next_bad)
        self._goes_on = solver.new_variable()
        solver.add([-self._goes_on, -self._of(END), -solver.lit(next_stop)])
        solver.add([-self._goes_on, -self._bad])
        before = conditions(system, proof.invariants, aig, step.facts)
        follows = conditions(system, proof.invariants, aig, after)
        self._broken: dict[Part, int] = {}
        for number, (edge, kept) in enumerate(zip(before, follows, strict=True)):
            part = ("invariant", number)
            solver.add([-self._of(part), solver.lit(edge)])
            self._broken[part] = solver.lit(negate(kept))
        self.count = len(self._broken)
        self.every = frozenset(self._switch)

    def _of(self, part: Part) -> int:
        if part not in self._switch:
            self._switch[part] = self.solver.new_variable()
        return self._switch[part]

    def proved(self, parts: Collection[Part]) -> frozenset[Part] | None:
        """Return parts of some that prove it, None where all of them together do not.

        Invariants that the others do not keep fall first, until all that stand keep each other:
        that is the largest such set, so more parts never prove less.
        """
        standing = set(parts)
        while True:
            fallen = {
                part
                for part in standing & self._broken.keys()
                if self._used(standing, self._broken[part], self._goes_on) is None
            }
            if not fallen:
                break
            standing -= fallen
        used = self._used(standing, self._bad)
        if used is None:
            return None
        needed, waiting = set(used), [part for part in used if part in self._broken]
        while waiting:
            part = waiting.pop()
            more = self._used(standing, self._broken[part], self._goes_on)
            assert more is not None, "it was kept by all that stand"
            waiting += [other for other in more - needed if other in self._broken]
            needed |= more
        return frozenset(needed)

    def _used(self, parts: Collection[Part], *asked: int) -> set[Part] | None:
        """Return the parts that deny something, None where it can be."""
        switches = {self._switch[part]: part for part in parts}
        if self.solver.solve([*switches, *asked]):
            return None
        return {switches[literal] for literal in self.solver.core() if literal in switches}


def _look(system: System, aig: Aig, facts: Sequence[Lit]) -> tuple[Lit, Lit]:
    """Return of a state that it is over, and that it is bad."""
    table = {edge >> 1: fact for edge, fact in zip(system.fact_inputs, facts, strict=True)}
    bads = [bad.edge for bad in system.bads]
    stop, *copies = copy_cone(system.aig, aig, table, [system.stop, *bads])
    return stop, disj_all(aig, copies)
