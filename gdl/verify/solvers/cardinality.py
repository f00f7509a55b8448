"""How many of some literals are true, in unary, for a SAT solver.

In: solver literals. Out: the same number of literals, sorted: the first is true when at
least one is, the second when at least two are. Odd-even merge sorting; both directions
are encoded, so that a count that is assumed propagates to the literals.

Source: Batcher, "Sorting Networks and Their Applications", 1968; Een, Sorensson,
"Translating Pseudo-Boolean Constraints into SAT", JSAT 2006.
"""

from __future__ import annotations

from collections.abc import Sequence

from gdl.verify.solvers.sat import Solver


def sorted_literals(solver: Solver, literals: Sequence[int]) -> list[int]:
    """Return the literals in falling order. Clauses: about 1.5 n (log n) ** 2."""
    if len(literals) <= 1:
        return list(literals)
    half = len(literals) // 2
    return _merge(
        solver, sorted_literals(solver, literals[:half]), sorted_literals(solver, literals[half:])
    )


class Counters:
    """Says how many of some literals hold, each sorting network written once."""

    def __init__(self, solver: Solver) -> None:
        """Begin with none."""
        self._solver = solver
        self._sorted: dict[tuple[int, ...], list[int]] = {}

    def exactly(self, literals: Sequence[int], value: int) -> list[int]:
        """Return assumptions that so many of some literals hold, from none to all of them."""
        key = tuple(literals)
        if key not in self._sorted:
            self._sorted[key] = sorted_literals(self._solver, literals)
        row = self._sorted[key]
        return [*(row[value - 1 : value] if value else []), *(-x for x in row[value : value + 1])]


def _merge(solver: Solver, left: list[int], right: list[int]) -> list[int]:
    if not left or not right:
        return left or right
    if len(left) == len(right) == 1:
        return list(_compare(solver, left[0], right[0]))
    even = _merge(solver, left[::2], right[::2])
    odd = _merge(solver, left[1::2], right[1::2])
    merged = [even[0]]
    others = even[1:]
    for index in range(max(len(others), len(odd))):
        if index < len(others) and index < len(odd):
            merged += _compare(solver, odd[index], others[index])
        else:
            merged += odd[index : index + 1] or others[index : index + 1]
    return merged


def _compare(solver: Solver, left: int, right: int) -> tuple[int, int]:
    """Return the larger and the smaller of two literals."""
    high, low = solver.new_variable(), solver.new_variable()
    for clause in ([-left, high], [-right, high], [left, right, -high]):
        solver.add(clause)
    for clause in ([-low, left], [-low, right], [low, -left, -right]):
        solver.add(clause)
    return high, low


def reached(solver: Solver, literals: Sequence[int], limit: int) -> list[int]:
    """Return literals that must hold when at least 1, 2, ... ``limit`` of the given ones do.

    Clauses: about 2 n limit. Their negations bound how many hold.

    Source: Sinz, "Towards an Optimal CNF Encoding of Boolean Cardinality Constraints", 2005.
    """
    row: list[int] = []
    for literal in literals:
        fresh = [solver.new_variable() for _ in range(min(len(row) + 1, limit))]
        for before, after in zip(row, fresh, strict=False):
            solver.add([-before, after])
        solver.add([-literal, fresh[0]])
        for before, after in zip(row, fresh[1:], strict=False):
            solver.add([-literal, -before, after])
        row = fresh
    return row
