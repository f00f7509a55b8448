"""From ground rules to gates: an edge for every atom.

In: a ground program and edges for its free atoms. Out: edges for the atoms asked for and
all below them. An atom is the disjunction of the bodies of its rules; atoms that depend
on each other are solved together (`recursion`).

Source: Clark, "Negation as Failure", 1978 (the completion); Schkufza, Love, Genesereth,
"Propositional Automata and Cell Automata", 2008 (propositional networks).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from gdl.circuit.aig import TRUE, Lit
from gdl.compile.budget import Budget
from gdl.compile.gates.recursion import Logic, body_edges, solve
from gdl.compile.grounding.aspif import Body
from gdl.language.graphs import components

_BETWEEN_CHECKS: Final = 1024
"""Atoms between two looks at the clock."""
_MANY: Final = 8
"""Rules from which common conditions are looked for."""


def derive(
    bodies: Mapping[int, Sequence[Body]],
    wanted: Iterable[int],
    free: Mapping[int, Lit],
    logic: Logic,
    budget: Budget | None = None,
) -> dict[int, Lit]:
    """Return edges for the wanted atoms, for all they depend on, and for the free ones.

    Atoms that are neither free nor derived never hold and have no edge.

    Raises:
        CompileError: An atom depends on its own negation.
        GroundingLimitError: The budget is spent.
    """
    edges = dict(free)
    parts, is_cyclic = _evaluation_order(bodies, wanted)
    for number, part in enumerate(parts):
        if budget is not None and not number % _BETWEEN_CHECKS:
            budget.check("making gates of the rules")
        if is_cyclic and (len(part) > 1 or _uses_itself(part[0], bodies)):
            edges.update(solve(part, bodies, edges, logic, budget))
        else:
            rows = [body_edges(body, edges) for body in bodies[part[0]]]
            edges[part[0]] = sum_of_products(rows, logic)
    return edges


def sum_of_products(rows: Sequence[Sequence[Lit]], logic: Logic) -> Lit:
    """Return an edge for "all edges of one of these rows".

    What most of many rows have in common is taken out of them at once: a fact that stays
    whichever of a thousand other moves is made has a thousand rules with that fact in each.
    """
    if len(rows) >= _MANY:
        counts = Counter(edge for row in rows for edge in row)
        # a b or a c or d = a (b or c) or d. Only a factor of half of the rows or more is taken out:
        # each turn then halves what is left.
        factor, count = max(counts.items(), key=lambda item: (item[1], -item[0]), default=(TRUE, 0))
        if 2 * count >= len(rows):
            inner = [[edge for edge in row if edge != factor] for row in rows if factor in row]
            outer = [row for row in rows if factor not in row]
            product = logic.conj_all((factor, sum_of_products(inner, logic)))
            return logic.disj_all((product, sum_of_products(outer, logic)))
    products = [row[0] if len(row) == 1 else logic.conj_all(row) for row in rows]
    return products[0] if len(products) == 1 else logic.disj_all(products)


def _evaluation_order(
    bodies: Mapping[int, Sequence[Body]], wanted: Iterable[int]
) -> tuple[list[list[int]], bool]:
    """Return the derived atoms that wanted ones depend on, each after those it depends on.

    Atoms that depend on each other stand together; the second value is whether any do, or one
    depends on itself. Cost O(literals).
    """
    search = _PostOrder(bodies)
    for root in wanted:
        search.run(root)
    order = search.order
    if not search.is_cyclic:
        return [[atom] for atom in order], False
    there = set(order)
    parts = components(
        {
            atom: {abs(lit) for body in bodies[atom] for lit in body if abs(lit) in there}
            for atom in order
        }
    )
    return parts, True


class _PostOrder:
    """Depth-first search that lists atoms after those they depend on, and notices cycles."""

    def __init__(self, bodies: Mapping[int, Sequence[Body]]) -> None:
        self.order: list[int] = []
        self.is_cyclic = False
        self._bodies = bodies
        self._finished: dict[int, bool] = {}

    def run(self, root: int) -> None:
        """List a root and all below it that are not listed yet."""
        finished = self._finished
        stack = [root] if root in self._bodies else []
        while stack:
            atom = stack[-1]
            state = finished.get(atom)
            if state is None:
                finished[atom] = False
                self._push(atom, stack)
                continue
            stack.pop()
            if not state:
                finished[atom] = True
                self.order.append(atom)

    def _push(self, atom: int, stack: list[int]) -> None:
        finished, bodies = self._finished, self._bodies
        for body in bodies[atom]:
            for literal in body:
                other = abs(literal)
                seen = finished.get(other)
                if seen is None:
                    if other in bodies:
                        stack.append(other)
                elif not seen:
                    self.is_cyclic = True


def _uses_itself(atom: int, bodies: Mapping[int, Sequence[Body]]) -> bool:
    return any(atom in body or -atom in body for body in bodies[atom])
