"""One step of a system as logic: a state, a joint choice, the state after it.

In: a system and facts that are known to be equal or fixed where play goes on. Out: a
graph over the state and the choices, in which equal facts are one input, so that logic
which two games share becomes one; and a solver that knows a step when it sees one.

Source: van Eijk, "Sequential Equivalence Checking Based on Structural Similarities",
IEEE TCAD 2000.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from gdl.circuit.aig import FALSE, Aig, Lit, negate
from gdl.circuit.cone import cone
from gdl.circuit.copy import copy_cone
from gdl.circuit.logic import conj_all, disj_all, xor
from gdl.verify.solvers.budget import Budget
from gdl.verify.solvers.sat import Solver, one_legal
from gdl.verify.systems.system import System


@dataclass(frozen=True, slots=True)
class Same:
    """What a fact is, where play goes on: another fact or its opposite, or fixed.

    Attributes:
        fact: Number of the fact it is equal to; -1 when it is fixed.
        flipped: Whether it is the opposite; for a fixed fact, its value.
    """

    fact: int
    flipped: bool


@dataclass(frozen=True, slots=True)
class Transition:
    """A step.

    Attributes:
        system: Whose step it is.
        aig: Graph over the state before and the choices.
        facts: Edge of each fact before the step; equal facts share one.
        choices: Edge of each choice of each role.
        legal: Whether each choice is legal before the step.
        next: Edge of each fact after the step.
        going: Play goes on, and nothing is bad, before the step.
        next_going: Likewise after it.
        next_bads: What is bad after it.
        held: Pairs of edges that are equal before the step: gates, each with what it is known to
            equal. Of these the second stands in the graph wherever the gate is used.
    """

    system: System
    aig: Aig
    facts: tuple[Lit, ...]
    choices: tuple[tuple[Lit, ...], ...]
    legal: tuple[tuple[Lit, ...], ...]
    next: tuple[Lit, ...]
    going: Lit
    next_going: Lit
    next_bads: tuple[Lit, ...]
    held: tuple[tuple[Lit, Lit], ...] = ()

    def differs_after(self, fact: int, same: Same) -> Lit:
        """Return whether after the step a fact is another than it is where play goes on."""
        other = 0 if same.fact < 0 else self.next[same.fact]
        return xor(self.aig, self.next[fact], other ^ same.flipped)


def add_facts(aig: Aig, count: int, same: Mapping[int, Same]) -> list[Lit]:
    """Return an edge for each fact, a new input of a graph for those that are no others."""
    facts = [-1 if fact in same else aig.add_input() for fact in range(count)]
    for fact, equal in same.items():
        facts[fact] = (0 if equal.fact < 0 else facts[equal.fact]) ^ equal.flipped
    return facts


def merged_cone(
    source: Aig,
    target: Aig,
    values: dict[int, Lit],
    merged: Mapping[int, Lit],
    roots: Iterable[Lit],
) -> dict[int, tuple[Lit, Lit]]:
    """Copy cones, with what a gate is known to equal in the place of the gate. Cost O(nodes).

    Args:
        source: Where the cones are.
        target: Grows.
        values: Edge in ``target`` of nodes of ``source``, all inputs at least; grows.
        merged: Gates, each with an edge of a lower node.
        roots: Edges whose cones are copied.

    Returns:
        For each merged gate that was met, its own copy and what stands for it.
    """
    both: dict[int, tuple[Lit, Lit]] = {}
    values.setdefault(0, FALSE)
    wanted = [*roots, *(2 * node for node in merged), *merged.values()]
    left, right = source.left, source.right
    for node in cone(source, wanted, values):
        a, b = left[node], right[node]
        values[node] = own = target.conj(values[a >> 1] ^ (a & 1), values[b >> 1] ^ (b & 1))
        if node in merged:
            other = merged[node]
            values[node] = values[other >> 1] ^ (other & 1)
            both[node] = own, values[node]
    return both


def transition(
    system: System,
    same: Mapping[int, Same] | None = None,
    gates: Mapping[int, Lit] | None = None,
) -> Transition:
    """Return a step of a system. Cost O(nodes).

    Args:
        system: Whose step.
        same: Facts that are another fact, or fixed, wherever play goes on. A fact that
            others are equal to is not itself in it.
        gates: Gates of facts, each with an edge of a lower node that it equals there.
    """
    # Putting one input for equal facts restricts the step to states in which they are equal:
    # right of steps from where play goes on, which is where `same` was proved. The facts *after*
    # the step stay apart, since the step may end play; they are what a proof has to compare.
    same = same or {}
    aig = Aig()
    facts = add_facts(aig, len(system.facts), same)
    choices = tuple(tuple(aig.add_input() for _ in row) for row in system.choice_inputs)
    table = system.put(facts, choices)
    bads = [bad.edge for bad in system.bads]
    flat = system.flat_legal
    wanted = [system.stop, *bads, *flat, *system.next]
    held = merged_cone(system.aig, aig, table, gates or {}, wanted).values()
    copied = [table[edge >> 1] ^ (edge & 1) for edge in wanted]
    stop, copied = copied[0], copied[1:]
    bad_now, copied = copied[: len(bads)], copied[len(bads) :]
    legal = iter(copied[: len(flat)])
    follows = tuple(copied[len(flat) :])
    table = {edge >> 1: fact for edge, fact in zip(system.fact_inputs, follows, strict=True)}
    after = copy_cone(system.aig, aig, table, [system.stop, *bads])
    return Transition(
        system=system,
        aig=aig,
        facts=tuple(facts),
        choices=choices,
        legal=tuple(tuple(next(legal) for _ in row) for row in system.legal),
        next=follows,
        going=conj_all(aig, map(negate, (stop, *bad_now))),
        next_going=conj_all(aig, map(negate, after)),
        next_bads=tuple(after[1:]),
        held=tuple((own, other) for own, other in held if own != other),
    )


@dataclass(frozen=True, slots=True)
class MergedAfter:
    """The state after a step, each signal made of what those below it are guessed to be equal to.

    Attributes:
        facts: Edge of each fact.
        roots: What was asked for, in this state.
        apart: Of each guess that is not plain its node, and when it fails. Where none does, the
            state is the one after the step, from the facts upwards.
    """

    facts: tuple[Lit, ...]
    roots: tuple[Lit, ...]
    apart: tuple[tuple[int, Lit], ...]


def merged_after(
    step: Transition, same: Mapping[int, Same], gates: Mapping[int, Lit], roots: Sequence[Lit] = ()
) -> MergedAfter:
    """Return the state after a step as guesses have it. Cost O(nodes).

    Args:
        step: Its graph grows.
        same: Facts that are guessed to be another one, or fixed.
        gates: Gates of facts, each with an edge of a lower node that it is guessed to equal.
        roots: Edges of the system's graph that are wanted of this state.
    """
    system, aig = step.system, step.aig
    apart: list[tuple[int, Lit]] = []
    after = list(step.next)
    for fact, equal in same.items():
        after[fact] = (0 if equal.fact < 0 else step.next[equal.fact]) ^ equal.flipped
        apart.append((system.fact_inputs[fact] >> 1, xor(aig, step.next[fact], after[fact])))
    table = {e >> 1: fact for e, fact in zip(system.fact_inputs, after, strict=True)}
    for node, (own, other) in merged_cone(system.aig, aig, table, gates, roots).items():
        apart.append((node, xor(aig, own, other)))
    return MergedAfter(
        facts=tuple(after),
        roots=tuple(table[root >> 1] ^ (root & 1) for root in roots),
        apart=tuple((node, edge) for node, edge in apart if edge != FALSE),
    )


class StepSolver(Solver):
    """A solver in which every model is a step: a legal choice of each role where play goes on."""

    def __init__(self, step: Transition, budget: Budget) -> None:
        """Encode the step."""
        super().__init__(step.aig, budget)
        self.step = step
        self.add([self.lit(step.going)])
        for edge, other in step.held:
            self.equate(edge, other)
        for row, legal in zip(step.choices, step.legal, strict=True):
            one_legal(self, row, legal)
        self.any_bad = self.lit(disj_all(step.aig, step.next_bads))
        for edge in (*step.facts, *step.next):
            self.lit(edge)  # so that every model says what state it is

    def state(self) -> tuple[bool, ...]:
        """Return the state before the step in the model that was found last."""
        return self._values(self.step.facts)

    def state_after(self) -> tuple[bool, ...]:
        """Return the state after the step likewise."""
        return self._values(self.step.next)

    def joint(self) -> tuple[int, ...]:
        """Return the choice of each role likewise."""
        return tuple(self._values(row).index(True) for row in self.step.choices)

    def _values(self, edges: Sequence[Lit]) -> tuple[bool, ...]:
        return tuple(self.value(self.lit(edge)) if edge > 1 else edge == 1 for edge in edges)
