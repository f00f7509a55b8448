"""Atoms that depend on each other, solved once and for all.

In: the rules of one strongly connected component, with the edges of everything outside.
Out: an edge for each atom, its least fixpoint. Where every rule asks for at most one atom
of the component (reachability, connection, lines) the rules are linear equations over
the Boolean semiring, and eliminating one unknown after the other solves them: on a board
of n squares that takes about n to the power 1.5 gates, where unrolling takes n squared.
Other rules are unrolled as often as there are atoms, which always suffices.

Source: Lehmann, "Algebraic Structures for Transitive Closure", 1977; Lipton, Rose, Tarjan,
"Generalized Nested Dissection", 1979 (why the order of elimination matters).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from heapq import heapify, heappop, heappush
from typing import Final, Protocol

from gdl.circuit.aig import FALSE, Lit
from gdl.compile.budget import Budget
from gdl.compile.grounding.aspif import Body
from gdl.compile.limits import CompileError, GroundingLimitError

_MOST_PRODUCTS: Final = 20_000_000
"""Gates that one component may take before it is given up."""
_BETWEEN_CHECKS: Final = 2000
"""Gates between two looks at the clock."""


class Logic(Protocol):
    """What builds gates."""

    def conj_all(self, edges: Sequence[Lit]) -> Lit:
        """Return an edge for the conjunction."""

    def disj_all(self, edges: Sequence[Lit]) -> Lit:
        """Return an edge for the disjunction."""


def solve(
    component: Sequence[int],
    bodies: Mapping[int, Sequence[Body]],
    outside: Mapping[int, Lit],
    logic: Logic,
    budget: Budget | None = None,
) -> dict[int, Lit]:
    """Return the edges of the atoms of a component.

    Args:
        component: The atoms, all derived.
        bodies: Bodies of their rules.
        outside: Edges of all other atoms in the bodies; those without one never hold.
        logic: Builds the gates.
        budget: What is left of time and memory.

    Raises:
        CompileError: An atom depends on its own negation.
        GroundingLimitError: The component is too large to be solved.
    """
    inside = set(component)
    for atom in component:
        for body in bodies[atom]:
            if any(literal < 0 and -literal in inside for literal in body):
                raise CompileError("a sentence depends on its own negation in some state")
    most = max(
        sum(literal in inside for literal in set(body))
        for atom in component
        for body in bodies[atom]
    )
    counted = _Counted(component, budget)
    if most <= 1:
        return _eliminate(component, bodies, outside, logic, counted)
    return _unroll(component, bodies, outside, logic, counted)


class _Counted:
    """Counts the gates of one component, and gives it up when they are too many."""

    def __init__(self, component: Sequence[int], budget: Budget | None) -> None:
        self._component = component
        self._budget = budget
        self._gates = 0
        self._checked = 0

    def check_room(self, gates: int) -> None:
        """Raise `GroundingLimitError` where so many more gates would be too many."""
        if self._gates + gates > _MOST_PRODUCTS:
            raise _too_large(self._component)

    def take(self, gates: int) -> None:
        """Count gates.

        Raises:
            GroundingLimitError: They are more than may be, or the budget is spent.
        """
        self.check_room(gates)
        self._gates += gates
        if self._budget is not None and self._gates > self._checked + _BETWEEN_CHECKS:
            self._checked = self._gates
            count = len(self._component)
            self._budget.check(f"solving {count:,} sentences that depend on each other")


def body_edges(body: Body, edges: Mapping[int, Lit]) -> list[Lit]:
    """Return the edges of the literals of a body whose atoms have one, the others false."""
    return [edges.get(atom, FALSE) if atom > 0 else edges.get(-atom, FALSE) ^ 1 for atom in body]


def _eliminate(
    component: Sequence[int],
    bodies: Mapping[int, Sequence[Body]],
    outside: Mapping[int, Lit],
    logic: Logic,
    counted: _Counted,
) -> dict[int, Lit]:
    """Solve x[v] = start[v] or some (weight[v][u] and x[u]) by elimination."""
    inside = set(component)
    starts: dict[int, list[Lit]] = {atom: [] for atom in component}
    weights: dict[int, dict[int, list[Lit]]] = {atom: {} for atom in component}
    for atom in component:
        for body in bodies[atom]:
            other = next((literal for literal in body if literal in inside), None)
            others = tuple(literal for literal in body if literal != other)
            term = logic.conj_all(body_edges(others, outside))
            if other is None:
                starts[atom].append(term)
            elif other != atom:
                weights[atom].setdefault(other, []).append(term)
    start = {atom: logic.disj_all(edges) for atom, edges in starts.items()}
    weight = {
        atom: {other: logic.disj_all(edges) for other, edges in row.items()}
        for atom, row in weights.items()
    }
    users: dict[int, set[int]] = {atom: set() for atom in component}
    for atom, row in weight.items():
        for other in row:
            users[other].add(atom)
    order = _eliminate_all(start, weight, users, logic, counted)
    # What an unknown still depends on was taken out after it: it is solved first.
    solved: dict[int, Lit] = {}
    for atom in reversed(order):
        terms = [logic.conj_all((edge, solved[other])) for other, edge in weight[atom].items()]
        solved[atom] = logic.disj_all([start[atom], *terms])
    return solved


def _eliminate_all(
    start: dict[int, Lit],
    weight: dict[int, dict[int, Lit]],
    users: dict[int, set[int]],
    logic: Logic,
    counted: _Counted,
) -> list[int]:
    """Take the unknowns out one by one, those with fewest neighbours first; return the order."""
    # Taking x out of x = start or (weight and y), u = ... or (through and x) leaves the same least
    # solution for all others: every path through x becomes a step of its own. A step from x to
    # itself adds nothing to a least solution. The price is a product for each pair of a user and
    # an operand, so the fewest go first (minimum fill-in); prices in the heap may be out of date.
    heap = [(len(users[atom]) * len(row), atom) for atom, row in weight.items()]
    heapify(heap)
    left = set(weight)
    order: list[int] = []
    while heap:
        products, atom = heappop(heap)
        if atom not in left or products != len(users[atom]) * len(weight[atom]):
            continue  # it has been entered anew since
        left.remove(atom)
        order.append(atom)
        counted.take(products)
        touched = users[atom] | weight[atom].keys()
        for user in users[atom]:
            through = weight[user].pop(atom)
            start[user] = logic.disj_all((start[user], logic.conj_all((through, start[atom]))))
            for other, edge in weight[atom].items():
                if other == user:
                    continue
                path = logic.conj_all((through, edge))
                if path != FALSE:
                    direct = weight[user].get(other, FALSE)
                    weight[user][other] = logic.disj_all((direct, path))
                    users[other].add(user)
        for other in weight[atom]:
            users[other].discard(atom)
        for neighbour in touched:
            heappush(heap, (len(users[neighbour]) * len(weight[neighbour]), neighbour))
    return order


def _unroll(
    component: Sequence[int],
    bodies: Mapping[int, Sequence[Body]],
    outside: Mapping[int, Lit],
    logic: Logic,
    counted: _Counted,
) -> dict[int, Lit]:
    """Iterate from all false until no edge changes, at most once an atom."""
    inside = set(component)
    fixed = {
        atom: [
            (
                logic.conj_all(
                    body_edges(tuple(lit for lit in body if lit not in inside), outside)
                ),
                tuple(lit for lit in body if lit in inside),
            )
            for body in bodies[atom]
        ]
        for atom in component
    }
    # Values only rise (no negation inside), and each round but the last makes one atom true that
    # was not: in any state, after as many rounds as there are atoms nothing is new.
    literals = sum(1 + len(others) for rows in fixed.values() for _, others in rows)
    counted.check_room(literals * len(component))
    values = dict.fromkeys(component, FALSE)
    for _ in component:
        counted.take(literals)
        before = dict(values)
        for atom in component:
            values[atom] = logic.disj_all(
                [
                    logic.conj_all((edge, *(values[other] for other in others)))
                    for edge, others in fixed[atom]
                    if edge != FALSE
                ]
            )
        if values == before:
            break
    return values


def _too_large(component: Sequence[int]) -> GroundingLimitError:
    return GroundingLimitError(
        f"{len(component):,} sentences depend on each other; solving them would take more "
        f"than {_MOST_PRODUCTS:,} gates",
        help="let the reasoner play this game",
    )
