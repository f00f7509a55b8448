"""A checker of clausal proofs: each clause of a proof must follow by unit propagation.

Knows nothing of solvers. Deletions are passed over, which can only make it slower.

Source: Goldberg, Novikov, "Verification of Proofs of Unsatisfiability for CNF Formulas", 2003.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable


def read_dimacs(text: str) -> list[list[int]]:
    """Return the clauses of a formula."""
    lines = text.splitlines()
    word, form, _, count = lines[0].split()
    assert (word, form) == ("p", "cnf")
    clauses = [[int(word) for word in line.split()[:-1]] for line in lines[1:]]
    assert len(clauses) == int(count)
    return clauses


def read_drat(text: str) -> list[list[int]]:
    """Return the clauses that a proof adds."""
    rows = (line.split() for line in text.splitlines())
    return [[int(word) for word in row[:-1]] for row in rows if row and row[0] != "d"]


def refutes(clauses: Iterable[list[int]], proof: Iterable[list[int]]) -> bool:
    """Return whether a proof shows that clauses cannot be satisfied."""
    known = _Known()
    for clause in clauses:
        known.add(clause)
    for clause in proof:
        if not known.implies(clause):
            return False
        if not clause:
            return True
        known.add(clause)
    return known.implies([])


class _Known:
    """Clauses with two watched literals each."""

    def __init__(self) -> None:
        self.value: dict[int, bool] = {}
        self.watching: dict[int, list[list[int]]] = defaultdict(list)
        self.units: list[int] = []
        self.has_empty = False

    def add(self, clause: list[int]) -> None:
        mine = list(dict.fromkeys(clause))
        if not mine:
            self.has_empty = True
        elif len(mine) == 1:
            self.units.append(mine[0])
        else:
            self.watching[mine[0]].append(mine)
            self.watching[mine[1]].append(mine)

    def implies(self, clause: list[int]) -> bool:
        """Return whether denying a clause leads to a contradiction by propagation alone."""
        true: set[int] = set()
        queue = [*self.units, *(-literal for literal in clause)]
        while queue and not self.has_empty:
            literal = queue.pop()
            if -literal in true:
                return True
            if literal in true:
                continue
            true.add(literal)
            if self._propagate(-literal, true, queue):
                return True
        return self.has_empty

    def _propagate(self, false: int, true: set[int], queue: list[int]) -> bool:
        """Move the watches of a literal that became false; return whether a clause is empty."""
        kept = []
        for clause in self.watching[false]:
            if clause[0] == false:
                clause[0], clause[1] = clause[1], clause[0]
            other = next((i for i in range(2, len(clause)) if -clause[i] not in true), None)
            if clause[0] in true or other is None:
                kept.append(clause)
                if clause[0] not in true:
                    queue.append(clause[0])
                continue
            clause[1], clause[other] = clause[other], clause[1]
            self.watching[clause[1]].append(clause)
        self.watching[false] = kept
        return False
