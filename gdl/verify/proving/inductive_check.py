"""Whether invariants are inductive and safe, as they are said to be: asked of a fresh solver.

In: a system and invariants, from whatever engine. Out: whether they are true at first, kept by
every step to where play goes on, and leave no step to anything bad. An engine that is wrong, or
its solver, is so found out before anything is called proved.

Of how they were found nothing is used: no frames, no guesses, no clauses that a solver has
learned. Equalities that every step keeps, also one that ends play, are shown first, bottom up: the
state after it is then made of fewer signals, in which the two games mostly are one.

Source: Bradley, "SAT-Based Model Checking without Unrolling", VMCAI 2011 (an inductive
strengthening is its own witness); Kuehlmann and others, "Robust Boolean Reasoning for Equivalence
Checking and Functional Property Verification", IEEE TCAD 2002 (sweeping).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Final

from gdl.circuit.aig import TRUE, Aig, Lit, negate
from gdl.circuit.evaluate import evaluate_edges
from gdl.circuit.logic import conj_all, disj_all, xor
from gdl.verify.proving.invariants import Invariants
from gdl.verify.solvers.budget import Budget
from gdl.verify.systems.system import Bad, System
from gdl.verify.systems.transition import Same, StepSolver, merged_after, merged_cone, transition

TOGETHER: Final = 8
"""Invariants that one question is about, where there are many."""
QUICK: Final = 200
"""Conflicts of a question that only makes others easier."""


class UnsoundError(AssertionError):
    """An engine called something proved that is not: a fault of this package."""


def conditions(
    system: System,
    invariants: Invariants,
    aig: Aig,
    facts: Sequence[Lit],
    merged: Mapping[int, Lit] | None = None,
) -> Iterator[Lit]:
    """Yield each invariant as an edge over the facts of a state, the plainest first.

    Args:
        system: Whose gates the invariants speak of.
        invariants: What they are.
        aig: The graph that the edges are in; it grows.
        facts: Of each fact of the system its edge there.
        merged: Gates that are known to be other signals there, and are made of these.
    """
    for fact, same in invariants.same.items():
        other = 0 if same.fact < 0 else facts[same.fact]
        yield negate(xor(aig, facts[fact], other ^ same.flipped))
    table = {edge >> 1: fact for edge, fact in zip(system.fact_inputs, facts, strict=True)}
    pairs = [(2 * node, other) for node, other in sorted(invariants.gates.items())]
    merged_cone(system.aig, aig, table, merged or {}, [edge for pair in pairs for edge in pair])
    for own, other in pairs:
        yield negate(xor(aig, table[own >> 1], table[other >> 1] ^ (other & 1)))
    for clause in invariants.clauses:
        yield disj_all(aig, [facts[fact] ^ (not value) for fact, value in clause])


def check_inductive(
    system: System, invariants: Invariants, budget: Budget, *, settled: Sequence[Bad] = ()
) -> None:
    """Ask the three questions anew: initial, inductive, safe; see `is_enough`.

    Raises:
        UnsoundError: One has the wrong answer.
        OutOfBudgetError: Time or memory ran out first.
    """
    if not is_enough(system, invariants, budget, settled=settled):
        raise UnsoundError("a step leads from the invariants to something bad")


def is_enough(
    system: System,
    invariants: Invariants,
    budget: Budget,
    *,
    settled: Sequence[Bad] = (),
    is_kept: bool = False,
) -> bool:
    """Return whether invariants leave no step to anything bad; if so, they were asked about too.

    Args:
        system: The system; of its questions none may be reached.
        invariants: What proves that.
        budget: For all questions.
        settled: Other questions, which are known to be reached by no play.
        is_kept: Whether this was asked before of these invariants and what is settled: then only
            what the system asks now is still open.

    Raises:
        UnsoundError: They are no invariants, or the first state is bad.
        OutOfBudgetError: Time or memory ran out first.
    """
    if not _holds_at_first(system, invariants):
        raise UnsoundError("the first state is bad, or an invariant does not hold there")
    both = system.asking(dict.fromkeys((*system.bads, *settled)))
    step = transition(both, invariants.same, invariants.gates)
    solver = StepSolver(step, budget)
    try:
        for clause in invariants.clauses:
            solver.add([solver.lit(step.facts[fact] ^ (not value)) for fact, value in clause])
        # A proof takes nothing as given that has none itself: there all is asked as it stands.
        is_plain = is_kept or budget.proofs is not None
        always = Invariants({}, ()) if is_plain else _always_kept(solver, invariants)
        after = merged_after(step, always.same, always.gates, _looked_at(both))
        asked = disj_all(step.aig, after.roots[1 : 1 + len(system.bads)])
        kept = []
        if not is_kept:  # by steps from more states to more than those of which none is bad now
            left = _without(invariants, always)
            edges = conditions(system, left, step.aig, after.facts, always.gates)
            kept = [edge for edge in edges if edge != TRUE]
        if budget.proofs is not None:
            kept = [conj_all(step.aig, kept)]
        failures = [solver.lit(negate(edge)) for edge in kept]
        if budget.proofs is None:
            failures = _not_denied(solver, failures)
        if solver.solve([solver.lit(asked)]):
            return False
        # Of ended states nothing need hold: from here on only steps after which play goes on.
        solver.add([solver.lit(negate(disj_all(step.aig, after.roots)))])
        for failure in failures:
            if solver.solve([failure]):
                raise UnsoundError("a step leads out of the invariants")
            solver.add([-failure])  # it follows; the next one is easier for it
    finally:
        solver.close()
    return True


def _looked_at(system: System) -> list[Lit]:
    return [system.stop, *(bad.edge for bad in system.bads)]


def _always_kept(solver: StepSolver, invariants: Invariants) -> Invariants:
    """Return the equalities that hold after every step, also one that ends play.

    All are guessed to, at first. A model in which a guess fails is a step; what really fails after
    it is no guess any more, and neither is what takes too long to ask. The lowest that fails in a
    model really does, so that this comes to an end.
    """
    step, system = solver.step, solver.step.system
    number = {edge >> 1: fact for fact, edge in enumerate(system.fact_inputs)}
    same, gates = dict(invariants.same), dict(invariants.gates)
    while True:
        apart = merged_after(step, same, gates).apart
        left = [(node, solver.lit(edge)) for node, edge in apart]
        failed, given_up, states = set[int](), set[int](), []
        for node, literal in left:
            if node in failed:
                continue
            answer = solver.attempt([literal], QUICK)
            if answer is None:
                given_up.add(node)
            elif answer:
                states.append(solver.state_after())
                failed.update(other for other, fails in left if solver.value(fails))
            else:
                solver.add([-literal])
        if not states and not given_up:
            return Invariants(same, (), gates)
        for node in given_up | _told_apart(system, same, gates, states):
            if node in number:
                del same[number[node]]
            else:
                del gates[node]


def _told_apart(
    system: System,
    same: Mapping[int, Same],
    gates: Mapping[int, Lit],
    states: Sequence[Sequence[bool]],
) -> set[int]:
    """Return nodes that are not in all of these states what they are guessed to be."""
    if not states:
        return set()
    ones = (1 << len(states)) - 1
    values = {0: 0}
    for edge, column in zip(system.fact_inputs, zip(*states, strict=True), strict=True):
        values[edge >> 1] = sum(value << place for place, value in enumerate(column))
    pairs = [(2 * node, other) for node, other in gates.items()]
    for fact, equal in same.items():
        other = 0 if equal.fact < 0 else system.fact_inputs[equal.fact]
        pairs.append((system.fact_inputs[fact], other ^ equal.flipped))
    words = evaluate_edges(system.aig, [edge for pair in pairs for edge in pair], values, ones)
    apart = zip(pairs, words[::2], words[1::2], strict=True)
    return {own >> 1 for (own, _), value, guessed in apart if value != guessed}


def _without(invariants: Invariants, kept: Invariants) -> Invariants:
    """Return invariants but for equalities that are known."""
    same = {fact: equal for fact, equal in invariants.same.items() if fact not in kept.same}
    gates = {node: edge for node, edge in invariants.gates.items() if node not in kept.gates}
    return replace(invariants, same=same, gates=gates)


def _not_denied(solver: StepSolver, failures: Sequence[int]) -> list[int]:
    """Return which invariants may fail after a step that ends play, too; the others are known.

    Most hold in any state that a step leads to, and the plainest are asked about first: the
    solver then knows most of what makes both games agree when it is asked about something bad.
    """
    left, shown = list(failures), set[int]()
    while left:
        some = left[:TOGETHER]
        one_of_them = solver.new_variable()
        solver.add([-one_of_them, *some])
        answer = solver.attempt([one_of_them], QUICK)
        if answer:
            left = [failure for failure in left if not solver.value(failure)]
            continue
        if answer is not None:
            shown.update(some)
            for failure in some:
                solver.add([-failure])  # of any step, and so of those that are asked about later
        left = left[TOGETHER:]
    return [failure for failure in failures if failure not in shown]


def _holds_at_first(system: System, invariants: Invariants) -> bool:
    """Return whether nothing is bad at first, and play is over or the invariants hold."""
    values = {0: 0} | {
        edge >> 1: int(value)
        for edge, value in zip(system.fact_inputs, system.initial, strict=True)
    }
    aig = system.aig
    bads = [bad.edge for bad in system.bads]
    stop, *shown = evaluate_edges(aig, [system.stop, *bads], values, 1)
    gates = [edge for node, other in invariants.gates.items() for edge in (2 * node, other)]
    equal = evaluate_edges(aig, gates, values, 1)
    first = system.initial
    return not any(shown) and bool(
        stop
        or (
            equal[::2] == equal[1::2]
            and all(
                first[fact] == ((same.fact >= 0 and first[same.fact]) ^ same.flipped)
                for fact, same in invariants.same.items()
            )
            and all(any(first[f] == value for f, value in c) for c in invariants.clauses)
        )
    )
